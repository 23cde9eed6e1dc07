// SPDX-License-Identifier: Apache-2.0
#pragma once

// Articulated bodies: M^_i = M_i + sum B^T M^_cc B, psi^_i = M^_i p_i, m^_i = p_i^T psi^_i,
// M^_ii = M^_i - psi^_i psi^_i^T / m^_i (Saha 2003, Eqs. 26 to 28), the elements of the UDU^T
// decomposition of the generalized inertia matrix. About a body's own origin p_i is the unit
// vector along Z, so psi^_i is a column of M^_i and m^_i a diagonal entry.

#include "dynamics_core/rigid/kernel/inertia_matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

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

/// M^_ii behind a revolute joint without rotor: what belongs to Z of the angular part has been
/// eliminated, so its rows and columns are zero and never computed.
template <class S>
struct ReducedInertia {
  S I_xx, I_xy, I_yy;
  S H_xx, H_xy, H_yx, H_yy, H_zx, H_zy;
  Sym3<S> G;
};

/// M^ - psi^ psi^T of such a joint.
template <class S>
ReducedInertia<S> eliminate_revolute(const ArticulatedInertia<S>& m, const Six<S>& hat,
                                     const Six<S>& psi) {
  const Vec3<S>&t = hat.top, &b = hat.bottom, &u = psi.top, &v = psi.bottom;
  return {m.I.xx - t.x * u.x,
          m.I.xy - t.x * u.y,
          m.I.yy - t.y * u.y,
          m.H.xx - b.x * u.x,
          m.H.xy - b.x * u.y,
          m.H.yx - b.y * u.x,
          m.H.yy - b.y * u.y,
          m.H.zx - b.z * u.x,
          m.H.zy - b.z * u.y,
          {m.G.xx - b.x * v.x, m.G.xy - b.x * v.y, m.G.xz - b.x * v.z, m.G.yy - b.y * v.y,
           m.G.yz - b.y * v.z, m.G.zz - b.z * v.z}};
}

/// R M R^T from the body's axes to the parent's.
template <class S>
ArticulatedInertia<S> to_parent(const TreeBody& body, const Placement<S>& at,
                                const ArticulatedInertia<S>& own) {
  return {to_parent(body, at, own.I), to_parent(body, at, own.H), to_parent(body, at, own.G)};
}

template <class S>
ArticulatedInertia<S> to_parent(const TreeBody& body, const Placement<S>& at, ReducedInertia<S> m) {
  turn_block(at.c, at.s, m.I_xx, m.I_xy, m.I_yy);
  turn_block(at.c, at.s, m.H_xx, m.H_xy, m.H_yx, m.H_yy);
  turn_pair(at.c, at.s, m.H_zx, m.H_zy);
  turn_about_z(at.c, at.s, m.G);
  // then about X, where half of what is turned is zero
  const double c = body.cos_alpha, s = body.sin_alpha;
  const S t = c * m.I_yy, yz = s * t, yy = c * t;
  const S k = s * m.H_yy + c * m.H_zy, ck = c * k, sk = s * k;
  ArticulatedInertia<S> turned = {{m.I_xx, c * m.I_xy, s * m.I_xy, yy, yz, m.I_yy - yy},
                                  {m.H_xx, c * m.H_xy, s * m.H_xy, c * m.H_yx - s * m.H_zx,
                                   m.H_yy - sk, ck - m.H_zy, s * m.H_yx + c * m.H_zx, ck, sk},
                                  m.G};
  turn_about_x(c, s, turned.G);
  if (body.turned) {
    turn_about_z(body.cos_beta, body.sin_beta, turned.I);
    turn_about_z(body.cos_beta, body.sin_beta, turned.H);
    turn_about_z(body.cos_beta, body.sin_beta, turned.G);
  }
  return turned;
}

/// B^T M B added to the parent's; `turned` is M in the parent's axes.
template <class S>
void add_shifted(const Vec3<S>& r, const ArticulatedInertia<S>& turned,
                 ArticulatedInertia<S>& parent) {
  const Sym3<S>& g = turned.G;
  const Mat3<S>& h = turned.H;
  parent.G += g;
  // H - G [r x]; row i of G [r x] is g_i x r
  const Mat3<S> shifted = {h.xx - (g.xy * r.z - g.xz * r.y), h.xy - (g.xz * r.x - g.xx * r.z),
                           h.xz - (g.xx * r.y - g.xy * r.x), h.yx - (g.yy * r.z - g.yz * r.y),
                           h.yy - (g.yz * r.x - g.xy * r.z), h.yz - (g.xy * r.y - g.yy * r.x),
                           h.zx - (g.yz * r.z - g.zz * r.y), h.zy - (g.zz * r.x - g.xz * r.z),
                           h.zz - (g.xz * r.y - g.yz * r.x)};
  parent.H += shifted;
  // I + [r x] shifted + ([r x] h)^T, symmetric; on the diagonal the two have one factor
  parent.I += turned.I;
  parent.I += Sym3<S>{r.y * (shifted.zx + h.zx) - r.z * (shifted.yx + h.yx),
                      (r.y * shifted.zy - r.z * shifted.yy) + (r.z * h.xx - r.x * h.zx),
                      (r.y * shifted.zz - r.z * shifted.yz) + (r.x * h.yx - r.y * h.xx),
                      r.z * (shifted.xy + h.xy) - r.x * (shifted.zy + h.zy),
                      (r.z * shifted.xz - r.x * shifted.zz) + (r.x * h.yy - r.y * h.xy),
                      r.x * (shifted.yz + h.yz) - r.y * (shifted.xz + h.xz)};
}

/// (I, H, G) times an acceleration: the wrench it takes.
template <class S>
Six<S> operator*(const ArticulatedInertia<S>& m, const Six<S>& a) {
  return {m.I * a.top + transpose_times(m.H, a.bottom), m.H * a.top + m.G * a.bottom};
}
template <class S>
Six<S> operator*(const ReducedInertia<S>& m, const Six<S>& a) {
  const Vec3<S>&t = a.top, &b = a.bottom;
  return {{m.I_xx * t.x + m.I_xy * t.y + m.H_xx * b.x + m.H_yx * b.y + m.H_zx * b.z,
           m.I_xy * t.x + m.I_yy * t.y + m.H_xy * b.x + m.H_yy * b.y + m.H_zy * b.z, S(0.0)},
          {m.H_xx * t.x + m.H_xy * t.y + m.G.xx * b.x + m.G.xy * b.y + m.G.xz * b.z,
           m.H_yx * t.x + m.H_yy * t.y + m.G.xy * b.x + m.G.yy * b.y + m.G.yz * b.z,
           m.H_zx * t.x + m.H_zy * t.y + m.G.xz * b.x + m.G.yz * b.y + m.G.zz * b.z}};
}

/// A joint whose elimination leaves a ReducedInertia.
inline bool reduces(const TreeBody& body) { return !body.prismatic && body.rotor_inertia == 0.0; }

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
