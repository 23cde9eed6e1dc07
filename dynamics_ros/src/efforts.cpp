// SPDX-License-Identifier: Apache-2.0
#include "efforts.hpp"

#include <cmath>
#include <cstdint>

namespace dynamics_ros {

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
  std::vector<double> tau(trajectory.q.size());
  robot.inverse_dynamics(trajectory.q, trajectory.qd, trajectory.qdd, tau, friction,
                         "trajectory.points");
  return tau;
}

EffortVerdict judge(const dynamics::Model& model, const std::vector<double>& tau, std::size_t count,
                    const std::vector<std::size_t>& coordinates) {
  EffortVerdict verdict;
  verdict.first_violating_point = -1;
  const auto ratio = [](double effort, double limit) {
    return effort == 0.0 ? 0.0 : effort / limit;  // a limit of 0 allows an effort of 0
  };
  for (const std::size_t coordinate : coordinates) {
    double peak = 0.0;
    std::uint32_t point = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const double effort = std::abs(tau[k * model.size() + coordinate]);
      if (effort > peak) {
        peak = effort;
        point = static_cast<std::uint32_t>(k);
      }
    }
    const auto& joint = model.coordinates()[coordinate];
    verdict.joint_names.push_back(joint.name);
    verdict.peak.push_back(peak);
    verdict.peak_point.push_back(point);
    verdict.limit.push_back(joint.effort);
    verdict.ratio.push_back(ratio(peak, joint.effort));
  }
  for (std::size_t k = 0; k < count && verdict.first_violating_point < 0; ++k) {
    double largest = 1.0;
    for (const std::size_t coordinate : coordinates) {
      const auto& joint = model.coordinates()[coordinate];
      const double here = ratio(std::abs(tau[k * model.size() + coordinate]), joint.effort);
      if (here > largest) {
        largest = here;
        verdict.first_violating_point = static_cast<std::int32_t>(k);
        verdict.first_violating_joint = joint.name;
      }
    }
  }
  verdict.within_limits = verdict.first_violating_point < 0;
  return verdict;
}

}  // namespace dynamics_ros
