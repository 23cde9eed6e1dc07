// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive inverse dynamics (Saha 1999, section 5.1; gravity by Eq. 32), for trees.
//
// Forward: omega, alpha and the origin's acceleration a of every body in its own axes. Backward:
// the wrench that each joint transmits, gamma_i = M_i xi_i + M'_i nu_i + sum B^T gamma_child,
// about the body's origin, and tau_i = p_i^T gamma_i, which is one component of it.
// With Psi = [alpha x] + [omega x]^2 a body's force and moment are
//   f = m a + Psi h,   n = h x a + axial(Psi P),   P the pseudo-inertia (Balafoutis et al. 1988).

#include <cmath>

#include "dynamics_core/rigid/kernel/base.hpp"
#include "dynamics_core/rigid/kernel/placement.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct InverseScratch {
  Placement<S> at;
  Vec3<S> omega, alpha, a;
  Mat3<S> psi;
  Vec3<S> f, n;  ///< transmitted by the joint to the body, about the body's origin
};

/// A wrench that acts on a body from outside, about the body's origin, in its axes.
template <class S>
struct BodyWrench {
  Vec3<S> moment, force;
};

/// The moment of the inertia forces of a body's turning: sum of r x (Psi r) over its mass.
template <class S>
Vec3<S> turning_moment(const Mat3<S>& psi, const Sym3<double>& p) {
  return {(psi.zx * p.xy + psi.zy * p.yy + psi.zz * p.yz) -
              (psi.yx * p.xz + psi.yy * p.yz + psi.yz * p.zz),
          (psi.xx * p.xz + psi.xy * p.yz + psi.xz * p.zz) -
              (psi.zx * p.xx + psi.zy * p.xy + psi.zz * p.xz),
          (psi.yx * p.xx + psi.yy * p.xy + psi.yz * p.xz) -
              (psi.xx * p.xy + psi.xy * p.yy + psi.xz * p.yz)};
}

/// Viscous and Coulomb friction, the latter smooth through zero.
template <class S>
S joint_friction(const TreeBody& body, const S& velocity, double friction_velocity) {
  using std::sqrt;
  return velocity * (body.damping + body.friction / sqrt(velocity * velocity +
                                                         friction_velocity * friction_velocity));
}

/// tau for the joint motion q, qd, qdd; `wrenches` may be null. Friction is not included.
template <class S>
void inverse_dynamics(const Tree& tree, InverseScratch<S>* scratch, const BaseState<S>& base,
                      const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* qdd,
                      S* tau) {
  const std::size_t n = tree.size();
  Mat3<S> base_psi;
  if (!base.still) base_psi = acceleration_matrix(base.angular_velocity, base.angular_acceleration);

  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    InverseScratch<S>& link = scratch[i];
    link.at = place(body, q[i]);

    // motion of the parent, carried to this body's origin and axes
    if (body.parent < 0 && base.still) {
      link.a = to_body(body, link.at, base.acceleration);
      const S zero(0.0);
      link.omega = link.alpha = {zero, zero, zero};
    } else {
      const bool root = body.parent < 0;
      const InverseScratch<S>& parent = scratch[root ? 0 : body.parent];
      link.omega = to_body(body, link.at, root ? base.angular_velocity : parent.omega);
      link.alpha = to_body(body, link.at, root ? base.angular_acceleration : parent.alpha);
      const Vec3<S>& a = root ? base.acceleration : parent.a;
      const Mat3<S>& psi = root ? base_psi : parent.psi;
      link.a = to_body(body, link.at, a + psi * link.at.r);
    }
    // the joint's own motion
    if (body.prismatic) {
      const S twice = qd[i] + qd[i];
      link.a.x = link.a.x + twice * link.omega.y;
      link.a.y = link.a.y - twice * link.omega.x;
      link.a.z = link.a.z + qdd[i];
    } else {
      link.alpha.x = link.alpha.x + qd[i] * link.omega.y;
      link.alpha.y = link.alpha.y - qd[i] * link.omega.x;
      link.alpha.z = link.alpha.z + qdd[i];
      link.omega.z = link.omega.z + qd[i];
    }
    link.psi = acceleration_matrix(link.omega, link.alpha);

    // force and moment of inertia of this body alone
    const Vec3<double> h = constant(body.moment);
    link.f = body.mass * link.a + link.psi * h;
    link.n = turning_moment(link.psi, constant(body.pseudo_inertia)) + cross(h, link.a);
    if (wrenches != nullptr) {
      link.f -= wrenches[i].force;
      link.n -= wrenches[i].moment;
    }
  }

  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& body = tree[i];
    const InverseScratch<S>& link = scratch[i];
    tau[i] = body.prismatic ? link.f.z : link.n.z;
    if (body.rotor_inertia != 0.0) tau[i] = tau[i] + body.rotor_inertia * qdd[i];
    if (body.parent < 0) continue;
    InverseScratch<S>& parent = scratch[body.parent];
    const Vec3<S> f = to_parent(body, link.at, link.f);
    parent.f += f;
    parent.n += to_parent(body, link.at, link.n) + cross(link.at.r, f);
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
