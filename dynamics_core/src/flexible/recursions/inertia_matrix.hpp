// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized inertia matrix from composite bodies: I_ij = P_i^T A^T M~ P_j (Mohan and Saha,
// Eq. 32). At most O(n^2): each column is propagated from its body to the base.

#include "flexible/recursions/forward_dynamics.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Propagates a wrench, at the origin and in the axes of body `index`, to the base. Calls
/// entry(row, value) with its projection on each joint (row: its coordinate) and amplitude (rows
/// after all joints) on the path. `projected_forces`: scratch for the amplitudes of one body.
template <class S, class Entry>
void propagate_column_to_base(const Tree& tree, const Scratch<S>& scratch, std::size_t index,
                              SpatialVector<S> wrench, std::size_t joints, S* projected_forces,
                              const Entry& entry) {
  for (std::size_t i = index;;) {
    const ElasticBody& body = tree[i];
    if (body.has_axes_rotation) wrench = rotate(body.axes, wrench);
    if (body.joint != JointKind::fixed) {
      entry(body.coordinate,
            body.joint == JointKind::prismatic ? wrench.linear.z : wrench.angular.z);
    }
    if (body.parent < 0) return;
    const LinkScratch<S>& link = scratch.links[i];
    rotate_to_parent(tree, body, link, wrench);
    const auto parent = static_cast<std::size_t>(body.parent);
    if (body.at.deflects) {
      const std::size_t m = tree[parent].beam.modes();
      for (std::size_t j = 0; j < m; ++j) projected_forces[j] = S(0.0);
      add_amplitude_forces(tree, scratch, i, wrench, projected_forces);
      for (std::size_t j = 0; j < m; ++j)
        entry(joints + tree[parent].amplitude + j, projected_forces[j]);
    }
    wrench.angular += cross(link.r, wrench.linear);
    i = parent;
  }
}

/// Sets the positions of all bodies and inertia, columns and matrices of the composite bodies.
template <class S>
void composite_bodies(const Tree& tree, Scratch<S>& scratch, const S* q, const S* d) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    update_position(tree, scratch, i, q, d);
    link_inertia<S>(tree, scratch, i, d, nullptr, false);
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const ElasticBody& body = tree[i];
    if (body.parent < 0) continue;
    const ArticulatedInertia<S>& own = scratch.links[i].inertia;
    propagate_inertia_to_parent(tree, scratch, i,
                                body.has_axes_rotation ? rotate(body.axes, own) : own);
  }
}

/// Calls set(row, column, value) for every structurally nonzero entry of one triangle: those whose
/// column belongs to the row's body or to a descendant of it. Rows: joints, then amplitudes.
template <class S, class Set>
void inertia_matrix(const Tree& tree, Scratch<S>& scratch, std::size_t joints, const S* q,
                    const S* d, S* projected_forces, const Set& set) {
  composite_bodies(tree, scratch, q, d);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const ElasticBody& body = tree[i];
    const std::size_t m = body.beam.modes();
    const S* matrix = scratch.matrices.data() + body.matrix;
    if (body.joint != JointKind::fixed) {
      ArticulatedInertia<S> inertia = scratch.links[i].inertia;
      if (body.has_axes_rotation) inertia = rotate(body.axes, inertia);
      SpatialVector<S> wrench = joint_column(inertia, body.joint == JointKind::prismatic);
      if (body.has_axes_rotation) wrench = rotate_inverse(body.axes, wrench);
      propagate_column_to_base(
          tree, scratch, i, wrench, joints, projected_forces, [&](std::size_t row, const S& value) {
            const bool own = row == body.coordinate;
            set(row, body.coordinate, own ? S(value + body.rotor_inertia) : value);
          });
    }
    for (std::size_t j = 0; j < m; ++j) {
      const std::size_t column = joints + body.amplitude + j;
      for (std::size_t k = 0; k <= j; ++k) {
        set(joints + body.amplitude + k, column, matrix[j * m + k]);
      }
      propagate_column_to_base(tree, scratch, i, scratch.columns[body.amplitude + j], joints,
                               projected_forces,
                               [&](std::size_t row, const S& value) { set(row, column, value); });
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
