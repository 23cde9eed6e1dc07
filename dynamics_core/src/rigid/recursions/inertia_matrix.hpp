// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized inertia matrix by the composite-body algorithm: the composite inertia of body i
// is M~_i = M_i + sum B^T M~_child B (Saha 1999, Eq. 23b), and entry (i, j) of the matrix is
// p_i^T M~_i B_ij p_j (Eq. 24), with p the joints' axes.

#include <type_traits>

#include "rigid/recursions/chain_forces.hpp"
#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/recursions/matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Adds the composite inertia of a body to that of its parent; of a revolute root with revolute
/// children only the moment about its axis is needed.
template <class S>
DYNAMICS_INLINE void add_to_parent(const TreeBody& body, const CompositeScratch<S>& link,
                                   RigidInertia<S>& parent) {
  if (body.prismatic || !separates_rotations<S>) {
    parent += propagate_to_parent(body, link.at, link.composite);
    return;
  }
  with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
    if (body.parent_is_revolute_root) {
      parent.inertia.zz = parent.inertia.zz + zz_on_parent(rotation, link.composite);
    } else {
      parent += propagate_to_parent(rotation, link.composite);
    }
  });
}
/// The force that a body transmits, from its own frame to its parent's; for a revolute root only
/// the torque about its axis is needed.
template <class S>
DYNAMICS_INLINE void transmit(const TreeBody& body, const CompositeScratch<S>& link,
                              SpatialVector<S>& force) {
  if (body.prismatic || !separates_rotations<S>) {
    force = propagate_to_parent(body, link.at, force);
    return;
  }
  with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
    if (body.parent_is_revolute_root) {
      force.angular.z = z_torque_on_parent(rotation, force);
    } else {
      propagate_to_parent(rotation, force);
    }
  });
}

/// Joint transforms and composite inertias of all bodies.
template <class S>
void composite_inertias(const Tree& tree, CompositeScratch<S>* scratch, const S* q) {
  joint_rotations(tree.data(), tree.size(), scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].prismatic) {
      scratch[i].at = prismatic_transform(tree[i], q[i]);
    } else if (!separates_rotations<S>) {
      scratch[i].at.r = constant_position<S>(tree[i]);
    }
    scratch[i].composite = rigid_inertia<S>(tree[i]);
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (!is_root(tree[i])) {
      add_to_parent(tree[i], scratch[i], scratch[tree[i].parent].composite);
    }
  }
}

/// Calls entry(i, j, value) for every body i and each of its ancestors j, i included. Entries for
/// bodies on different branches are zero and not visited.
template <class S, class Entry>
void inertia_matrix(const Tree& tree, CompositeScratch<S>* scratch, const S* q, Entry&& entry) {
  composite_inertias(tree, scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    // M~_i p_i: the force for a unit acceleration of joint i
    SpatialVector<S> force = joint_column(scratch[i].composite, tree[i].prismatic);
    entry(i, i, S(along_joint(tree[i], force) + S(tree[i].rotor_inertia)));
    for (std::size_t k = i; !is_root(tree[k]);) {
      transmit(tree[k], scratch[k], force);
      k = static_cast<std::size_t>(tree[k].parent);
      entry(i, k, along_joint(tree[k], force));
    }
  }
}

/// All entries of the matrix of a short chain.
inline void short_chain_matrix(const Tree& tree, CompositeScratch<double>* scratch, const double* q,
                               const MatrixView<double>& m) {
  composite_inertias(tree, scratch, q);
  const auto column = [&](std::size_t i) DYNAMICS_INLINE_LAMBDA {
    return joint_column(scratch[i].composite, tree[i].prismatic);
  };
  const auto general = [](const TreeBody& body) { return body.prismatic; };
  ChainRows rows;
  carry_chain_forces(tree, scratch, column, general, rows);
  for (std::size_t j = 0; j < tree.size(); ++j) {
    m(j, j) = along_joint(tree[j], column(j)) + tree[j].rotor_inertia;
    for (std::size_t i = j + 1; i < tree.size(); ++i) m(i, j) = m(j, i) = rows.entries[j][i];
  }
}

/// All entries of the matrix.
template <class S>
void inertia_matrix(const Tree& tree, CompositeScratch<S>* scratch, const S* q, S* matrix,
                    std::size_t stride) {
  const MatrixView<S> m{matrix, stride};
  if constexpr (std::is_same_v<S, double>) {
    if (is_short_chain(tree)) {
      short_chain_matrix(tree, scratch, q, m);
      return;
    }
  }
  if (!is_serial_chain(tree)) m.set_zero(tree.size());
  inertia_matrix<S>(tree, scratch, q, [&](std::size_t i, std::size_t j, const S& value) {
    m(i, j) = m(j, i) = value;
  });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
