// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized inertia matrix by composite bodies: M~_i = M_i + sum B^T M~_child B
// (Saha 1999, Eq. 23b), i_ij = p_i^T M~_i B_ij p_j (Eq. 24).

#include "dynamics_core/rigid/kernel/placement.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Mass, first moment and inertia about the origin.
template <class S>
struct RigidInertia {
  S mass;
  Vec3<S> moment;
  Sym3<S> inertia;
};

template <class S>
DYNAMICS_INLINE RigidInertia<S> rigid_inertia(const TreeBody& body) {
  const auto& h = body.moment;
  const auto& j = body.inertia;
  return {S(body.mass),
          {S(h[0]), S(h[1]), S(h[2])},
          {S(j[0]), S(j[1]), S(j[2]), S(j[3]), S(j[4]), S(j[5])}};
}

/// About a point from which the present origin is at r.
template <class S>
DYNAMICS_INLINE RigidInertia<S> seen_from(const Vec3<S>& r, const RigidInertia<S>& own) {
  RigidInertia<S> seen;
  seen.mass = own.mass;
  const Vec3<S>& h = own.moment;
  seen.moment = h + own.mass * r;
  // sums over the mass of what the shift adds: 2 r.h + m r^2 and the like
  seen.inertia = own.inertia;
  const Vec3<S> k = seen.moment;  // h + m r
  const S hx = h.x * r.x + k.x * r.x, hy = h.y * r.y + k.y * r.y, hz = h.z * r.z + k.z * r.z;
  seen.inertia += Sym3<S>{hy + hz, -(r.x * h.y + k.x * r.y), -(r.x * h.z + k.x * r.z),
                          hx + hz, -(r.y * h.z + k.y * r.z), hx + hy};
  return seen;
}

/// B^T M B: what the parent's origin sees of a body.
template <class S>
DYNAMICS_INLINE RigidInertia<S> to_parent(const TreeBody& body, const Placement<S>& at,
                                          const RigidInertia<S>& own) {
  return seen_from(at.r, RigidInertia<S>{own.mass, to_parent(body, at, own.moment),
                                         to_parent(body, at, own.inertia)});
}

template <class S>
struct CompositeScratch {
  Placement<S> at;
  RigidInertia<S> composite;
};

/// Placements and composite inertias of all bodies.
template <class S>
void composite_inertias(const Tree& tree, CompositeScratch<S>* scratch, const S* q) {
  turn_joints(tree.data(), tree.size(), scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].prismatic) {
      scratch[i].at = place(tree[i], q[i]);
    } else {
      const auto& p = tree[i].position;
      scratch[i].at.r = {S(p[0]), S(p[1]), S(p[2])};
    }
    scratch[i].composite = rigid_inertia<S>(tree[i]);
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    if (body.parent < 0) continue;
    const RigidInertia<S> seen = to_parent(body, scratch[i].at, scratch[i].composite);
    RigidInertia<S>& parent = scratch[body.parent].composite;
    parent.mass = parent.mass + seen.mass;
    parent.moment += seen.moment;
    parent.inertia += seen.inertia;
  }
}

/// Writes entry(i, j, value) for every body i and every ancestor j of it, i itself included.
/// Pairs of bodies on different branches are not visited: their entry is zero.
template <class S, class Entry>
void inertia_matrix(const Tree& tree, CompositeScratch<S>* scratch, const S* q, Entry&& entry) {
  composite_inertias(tree, scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const RigidInertia<S>& own = scratch[i].composite;
    // M~_i p_i: the wrench of the composite body for a unit acceleration of joint i
    Vec3<S> f, n;
    const S zero(0.0);
    if (tree[i].prismatic) {
      f = {zero, zero, own.mass};
      n = {own.moment.y, -own.moment.x, zero};
      entry(i, i, S(own.mass + S(tree[i].rotor_inertia)));
    } else {
      f = {-own.moment.y, own.moment.x, zero};
      n = {own.inertia.xz, own.inertia.yz, own.inertia.zz};
      entry(i, i, S(own.inertia.zz + S(tree[i].rotor_inertia)));
    }
    for (std::size_t k = i; tree[k].parent >= 0;) {
      f = to_parent(tree[k], scratch[k].at, f);
      n = to_parent(tree[k], scratch[k].at, n) + cross(scratch[k].at.r, f);
      k = static_cast<std::size_t>(tree[k].parent);
      entry(i, k, tree[k].prismatic ? f.z : n.z);
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
