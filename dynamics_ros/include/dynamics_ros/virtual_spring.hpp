// SPDX-License-Identifier: Apache-2.0
#pragma once

// A spring and damper between a link and a pose in space, without a node:
//
//   dynamics_ros::DraggedLink hand({.stiffness = 300.0, .damping = 20.0});
//   hand.follow(robot.pose("tool0"), time);                       // with each state
//   publish(hand.wrench(target));                                 // in axes of the link
//
// All poses are in one frame, which does not move.

#include <dynamics_core/pose.hpp>
#include <optional>

namespace dynamics_ros {

struct VirtualSpring {
  double stiffness = 0.0;             ///< (N/m)
  double damping = 0.0;               ///< (N s/m)
  double rotational_stiffness = 0.0;  ///< (N m/rad)
  double rotational_damping = 0.0;    ///< (N m s/rad)
  double max_force = 0.0;             ///< the force is scaled to this magnitude (N)
  double max_torque = 0.0;            ///< likewise (N m)
};

class DraggedLink {
 public:
  explicit DraggedLink(const VirtualSpring& spring) : spring_(spring) {}

  void set_spring(const VirtualSpring& spring) { spring_ = spring; }
  /// The pose of the link at a time (s). Its velocity follows from the last two poses; it is zero
  /// after the first one and where the time does not increase.
  void follow(const dynamics::Pose& link, double time);
  /// Forgets the poses.
  void forget() { time_.reset(); }

  /// f = k (x_target - x) - d v and t = k_r phi - d_r w, where phi is the rotation vector from the
  /// link to the target, at most half a turn. On the link at its origin, in its axes. Zero before
  /// the first pose.
  dynamics::Wrench wrench(const dynamics::Pose& target) const;

 private:
  VirtualSpring spring_;
  dynamics::Pose pose_;
  Eigen::Vector3d velocity_ = Eigen::Vector3d::Zero(), rate_ = Eigen::Vector3d::Zero();
  std::optional<double> time_;
};

}  // namespace dynamics_ros
