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
DYNAMICS_INLINE ArticulatedInertia<S> articulated_inertia(const TreeBody& body) {
  const auto& h = body.moment;
  const auto& j = body.inertia;
  const S zero(0.0), m(body.mass);
  return {{S(j[0]), S(j[1]), S(j[2]), S(j[3]), S(j[4]), S(j[5])},
          {zero, S(h[2]), S(-h[1]), S(-h[2]), zero, S(h[0]), S(h[1]), S(-h[0]), zero},
          {m, zero, zero, m, zero, m}};
}

/// psi^ = M^ p
template <class S>
DYNAMICS_INLINE Six<S> joint_column(const TreeBody& body, const ArticulatedInertia<S>& m) {
  if (body.prismatic) return {{m.H.zx, m.H.zy, m.H.zz}, {m.G.xz, m.G.yz, m.G.zz}};
  return {{m.I.xz, m.I.yz, m.I.zz}, {m.H.xz, m.H.yz, m.H.zz}};
}

/// M^ - psi^ psi^T
template <class S>
DYNAMICS_INLINE void eliminate_joint(ArticulatedInertia<S>& m, const Six<S>& hat,
                                     const Six<S>& psi) {
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

  /// The wrench for an angular acceleration, of which z does not matter, and for a linear one.
  DYNAMICS_INLINE Six<S> times_turn(const Vec3<S>& a) const {
    return {{I_xx * a.x + I_xy * a.y, I_xy * a.x + I_yy * a.y, S(0.0)},
            {H_xx * a.x + H_xy * a.y, H_yx * a.x + H_yy * a.y, H_zx * a.x + H_zy * a.y}};
  }
  DYNAMICS_INLINE Six<S> times_rest(const Vec3<S>& a) const {
    return {{H_xx * a.x + H_yx * a.y + H_zx * a.z, H_xy * a.x + H_yy * a.y + H_zy * a.z, S(0.0)},
            G * a};
  }
};

