// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/virtual_spring.hpp"

#include <Eigen/Geometry>

namespace dynamics_ros {
namespace {

Eigen::Vector3d rotation_vector(const Eigen::Matrix3d& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  return turn.angle() * turn.axis();
}

Eigen::Vector3d limited(const Eigen::Vector3d& vector, double most) {
  const double size = vector.norm();
  return size > most ? Eigen::Vector3d(most / size * vector) : vector;
}

}  // namespace

void DraggedLink::follow(const dynamics::Pose& link, double time) {
  velocity_.setZero();
  rate_.setZero();
  if (time_ && time > *time_) {
    velocity_ = (link.translation - pose_.translation) / (time - *time_);
    rate_ = rotation_vector(link.rotation * pose_.rotation.transpose()) / (time - *time_);
  }
  pose_ = link;
  time_ = time;
}

dynamics::Wrench DraggedLink::wrench(const dynamics::Pose& target) const {
  dynamics::Wrench wrench;
  if (!time_) return wrench;
  const Eigen::Vector3d force =
      spring_.stiffness * (target.translation - pose_.translation) - spring_.damping * velocity_;
  const Eigen::Vector3d torque =
      spring_.rotational_stiffness * rotation_vector(target.rotation * pose_.rotation.transpose()) -
      spring_.rotational_damping * rate_;
  wrench.force = pose_.rotation.transpose() * limited(force, spring_.max_force);
  wrench.moment = pose_.rotation.transpose() * limited(torque, spring_.max_torque);
  return wrench;
}

}  // namespace dynamics_ros
