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
                                   bool friction) {
  const dynamics::TimedPath& points = trajectory.points;
  const EffortsOf efforts = efforts_of(robot, trajectory);
  const std::vector<double> none(points.q.size(), 0.0);
  const auto tau = [&](const std::vector<double>& qd, const std::vector<double>& qdd,
                       bool with_friction) {
    std::vector<double> values(points.q.size());
    robot.inverse_dynamics(points.q, qd, qdd, values, with_friction, "trajectory.points", efforts);
    return values;
  };
  const auto difference = [](std::vector<double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
  };
  std::vector<double> uniform = none;  // the independent joints are not accelerated
  ClosedStates(*robot.mechanism, false, "trajectory.points")
      .accelerations(points.q, points.qd, uniform);
  const auto gravity = tau(none, none, false), moving = tau(points.qd, uniform, false),
             all = tau(points.qd, points.qdd, false);
  return {gravity, difference(moving, gravity), difference(all, moving),
          friction ? difference(tau(points.qd, points.qdd, true), all) : none};
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
                                  bool friction) {
  const dynamics::TimedPath& points = trajectory.points;
  std::vector<double> tau(points.q.size());
  robot.inverse_dynamics(points.q, points.qd, points.qdd, tau, friction, "trajectory.points",
                         efforts_of(robot, trajectory));
  return tau;
}

std::vector<EffortParts> parts_along(const Robot& robot, const RobotTrajectory& trajectory,
                                     bool friction) {
  const dynamics::TimedPath& points = trajectory.points;
  const auto parts = [&] {
    if (robot.mechanism) return closed_parts(robot, trajectory, friction);
    auto workspace = robot.batch_workspace();
    return dynamics::effort_parts(robot.model, *workspace, points.q, points.qd, points.qdd,
                                  friction);
  }();
  std::vector<EffortParts> messages(points.points());
  for (std::size_t k = 0; k < messages.size(); ++k) {
    const auto at_point = [&](const std::vector<double>& values) {
      return pick(row(values, k, robot.model.size()), trajectory.coordinates);
    };
    messages[k].gravity = at_point(parts.gravity);
    messages[k].velocity = at_point(parts.velocity);
    messages[k].inertia = at_point(parts.inertia);
    messages[k].friction = at_point(parts.friction);
  }
  return messages;
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
