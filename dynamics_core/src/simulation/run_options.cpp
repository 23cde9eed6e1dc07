// SPDX-License-Identifier: Apache-2.0
// Checks, completes and records the options of a simulation.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/integrators.hpp"
#include "simulation/run.hpp"

namespace dynamics {

namespace {

void check_trajectory(const Model& model, const Trajectory& trajectory,
                      const Mechanism* mechanism) {
  if (trajectory.size() == model.size()) return;
  if (mechanism == nullptr) {
    throw ArgumentError(fmt::format("the desired trajectory has {} joints; '{}' has {}",
                                    trajectory.size(), model.name(), model.size()));
  }
  if (trajectory.size() == mechanism->size()) return;
  throw ArgumentError(
      fmt::format("the desired trajectory has {} joints; '{}' has {} independent joints and {} in "
                  "all",
                  trajectory.size(), model.name(), mechanism->size(), model.size()));
}

}  // namespace

void check_options(const Model& model, const SimulationOptions& options,
                   const Mechanism* mechanism) {
  if (model.size() == 0)
    throw ArgumentError("'" + model.name() + "' has no movable joint to simulate");
  require_positive("duration", options.duration);
  require_positive("bandwidth", options.bandwidth);
  const bool follows_trajectory =
      options.scenario == Scenario::forced || options.scenario == Scenario::computed_torque;
  if (follows_trajectory && !options.trajectory) {
    throw ArgumentError(
        fmt::format("scenario {} needs a desired trajectory: set options.trajectory",
                    to_string(options.scenario)));
  }
  if (options.trajectory) check_trajectory(model, *options.trajectory, mechanism);
  if (ode::find_integrator(options.integrator).fixed_step && !options.step) {
    throw ArgumentError(
        fmt::format("integrator {} is a fixed-step method: set step", options.integrator));
  }
  if (options.step && !ode::find_integrator(options.integrator).constant_step) {
    throw ArgumentError(
        fmt::format("integrator {} chooses its steps: remove step, or take a method that runs at "
                    "constant step",
                    options.integrator));
  }
  if (options.step && *options.step > 0.0 && options.duration / *options.step > 1e12) {
    throw ArgumentError(fmt::format("step {} s is too small: more than 1e12 steps in {} s",
                                    *options.step, options.duration));
  }
  if (!(options.restitution >= 0.0 && options.restitution <= 1.0)) {
    throw ArgumentError(
        fmt::format("restitution is {}; it must be from 0 to 1", options.restitution));
  }
  if (options.scenario == Scenario::hold && options.trajectory) {
    throw ArgumentError(
        "scenario hold holds the initial position: remove options.trajectory, or take scenario "
        "computed-torque");
  }
  for (const SimulationEvent& event : options.events) {
    if (!event.function) throw ArgumentError(fmt::format("event '{}' has no function", event.name));
  }
}

std::vector<double> default_start(const Model& model) {
  std::vector<double> q;
  for (const Coordinate& joint : model.coordinates())
    q.push_back(std::min(std::max(0.0, joint.lower), joint.upper));
  return q;
}

std::vector<double> initial_state(const char* name, std::vector<double> given, const Plant& plant) {
  const std::size_t joints = plant.joints(), size = plant.size();
  if (!given.empty() && given.size() != joints && given.size() != size) {
    const std::string alternative =
        size > joints ? fmt::format(", or {} with the amplitudes", size) : std::string();
    throw ArgumentError(
        fmt::format("{} has {} entries; {} are needed{}", name, given.size(), joints, alternative));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!std::isfinite(given[i])) throw ArgumentError(fmt::format("{}[{}] is not finite", name, i));
  }
  given.resize(size, 0.0);
  return given;
}

RunSettings run_settings(const Model& model, const SimulationOptions& options) {
  RunSettings settings;
  settings.robot = model.name();
  settings.source = model.description().source;
  settings.scenario = to_string(options.scenario);
  settings.integrator = options.integrator;
  settings.rtol = options.rtol;
  settings.atol = options.atol.value_or(options.rtol);
  settings.step = options.step;
  settings.duration = options.duration;
  settings.sample = options.sample;
  settings.friction = options.friction;
  settings.bandwidth = options.bandwidth;
  settings.limits = options.limits;
  settings.restitution = options.restitution;
  settings.payload = model.payload();
  settings.control_rate = options.sampling.period > 0.0 ? 1.0 / options.sampling.period : 0.0;
  settings.control_delay = options.sampling.delay;
  for (const LinkWrenchHistory& history : options.wrenches) {
    settings.inputs.push_back(history.description.empty() ? "wrench on " + history.link
                                                          : history.description);
  }
  for (const PayloadChange& change : options.payload_changes) {
    settings.inputs.push_back(
        change.payload ? fmt::format("payload {:.6g} kg on {} from {:.6g} s", change.payload->mass,
                                     change.payload->frame, change.time)
                       : fmt::format("payload dropped at {:.6g} s", change.time));
  }
  for (const JointLock& lock : options.locks) {
    settings.inputs.push_back(
        fmt::format("{} locked from {:.6g} s until {:.6g} s", lock.joint, lock.start, lock.end));
  }
  return settings;
}

}  // namespace dynamics
