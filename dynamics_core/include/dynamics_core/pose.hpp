// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Where a frame B is, seen from a frame A: x_A = rotation * x_B + translation.
struct Pose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  Pose operator*(const Pose& other) const {
    return {rotation * other.rotation, rotation * other.translation + translation};
  }
  Eigen::Vector3d operator*(const Eigen::Vector3d& point) const {
    return rotation * point + translation;
  }
  Pose inverse() const { return {rotation.transpose(), -(rotation.transpose() * translation)}; }
};

/// Rz(yaw) Ry(pitch) Rx(roll), as URDF and REP-103 mean it.
Eigen::Matrix3d rotation_from_rpy(const Eigen::Vector3d& rpy);

/// The roll, pitch and yaw of a rotation; pitch within +-90 degrees, roll 0 where they are not
/// unique.
Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& rotation);

/// Orthogonal to six digits and no mirror image.
bool is_rotation(const Eigen::Matrix3d& matrix);

/// [v x]: skew(v) * w = v x w.
inline Eigen::Matrix3d skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// Angular velocity and the velocity of a point; the axes and the point are stated where it is
/// used.
struct Twist {
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
};

/// A moment about a point and a force; the axes and the point are stated where it is used.
struct Wrench {
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
};

}  // namespace dynamics
