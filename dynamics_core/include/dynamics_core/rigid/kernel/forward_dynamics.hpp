// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics in O(n): the solution of M qdd = tau - C qd - ... by the UDU^T decomposition
// (Saha 2003, sections 2.2 and 3), with the velocity terms carried along in the same sweeps instead
// of a separate inverse dynamics: the bias wrench joins eta, the bias acceleration joins mu.

#include "dynamics_core/rigid/kernel/base.hpp"
#include "dynamics_core/rigid/kernel/inverse_dynamics.hpp"
#include "dynamics_core/rigid/kernel/udut.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct ForwardScratch {
  Placement<S> at;
  Vec3<S> omega;
  Six<S> bias;  ///< acceleration of the body's origin and axes for zero qdd, parent standing
  ArticulatedInertia<S> articulated;
  Six<S> eta;  ///< wrench needed for zero acceleration
  Six<S> psi;
  S pivot, pivot_inverse;
  Six<S> mu;  ///< acceleration
};

/// qdd for the joint forces tau (friction already taken off); `wrenches` may be null.
template <class S>
void forward_dynamics(const Tree& tree, ForwardScratch<S>* scratch, const BaseState<S>& base,
                      const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* tau,
                      S* qdd) {
  const std::size_t n = tree.size();
  const S zero(0.0);

  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    link.at = place(body, q[i]);
    const bool root = body.parent < 0;
    if (root && base.still) {
      link.omega = {zero, zero, zero};
      link.bias = {{zero, zero, zero}, {zero, zero, zero}};
    } else {
      const Vec3<S>& omega = root ? base.angular_velocity : scratch[body.parent].omega;
      link.omega = to_body(body, link.at, omega);
      link.bias.top = {zero, zero, zero};
      link.bias.bottom = to_body(body, link.at, cross(omega, cross(omega, link.at.r)));
    }
    if (body.prismatic) {
      const S twice = qd[i] + qd[i];
      link.bias.bottom.x = link.bias.bottom.x + twice * link.omega.y;
      link.bias.bottom.y = link.bias.bottom.y - twice * link.omega.x;
    } else {
      link.bias.top.x = qd[i] * link.omega.y;
      link.bias.top.y = -(qd[i] * link.omega.x);
      link.omega.z = link.omega.z + qd[i];
    }
    link.articulated = articulated_inertia<S>(body);
    const Vec3<double> h = constant(body.moment);
    link.eta.top = cross(link.omega, constant(body.inertia) * link.omega);
    link.eta.bottom = cross(link.omega, cross(link.omega, h));
    if (wrenches != nullptr) {
      link.eta.top -= wrenches[i].moment;
      link.eta.bottom -= wrenches[i].force;
    }
  }

  for (std::size_t i = n; i-- > 0;) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const Six<S> hat = joint_column(body, link.articulated);
    link.pivot = body.prismatic ? hat.bottom.z : hat.top.z;
    if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
    link.pivot_inverse = S(1.0) / link.pivot;
    link.psi = {link.pivot_inverse * hat.top, link.pivot_inverse * hat.bottom};
    const S force = tau[i] - (body.prismatic ? link.eta.bottom.z : link.eta.top.z);
    qdd[i] = force * link.pivot_inverse;
    if (body.parent < 0) continue;
    ForwardScratch<S>& parent = scratch[body.parent];
    Six<S> carried;
    if (reduces(body)) {
      const ReducedInertia<S> rest = eliminate_revolute(link.articulated, hat, link.psi);
      carried = rest * link.bias;
      add_shifted(link.at.r, to_parent(body, link.at, rest), parent.articulated);
    } else {
      eliminate_joint(link.articulated, hat, link.psi);
      carried = link.articulated * link.bias;
      add_shifted(link.at.r, to_parent(body, link.at, link.articulated), parent.articulated);
    }
    const Vec3<S> f =
        to_parent(body, link.at, force * link.psi.bottom + link.eta.bottom + carried.bottom);
    const Vec3<S> m = to_parent(body, link.at, force * link.psi.top + link.eta.top + carried.top);
    parent.eta.bottom += f;
    parent.eta.top += m + cross(link.at.r, f);
  }

  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    ForwardScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    if (root && base.still) {
      link.mu.top = link.bias.top;
      link.mu.bottom = to_body(body, link.at, base.acceleration) + link.bias.bottom;
    } else {
      const Vec3<S>& alpha = root ? base.angular_acceleration : scratch[body.parent].mu.top;
      const Vec3<S>& a = root ? base.acceleration : scratch[body.parent].mu.bottom;
      link.mu.top = to_body(body, link.at, alpha) + link.bias.top;
      link.mu.bottom = to_body(body, link.at, a + cross(alpha, link.at.r)) + link.bias.bottom;
    }
    qdd[i] = qdd[i] - dot(link.psi.top, link.mu.top) - dot(link.psi.bottom, link.mu.bottom);
    S& own = body.prismatic ? link.mu.bottom.z : link.mu.top.z;
    own = own + qdd[i];
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
