// SPDX-License-Identifier: Apache-2.0
#pragma once

// The data of the recursions: a list of bodies, parents before children. Each body is moved by one
// revolute or prismatic joint along the Z axis of its frame.

#include <cstddef>
#include <vector>

#include "spatial/alpha_kind.hpp"

namespace dynamics {

/// A body and the joint that moves it. The body frame has its origin on the joint axis and Z along
/// it; X is chosen so that the transform to the first child needs two planar rotations only:
///
///   from the parent frame:  Tp  Rz(beta) Rx(alpha)  Rz(offset + q)      (revolute)
///                             Tp  Rz(beta) Rx(alpha)  Rz(offset) Tz(q)    (prismatic)
///
/// Tp is the translation by `position`. beta is zero for the first child of a body. Real: double,
/// or float beside packs of floats.
template <class Real>
struct BasicTreeBody {
  int parent = -1;  ///< -1: the base
  AlphaKind alpha_kind = AlphaKind::zero;
  bool prismatic = false;
  bool has_beta = false;                 ///< beta is not zero
  bool parent_is_revolute_root = false;  ///< the parent has a revolute joint and no parent
  bool at_parent_origin = false;         ///< position is zero
  bool next_is_child = false;            ///< the next body of the list is a child of this one
  bool has_nonadjacent_child = false;    ///< some child is not the next body of the list
  bool carries_mass = false;             ///< this joint or one beyond it is prismatic

  Real rotor_inertia = 0.0;  ///< (kg m^2 or kg)
  Real offset = 0.0;         ///< (rad)
  Real cos_alpha = 1.0, sin_alpha = 0.0;
  Real position[3] = {0.0, 0.0, 0.0};  ///< p, in the parent frame (m)
  /// p of a revolute joint in two parts: p = slide d + shift, d the joint axis. y of `shift` is
  /// zero unless the axes are nearly parallel or beta is not zero.
  Real slide = 0.0;
  Real shift[3] = {0.0, 0.0, 0.0};

  /// Minimal inertial parameters (Gautier and Khalil 1990): `mass`, z of `first_moment` and zz of
  /// `pseudo_inertia` of a body with a revolute joint are moved to the parent, which does not
  /// change the joint torques, and are zero here. A body with a prismatic joint keeps them.
  struct Minimal {
    Real first_moment[3] = {0.0, 0.0, 0.0};
    Real pseudo_inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< xx xy xz yy yz zz
    Real inertia_zz = 0.0;                                    ///< about the axis
    Real mass = 0.0;
  };
  Minimal minimal;

  Real cos_beta = 1.0, sin_beta = 0.0;
  Real cos_offset = 1.0, sin_offset = 0.0;

  Real mass = 0.0;                                          ///< (kg)
  Real first_moment[3] = {0.0, 0.0, 0.0};                   ///< mass times center of mass (kg m)
  Real inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};         ///< about the origin: xx xy xz yy yz zz
  Real pseudo_inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< sum of m r r^T: tr J/2 - J
  Real inertia_differences[3] = {0.0, 0.0, 0.0};  ///< J_zz - J_yy, J_xx - J_zz, J_yy - J_xx
  /// first_moment^2 / mass = m c^2. Subtracted from the diagonal of J it gives J_C - m c c^T, the
  /// matrix of the DeNOC Coriolis terms, Eq. (8).
  Real center_shift = 0.0;

  Real damping = 0.0;   ///< (N m s/rad or N s/m)
  Real friction = 0.0;  ///< Coulomb (N m or N)
};
struct TreeBody : BasicTreeBody<double> {};

using Tree = std::vector<TreeBody>;

}  // namespace dynamics
