// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decomposition M = U D U^T of the generalized inertia matrix (Saha 2003, section 2.1 and
// Appendix B) and the O(n) solution of M x = phi with it (Eqs. 12 to 15), for trees.

#include "dynamics_core/rigid/kernel/articulated.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct UdutScratch {
  Placement<S> at;
  ArticulatedInertia<S> articulated;  ///< M^_i
  Six<S> psi;                         ///< psi^_i / m^_i
  S pivot;                            ///< m^_i: the entry of D
  S pivot_inverse;
  Six<S> eta;  ///< Eq. 13
  Six<S> mu;   ///< Eq. 15
};

/// Placements, articulated inertias, psi and pivots: everything U and D consist of.
template <class S>
void decompose(const Tree& tree, UdutScratch<S>* scratch, const S* q) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    scratch[i].at = place(tree[i], q[i]);
    scratch[i].articulated = articulated_inertia<S>(tree[i]);
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    const Six<S> hat = joint_column(body, link.articulated);
    link.pivot = body.prismatic ? hat.bottom.z : hat.top.z;
    if (body.rotor_inertia != 0.0) link.pivot = link.pivot + body.rotor_inertia;
    link.pivot_inverse = S(1.0) / link.pivot;
    link.psi = {link.pivot_inverse * hat.top, link.pivot_inverse * hat.bottom};
    if (body.parent < 0) continue;
    ArticulatedInertia<S>& parent = scratch[body.parent].articulated;
    if (reduces(body)) {
      const ReducedInertia<S> rest = eliminate_revolute(link.articulated, hat, link.psi);
      add_shifted(link.at.r, to_parent(body, link.at, rest), parent);
    } else {
      ArticulatedInertia<S> rest = link.articulated;
      eliminate_joint(rest, hat, link.psi);
      add_shifted(link.at.r, to_parent(body, link.at, rest), parent);
    }
  }
}

/// x = M^-1 phi after decompose(); x and phi may be the same array.
template <class S>
void solve(const Tree& tree, UdutScratch<S>* scratch, const S* phi, S* x) {
  const S zero(0.0);
  const Six<S> nothing = {{zero, zero, zero}, {zero, zero, zero}};
  for (std::size_t i = 0; i < tree.size(); ++i) scratch[i].eta = nothing;
  // phi^ = U^-1 phi, then D^-1
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    const S hat = phi[i] - (body.prismatic ? link.eta.bottom.z : link.eta.top.z);
    x[i] = hat * link.pivot_inverse;
    if (body.parent < 0) continue;
    const Vec3<S> f = to_parent(body, link.at, hat * link.psi.bottom + link.eta.bottom);
    Six<S>& parent = scratch[body.parent].eta;
    parent.bottom += f;
    parent.top += to_parent(body, link.at, hat * link.psi.top + link.eta.top) + cross(link.at.r, f);
  }
  // x = U^-T (...)
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    UdutScratch<S>& link = scratch[i];
    if (body.parent < 0) {
      link.mu = nothing;
    } else {
      const Six<S>& parent = scratch[body.parent].mu;
      link.mu.top = to_body(body, link.at, parent.top);
      link.mu.bottom = to_body(body, link.at, parent.bottom + cross(parent.top, link.at.r));
      x[i] = x[i] - dot(link.psi.top, link.mu.top) - dot(link.psi.bottom, link.mu.bottom);
    }
    (body.prismatic ? link.mu.bottom.z : link.mu.top.z) =
        (body.prismatic ? link.mu.bottom.z : link.mu.top.z) + x[i];
  }
}

/// Writes entry(j, i, u_ji) for every body i and every proper ancestor j: u_ji = p_j^T B_ij^T psi_i
/// (Eq. 25), after decompose(). The diagonal of U is one.
template <class S, class Entry>
void unit_factor(const Tree& tree, const UdutScratch<S>* scratch, Entry&& entry) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    Vec3<S> n = scratch[i].psi.top, f = scratch[i].psi.bottom;
    for (std::size_t k = i; tree[k].parent >= 0;) {
      f = to_parent(tree[k], scratch[k].at, f);
      n = to_parent(tree[k], scratch[k].at, n) + cross(scratch[k].at.r, f);
      k = static_cast<std::size_t>(tree[k].parent);
      entry(k, i, tree[k].prismatic ? f.z : n.z);
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
