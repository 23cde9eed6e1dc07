// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rigid/recursions/tree.hpp"

namespace dynamics::kernel {

/// The motion of the base in its own axes. Gravity acts like an opposite acceleration of the base
/// (Saha 1999, Eq. 32): `acceleration` is that of the base's origin minus gravity.
template <class S>
struct BaseState {
  Vec3<S> angular_velocity, angular_acceleration, acceleration;
  bool not_rotating = true;  ///< the angular velocity and acceleration are zero and not read
};

/// An external wrench on a body, about the body's origin, in its axes.
template <class S>
struct BodyWrench {
  Vec3<S> moment, force;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// alpha x + omega x (omega x .), the acceleration of a body's points relative to its origin.
template <class S>
Mat3<S> acceleration_matrix(const Vec3<S>& omega, const Vec3<S>& alpha) {
  const S xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
  const S xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
  return {-(yy + zz),   xy - alpha.z, xz + alpha.y,  //
          xy + alpha.z, -(xx + zz),   yz - alpha.x,  //
          xz - alpha.y, yz + alpha.x, -(xx + yy)};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
