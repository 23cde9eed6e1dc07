// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decomposition M = U D U^T of the generalized inertia matrix (Saha 2003, section 2.1 and
// Appendix B) and the O(n) solution of M x = phi with it (Eqs. 12 to 15), for trees.
//
// What a body passes on to the next of the list stays in registers; only where the tree forks it
// goes through memory. A revolute joint on the base has a pivot, and nothing else is asked of it.

#include "dynamics_core/rigid/kernel/articulated.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct UdutScratch {
  Placement<S> at;  ///< r where the joint is prismatic or has a rotor
  Six<S> psi;       ///< psi^_i / m^_i
  S pivot;          ///< m^_i: the entry of D
  S pivot_inverse;
  // of bodies where the tree forks, summed over the children that are not next in the list:
  ArticulatedInertia<S> articulated;  ///< M^_i of all bodies after a complete decomposition
  Six<S> eta;                         ///< Eq. 13
  Six<S> mu;                          ///< Eq. 15
};

/// Sines and cosines, and whole placements of joints that do not reduce.
template <class S, class Scratch>
DYNAMICS_INLINE void place_joints(const Tree& tree, Scratch* scratch, const S* q) {
  turn_joints(tree.data(), tree.size(), scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    if (body.prismatic) {
      scratch[i].at = place(body, q[i]);
    } else if (body.rotor_inertia != 0.0) {
      scratch[i].at.r = {S(body.position[0]), S(body.position[1]), S(body.position[2])};
    }
  }
}

/// psi^_i, the pivot and psi_i of an articulated body.
template <class S, class Scratch>
DYNAMICS_INLINE Six<S> find_pivot(const TreeBody& body, const ArticulatedInertia<S>& m,
                                  Scratch& link) {
  const Six<S> hat = joint_column(body, m);
  if (reduces(body)) {
    link.pivot = hat.top.z;
    link.pivot_inverse = S(1.0) / link.pivot;
    const S& k = link.pivot_inverse;
    link.psi = {{k * hat.top.x, k * hat.top.y, S(1.0)}, k * hat.bottom};
    return hat;
  }
  link.pivot = body.prismatic ? hat.bottom.z : hat.top.z;
  if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
  link.pivot_inverse = S(1.0) / link.pivot;
  link.psi = {link.pivot_inverse * hat.top, link.pivot_inverse * hat.bottom};
  return hat;
}

/// A revolute joint on the base, of which only the axis matters.
inline bool on_base(const TreeBody& body) { return body.parent < 0 && !body.prismatic; }

/// Placements, psi and pivots: everything U and D consist of. `complete`: also the articulated
/// inertias of all bodies, and psi of those on the base.
template <class S>
void decompose(const Tree& tree, UdutScratch<S>* scratch, const S* q, bool complete = false) {
  const S zero(0.0);
  const ArticulatedInertia<S> nothing = {{zero, zero, zero, zero, zero, zero},
                                         {zero, zero, zero, zero, zero, zero, zero, zero, zero},
                                         {zero, zero, zero, zero, zero, zero}};
  place_joints(tree, scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].forked) scratch[i].articulated = nothing;
  }
  ArticulatedInertia<S> m;  // what the body behind adds to this one
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    if (on_base(body) && !complete) {
      link.pivot = S(body.inertia[5]);
      if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
      if (body.continued) link.pivot = link.pivot + m.I.zz;
      if (body.forked) link.pivot = link.pivot + link.articulated.I.zz;
      link.pivot_inverse = S(1.0) / link.pivot;
      continue;
    }
    if (body.continued) {
      add_own(body, m);
    } else {
      m = articulated_inertia<S>(body);
    }
    if (body.forked) m += link.articulated;
    if (complete) link.articulated = m;
    const Six<S> hat = find_pivot(body, m, link);
    if (body.parent < 0) continue;
    ArticulatedInertia<S>& parent = scratch[body.parent].articulated;
    const bool next = static_cast<std::size_t>(body.parent) + 1 == i;
    if (reduces(body)) {
      const ReducedInertia<S> rest = eliminate_revolute(m, hat, link.psi);
      if (body.second && !complete) {
        with_turn(body, link.at, [&](const auto& turn) DYNAMICS_INLINE_LAMBDA {
          m.I.zz = inertia_zz(turn, rest);
        });
        if (!next) parent.I.zz = parent.I.zz + m.I.zz;
        continue;
      }
      with_turn(body, link.at,
                [&](const auto& turn) DYNAMICS_INLINE_LAMBDA { m = to_parent(turn, rest); });
    } else {
      eliminate_joint(m, hat, link.psi);
      m = to_parent_whole(body, link.at, m);
    }
    if (!next) parent += m;
  }
}

