// SPDX-License-Identifier: Apache-2.0
#pragma once

// Joint friction and its derivative.

#include <cmath>

#include "rigid/recursions/tree.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Viscous friction, and Coulomb friction smoothed near zero velocity.
template <class S>
S joint_friction(const TreeBody& body, const S& velocity, double friction_velocity) {
  using std::sqrt;
  return velocity * (body.damping + body.friction / sqrt(velocity * velocity +
                                                         friction_velocity * friction_velocity));
}

/// The derivative of joint_friction() by the velocity.
template <class S>
S friction_slope(const TreeBody& body, const S& velocity, double friction_velocity) {
  using std::sqrt;
  const double e = friction_velocity * friction_velocity;
  const S w = velocity * velocity + e;
  return body.damping + body.friction * e / (w * sqrt(w));
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
