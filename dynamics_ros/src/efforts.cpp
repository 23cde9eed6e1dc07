// SPDX-License-Identifier: Apache-2.0
#include "efforts.hpp"

#include <algorithm>
#include <cstdint>
#include <dynamics_core/trajectory_efforts.hpp>

#include "closed_states.hpp"

namespace dynamics_ros {

using dynamics_msgs::msg::EffortParts;
using dynamics_msgs::msg::EffortVerdict;
using EffortsOf = Robot::EffortsOf;

namespace {

/// The joints that exert the efforts: all actuators of a mechanism where the trajectory has them,
/// otherwise its independent joints.
EffortsOf efforts_of(const Robot& robot, const RobotTrajectory& trajectory) {
  if (!robot.mechanism) return EffortsOf::actuators;
  const auto actuated = robot.mechanism->actuated();
  const auto& joints = trajectory.coordinates;
  const bool all = std::all_of(actuated.begin(), actuated.end(), [&](std::size_t joint) {
    return std::find(joints.begin(), joints.end(), joint) != joints.end();
  });
  return all ? EffortsOf::actuators : EffortsOf::independent_joints;
}

/// Of a mechanism: from inverse dynamics with and without motion.
dynamics::EffortParts closed_parts(const Robot& robot, const RobotTrajectory& trajectory,
                                   const Loads& loads, std::vector<double>& wrenches) {
  const dynamics::TimedPath& points = trajectory.points;
  const EffortsOf efforts = efforts_of(robot, trajectory);
  const std::vector<double> none(points.q.size(), 0.0);
  const auto tau = [&](const std::vector<double>& qd, const std::vector<double>& qdd,
                       const Loads& acting) {
    std::vector<double> values(points.q.size());
    robot.inverse_dynamics(points.q, qd, qdd, values, acting, trajectory.points_name, efforts);
    return values;
  };
  const auto difference = [](std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  };
  std::vector<double> uniform = none;  // the independent joints are not accelerated
  ClosedStates(*robot.mechanism, false, trajectory.points_name)
      .accelerations(points.q, points.qd, uniform);
  const Loads unloaded = {.friction = false, .wrenches = {}};
  const auto gravity = tau(none, none, unloaded), moving = tau(points.qd, uniform, unloaded),
             all = tau(points.qd, points.qdd, unloaded);
  wrenches = none;
  if (!loads.wrenches.empty()) {
    const Loads loaded = {.friction = false, .wrenches = loads.wrenches};
    wrenches = difference(tau(points.qd, points.qdd, loaded), all);
  }
  const Loads resisted = {.friction = true, .wrenches = {}};
  return {gravity, difference(moving, gravity), difference(all, moving),
          loads.friction ? difference(tau(points.qd, points.qdd, resisted), all) : none};
}

}  // namespace

std::vector<double> pick(std::span<const double> values,
                         const std::vector<std::size_t>& coordinates) {
  std::vector<double> picked;
  picked.reserve(coordinates.size());
  for (const std::size_t coordinate : coordinates) picked.push_back(values[coordinate]);
  return picked;
}

std::vector<double> efforts_along(const Robot& robot, const RobotTrajectory& trajectory,
                                  const Loads& loads) {
  const dynamics::TimedPath& points = trajectory.points;
  std::vector<double> tau(points.q.size());
  robot.inverse_dynamics(points.q, points.qd, points.qdd, tau, loads, trajectory.points_name,
                         efforts_of(robot, trajectory));
  return tau;
}

std::vector<double> pick_columns(const std::vector<double>& rows, std::size_t width,
                                 const std::vector<std::size_t>& coordinates) {
  std::vector<double> picked(rows.size() / width * coordinates.size());
  double* into = picked.data();
  for (const double* row = rows.data(); into != picked.data() + picked.size(); row += width) {
    for (const std::size_t coordinate : coordinates) *into++ = row[coordinate];
  }
  return picked;
}

EffortParts parts_along(const Robot& robot, const RobotTrajectory& trajectory, const Loads& loads) {
  const dynamics::TimedPath& points = trajectory.points;
  std::vector<double> wrenches;
  const auto parts = [&] {
    if (robot.mechanism) return closed_parts(robot, trajectory, loads, wrenches);
    wrenches.assign(points.q.size(), 0.0);
    if (!loads.wrenches.empty()) {
      wrenches = robot.wrench_torques(points.q, loads.wrenches);
      for (double& value : wrenches) value = -value;
    }
    auto workspace = robot.batch_workspace();
    return dynamics::effort_parts(robot.model, *workspace, points.q, points.qd, points.qdd,
                                  loads.friction);
  }();
  const auto columns = [&](const std::vector<double>& values) {
    return pick_columns(values, robot.model.size(), trajectory.coordinates);
  };
  EffortParts message;
  message.gravity = columns(parts.gravity);
  message.coriolis = columns(parts.velocity);
  message.inertia = columns(parts.inertia);
  message.friction = columns(parts.friction);
  message.wrenches = columns(wrenches);
  return message;
}

EffortVerdict judge(const dynamics::Model& model, const std::vector<double>& tau,
                    const std::vector<std::size_t>& coordinates) {
  const auto verdict = dynamics::check_effort_limits(model, tau, coordinates);
  EffortVerdict message;
  for (const dynamics::EffortPeak& peak : verdict.peaks) {
    message.joint_names.push_back(model.coordinates()[peak.coordinate].name);
    message.peak.push_back(peak.peak);
    message.peak_point.push_back(static_cast<std::uint32_t>(peak.point));
    message.limit.push_back(peak.limit);
    message.ratio.push_back(peak.ratio);
  }
  message.within_limits = verdict.within_limits();
  message.first_violating_point = -1;
  if (verdict.violation) {
    message.first_violating_point = static_cast<std::int32_t>(verdict.violation->point);
    message.first_violating_joint = model.coordinates()[verdict.violation->coordinate].name;
  }
  return message;
}

}  // namespace dynamics_ros
