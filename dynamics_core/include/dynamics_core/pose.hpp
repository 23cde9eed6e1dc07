// SPDX-License-Identifier: Apache-2.0
#pragma once

// Poses, roll-pitch-yaw angles, twists and wrenches, as Eigen types.
//
//   const dynamics::Pose tool = {dynamics::rotation_from_rpy({0.0, 1.57, 0.0}), {0.0, 0.0, 0.1}};
//   const Eigen::Vector3d p = tool * Eigen::Vector3d(0.05, 0.0, 0.0);  // from tool to parent frame
//
// Lengths in m, angles in rad. Nothing here allocates or throws.

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace dynamics {

/// Pose of a frame B in a frame A: x_A = rotation * x_B + translation.
struct Pose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  /// Composition: the pose of C in A from that of B in A and that of C in B.
  Pose operator*(const Pose& other) const {
    return {rotation * other.rotation, rotation * other.translation + translation};
  }
  /// The coordinates of a point in A from those in B.
  Eigen::Vector3d operator*(const Eigen::Vector3d& point) const {
    return rotation * point + translation;
  }
  /// The pose of A in B.
  Pose inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
};

/// Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF and REP-103.
Eigen::Matrix3d rotation_from_rpy(const Eigen::Vector3d& rpy);

/// Inverse of rotation_from_rpy: pitch within +-90 degrees; at +-90 degrees, where only the sum or
/// difference of roll and yaw is determined, roll is 0.
Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& rotation);

/// True if the matrix is orthogonal to within 1e-6 and its determinant is positive.
bool is_rotation(const Eigen::Matrix3d& matrix);

/// [v x]: skew(v) * w = v x w.
inline Eigen::Matrix3d skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// Angular velocity (rad/s) and linear velocity of a point (m/s). Each function states axes and
/// point.
struct Twist {
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
};

/// Moment about a point (N m) and force (N). Each function states axes and point.
struct Wrench {
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
};

}  // namespace dynamics
#pragma GCC visibility pop
