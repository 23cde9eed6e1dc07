// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inverse dynamics: all generalized forces tau = N_d^T N_l^T (M t-dot + gamma), with strain and
// damping (Mohan and Saha, Eqs. 29 and 33, including gamma, which Eq. 33 omits). O(n).

#include "flexible/recursions/link_inertia.hpp"
#include "flexible/recursions/propagation.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Writes the forces on the joints to tau (by coordinate) and on the amplitudes to phi. If `moving`
/// is false, qd and dd are taken as zero and not read; if `accelerating` is false, qdd and ddd are.
template <class S>
void inverse_dynamics(const Tree& tree, Scratch<S>& scratch, const BaseState<S>& base, bool moving,
                      bool accelerating, const S* q, const S* d, const S* qd, const S* dd,
                      const S* qdd, const S* ddd, S* tau, S* phi) {
  const std::size_t n = tree.size();
  for (std::size_t i = 0; i < n; ++i) {
    const ElasticBody& body = tree[i];
    LinkScratch<S>& link = scratch.links[i];
    update_position(tree, scratch, i, q, d);
    if (moving) {
      update_velocity(tree, scratch, i, base, qd, dd);
    } else {
      link.bias = zero6<S>();
    }
    link_inertia(tree, scratch, i, d, dd, moving);
    if (body.parent < 0) {
      link.mu = acceleration_from_base(tree, body, link, base, moving && !base.not_rotating);
    } else {
      const LinkScratch<S>& parent = scratch.links[static_cast<std::size_t>(body.parent)];
      if (accelerating) {
        link.mu = transform_from_parent(tree, scratch, i, parent.mu, ddd);
      } else {
        link.mu = {parent.mu.angular, parent.mu.linear + cross(parent.mu.angular, link.r)};
        rotate_to_joint(tree, body, link, link.mu);
      }
    }
    link.mu += link.bias;
    if (accelerating && body.joint != JointKind::fixed) {
      S& own = body.joint == JointKind::prismatic ? link.mu.linear.z : link.mu.angular.z;
      own = own + qdd[body.coordinate];
    }
    if (body.has_axes_rotation) link.mu = rotate_inverse(body.axes, link.mu);
    // w* = M t-dot + gamma (Eq. 23)
    link.eta += link.inertia * link.mu;
    const std::size_t m = body.beam.modes();
    const S* matrix = scratch.matrices.data() + body.matrix;
    for (std::size_t j = 0; j < m; ++j) {
      S& force = scratch.eta[body.amplitude + j];
      const SpatialVector<S>& column = scratch.columns[body.amplitude + j];
      force = force + dot(column, link.mu);
      if (!accelerating) continue;
      const S* accelerations = ddd + body.amplitude;
      link.eta += accelerations[j] * column;
      for (std::size_t k = 0; k < m; ++k) force = force + matrix[j * m + k] * accelerations[k];
    }
  }
  wrenches_to_forces(tree, scratch, tau, phi);
  for (std::size_t i = 0; accelerating && i < n; ++i) {
    const ElasticBody& body = tree[i];
    if (body.joint == JointKind::fixed) continue;
    S& force = tau[body.coordinate];
    force = force + body.rotor_inertia * qdd[body.coordinate];
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
