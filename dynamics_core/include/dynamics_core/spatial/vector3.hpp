// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small vectors and matrices of the recursions, over any scalar: double, SIMD lanes of doubles, a
// counting scalar, wider reals, dual numbers.
//
// They live in a namespace of their own for each instruction set (DYNAMICS_KERNEL_NAMESPACE), so
// that inline code compiled for a newer set never stands in for the same code of another one.

#ifndef DYNAMICS_KERNEL_NAMESPACE
#define DYNAMICS_KERNEL_NAMESPACE generic
#endif

/// Small steps of a recursion: a call, and numbers through memory, would cost more than the step.
#define DYNAMICS_INLINE [[gnu::always_inline]] inline
#define DYNAMICS_INLINE_LAMBDA __attribute__((always_inline))

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct Vec3 {
  S x, y, z;
};

template <class S>
DYNAMICS_INLINE Vec3<S> operator+(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
DYNAMICS_INLINE Vec3<S> operator-(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
DYNAMICS_INLINE Vec3<S>& operator+=(Vec3<S>& a, const Vec3<S>& b) {
  return a = a + b;
}
template <class S>
DYNAMICS_INLINE Vec3<S>& operator-=(Vec3<S>& a, const Vec3<S>& b) {
  return a = a - b;
}
template <class S, class T>
DYNAMICS_INLINE Vec3<S> operator*(const T& k, const Vec3<S>& a) {
  return {k * a.x, k * a.y, k * a.z};
}

/// a x b, where either may be a constant of the model (double) and the other a scalar S.
template <class A, class B>
DYNAMICS_INLINE auto cross(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x * b.x)> {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class A, class B>
DYNAMICS_INLINE auto dot(const Vec3<A>& a, const Vec3<B>& b) -> decltype(a.x * b.x) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// A symmetric 3x3 matrix.
template <class S>
struct Sym3 {
  S xx, xy, xz, yy, yz, zz;
};
template <class S>
DYNAMICS_INLINE Sym3<S>& operator+=(Sym3<S>& a, const Sym3<S>& b) {
  return a = {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class A, class B>
DYNAMICS_INLINE auto operator*(const Sym3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

/// A general 3x3 matrix, named by row and column.
template <class S>
struct Mat3 {
  S xx, xy, xz, yx, yy, yz, zx, zy, zz;
};
template <class S>
DYNAMICS_INLINE Mat3<S>& operator+=(Mat3<S>& a, const Mat3<S>& b) {
  return a = {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
              a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}
template <class A, class B>
DYNAMICS_INLINE auto operator*(const Mat3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.yx * v.x + m.yy * v.y + m.yz * v.z,
          m.zx * v.x + m.zy * v.y + m.zz * v.z};
}
/// m^T v
template <class A, class B>
DYNAMICS_INLINE auto transpose_times(const Mat3<A>& m, const Vec3<B>& v)
    -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.yx * v.y + m.zx * v.z, m.xy * v.x + m.yy * v.y + m.zy * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
