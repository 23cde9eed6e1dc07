// SPDX-License-Identifier: Apache-2.0
#pragma once

// The mechanism as the recursions see it: a list of bodies, parents before children, each moved by
// one revolute or prismatic joint along the Z axis of its own frame.

#include <cstddef>
#include <vector>

namespace dynamics {

/// A body and the joint that moves it. The body's frame has its origin on the joint's axis and Z
/// along it; X is chosen so that the way to the first child is two planar rotations:
///
///   from the parent's frame:  Tp  Rz(beta) Rx(alpha)  Rz(offset + q)      (revolute)
///                             Tp  Rz(beta) Rx(alpha)  Rz(offset) Tz(q)    (prismatic)
///
/// beta is zero except for further children (`turned`).
struct TreeBody {
  double cos_alpha = 1.0, sin_alpha = 0.0;
  double cos_beta = 1.0, sin_beta = 0.0;
  double offset = 0.0, cos_offset = 1.0, sin_offset = 0.0;
  double position[3] = {0.0, 0.0, 0.0};  ///< p, in the parent's frame (m)

  double mass = 0.0;                                   ///< (kg)
  double moment[3] = {0.0, 0.0, 0.0};                  ///< mass times mass centre (kg m)
  double inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< about the origin: xx xy xz yy yz zz
  double pseudo_inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< sum of m r r^T: tr J/2 - J
  double centre_shift = 0.0;  ///< moment^2 / mass, what separates J from the tensor in Eq. (8)

  double rotor_inertia = 0.0;  ///< (kg m^2 or kg)
  double damping = 0.0;        ///< (N m s/rad or N s/m)
  double friction = 0.0;       ///< Coulomb (N m or N)

  int parent = -1;  ///< -1: the base
  bool prismatic = false;
  bool turned = false;  ///< beta is not zero
};

using Tree = std::vector<TreeBody>;

}  // namespace dynamics
