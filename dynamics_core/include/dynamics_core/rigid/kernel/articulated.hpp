// SPDX-License-Identifier: Apache-2.0
#pragma once

// Articulated bodies: M^_i = M_i + sum B^T M^_cc B, psi^_i = M^_i p_i, m^_i = p_i^T psi^_i,
// M^_ii = M^_i - psi^_i psi^_i^T / m^_i (Saha 2003, Eqs. 26 to 28), the elements of the UDU^T
// decomposition of the generalized inertia matrix. About a body's own origin p_i is the unit
// vector along Z, so psi^_i is a column of M^_i and m^_i a diagonal entry.

#include "dynamics_core/rigid/kernel/inertia_matrix.hpp"

namespace dynamics::kernel::inline DYNAMICS_KERNEL_NAMESPACE {

/// n = I alpha + H^T a,  f = H alpha + G a.
template <class S>
struct ArticulatedInertia {
  Sym3<S> I;
  Mat3<S> H;
  Sym3<S> G;
};

template <class S>
ArticulatedInertia<S> articulated_inertia(const TreeBody& body) {
  const auto& h = body.moment;
  const auto& j = body.inertia;
  const S zero(0.0), m(body.mass);
  return {{S(j[0]), S(j[1]), S(j[2]), S(j[3]), S(j[4]), S(j[5])},
          {zero, S(h[2]), S(-h[1]), S(-h[2]), zero, S(h[0]), S(h[1]), S(-h[0]), zero},
          {m, zero, zero, m, zero, m}};
}

/// Six numbers: an angular (or moment) and a linear (or force) part.
template <class S>
struct Six {
  Vec3<S> top, bottom;
};

/// psi^ = M^ p
template <class S>
Six<S> joint_column(const TreeBody& body, const ArticulatedInertia<S>& m) {
  if (body.prismatic) return {{m.H.zx, m.H.zy, m.H.zz}, {m.G.xz, m.G.yz, m.G.zz}};
  return {{m.I.xz, m.I.yz, m.I.zz}, {m.H.xz, m.H.yz, m.H.zz}};
}

/// M^ - psi^ psi^T
template <class S>
void eliminate_joint(ArticulatedInertia<S>& m, const Six<S>& hat, const Six<S>& psi) {
  const Vec3<S>&t = hat.top, &b = hat.bottom, &u = psi.top, &v = psi.bottom;
  m.I = {m.I.xx - t.x * u.x, m.I.xy - t.x * u.y, m.I.xz - t.x * u.z,
         m.I.yy - t.y * u.y, m.I.yz - t.y * u.z, m.I.zz - t.z * u.z};
  m.H = {m.H.xx - b.x * u.x, m.H.xy - b.x * u.y, m.H.xz - b.x * u.z,
         m.H.yx - b.y * u.x, m.H.yy - b.y * u.y, m.H.yz - b.y * u.z,
         m.H.zx - b.z * u.x, m.H.zy - b.z * u.y, m.H.zz - b.z * u.z};
  m.G = {m.G.xx - b.x * v.x, m.G.xy - b.x * v.y, m.G.xz - b.x * v.z,
         m.G.yy - b.y * v.y, m.G.yz - b.y * v.z, m.G.zz - b.z * v.z};
}

/// B^T M B added to the parent's.
template <class S>
void add_to_parent(const TreeBody& body, const Placement<S>& at, const ArticulatedInertia<S>& own,
                   ArticulatedInertia<S>& parent) {
  const Vec3<S>& r = at.r;
  const Sym3<S> g = to_parent(body, at, own.G);
  const Mat3<S> h = to_parent(body, at, own.H);
  parent.G += g;
  // H - G [r x]; row i of G [r x] is g_i x r
  const Mat3<S> shifted = {h.xx - (g.xy * r.z - g.xz * r.y), h.xy - (g.xz * r.x - g.xx * r.z),
                           h.xz - (g.xx * r.y - g.xy * r.x), h.yx - (g.yy * r.z - g.yz * r.y),
                           h.yy - (g.yz * r.x - g.xy * r.z), h.yz - (g.xy * r.y - g.yy * r.x),
                           h.zx - (g.yz * r.z - g.zz * r.y), h.zy - (g.zz * r.x - g.xz * r.z),
                           h.zz - (g.xz * r.y - g.yz * r.x)};
  parent.H += shifted;
  // I + [r x] shifted + ([r x] h)^T, symmetric
  parent.I += to_parent(body, at, own.I);
  parent.I += Sym3<S>{(r.y * shifted.zx - r.z * shifted.yx) + (r.y * h.zx - r.z * h.yx),
                      (r.y * shifted.zy - r.z * shifted.yy) + (r.z * h.xx - r.x * h.zx),
                      (r.y * shifted.zz - r.z * shifted.yz) + (r.x * h.yx - r.y * h.xx),
                      (r.z * shifted.xy - r.x * shifted.zy) + (r.z * h.xy - r.x * h.zy),
                      (r.z * shifted.xz - r.x * shifted.zz) + (r.x * h.yy - r.y * h.xy),
                      (r.x * shifted.yz - r.y * shifted.xz) + (r.x * h.yz - r.y * h.xz)};
}

}  // namespace dynamics::kernel::inline DYNAMICS_KERNEL_NAMESPACE
