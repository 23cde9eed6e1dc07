// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declares the recursions: the scratch that each needs, one entry per body, and the list of those
// that are compiled for every instruction set. The definitions are in the file of each recursion,
// so that a change of one recompiles only what runs it.
//
// A new recursion takes a line of the list here, its own file and its public function. The kernels,
// their tables and their choice at run time follow from the list.

#include "rigid/recursions/base.hpp"

namespace dynamics::kernel {

/// Psi = [alpha x] + [omega x]^2: the acceleration of a body's points relative to its origin. The
/// diagonal with opposite sign, and differences of two of its entries.
template <class S>
struct Spin {
  S minus_xx, minus_yy, minus_zz;
  S xy, xz, yx, yz, zx, zy;
  S zz_yy, xx_zz, yy_xx;

  /// v + Psi r
  template <class R>
  DYNAMICS_INLINE Vec3<S> add_times(const Vec3<S>& v, const Vec3<R>& r) const {
    return {v.x - minus_xx * r.x + (xy * r.y + xz * r.z),
            v.y + yx * r.x + (yz * r.z - minus_yy * r.y),
            v.z + zx * r.x + (zy * r.y - minus_zz * r.z)};
  }
};

template <class S>
struct BodyMotion {
  Vec3<S> omega, alpha, a;
  Spin<S> spin;
};

/// Inverse dynamics.
template <class S>
struct InverseScratch {
  JointTransform<S> at;  ///< r for prismatic joints only
  // force and torque about the origin, of the body and of children that do not follow it
  Vec3<S> f, n;
  BodyMotion<S> motion;  ///< for those children
};

/// Transmitted forces and torques.
template <class S>
struct WrenchScratch {
  JointTransform<S> at;
  BodyMotion<S> motion;
  Vec3<S> f, n;  ///< transmitted by the joint to the body, about the body's origin
};

/// Forward dynamics.
template <class S>
struct ForwardScratch {
  JointTransform<S> at;   ///< r where the joint is prismatic or has a rotor
  SpatialVector<S> bias;  ///< acceleration for zero qdd and a parent that does not accelerate
  SpatialVector<S> eta;   ///< force for zero acceleration
  SpatialVector<S> psi;   ///< column of the joint, divided by the pivot
  S pivot, pivot_inverse;
  // only of bodies with children that do not follow them in the list:
  Vec3<S> omega;
  ArticulatedInertia<S> articulated;  ///< of the body and of those children
  SpatialVector<S> mu;                ///< acceleration
};

/// The decomposition M = U D U^T.
template <class S>
struct UdutScratch {
  JointTransform<S> at;  ///< r where the joint is prismatic or has a rotor
  SpatialVector<S> psi;  ///< psi^_i / m^_i
  S pivot;               ///< m^_i: the entry of D
  S pivot_inverse;
  // of bodies with children that do not follow them in the list, summed over those children:
  ArticulatedInertia<S> articulated;  ///< M^_i of all bodies after a complete decomposition
  SpatialVector<S> eta;               ///< Eq. 13
  SpatialVector<S> mu;                ///< Eq. 15
};

/// The inertia matrix.
template <class S>
struct CompositeScratch {
  JointTransform<S> at;
  RigidInertia<S> composite;
};

/// The Coriolis matrix.
template <class S>
struct CoriolisScratch {
  JointTransform<S> at;
  Vec3<S> omega;
  RigidInertia<S> composite;
  Vec3<S> moment_rate;  ///< h': rate of the first moment
  Mat3<S> convective;   ///< K
  Vec3<S> r_rate;       ///< w: velocity of the origin less that of the parent's, parent's axes
};

/// A component of psi'' and the same one of psi'.
template <class S>
struct JointRate {
  S rate2, rate;
};

/// The derivatives of inverse dynamics.
template <class S>
struct DerivativeScratch {
  JointTransform<S> at;  ///< r for prismatic joints only
  BodyMotion<S> motion;  ///< for children that do not follow the body
  Vec3<S> r_rate;        ///< velocity of its origin less that of the parent's, parent's axes
  /// x, y and z of psi' and psi'': angular for revolute joints, linear for prismatic ones. z of
  /// psi' is zero.
  JointRate<S> psi[3];
  S psi_linear[2];  ///< x and y of the linear part of psi'' of a revolute joint, whose z is zero
  // of this body, then of all beyond its joint
  RigidInertia<S> inertia;
  SpatialVector<S> momentum, force;
  Sym3<S> E;
};

/// The derivatives of forward dynamics, one for all bodies.
template <class S>
struct RowScratch {
  S* unit;                   ///< the factor U by rows, n x n
  S* rows;                   ///< row i of all derivatives of qdd_i
  std::size_t stride;        ///< entries from one row to the next, see row_stride()
  std::size_t* subtree_end;  ///< the bodies that body i carries are i + 1 to subtree_end[i] - 1
  S* unused;                 ///< one entry per body, for columns that are not stored

