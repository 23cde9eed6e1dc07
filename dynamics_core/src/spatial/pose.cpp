// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/pose.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace dynamics {

Eigen::Matrix3d rotation_from_rpy(const Eigen::Vector3d& rpy) {
  const double cr = std::cos(rpy.x()), sr = std::sin(rpy.x());
  const double cp = std::cos(rpy.y()), sp = std::sin(rpy.y());
  const double cy = std::cos(rpy.z()), sy = std::sin(rpy.z());
  Eigen::Matrix3d r;
  r << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
      -sp, cp * sr, cp * cr;
  return r;
}

Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& r) {
  const double cos_pitch = std::hypot(r(0, 0), r(1, 0));
  const double pitch = std::atan2(-r(2, 0), cos_pitch);
  if (cos_pitch < 1e-12) return {0.0, pitch, std::atan2(-r(0, 1), r(1, 1))};
  return {std::atan2(r(2, 1), r(2, 2)), pitch, std::atan2(r(1, 0), r(0, 0))};
}

bool is_rotation(const Eigen::Matrix3d& matrix) {
  const Eigen::Matrix3d rest = matrix.transpose() * matrix - Eigen::Matrix3d::Identity();
  return rest.cwiseAbs().maxCoeff() < 1e-6 &&
         matrix.col(0).cross(matrix.col(1)).dot(matrix.col(2)) > 0.0;
}

}  // namespace dynamics