/// M^ - psi^ psi^T of such a joint.
template <class S>
DYNAMICS_INLINE ReducedInertia<S> eliminate_revolute(const ArticulatedInertia<S>& m,
                                                     const Six<S>& hat, const Six<S>& psi) {
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
DYNAMICS_INLINE ArticulatedInertia<S> to_parent(const TreeBody& body, const Placement<S>& at,
                                                const ArticulatedInertia<S>& own) {
  return {to_parent(body, at, own.I), to_parent(body, at, own.H), to_parent(body, at, own.G)};
}

/// The way of a ReducedInertia to the parent, step by step: a slide along the joint's axis, where
/// it stays reduced, the joint's turn, the twist, and shifts along the parent's axes.
template <class S>
DYNAMICS_INLINE void slide_along_z(double z, ReducedInertia<S>& m) {
  const S xx = z * m.G.xx, xy = z * m.G.xy, yy = z * m.G.yy;
  const S H_xx = m.H_xx - xy, H_yx = m.H_yx - yy, H_xy = m.H_xy + xx, H_yy = m.H_yy + xy;
  m.I_xx = m.I_xx - z * (H_yx + m.H_yx);
  m.I_yy = m.I_yy + z * (H_xy + m.H_xy);
  m.I_xy = m.I_xy + z * (m.H_xx - H_yy);
  m.H_zx = m.H_zx - z * m.G.yz;
  m.H_zy = m.H_zy + z * m.G.xz;
  m.H_xx = H_xx;
  m.H_xy = H_xy;
  m.H_yx = H_yx;
  m.H_yy = H_yy;
}
template <class S>
DYNAMICS_INLINE void turn_about_z(const S& c, const S& s, ReducedInertia<S>& m) {
  turn_block(c, s, m.I_xx, m.I_xy, m.I_yy);
  turn_block(c, s, m.H_xx, m.H_xy, m.H_yx, m.H_yy);
  turn_pair(c, s, m.H_zx, m.H_zy);
  turn_about_z(c, s, m.G);
}
/// Rx(alpha), and Rz(beta) where there is one; half of what is turned is zero.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE ArticulatedInertia<S> apply_twist(const Turn<twist, S>& turn,
                                                  const ReducedInertia<S>& m) {
  using Twist = TreeBody::Twist;
  const S zero(0.0);
  const Sym3<S>& g = m.G;
  if constexpr (twist == Twist::none) {
    return {{m.I_xx, m.I_xy, zero, m.I_yy, zero, zero},
            {m.H_xx, m.H_xy, zero, m.H_yx, m.H_yy, zero, m.H_zx, m.H_zy, zero},
            g};
  } else if constexpr (twist == Twist::quarter) {
    return {{m.I_xx, zero, m.I_xy, zero, zero, m.I_yy},
            {m.H_xx, zero, m.H_xy, -m.H_zx, zero, -m.H_zy, m.H_yx, zero, m.H_yy},
            {g.xx, -g.xz, g.xy, g.zz, -g.yz, g.yy}};
  } else if constexpr (twist == Twist::minus_quarter) {
    return {{m.I_xx, zero, -m.I_xy, zero, zero, m.I_yy},
            {m.H_xx, zero, -m.H_xy, m.H_zx, zero, -m.H_zy, -m.H_yx, zero, m.H_yy},
            {g.xx, g.xz, -g.xy, g.zz, -g.yz, g.yy}};
  } else {
    const TreeBody& body = turn.body;
    const double c = body.cos_alpha, s = body.sin_alpha;
    const S t = c * m.I_yy, yz = s * t, yy = c * t;
    const S k = s * m.H_yy + c * m.H_zy, ck = c * k, sk = s * k;
    ArticulatedInertia<S> turned = {{m.I_xx, c * m.I_xy, s * m.I_xy, yy, yz, m.I_yy - yy},
                                    {m.H_xx, c * m.H_xy, s * m.H_xy, c * m.H_yx - s * m.H_zx,
                                     m.H_yy - sk, ck - m.H_zy, s * m.H_yx + c * m.H_zx, ck, sk},
                                    g};
    turn_about_x(c, s, turned.G);
    if (body.turned) {
      turn_about_z(body.cos_beta, body.sin_beta, turned.I);
      turn_about_z(body.cos_beta, body.sin_beta, turned.H);
      turn_about_z(body.cos_beta, body.sin_beta, turned.G);
    }
    return turned;
  }
}
/// H - G [r x] and I + [r x] (H - G [r x]) + ([r x] H)^T for r along one axis.
template <class S>
DYNAMICS_INLINE void shift_along_x(double x, ArticulatedInertia<S>& m) {
  const Sym3<S>& g = m.G;
  Mat3<S>& h = m.H;
  const S gyz = x * g.yz, zz = h.zz + gyz, zy = h.zy - x * g.zz, yz = h.yz + x * g.yy;
  m.I.xy = m.I.xy - x * h.zx;
  m.I.xz = m.I.xz + x * h.yx;
  m.I.yy = m.I.yy - x * (zy + h.zy);
  m.I.yz = m.I.yz + x * (h.yy - zz);
  m.I.zz = m.I.zz + x * (yz + h.yz);
  h.xy = h.xy - x * g.xz;
  h.xz = h.xz + x * g.xy;
  h.yy = h.yy - gyz;
  h.yz = yz;
  h.zy = zy;
  h.zz = zz;
}
template <class S>
DYNAMICS_INLINE void shift_along_y(double y, ArticulatedInertia<S>& m) {
  const Sym3<S>& g = m.G;
  Mat3<S>& h = m.H;
  const S gxz = y * g.xz, zz = h.zz - gxz, zx = h.zx + y * g.zz, xz = h.xz - y * g.xx;
  m.I.xx = m.I.xx + y * (zx + h.zx);
  m.I.xy = m.I.xy + y * h.zy;
  m.I.xz = m.I.xz + y * (zz - h.xx);
  m.I.yz = m.I.yz - y * h.xy;
  m.I.zz = m.I.zz - y * (xz + h.xz);
  h.xx = h.xx + gxz;
  h.yx = h.yx + y * g.yz;
  h.yz = h.yz - y * g.xy;
  h.xz = xz;
  h.zx = zx;
  h.zz = zz;
}
template <class S>
DYNAMICS_INLINE void shift_along_z(double z, ArticulatedInertia<S>& m) {
  const Sym3<S>& g = m.G;
  Mat3<S>& h = m.H;
  const S gxy = z * g.xy, yy = h.yy + gxy, yx = h.yx - z * g.yy, xy = h.xy + z * g.xx;
  m.I.xx = m.I.xx - z * (yx + h.yx);
  m.I.xy = m.I.xy + z * (h.xx - yy);
  m.I.xz = m.I.xz - z * h.yz;
  m.I.yy = m.I.yy + z * (xy + h.xy);
  m.I.yz = m.I.yz + z * h.xz;
  h.xx = h.xx - gxy;
  h.zx = h.zx - z * g.yz;
  h.zy = h.zy + z * g.xz;
  h.xy = xy;
  h.yx = yx;
  h.yy = yy;
}