/// hat psi + eta; about Z of a joint that reduces that is phi.
template <class S>
DYNAMICS_INLINE Six<S> passed_on(const TreeBody& body, const Six<S>& psi, const S& hat,
                                 const S& phi) {
  const S z = reduces(body) ? phi : S(hat * psi.top.z);
  return {{hat * psi.top.x, hat * psi.top.y, z}, hat * psi.bottom};
}

/// x = M^-1 phi after decompose(); x and phi may be the same array.
template <class S>
void solve(const Tree& tree, UdutScratch<S>* scratch, const S* phi, S* x) {
  const S zero(0.0);
  const Six<S> nothing = {{zero, zero, zero}, {zero, zero, zero}};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].forked) scratch[i].eta = nothing;
  }
  // phi^ = U^-1 phi, then D^-1
  Six<S> eta = nothing;
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    const S given = phi[i];
    S hat = given;
    if (on_base(body)) {
      if (body.continued) hat = hat - eta.top.z;
      if (body.forked) hat = hat - link.eta.top.z;
      x[i] = hat * link.pivot_inverse;
      continue;
    }
    if (body.forked) {
      if (body.continued) {
        eta.top += link.eta.top;
        eta.bottom += link.eta.bottom;
      } else {
        eta = link.eta;
      }
    }
    const bool loaded = body.continued || body.forked;
    if (loaded) hat = given - (body.prismatic ? eta.bottom.z : eta.top.z);
    x[i] = hat * link.pivot_inverse;
    if (body.parent < 0) continue;
    const Six<S> own = passed_on(body, link.psi, hat, given);
    if (loaded) {
      const S z = reduces(body) ? own.top.z : S(own.top.z + eta.top.z);
      eta = {{own.top.x + eta.top.x, own.top.y + eta.top.y, z}, own.bottom + eta.bottom};
    } else {
      eta = own;
    }
    const bool next = static_cast<std::size_t>(body.parent) + 1 == i;
    Six<S>& parent = scratch[body.parent].eta;
    if (!reduces(body)) {
      to_parent_whole(body, link.at, eta);
    } else if (body.second) {
      with_turn(body, link.at, [&](const auto& turn) DYNAMICS_INLINE_LAMBDA {
        eta.top.z = z_to_parent(turn, eta);
      });
      if (!next) parent.top.z = parent.top.z + eta.top.z;
      continue;
    } else {
      with_turn(body, link.at,
                [&](const auto& turn) DYNAMICS_INLINE_LAMBDA { to_parent(turn, eta); });
    }
    if (!next) {
      parent.top += eta.top;
      parent.bottom += eta.bottom;
    }
  }
  // x = U^-T (...)
  Six<S> mu = nothing;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    if (body.parent < 0) {
      mu = nothing;
    } else {
      if (static_cast<std::size_t>(body.parent) + 1 != i) mu = scratch[body.parent].mu;
      if (!reduces(body)) {
        to_body_whole(body, link.at, mu);
        x[i] = x[i] - dot(link.psi.top, mu.top) - dot(link.psi.bottom, mu.bottom);
      } else {
        with_turn(body, link.at, [&](const auto& turn) DYNAMICS_INLINE_LAMBDA {
          if (body.second) {
            axis_to_body(turn, mu);
          } else {
            to_body(turn, mu);
          }
        });
        x[i] = x[i] - mu.top.z - (link.psi.top.x * mu.top.x + link.psi.top.y * mu.top.y) -
               dot(link.psi.bottom, mu.bottom);
      }
    }
    if (!body.continued && !body.forked) continue;
    if (body.parent < 0) {
      (body.prismatic ? mu.bottom.z : mu.top.z) = x[i];
    } else if (body.prismatic) {
      mu.bottom.z = mu.bottom.z + x[i];
    } else {
      mu.top.z = mu.top.z + x[i];
    }
    if (body.forked) link.mu = mu;
  }
}

/// Writes entry(j, i, u_ji) for every body i and every proper ancestor j: u_ji = p_j^T B_ij^T psi_i
/// (Eq. 25), after decompose(). The diagonal of U is one.
template <class S, class Entry>
void unit_factor(const Tree& tree, const UdutScratch<S>* scratch, Entry&& entry) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].parent < 0) continue;
    Six<S> w = scratch[i].psi;
    for (std::size_t k = i; tree[k].parent >= 0;) {
      if (reduces(tree[k])) {
        to_parent(Turn<TreeBody::Twist::general, S>{tree[k], scratch[k].at.c, scratch[k].at.s}, w);
      } else {
        to_parent_whole(tree[k], scratch[k].at, w);
      }
      k = static_cast<std::size_t>(tree[k].parent);
      entry(k, i, tree[k].prismatic ? w.bottom.z : w.top.z);
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
