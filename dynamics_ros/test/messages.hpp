// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <dynamics_msgs/srv/forward_dynamics.hpp>
#include <trajectory_msgs/msg/joint_trajectory_point.hpp>
#include <utility>
#include <vector>

namespace dynamics_ros::test {

inline builtin_interfaces::msg::Duration duration(double seconds) {
  const auto nanoseconds = static_cast<std::int64_t>(std::llround(seconds * 1e9));
  builtin_interfaces::msg::Duration made;
  made.sec = static_cast<std::int32_t>(nanoseconds / 1'000'000'000);
  made.nanosec = static_cast<std::uint32_t>(nanoseconds % 1'000'000'000);
  return made;
}

inline trajectory_msgs::msg::JointTrajectoryPoint point(double t, std::vector<double> q,
                                                        std::vector<double> qd = {},
                                                        std::vector<double> qdd = {}) {
  trajectory_msgs::msg::JointTrajectoryPoint made;
  made.time_from_start = duration(t);
  made.positions = std::move(q);
  made.velocities = std::move(qd);
  made.accelerations = std::move(qdd);
  return made;
}

inline double seconds_of(const trajectory_msgs::msg::JointTrajectoryPoint& point) {
  return point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec;
}

/// Row k of a row-major matrix.
inline std::vector<double> row_of(const std::vector<double>& matrix, std::size_t k,
                                  std::size_t columns) {
  const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(k * columns);
  return {begin, begin + static_cast<std::ptrdiff_t>(columns)};
}

/// The states of a request: positions, and velocities and effort where they are given.
inline void set_states(dynamics_msgs::srv::ForwardDynamics::Request& request,
                       const std::vector<trajectory_msgs::msg::JointTrajectoryPoint>& states) {
  request.positions.clear();
  request.velocities.clear();
  request.effort.clear();
  const auto add = [](std::vector<double>& matrix, const std::vector<double>& row) {
    matrix.insert(matrix.end(), row.begin(), row.end());
  };
  for (const auto& state : states) {
    add(request.positions, state.positions);
    add(request.velocities, state.velocities);
    add(request.effort, state.effort);
  }
}

}  // namespace dynamics_ros::test
