// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <dynamics_core/integrators.hpp>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/simulate.hpp>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "closed_states.hpp"
#include "durations.hpp"
#include "dynamics_ros/dynamics_server.hpp"
#include "fault.hpp"
#include "request.hpp"
#include "robot.hpp"
#include "trajectory_request.hpp"

namespace dynamics_ros {
namespace {

using dynamics_msgs::action::Simulate;

dynamics::Scenario scenario_of(std::uint8_t code) {
  switch (code) {
    case Simulate::Goal::FREE_FALL: return dynamics::Scenario::free_fall;
    case Simulate::Goal::FORCED: return dynamics::Scenario::forced;
    case Simulate::Goal::HOLD: return dynamics::Scenario::hold;
    case Simulate::Goal::COMPUTED_TORQUE: return dynamics::Scenario::computed_torque;
    default: break;
  }
  throw Fault(ResultCode::INVALID_VALUE,
              fmt::format("scenario is {}; it must be FREE_FALL (0), FORCED (1), HOLD (2) or "
                          "COMPUTED_TORQUE (3)",
                          code));
}

double positive(double given, const char* field) {
  if (given > 0.0 && std::isfinite(given)) return given;
  throw Fault(ResultCode::INVALID_VALUE,
              fmt::format("{} is {}; it must be a number above 0", field, given));
}

double positive(const builtin_interfaces::msg::Duration& given, const char* field) {
  return positive(seconds(given), field);
}

/// The state to start from: joints, and amplitudes where links bend.
void read_start(const Simulate::Goal& goal, const Robot& robot, bool bends,
                dynamics::SimulationOptions& options) {
  const auto further = bends ? robot.flexible->amplitude_names() : std::span<const std::string>();
  const std::size_t size = robot.model.size() + further.size();
  options.q0 = dynamics::default_start(robot.model);
  if (robot.mechanism)
    options.q0.assign(robot.mechanism->start().begin(), robot.mechanism->start().end());
  options.q0.resize(size, 0.0);
  options.qd0.assign(size, 0.0);
  std::vector<std::size_t> coordinates;
  if (!goal.joint_names.empty()) {
    coordinates = read_joints(robot.model, goal.joint_names, "joint_names", further);
  }
  read_values(goal.positions, goal.joint_names, coordinates, {"positions"}, options.q0.data());
  if (!goal.velocities.empty()) {
    read_values(goal.velocities, goal.joint_names, coordinates, {"velocities"}, options.qd0.data());
  }
  close_states(robot, coordinates, "", options.q0, &options.qd0);
}

dynamics::SimulationOptions read_goal(const Simulate::Goal& goal, const Robot& robot, bool bends,
                                      std::size_t largest) {
  dynamics::SimulationOptions options;
  options.scenario = scenario_of(goal.scenario);
  options.duration = positive(goal.duration, "duration");
  options.sample = positive(goal.sample, "sample");
  if (!(options.duration / options.sample < static_cast<double>(largest))) {
    throw Fault(ResultCode::TOO_LARGE,
                fmt::format("duration is {} s, sample {} s: that is more than {} states",
                            options.duration, options.sample, largest));
  }
  options.integrator = goal.integrator;
  const auto& integrator = dynamics::ode::find_integrator(options.integrator);
  options.rtol = positive(goal.tolerance, "tolerance");
  constexpr double round_off = 10.0 * std::numeric_limits<double>::epsilon();
  if (!(options.rtol >= round_off && options.rtol < 1.0)) {
    throw Fault(
        ResultCode::INVALID_VALUE,
        fmt::format("tolerance is {}; it must be from {} to below 1", goal.tolerance, round_off));
  }
  if (goal.constant_step) {
    options.step = positive(goal.step, "step");
  } else if (integrator.fixed_step) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("integrator {} has a fixed step: set constant_step and step",
                            options.integrator));
  } else if (goal.step != builtin_interfaces::msg::Duration()) {
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("step is {} s without constant_step: set it, or leave step at zero",
                            seconds(goal.step)));
  }
  options.bandwidth = positive(goal.bandwidth, "bandwidth");
  options.friction = !goal.without_friction;
  options.limits = goal.limits;
  read_start(goal, robot, bends, options);
  const bool follows = options.scenario == dynamics::Scenario::forced ||
                       options.scenario == dynamics::Scenario::computed_torque;
  if (follows) {
    const RobotTrajectory trajectory = read_trajectory(robot, goal.trajectory, largest);
    options.trajectory = dynamics::interpolate(trajectory.given);
  } else if (!goal.trajectory.joint_names.empty() || !goal.trajectory.points.empty()) {
    throw Fault(ResultCode::INVALID_VALUE,
                "trajectory is for FORCED and COMPUTED_TORQUE: leave it empty");
  }
  return options;
}

