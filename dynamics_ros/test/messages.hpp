// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <trajectory_msgs/msg/joint_trajectory_point.hpp>
#include <utility>
#include <vector>

namespace dynamics_ros::test {

inline trajectory_msgs::msg::JointTrajectoryPoint point(double t, std::vector<double> q,
                                                        std::vector<double> qd = {},
                                                        std::vector<double> qdd = {}) {
  trajectory_msgs::msg::JointTrajectoryPoint made;
  const auto nanoseconds = static_cast<std::int64_t>(std::llround(t * 1e9));
  made.time_from_start.sec = static_cast<std::int32_t>(nanoseconds / 1'000'000'000);
  made.time_from_start.nanosec = static_cast<std::uint32_t>(nanoseconds % 1'000'000'000);
  made.positions = std::move(q);
  made.velocities = std::move(qd);
  made.accelerations = std::move(qdd);
  return made;
}

inline double seconds_of(const trajectory_msgs::msg::JointTrajectoryPoint& point) {
  return point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec;
}

}  // namespace dynamics_ros::test
