// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/link_frames.hpp"

#include <Eigen/Geometry>

namespace dynamics_ros {
namespace {

using geometry_msgs::msg::TransformStamped;

TransformStamped transform(const dynamics::JointDescription& joint, const dynamics::Pose& pose,
                           const std::string& prefix) {
  TransformStamped message;
  message.header.frame_id = prefix + joint.parent;
  message.child_frame_id = prefix + joint.child;
  message.transform.translation.x = pose.translation.x();
  message.transform.translation.y = pose.translation.y();
  message.transform.translation.z = pose.translation.z();
  const Eigen::Quaterniond turn = Eigen::Quaterniond(pose.rotation).normalized();
  message.transform.rotation.x = turn.x();
  message.transform.rotation.y = turn.y();
  message.transform.rotation.z = turn.z();
  message.transform.rotation.w = turn.w();
  return message;
}

}  // namespace

std::vector<TransformStamped> moving_frames(MovingRobot& robot, const std::string& prefix) {
  std::vector<TransformStamped> transforms;
  for (const auto& joint : robot.model().description().joints) {
    if (!robot.moves_in_parent(joint)) continue;
    const dynamics::Pose pose = robot.pose(joint.parent).inverse() * robot.pose(joint.child);
    transforms.push_back(transform(joint, pose, prefix));
    transforms.back().header.stamp = robot.stamp();
  }
  return transforms;
}

std::vector<TransformStamped> fixed_frames(const MovingRobot& robot, const std::string& prefix) {
  std::vector<TransformStamped> transforms;
  for (const auto& joint : robot.model().description().joints) {
    if (robot.moves_in_parent(joint)) continue;
    transforms.push_back(transform(joint, joint.origin, prefix));
  }
  return transforms;
}

}  // namespace dynamics_ros
