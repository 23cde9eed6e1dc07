// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a planner does with a trajectory that it has found: see docs/moveit.md.

#include <dynamics_msgs/msg/other_joints.hpp>
#include <string>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "dynamics_ros/client.hpp"

/// Slows a trajectory down until the robot can follow it, using up to `share` of its limits, and
/// fills in the efforts. `others`: where the joints stand that the trajectory does not move.
/// Empty, or why it cannot be done; then the trajectory is as it was.
inline std::string make_feasible(dynamics_ros::DynamicsClient& dynamics,
                                 const dynamics_msgs::msg::OtherJoints& others, double share,
                                 trajectory_msgs::msg::JointTrajectory& trajectory) {
  dynamics_msgs::srv::ScaleTrajectory::Request request;
  request.trajectory = trajectory;
  request.other_joints = others;
  request.method = request.UNIFORM;  // the planner's path, exactly; collisions stay as they were
  request.effort_share = share;
  const auto scaled = dynamics.call<dynamics_msgs::srv::ScaleTrajectory>(request);
  if (!scaled) return scaled.message();
  trajectory = scaled->trajectory;
  return {};
}
