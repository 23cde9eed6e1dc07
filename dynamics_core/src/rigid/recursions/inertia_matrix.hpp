// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized inertia matrix by the composite-body algorithm: the composite inertia of body i
// is M~_i = M_i + sum B^T M~_child B (Saha 1999, Eq. 23b), and entry (i, j) of the matrix is
// p_i^T M~_i B_ij p_j (Eq. 24), with p the joints' axes.

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/recursions/matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Joint transforms and composite inertias of all bodies.
template <class S>
void composite_inertias(const Tree& tree, CompositeScratch<S>* scratch, const S* q) {
  joint_rotations(tree.data(), tree.size(), scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].prismatic) {
      scratch[i].at = prismatic_transform(tree[i], q[i]);
    } else {
      scratch[i].at.r = constant_position<S>(tree[i]);
    }
    scratch[i].composite = rigid_inertia<S>(tree[i]);
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    if (is_root(body)) continue;
    scratch[body.parent].composite +=
        propagate_to_parent(body, scratch[i].at, scratch[i].composite);
  }
}

/// Calls entry(i, j, value) for every body i and each of its ancestors j, i included. Entries for
/// bodies on different branches are zero and not visited.
template <class S, class Entry>
void inertia_matrix(const Tree& tree, CompositeScratch<S>* scratch, const S* q, Entry&& entry) {
  composite_inertias(tree, scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const RigidInertia<S>& own = scratch[i].composite;
    // M~_i p_i: the force for a unit acceleration of joint i
    auto [n, f] = joint_column(own, tree[i].prismatic);
    entry(i, i, S((tree[i].prismatic ? f.z : n.z) + S(tree[i].rotor_inertia)));
    for (std::size_t k = i; !is_root(tree[k]);) {
      f = to_parent(tree[k], scratch[k].at, f);
      n = to_parent(tree[k], scratch[k].at, n) + cross(scratch[k].at.r, f);
      k = static_cast<std::size_t>(tree[k].parent);
      entry(i, k, tree[k].prismatic ? f.z : n.z);
    }
  }
}

/// All entries of the matrix.
template <class S>
void inertia_matrix(const Tree& tree, CompositeScratch<S>* scratch, const S* q, S* matrix,
                    std::size_t stride) {
  const MatrixView<S> m{matrix, stride};
  if (!is_serial_chain(tree)) m.set_zero(tree.size());
  inertia_matrix<S>(tree, scratch, q, [&](std::size_t i, std::size_t j, const S& value) {
    m(i, j) = m(j, i) = value;
  });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
