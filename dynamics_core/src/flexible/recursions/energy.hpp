// SPDX-License-Identifier: Apache-2.0
#pragma once

// Twists of all bodies, kinetic and strain energy of a robot with flexible links. O(n).

#include "flexible/recursions/link_inertia.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Sets the positions and the twists (LinkScratch::velocity, in the body's axes) of all bodies.
template <class S>
void body_velocities(const Tree& tree, Scratch<S>& scratch, const S* q, const S* d, const S* qd,
                     const S* dd) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const ElasticBody& body = tree[i];
    LinkScratch<S>& link = scratch.links[i];
    update_position(tree, scratch, i, q, d);
    SpatialVector<S> twist = zero6<S>();
    if (body.parent >= 0) {
      twist = transform_from_parent(
          tree, scratch, i, scratch.links[static_cast<std::size_t>(body.parent)].velocity, dd);
    }
    if (body.joint != JointKind::fixed) {
      S& own = body.joint == JointKind::prismatic ? twist.linear.z : twist.angular.z;
      own = own + qd[body.coordinate];
    }
    link.velocity = body.has_axes_rotation ? rotate_inverse(body.axes, twist) : twist;
  }
}

/// 1/2 t^T M t summed over all bodies, rotors included. body_velocities() must have been called.
template <class S>
S kinetic_energy(const Tree& tree, Scratch<S>& scratch, const S* d, const S* qd, const S* dd) {
  S twice(0.0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const ElasticBody& body = tree[i];
    LinkScratch<S>& link = scratch.links[i];
    link_inertia<S>(tree, scratch, i, d, nullptr, false);
    twice = twice + dot(link.velocity, link.inertia * link.velocity);
    if (body.joint != JointKind::fixed) {
      twice = twice + body.rotor_inertia * (qd[body.coordinate] * qd[body.coordinate]);
    }
    const std::size_t m = body.beam.modes();
    const S* rates = dd + body.amplitude;
    const S* matrix = scratch.matrices.data() + body.matrix;
    for (std::size_t j = 0; j < m; ++j) {
      S sum = 2.0 * dot(scratch.columns[body.amplitude + j], link.velocity);
      for (std::size_t k = 0; k < m; ++k) sum = sum + matrix[j * m + k] * rates[k];
      twice = twice + rates[j] * sum;
    }
  }
  return 0.5 * twice;
}

/// 1/2 d^T K d (Eq. 20b).
template <class S>
S strain_energy(const Tree& tree, const S* d) {
  S twice(0.0);
  for (const ElasticBody& body : tree) {
    const S* own = d + body.amplitude;
    for (const Entry& entry : body.beam.stiffness) {
      twice = twice + entry.value * (own[entry.row] * own[entry.column]);
    }
  }
  return 0.5 * twice;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
