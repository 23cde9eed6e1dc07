// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized inertia matrix from composite bodies: I_ij = P_i^T A^T M~ P_j (Mohan and Saha,
// Eq. 32). O(n^2) at the most: a column is handed down from body to body.

#include "flexible/recursions/forward_dynamics.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Hands a wrench, in the axes and at the origin of body `index`, down to the base; `entry(row,
/// value)` gets what each joint (row of its coordinate) and amplitude (behind all joints) feels.
template <class S, class Entry>
void propagate_column_to_base(const Tree& tree, const Scratch<S>& scratch, std::size_t index,
                              SpatialVector<S> wrench, std::size_t joints, S* felt,
                              const Entry& entry) {
  for (std::size_t i = index;;) {
    const ElasticBody& body = tree[i];
    if (body.reframed) wrench = rotate(body.axes, wrench);
    if (body.joint != JointKind::fixed) {
      entry(body.coordinate,
            body.joint == JointKind::prismatic ? wrench.linear.z : wrench.angular.z);
    }
    if (body.parent < 0) return;
    const LinkScratch<S>& link = scratch.links[i];
    rotate_to_parent(tree, body, link, wrench);
    const auto parent = static_cast<std::size_t>(body.parent);
    if (body.at.bends) {
      const std::size_t m = tree[parent].beam.modes();
      for (std::size_t j = 0; j < m; ++j) felt[j] = S(0.0);
      add_to_amplitudes(tree, scratch, i, wrench, felt);
      for (std::size_t j = 0; j < m; ++j) entry(joints + tree[parent].amplitude + j, felt[j]);
    }
    wrench.angular += cross(link.r, wrench.linear);
    i = parent;
  }
}

/// Places all bodies and fills inertia, columns and matrices with those of the composite bodies.
template <class S>
void composite_bodies(const Tree& tree, Scratch<S>& scratch, const S* q, const S* d) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    place(tree, scratch, i, q, d);
    link_inertia<S>(tree, scratch, i, d, nullptr, false);
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const ElasticBody& body = tree[i];
    if (body.parent < 0) continue;
    const ArticulatedInertia<S>& own = scratch.links[i].inertia;
    propagate_inertia_to_parent(tree, scratch, i, body.reframed ? rotate(body.axes, own) : own);
  }
}

/// `set(row, column, value)` gets every entry that is not zero by the tree's structure: those of
/// one half, where the column's body is at or behind the row's. Rows: joints, then amplitudes.
template <class S, class Set>
void inertia_matrix(const Tree& tree, Scratch<S>& scratch, std::size_t joints, const S* q,
                    const S* d, S* felt, const Set& set) {
  composite_bodies(tree, scratch, q, d);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const ElasticBody& body = tree[i];
    const std::size_t m = body.beam.modes();
    const S* matrix = scratch.matrices.data() + body.matrix;
    if (body.joint != JointKind::fixed) {
      ArticulatedInertia<S> inertia = scratch.links[i].inertia;
      if (body.reframed) inertia = rotate(body.axes, inertia);
      SpatialVector<S> wrench = joint_column(inertia, body.joint == JointKind::prismatic);
      if (body.reframed) wrench = rotate_inverse(body.axes, wrench);
      propagate_column_to_base(
          tree, scratch, i, wrench, joints, felt, [&](std::size_t row, const S& value) {
            const bool own = row == body.coordinate;
            set(row, body.coordinate, own ? S(value + body.rotor_inertia) : value);
          });
    }
    for (std::size_t j = 0; j < m; ++j) {
      const std::size_t column = joints + body.amplitude + j;
      for (std::size_t k = 0; k <= j; ++k) {
        set(joints + body.amplitude + k, column, matrix[j * m + k]);
      }
      propagate_column_to_base(tree, scratch, i, scratch.columns[body.amplitude + j], joints, felt,
                               [&](std::size_t row, const S& value) { set(row, column, value); });
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
