// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decomposition M = U D U^T of the generalized inertia matrix (Saha 2003, section 2.1 and
// Appendix B) and the O(n) solution of M x = phi with it (Eqs. 12 to 15), for trees.
//
// The articulated inertia of body i is M^_i = M_i + sum over its children of B^T M^_cc B, with the
// child's joint eliminated: psi^_i = M^_i p_i, m^_i = p_i^T psi^_i, M^_ii = M^_i - psi^_i psi^_i^T
// / m^_i (Eqs. 26 to 28). p_i is Z of the body's frame, so psi^_i is a column of M^_i and the pivot
// m^_i a diagonal entry. A revolute root joint needs only its pivot.
//
// What a body passes to its neighbor in the list stays in registers; only where the tree branches
// it goes through the parent's scratch.

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/recursions/matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Sets the pivot and psi_i of an articulated body; returns psi^_i.
template <class S, class Scratch>
DYNAMICS_INLINE SpatialVector<S> find_pivot(const TreeBody& body, const ArticulatedInertia<S>& m,
                                            Scratch& link) {
  const SpatialVector<S> hat = joint_column(m, body.prismatic);
  if (reduces(body)) {
    link.pivot = hat.angular.z;
    link.pivot_inverse = S(1.0) / link.pivot;
    const S& k = link.pivot_inverse;
    link.psi = {{k * hat.angular.x, k * hat.angular.y, S(1.0)}, k * hat.linear};
    return hat;
  }
  link.pivot = body.prismatic ? hat.linear.z : hat.angular.z;
  if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
  link.pivot_inverse = S(1.0) / link.pivot;
  link.psi = {link.pivot_inverse * hat.angular, link.pivot_inverse * hat.linear};
  return hat;
}

/// Joint transforms, psi and pivots: all that U and D consist of. `complete`: also the articulated
/// inertias of all bodies, and psi of root bodies.
template <class S>
void decompose(const Tree& tree, UdutScratch<S>* scratch, const S* q, bool complete = false) {
  joint_transforms(tree, scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].has_nonadjacent_child) scratch[i].articulated = spatial::zero_inertia<S>();
  }
  ArticulatedInertia<S> m;  // passed on by the next body
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && !complete) {
      link.pivot = S(body.inertia[5]);
      if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
      if (body.next_is_child) link.pivot = link.pivot + m.I.zz;
      if (body.has_nonadjacent_child) link.pivot = link.pivot + link.articulated.I.zz;
      link.pivot_inverse = S(1.0) / link.pivot;
      continue;
    }
    if (body.next_is_child) {
      m += rigid_inertia(body);
    } else {
      m = articulated_inertia<S>(rigid_inertia(body));
    }
    if (body.has_nonadjacent_child) m += link.articulated;
    if (complete) link.articulated = m;
    const SpatialVector<S> hat = find_pivot(body, m, link);
    if (body.parent < 0) continue;
    ArticulatedInertia<S>& parent = scratch[body.parent].articulated;
    const bool next = follows_parent(body, i);
    if (reduces(body)) {
      const ReducedInertia<S> rest = eliminate_revolute(m, hat, link.psi);
      if (body.parent_is_revolute_root && !complete) {
        with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          m.I.zz = parent_column(rotation, rest).I_zz;
        });
        if (!next) parent.I.zz = parent.I.zz + m.I.zz;
        continue;
      }
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        m = propagate_to_parent(rotation, rest);
      });
    } else {
      subtract_outer(m, hat, link.psi);
      m = propagate_to_parent(body, link.at, m);
    }
    if (!next) parent += m;
  }
}

/// The force hat psi that a joint transmits; its Z component is phi where the joint reduces.
template <class S>
DYNAMICS_INLINE SpatialVector<S> joint_force(const TreeBody& body, const SpatialVector<S>& psi,
                                             const S& hat, const S& phi) {
  const S z = reduces(body) ? phi : S(hat * psi.angular.z);
  return {{hat * psi.angular.x, hat * psi.angular.y, z}, hat * psi.linear};
}

