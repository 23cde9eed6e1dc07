// SPDX-License-Identifier: Apache-2.0
#pragma once

// Efforts along trajectories, as messages.

#include <cstddef>
#include <dynamics_msgs/msg/effort_parts.hpp>
#include <dynamics_msgs/msg/effort_verdict.hpp>
#include <span>
#include <vector>

#include "robot.hpp"
#include "trajectory_request.hpp"

namespace dynamics_ros {

/// State k of arrays that hold state after state.
inline std::span<const double> row(const std::vector<double>& values, std::size_t k,
                                   std::size_t n) {
  return std::span<const double>(values).subspan(k * n, n);
}

/// The entries of these coordinates, of a vector in model order.
std::vector<double> pick(std::span<const double> values,
                         const std::vector<std::size_t>& coordinates);

/// The efforts of point k are entries k * size ..., in model order.
std::vector<double> efforts_along(const Robot& robot, const RobotTrajectory& trajectory,
                                  const Loads& loads);

/// The entries of these coordinates, of rows of `width` entries in model order.
std::vector<double> pick_columns(const std::vector<double>& rows, std::size_t width,
                                 const std::vector<std::size_t>& coordinates);

/// The terms of the efforts at each point, of the request's joints.
dynamics_msgs::msg::EffortParts parts_along(const Robot& robot, const RobotTrajectory& trajectory,
                                            const Loads& loads);

/// Efforts against limits, of the request's joints.
dynamics_msgs::msg::EffortVerdict judge(const dynamics::Model& model,
                                        const std::vector<double>& tau,
                                        const std::vector<std::size_t>& coordinates);

}  // namespace dynamics_ros
