// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rotations as sequences of planar rotations, and constant rotation matrices.
//
// A planar rotation with cosine c and sine s about X changes (y, z), about Y (z, x), about Z
// (x, y). Applied to a vector it is R v, to a matrix R m R^T. In the plane of rotation the trace
// and the antisymmetric part of a matrix do not change, so that a block costs 4 multiplications
// instead of 16. Cost of a planar rotation: vector 4 M 2 A; symmetric matrix 8 M 8 A; general
// matrix 12 M 11 A.

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// R = [c -s; s c]
template <class S>
struct PlanarRotation {
  S c, s;
};
template <class S>
DYNAMICS_INLINE PlanarRotation<S> inverse(const PlanarRotation<S>& r) {
  return {r.c, -r.s};
}

/// (a, b) -> R (a, b)
template <class C, class S>
DYNAMICS_INLINE void rotate_pair(const C& c, const C& s, S& a, S& b) {
  const S old = a;
  a = c * old - s * b;
  b = s * old + c * b;
}
/// [a b; b d] -> R [a b; b d] R^T
template <class C, class S>
DYNAMICS_INLINE void rotate_block(const C& c, const C& s, S& a, S& b, S& d) {
  const S k = s * (a - d) + c * (b + b);
  const S sk = s * k;
  b = c * k - b;
  a = a - sk;
  d = d + sk;
}
/// [a b; e d] -> R [a b; e d] R^T
template <class C, class S>
DYNAMICS_INLINE void rotate_block(const C& c, const C& s, S& a, S& b, S& e, S& d) {
  const S k = s * (a - d) + c * (b + e);
  const S sk = s * k, ck = c * k, old = b;
  b = ck - e;
  e = ck - old;
  a = a - sk;
  d = d + sk;
}

template <class C, class S>
DYNAMICS_INLINE void rotate_about_x(const C& c, const C& s, Vec3<S>& v) {
  rotate_pair(c, s, v.y, v.z);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_y(const C& c, const C& s, Vec3<S>& v) {
  rotate_pair(c, s, v.z, v.x);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_z(const C& c, const C& s, Vec3<S>& v) {
  rotate_pair(c, s, v.x, v.y);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_x(const C& c, const C& s, Sym3<S>& m) {
  rotate_block(c, s, m.yy, m.yz, m.zz);
  rotate_pair(c, s, m.xy, m.xz);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_y(const C& c, const C& s, Sym3<S>& m) {
  rotate_block(c, s, m.zz, m.xz, m.xx);
  rotate_pair(c, s, m.yz, m.xy);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_z(const C& c, const C& s, Sym3<S>& m) {
  rotate_block(c, s, m.xx, m.xy, m.yy);
  rotate_pair(c, s, m.xz, m.yz);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_x(const C& c, const C& s, Mat3<S>& m) {
  rotate_block(c, s, m.yy, m.yz, m.zy, m.zz);
  rotate_pair(c, s, m.xy, m.xz);
  rotate_pair(c, s, m.yx, m.zx);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_y(const C& c, const C& s, Mat3<S>& m) {
  rotate_block(c, s, m.zz, m.zx, m.xz, m.xx);
  rotate_pair(c, s, m.yz, m.yx);
  rotate_pair(c, s, m.zy, m.xy);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_z(const C& c, const C& s, Mat3<S>& m) {
  rotate_block(c, s, m.xx, m.xy, m.yx, m.yy);
  rotate_pair(c, s, m.xz, m.yz);
  rotate_pair(c, s, m.zx, m.zy);
}

/// R v and R^T v for a constant rotation matrix R, by rows.
template <class S>
DYNAMICS_INLINE Vec3<S> rotate(const double (&R)[9], const Vec3<S>& v) {
  return {R[0] * v.x + R[1] * v.y + R[2] * v.z, R[3] * v.x + R[4] * v.y + R[5] * v.z,
          R[6] * v.x + R[7] * v.y + R[8] * v.z};
}
template <class S>
DYNAMICS_INLINE Vec3<S> rotate_inverse(const double (&R)[9], const Vec3<S>& v) {
  return {R[0] * v.x + R[3] * v.y + R[6] * v.z, R[1] * v.x + R[4] * v.y + R[7] * v.z,
          R[2] * v.x + R[5] * v.y + R[8] * v.z};
}
/// R m R^T
template <class S>
inline Mat3<S> rotate(const double (&R)[9], const Mat3<S>& m) {
  const Vec3<S> x = rotate(R, Vec3<S>{m.xx, m.xy, m.xz});  // rows of m R^T
  const Vec3<S> y = rotate(R, Vec3<S>{m.yx, m.yy, m.yz});
  const Vec3<S> z = rotate(R, Vec3<S>{m.zx, m.zy, m.zz});
  const Vec3<S> a = rotate(R, Vec3<S>{x.x, y.x, z.x});  // columns of R m R^T
  const Vec3<S> b = rotate(R, Vec3<S>{x.y, y.y, z.y});
  const Vec3<S> c = rotate(R, Vec3<S>{x.z, y.z, z.z});
  return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
}
template <class S>
inline Sym3<S> rotate(const double (&R)[9], const Sym3<S>& m) {
  const Mat3<S> full = rotate(R, Mat3<S>{m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz});
  return {full.xx, full.xy, full.xz, full.yy, full.yz, full.zz};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