  DYNAMICS_INLINE S* row(std::size_t i) const { return rows + i * stride; }
};
/// Entries per row: three per joint, rounded up to whole cache lines of doubles. An odd number of
/// them: rows that start a power of two apart would compete for the same places in the cache.
constexpr std::size_t row_stride(std::size_t joints) { return ((3 * joints + 11) / 8 | 1) * 8; }

/// The recursions that are compiled for every instruction set: for one state (STATES), or for one
/// state and for packs of states (PACKS). A line: the file and the name of the recursion, then its
/// parameters for the scalar S. `wrenches` may be null. Matrices are over bodies, stored by columns
/// that start `stride` entries apart; all entries are written.
#define DYNAMICS_KERNELS(STATES, PACKS)                                                          \
  PACKS(inverse_dynamics, inverse_dynamics, Tree tree, InverseScratch<S>* scratch,               \
        const BaseState<S>& base, const BodyWrench<S>* wrenches, const S* q, const S* qd,        \
        const S* qdd, S* tau)                                                                    \
  PACKS(forward_dynamics, forward_dynamics, Tree tree, ForwardScratch<S>* scratch,               \
        const BaseState<S>& base, const BodyWrench<S>* wrenches, const S* q, const S* qd,        \
        const S* tau, S* qdd)                                                                    \
  PACKS(udut, decompose, Tree tree, UdutScratch<S>* scratch, const S* q, bool complete)          \
  PACKS(udut, solve, Tree tree, UdutScratch<S>* scratch, const S* phi, S* x)                     \
  STATES(udut, unit_factor, Tree tree, const UdutScratch<S>* scratch, S* matrix,                 \
         std::size_t stride)                                                                     \
  STATES(inverse_inertia, inverse_inertia, Tree tree, const UdutScratch<S>* scratch, S* matrix,  \
         std::size_t stride)                                                                     \
  STATES(inertia_matrix, inertia_matrix, Tree tree, CompositeScratch<S>* scratch, const S* q,    \
         S* matrix, std::size_t stride)                                                          \
  STATES(coriolis_matrix, coriolis_matrix, Tree tree, CoriolisScratch<S>* scratch,               \
         bool christoffel, const S* q, const S* qd, S* matrix, std::size_t stride)               \
  STATES(derivatives, inverse_dynamics_derivatives, Tree tree, DerivativeScratch<S>* scratch,    \
         const BaseState<S>& base, const BodyWrench<S>* wrenches, const S* q, const S* qd,       \
         const S* qdd, S* by_q, std::size_t q_stride, S* by_qd, std::size_t qd_stride)           \
  STATES(forward_derivatives, forward_dynamics_derivatives, Tree tree,                           \
         const ForwardScratch<S>* factor, DerivativeScratch<S>* links, const BaseState<S>& base, \
         const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* qdd,                   \
         const S* friction_slopes, const RowScratch<S>& scratch, S* by_q, std::size_t q_stride,  \
         S* by_qd, std::size_t qd_stride, S* by_tau, std::size_t tau_stride)

/// signature::NAME<S>: pointer to the recursion NAME for the scalar S.
namespace signature {
#define DYNAMICS_SIGNATURE(file, name, ...) \
  template <class S>                        \
  using name = void (*)(__VA_ARGS__);
DYNAMICS_KERNELS(DYNAMICS_SIGNATURE, DYNAMICS_SIGNATURE)
#undef DYNAMICS_SIGNATURE
}  // namespace signature

}  // namespace dynamics::kernel
