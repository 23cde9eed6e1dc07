// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated-body inertia of a body about a point P: the inertia of the body with all its
// descendants, whose joints move freely (Featherstone 1983). A symmetric 6x6 matrix
//
//   [ I    H ]      torque = I alpha + H a
//   [ H^T  M ]      force  = H^T alpha + M a
//
// with (alpha, a) the acceleration of P. Unlike that of a rigid body, M is a matrix (the apparent
// mass depends on the direction) and H is not antisymmetric. Invariant: I and M are symmetric,
// and the 6x6 matrix is positive semidefinite. A rigid body has I = J, H = [h x], M = m 1.
//
// To eliminate a joint with axis p: M^ -> M^ - (M^ p)(M^ p)^T / (p^T M^ p). Here p is Z of the
// frame, so M^ p is a column. For a revolute joint without rotor inertia see reduced_inertia.hpp.

#include "spatial/rigid_inertia.hpp"

namespace dynamics::spatial {

template <class S>
struct ArticulatedInertia {
  Sym3<S> I;
  Mat3<S> H;
  Sym3<S> M;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
DYNAMICS_INLINE ArticulatedInertia<S> zero_inertia() {
  const S zero(0.0);
  return {{zero, zero, zero, zero, zero, zero},
          {zero, zero, zero, zero, zero, zero, zero, zero, zero},
          {zero, zero, zero, zero, zero, zero}};
}

/// The inertia of a rigid body; S may be wider than its scalar T.
template <class S, class T>
DYNAMICS_INLINE ArticulatedInertia<S> articulated_inertia(const RigidInertia<T>& body) {
  const Sym3<T>& J = body.inertia;
  const Vec3<T>& h = body.first_moment;
  const S zero(0.0), m(body.mass);
  return {{S(J.xx), S(J.xy), S(J.xz), S(J.yy), S(J.yz), S(J.zz)},
          {zero, S(-h.z), S(h.y), S(h.z), zero, S(-h.x), S(-h.y), S(h.x), zero},
          {m, zero, zero, m, zero, m}};
}

template <class S>
DYNAMICS_INLINE ArticulatedInertia<S>& operator+=(ArticulatedInertia<S>& a,
                                                  const ArticulatedInertia<S>& b) {
  a.I += b.I;
  a.H += b.H;
  a.M += b.M;
  return a;
}
/// Adds the inertia of a rigid body, skipping its zeros. 15 A.
template <class S, class T>
DYNAMICS_INLINE ArticulatedInertia<S>& operator+=(ArticulatedInertia<S>& a,
                                                  const RigidInertia<T>& body) {
  const Vec3<T>& h = body.first_moment;
  a.I += body.inertia;
  a.H.xy = a.H.xy - h.z;
  a.H.xz = a.H.xz + h.y;
  a.H.yx = a.H.yx + h.z;
  a.H.yz = a.H.yz - h.x;
  a.H.zx = a.H.zx - h.y;
  a.H.zy = a.H.zy + h.x;
  a.M.xx = a.M.xx + body.mass;
  a.M.yy = a.M.yy + body.mass;
  a.M.zz = a.M.zz + body.mass;
  return a;
}

/// The force for an acceleration. 36 M, 30 A.
template <class S>
DYNAMICS_INLINE SpatialVector<S> operator*(const ArticulatedInertia<S>& m,
                                           const SpatialVector<S>& a) {
  return {m.I * a.angular + m.H * a.linear, transpose_times(m.H, a.angular) + m.M * a.linear};
}
/// The same for an acceleration without components along Z. 24 M, 18 A.
template <class S>
DYNAMICS_INLINE SpatialVector<S> times_planar(const ArticulatedInertia<S>& m,
                                              const SpatialVector<S>& v) {
  const Sym3<S>&I = m.I, &M = m.M;
  const Mat3<S>& H = m.H;
  const S &tx = v.angular.x, &ty = v.angular.y, &bx = v.linear.x, &by = v.linear.y;
  return {
      {I.xx * tx + I.xy * ty + H.xx * bx + H.xy * by, I.xy * tx + I.yy * ty + H.yx * bx + H.yy * by,
       I.xz * tx + I.yz * ty + H.zx * bx + H.zy * by},
      {H.xx * tx + H.yx * ty + M.xx * bx + M.xy * by, H.xy * tx + H.yy * ty + M.xy * bx + M.yy * by,
       H.xz * tx + H.yz * ty + M.xz * bx + M.yz * by}};
}

/// M^ p: the column of a revolute or prismatic joint along Z.
template <class S>
DYNAMICS_INLINE SpatialVector<S> joint_column(const ArticulatedInertia<S>& m, bool prismatic) {
  if (prismatic) return {{m.H.xz, m.H.yz, m.H.zz}, {m.M.xz, m.M.yz, m.M.zz}};
  return {{m.I.xz, m.I.yz, m.I.zz}, {m.H.zx, m.H.zy, m.H.zz}};
}

/// m - a b^T, where a and b are parallel. 21 M, 21 A.
template <class S>
DYNAMICS_INLINE void subtract_outer(ArticulatedInertia<S>& m, const SpatialVector<S>& a,
                                    const SpatialVector<S>& b) {
  const Vec3<S>&t = a.angular, &l = a.linear, &u = b.angular, &v = b.linear;
  m.I = {m.I.xx - t.x * u.x, m.I.xy - t.x * u.y, m.I.xz - t.x * u.z,
         m.I.yy - t.y * u.y, m.I.yz - t.y * u.z, m.I.zz - t.z * u.z};
  m.H = {m.H.xx - l.x * u.x, m.H.xy - l.y * u.x, m.H.xz - l.z * u.x,
         m.H.yx - l.x * u.y, m.H.yy - l.y * u.y, m.H.yz - l.z * u.y,
         m.H.zx - l.x * u.z, m.H.zy - l.y * u.z, m.H.zz - l.z * u.z};
  m.M = {m.M.xx - l.x * v.x, m.M.xy - l.x * v.y, m.M.xz - l.x * v.z,
         m.M.yy - l.y * v.y, m.M.yz - l.y * v.z, m.M.zz - l.z * v.z};
}

/// The inertia about Q, with r from Q to P: H' = H + [r x] M, I' = I - H [r x] + [r x] H'^T.
/// 30 M, 42 A.
template <class S>
DYNAMICS_INLINE ArticulatedInertia<S> translate(const Vec3<S>& r, const ArticulatedInertia<S>& m) {
  const Sym3<S>&I = m.I, &M = m.M;
  const Mat3<S>& h = m.H;
  const S yxz = r.y * M.xz, zxy = r.z * M.xy, xyz = r.x * M.yz;  // each is used twice
  const Mat3<S> k = {h.xx + (yxz - zxy),
                     h.xy + (r.y * M.yz - r.z * M.yy),
                     h.xz + (r.y * M.zz - r.z * M.yz),
                     h.yx + (r.z * M.xx - r.x * M.xz),
                     h.yy + (zxy - xyz),
                     h.yz + (r.z * M.xz - r.x * M.zz),
                     h.zx + (r.x * M.xy - r.y * M.xx),
                     h.zy + (r.x * M.yy - r.y * M.xy),
                     h.zz + (xyz - yxz)};
  return {{I.xx + (r.y * (h.xz + k.xz) - r.z * (h.xy + k.xy)),
           I.xy + (r.z * (h.xx - k.yy) + r.y * k.yz - r.x * h.xz),
           I.xz + (r.y * (k.zz - h.xx) + r.x * h.xy - r.z * k.zy),
           I.yy + (r.z * (h.yx + k.yx) - r.x * (h.yz + k.yz)),
           I.yz + (r.x * (h.yy - k.zz) + r.z * k.zx - r.y * h.yx),
           I.zz + (r.x * (h.zy + k.zy) - r.y * (h.zx + k.zx))},
          k,
          M};
}
/// The same where r.y is zero. 20 M, 28 A.
template <class S>
DYNAMICS_INLINE ArticulatedInertia<S> translate_xz(const Vec3<S>& r,
                                                   const ArticulatedInertia<S>& m) {
  const Sym3<S>&I = m.I, &M = m.M;
  const Mat3<S>& h = m.H;
  const S zxy = r.z * M.xy, xyz = r.x * M.yz;
  const Mat3<S> k = {h.xx - zxy,         h.xy - r.z * M.yy,
                     h.xz - r.z * M.yz,  h.yx + (r.z * M.xx - r.x * M.xz),
                     h.yy + (zxy - xyz), h.yz + (r.z * M.xz - r.x * M.zz),
                     h.zx + r.x * M.xy,  h.zy + r.x * M.yy,
                     h.zz + xyz};
  return {{I.xx - r.z * (h.xy + k.xy), I.xy + (r.z * (h.xx - k.yy) - r.x * h.xz),
           I.xz + (r.x * h.xy - r.z * k.zy), I.yy + (r.z * (h.yx + k.yx) - r.x * (h.yz + k.yz)),
           I.yz + (r.x * (h.yy - k.zz) + r.z * k.zx), I.zz + r.x * (h.zy + k.zy)},
          k,
          M};
}
/// The same for a constant r along one axis, in place. 10 M, 14 A.
template <class Real, class S>
DYNAMICS_INLINE void translate_x(Real x, ArticulatedInertia<S>& m) {
  const Sym3<S>& M = m.M;
  Mat3<S>& h = m.H;
  const S gyz = x * M.yz, zz = h.zz + gyz, yz = h.yz - x * M.zz, zy = h.zy + x * M.yy;
  m.I.xy = m.I.xy - x * h.xz;
  m.I.xz = m.I.xz + x * h.xy;
  m.I.yy = m.I.yy - x * (yz + h.yz);
  m.I.yz = m.I.yz + x * (h.yy - zz);
  m.I.zz = m.I.zz + x * (zy + h.zy);
  h.yx = h.yx - x * M.xz;
  h.zx = h.zx + x * M.xy;
  h.yy = h.yy - gyz;
  h.zy = zy;
  h.yz = yz;
  h.zz = zz;
}
template <class Real, class S>
DYNAMICS_INLINE void translate_y(Real y, ArticulatedInertia<S>& m) {
  const Sym3<S>& M = m.M;
  Mat3<S>& h = m.H;
  const S gxz = y * M.xz, zz = h.zz - gxz, xz = h.xz + y * M.zz, zx = h.zx - y * M.xx;
  m.I.xx = m.I.xx + y * (xz + h.xz);
  m.I.xy = m.I.xy + y * h.yz;
  m.I.xz = m.I.xz + y * (zz - h.xx);
  m.I.yz = m.I.yz - y * h.yx;
  m.I.zz = m.I.zz - y * (zx + h.zx);
  h.xx = h.xx + gxz;
  h.xy = h.xy + y * M.yz;
  h.zy = h.zy - y * M.xy;
  h.zx = zx;
  h.xz = xz;
  h.zz = zz;
}
template <class Real, class S>
DYNAMICS_INLINE void translate_z(Real z, ArticulatedInertia<S>& m) {
  const Sym3<S>& M = m.M;
  Mat3<S>& h = m.H;
  const S gxy = z * M.xy, yy = h.yy + gxy, xy = h.xy - z * M.yy, yx = h.yx + z * M.xx;
  m.I.xx = m.I.xx - z * (xy + h.xy);
  m.I.xy = m.I.xy + z * (h.xx - yy);
  m.I.xz = m.I.xz - z * h.zy;
  m.I.yy = m.I.yy + z * (yx + h.yx);
  m.I.yz = m.I.yz + z * h.zx;
  h.xx = h.xx - gxy;
  h.xz = h.xz - z * M.yz;
  h.yz = h.yz + z * M.xz;
  h.yx = yx;
  h.xy = xy;
  h.yy = yy;
}

template <class C, class S>
DYNAMICS_INLINE void rotate_about_x(const C& c, const C& s, ArticulatedInertia<S>& m) {
  rotate_about_x(c, s, m.I);
  rotate_about_x(c, s, m.H);
  rotate_about_x(c, s, m.M);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_y(const C& c, const C& s, ArticulatedInertia<S>& m) {
  rotate_about_y(c, s, m.I);
  rotate_about_y(c, s, m.H);
  rotate_about_y(c, s, m.M);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_z(const C& c, const C& s, ArticulatedInertia<S>& m) {
  rotate_about_z(c, s, m.I);
  rotate_about_z(c, s, m.H);
  rotate_about_z(c, s, m.M);
}
template <class S>
inline ArticulatedInertia<S> rotate(const double (&R)[9], const ArticulatedInertia<S>& m) {
  return {rotate(R, m.I), rotate(R, m.H), rotate(R, m.M)};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