/// x = M^-1 phi after decompose(); x and phi may be the same array.
template <class S>
void solve(const Tree& tree, UdutScratch<S>* scratch, const S* phi, S* x) {
  const SpatialVector<S> nothing = zero6<S>();
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].has_nonadjacent_child) scratch[i].eta = nothing;
  }
  // phi^ = U^-1 phi, then D^-1
  SpatialVector<S> eta = nothing;
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    const S given = phi[i];
    S hat = given;
    if (is_revolute_root(body)) {
      if (body.next_is_child) hat = hat - eta.angular.z;
      if (body.has_nonadjacent_child) hat = hat - link.eta.angular.z;
      x[i] = hat * link.pivot_inverse;
      continue;
    }
    if (body.has_nonadjacent_child) {
      if (body.next_is_child) {
        eta += link.eta;
      } else {
        eta = link.eta;
      }
    }
    const bool loaded = body.next_is_child || body.has_nonadjacent_child;
    if (loaded) hat = given - (body.prismatic ? eta.linear.z : eta.angular.z);
    x[i] = hat * link.pivot_inverse;
    if (body.parent < 0) continue;
    const SpatialVector<S> own = joint_force(body, link.psi, hat, given);
    if (loaded) {
      const S z = reduces(body) ? own.angular.z : S(own.angular.z + eta.angular.z);
      eta = {{own.angular.x + eta.angular.x, own.angular.y + eta.angular.y, z},
             own.linear + eta.linear};
    } else {
      eta = own;
    }
    const bool next = follows_parent(body, i);
    SpatialVector<S>& parent = scratch[body.parent].eta;
    if (!reduces(body)) {
      eta = propagate_to_parent(body, link.at, eta);
    } else if (body.parent_is_revolute_root) {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        eta.angular.z = z_torque_on_parent(rotation, eta);
      });
      if (!next) parent.angular.z = parent.angular.z + eta.angular.z;
      continue;
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        propagate_to_parent(rotation, eta);
      });
    }
    if (!next) {
      parent += eta;
    }
  }
  // x = U^-T (...)
  SpatialVector<S> mu = nothing;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    if (body.parent < 0) {
      mu = nothing;
    } else {
      if (!follows_parent(body, i)) mu = scratch[body.parent].mu;
      if (!reduces(body)) {
        mu = transform_to_body(body, link.at, mu);
        x[i] = x[i] - dot(link.psi.angular, mu.angular) - dot(link.psi.linear, mu.linear);
      } else {
        with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          if (body.parent_is_revolute_root) {
            transform_z_to_body(rotation, mu);
          } else {
            transform_to_body(rotation, mu);
          }
        });
        x[i] = x[i] - mu.angular.z -
               (link.psi.angular.x * mu.angular.x + link.psi.angular.y * mu.angular.y) -
               dot(link.psi.linear, mu.linear);
      }
    }
    if (!body.next_is_child && !body.has_nonadjacent_child) continue;
    if (body.parent < 0) {
      (body.prismatic ? mu.linear.z : mu.angular.z) = x[i];
    } else if (body.prismatic) {
      mu.linear.z = mu.linear.z + x[i];
    } else {
      mu.angular.z = mu.angular.z + x[i];
    }
    if (body.has_nonadjacent_child) link.mu = mu;
  }
}

/// Calls entry(j, i, u_ji) for every body i and each of its proper ancestors j, after decompose():
/// u_ji = p_j^T B_ij^T psi_i (Eq. 25). The diagonal of U is one.
template <class S, class Scratch, class Entry>
void unit_factor(const Tree& tree, const Scratch* scratch, Entry&& entry) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent < 0) continue;
    SpatialVector<S> w = scratch[i].psi;
    for (std::size_t k = i; tree[k].parent >= 0;) {
      if (!reduces(tree[k])) {
        w = propagate_to_parent(tree[k], scratch[k].at, w);
      } else if (separates_rotations<S>) {
        with_rotation(tree[k], scratch[k].at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          propagate_to_parent(rotation, w);
        });
      } else {
        propagate_to_parent(general_rotation(tree[k], scratch[k].at), w);
      }
      k = static_cast<std::size_t>(tree[k].parent);
      entry(k, i, tree[k].prismatic ? w.linear.z : w.angular.z);
    }
  }
}

/// All entries of U.
template <class S>
void unit_factor(const Tree& tree, const UdutScratch<S>* scratch, S* matrix, std::size_t stride) {
  const MatrixView<S> u{matrix, stride};
  u.set_zero(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) u(i, i) = S(1.0);
  unit_factor<S>(tree, scratch,
                 [&](std::size_t i, std::size_t j, const S& value) { u(i, j) = value; });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