/// What the parent's origin sees of a ReducedInertia, in the parent's axes.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE ArticulatedInertia<S> to_parent(const Turn<twist, S>& turn, ReducedInertia<S> m) {
  const TreeBody& body = turn.body;
  if (body.slide != 0.0) slide_along_z(body.slide, m);
  turn_about_z(turn.c, turn.s, m);
  ArticulatedInertia<S> seen = apply_twist(turn, m);
  const auto& r = body.shift;
  if (r[0] != 0.0) shift_along_x(r[0], seen);
  if (r[1] != 0.0) shift_along_y(r[1], seen);
  if (r[2] != 0.0) shift_along_z(r[2], seen);
  return seen;
}

/// Of that, what a joint about the parent's Z axis meets: I_zz, and the column H_xz, H_yz, H_zz.
template <class S>
struct AxisColumn {
  S I_zz;
  Vec3<S> H_z;
};
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE AxisColumn<S> axis_column(const Turn<twist, S>& turn, ReducedInertia<S> m) {
  using Twist = TreeBody::Twist;
  const TreeBody& body = turn.body;
  const S zero(0.0);
  if (body.slide != 0.0) slide_along_z(body.slide, m);
  turn_about_z(turn.c, turn.s, m);
  AxisColumn<S> seen;
  Sym3<S> g = m.G;  // in the parent's axes
  if constexpr (twist == Twist::none) {
    seen = {zero, {zero, zero, zero}};
  } else if constexpr (twist == Twist::quarter) {
    seen = {m.I_yy, {m.H_xy, -m.H_zy, m.H_yy}};
    g = {g.xx, -g.xz, g.xy, g.zz, -g.yz, g.yy};
  } else if constexpr (twist == Twist::minus_quarter) {
    seen = {m.I_yy, {-m.H_xy, -m.H_zy, m.H_yy}};
    g = {g.xx, g.xz, -g.xy, g.zz, -g.yz, g.yy};
  } else {
    const double c = body.cos_alpha, s = body.sin_alpha;
    const S k = s * m.H_yy + c * m.H_zy;
    seen = {s * (s * m.I_yy), {s * m.H_xy, c * k - m.H_zy, s * k}};
    turn_about_x(c, s, g);
    if (body.turned) {
      turn_pair(body.cos_beta, body.sin_beta, seen.H_z.x, seen.H_z.y);
      turn_about_z(body.cos_beta, body.sin_beta, g);
    }
  }
  const auto& r = body.shift;
  Vec3<S>& h = seen.H_z;
  if (r[0] != 0.0) {
    const S y = h.y + r[0] * g.yy;
    seen.I_zz = seen.I_zz + r[0] * (y + h.y);
    h = {h.x + r[0] * g.xy, y, h.z + r[0] * g.yz};
  }
  if (r[1] != 0.0) {
    const S x = h.x - r[1] * g.xx;
    seen.I_zz = seen.I_zz - r[1] * (x + h.x);
    h = {x, h.y - r[1] * g.xy, h.z - r[1] * g.xz};
  }
  return seen;
}
/// I_zz alone. About the parent's axis a body has the inertia of the turned one, and what its first
/// and second moments across the axis, p = (shift, 0) . H and p . G p, add to it.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE S inertia_zz(const Turn<twist, S>& turn, ReducedInertia<S> m) {
  return axis_column(turn, m).I_zz;
}

