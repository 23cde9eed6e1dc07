// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frames of all links for /tf and /tf_static, deflections of flexible links included.

#include <geometry_msgs/msg/transform_stamped.hpp>
#include <string>
#include <vector>

#include "dynamics_ros/moving_robot.hpp"

namespace dynamics_ros {

/// Each link whose place in its parent link's frame changes: by a joint, or because the parent is
/// a beam that bends. Stamped as the robot's state, which must have positions.
std::vector<geometry_msgs::msg::TransformStamped> moving_frames(MovingRobot& robot,
                                                                const std::string& prefix = "");

/// The others; they do not depend on the state.
std::vector<geometry_msgs::msg::TransformStamped> fixed_frames(const MovingRobot& robot,
                                                               const std::string& prefix = "");

}  // namespace dynamics_ros