/// Columns as one row-major matrix.
std::vector<double> matrix(const std::vector<dynamics::Column>& columns, std::size_t rows) {
  std::vector<double> values;
  values.reserve(columns.size() * rows);
  for (std::size_t k = 0; k < rows; ++k) {
    for (const auto& column : columns) values.push_back(column[k]);
  }
  return values;
}

void fill(const dynamics::Recording& run, Simulate::Result& result) {
  const std::size_t rows = run.size();
  auto& states = result.states;
  for (const double t : run.t) {
    states.time_from_start.push_back(duration_message(std::llround(t * 1e9)));
  }
  states.joint_names = run.model.coordinate_names();
  states.positions = matrix(run.q, rows);
  states.velocities = matrix(run.qd, rows);
  states.accelerations = matrix(run.qdd, rows);
  states.effort = matrix(run.tau, rows);
  for (const auto& name : run.amplitude_names) states.amplitude_names.push_back("e_" + name);
  states.amplitudes = matrix(run.amplitudes, rows);
  states.amplitude_velocities = matrix(run.amplitude_rates, rows);
  states.kinetic_energy = run.kinetic;
  states.potential_energy = run.potential;
  states.strain_energy = run.strain;
  states.strain_energy.resize(rows, 0.0);  // a rigid robot has none
  for (const auto& event : run.events) {
    result.events.push_back(fmt::format("t = {:.6f} s: {}", event.t, event.what));
  }
  result.steps = run.statistics.steps;
  result.evaluations = run.statistics.evaluations;
  result.energy_drift = run.statistics.energy_drift;
}

}  // namespace

void DynamicsServer::simulate(const Simulate::Goal& goal, Simulate::Result& result,
                              const std::function<bool(double)>& go_on) const {
  ResultCode ending;
  respond(result, [&](auto& answer) {
    const auto now = robot(goal.overrides);
    if (!now->mechanism && !now->model.singular_reason().empty()) {
      throw Fault(ResultCode::NO_SOLUTION, now->model.singular_reason());
    }
    const bool bends = now->flexible && !goal.flexible_as_rigid;
    const auto options = read_goal(goal, *now, bends, options_.largest_request);
    const auto begin = std::chrono::steady_clock::now();
    bool canceled = false, too_long = false;
    const auto progress = [&](double t) {
      if (go_on && !go_on(t)) canceled = true;
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
      if (wall.count() > options_.longest_simulation) too_long = true;
      return !canceled && !too_long;
    };
    const dynamics::Recording run = [&] {
      if (!bends && !now->mechanism) return dynamics::simulate(now->model, options, progress);
      const auto plant =
          bends ? dynamics::flexible_plant(*now->flexible, {.friction = options.friction})
                : dynamics::loop_plant(*now->mechanism, {.friction = options.friction});
      return dynamics::simulate(*plant, options, progress);
    }();
    fill(run, answer);
    if (run.statistics.completed) return;
    const double reached = run.t.empty() ? 0.0 : run.t.back();
    ending.code = canceled ? ResultCode::CANCELED : ResultCode::NOT_CONVERGED;
    ending.message = fmt::format(
        "{}; states up to {} s of {} s",
        canceled   ? std::string("canceled")
        : too_long ? fmt::format("the run takes longer than {} s (parameter longest_simulation)",
                                 options_.longest_simulation)
                   : run.statistics.ending,
        reached, options.duration);
  });
  // what there is of a run that ended early is returned
  if (ending.code != ResultCode::SUCCESS) result.result = std::move(ending);
}

}  // namespace dynamics_ros
