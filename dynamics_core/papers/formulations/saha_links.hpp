// SPDX-License-Identifier: Apache-2.0
#pragma once

// Vectors between joints and mass centers that Saha's papers use, on a SerialArm. The papers count
// from 1: their frame i+1 is fixed to link i and equals frame i of SerialArm, Q_i is R_{i-1}^i, and
// r_i, from the mass center C_i to O_{i+1}, is -r_bar_i.

#include "papers/formulations/serial_arm.hpp"

namespace dynamics::formulations {

/// [d_i]_i = [a_i]_i - Q_i [r_i]_{i+1}, from O_i to C_i (Saha 2003, step A1). Its part before the
/// rotation about Z is constant: 4 M, 2 A for a revolute joint.
template <class S>
Vec3<S> joint_to_center(const SerialLink<S>& link) {
  const Vec3<double>& d = link.center_before;
  const S &c = link.cos_theta, &s = link.sin_theta;
  return {c * d.x - s * d.y, s * d.x + c * d.y, link.prismatic ? S(link.slide + d.z) : S(d.z)};
}

/// [c_{i,i-1}]_i = -[r_{i-1}]_i - [d_i]_i, from C_i to C_{i-1} (Saha 2003, step A2). For the first
/// link: from C_1 to O_1.
template <class S>
Vec3<S> center_to_previous(const SerialArm<S>& arm, std::size_t i, const Vec3<S>& d) {
  if (i == 0) return {-d.x, -d.y, -d.z};
  const Vec3<double>& r = arm.links[i - 1].r_bar;
  return {r.x - d.x, r.y - d.y, r.z - d.z};
}

}  // namespace dynamics::formulations