/// m plus the body's own inertia.
template <class S>
DYNAMICS_INLINE void add_own(const TreeBody& body, ArticulatedInertia<S>& m) {
  const auto& h = body.moment;
  const auto& j = body.inertia;
  m.I = {m.I.xx + j[0], m.I.xy + j[1], m.I.xz + j[2], m.I.yy + j[3], m.I.yz + j[4], m.I.zz + j[5]};
  m.H.xy = m.H.xy + h[2];
  m.H.xz = m.H.xz - h[1];
  m.H.yx = m.H.yx - h[2];
  m.H.yz = m.H.yz + h[0];
  m.H.zx = m.H.zx + h[1];
  m.H.zy = m.H.zy - h[0];
  m.G.xx = m.G.xx + body.mass;
  m.G.yy = m.G.yy + body.mass;
  m.G.zz = m.G.zz + body.mass;
}
template <class S>
DYNAMICS_INLINE ArticulatedInertia<S>& operator+=(ArticulatedInertia<S>& a,
                                                  const ArticulatedInertia<S>& b) {
  a.I += b.I;
  a.H += b.H;
  a.G += b.G;
  return a;
}

/// B^T M B; `turned` is M in the parent's axes.
template <class S>
DYNAMICS_INLINE ArticulatedInertia<S> shifted_by(const Vec3<S>& r,
                                                 const ArticulatedInertia<S>& turned) {
  ArticulatedInertia<S> parent = turned;
  const Sym3<S>& g = turned.G;
  const Mat3<S>& h = turned.H;
  // H - G [r x]; row i of G [r x] is g_i x r
  const Mat3<S> shifted = {h.xx - (g.xy * r.z - g.xz * r.y), h.xy - (g.xz * r.x - g.xx * r.z),
                           h.xz - (g.xx * r.y - g.xy * r.x), h.yx - (g.yy * r.z - g.yz * r.y),
                           h.yy - (g.yz * r.x - g.xy * r.z), h.yz - (g.xy * r.y - g.yy * r.x),
                           h.zx - (g.yz * r.z - g.zz * r.y), h.zy - (g.zz * r.x - g.xz * r.z),
                           h.zz - (g.xz * r.y - g.yz * r.x)};
  parent.H = shifted;
  // I + [r x] shifted + ([r x] h)^T, symmetric; on the diagonal the two have one factor
  parent.I += Sym3<S>{r.y * (shifted.zx + h.zx) - r.z * (shifted.yx + h.yx),
                      (r.y * shifted.zy - r.z * shifted.yy) + (r.z * h.xx - r.x * h.zx),
                      (r.y * shifted.zz - r.z * shifted.yz) + (r.x * h.yx - r.y * h.xx),
                      r.z * (shifted.xy + h.xy) - r.x * (shifted.zy + h.zy),
                      (r.z * shifted.xz - r.x * shifted.zz) + (r.x * h.yy - r.y * h.xy),
                      r.x * (shifted.yz + h.yz) - r.y * (shifted.xz + h.xz)};
  return parent;
}

/// (I, H, G) times an acceleration: the wrench it takes.
template <class S>
DYNAMICS_INLINE Six<S> operator*(const ArticulatedInertia<S>& m, const Six<S>& a) {
  return {m.I * a.top + transpose_times(m.H, a.bottom), m.H * a.top + m.G * a.bottom};
}

/// A prismatic joint, or one with a rotor: all of M^_ii, seen from the parent.
template <class S>
DYNAMICS_INLINE ArticulatedInertia<S> to_parent_whole(const TreeBody& body, const Placement<S>& at,
                                                      const ArticulatedInertia<S>& rest) {
  return shifted_by(at.r, to_parent(body, at, rest));
}
/// The same of a wrench and of an acceleration.
template <class S>
DYNAMICS_INLINE void to_parent_whole(const TreeBody& body, const Placement<S>& at, Six<S>& w) {
  w.bottom = to_parent(body, at, w.bottom);
  w.top = to_parent(body, at, w.top) + cross(at.r, w.bottom);
}
template <class S>
DYNAMICS_INLINE void to_body_whole(const TreeBody& body, const Placement<S>& at, Six<S>& a) {
  a.bottom = to_body(body, at, a.bottom + cross(a.top, at.r));
  a.top = to_body(body, at, a.top);
}

/// A joint whose elimination leaves a ReducedInertia.
inline bool reduces(const TreeBody& body) { return !body.prismatic && body.rotor_inertia == 0.0; }

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
