// SPDX-License-Identifier: Apache-2.0
#include "efforts.hpp"

#include <cstdint>
#include <dynamics_core/trajectory_efforts.hpp>

namespace dynamics_ros {

using dynamics_msgs::msg::EffortParts;
using dynamics_msgs::msg::EffortVerdict;

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
  robot.inverse_dynamics(points.q, points.qd, points.qdd, tau, friction, "trajectory.points");
  return tau;
}

std::vector<EffortParts> parts_along(const Robot& robot, const RobotTrajectory& trajectory,
                                     bool friction) {
  const dynamics::TimedPath& points = trajectory.points;
  auto workspace = robot.batch_workspace();
  const auto parts =
      dynamics::effort_parts(robot.model, *workspace, points.q, points.qd, points.qdd, friction);
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
