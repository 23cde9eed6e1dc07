// SPDX-License-Identifier: Apache-2.0
#pragma once

// Three-vectors and 3x3 matrices over any scalar S: double, SIMD packs of doubles or floats, a
// counting scalar, wider reals, dual numbers.
//
//   Vec3<S>   x, y, z
//   Sym3<S>   symmetric: xx xy xz yy yz zz
//   Mat3<S>   general: xx xy xz yx yy yz zx zy zz, named by row and column
//
// They are aggregates without default values, so that an unassigned variable costs nothing.
// Constants of a model are double, or float beside packs of floats, and can be combined with S.
//
// All functions of spatial/ live in an inline namespace per instruction set
// (DYNAMICS_KERNEL_NAMESPACE): the linker must not replace code compiled for one set by code
// compiled for another. Types that consist of data only are outside of it: they are the same for
// all sets.

#include <type_traits>

#ifndef DYNAMICS_KERNEL_NAMESPACE
#define DYNAMICS_KERNEL_NAMESPACE generic
#endif

/// For small steps of a recursion, where a call would cost more than the step.
#define DYNAMICS_INLINE [[gnu::always_inline]] inline
#define DYNAMICS_INLINE_LAMBDA __attribute__((always_inline))

namespace dynamics::spatial {

template <class S>
struct Vec3 {
  S x, y, z;
};

/// A symmetric matrix.
template <class S>
struct Sym3 {
  S xx, xy, xz, yy, yz, zz;
};

/// A general matrix.
template <class S>
struct Mat3 {
  S xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
DYNAMICS_INLINE Vec3<S> zero3() {
  return {S(0.0), S(0.0), S(0.0)};
}
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

/// a + b, where b has no z component.
template <class S>
DYNAMICS_INLINE Vec3<S> plus_planar(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z};
}

/// a x b; either may be a constant (double).
template <class A, class B>
DYNAMICS_INLINE auto cross(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x * b.x)> {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class A, class B>
DYNAMICS_INLINE auto dot(const Vec3<A>& a, const Vec3<B>& b) -> decltype(a.x * b.x) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class S, class T>
DYNAMICS_INLINE Sym3<S>& operator+=(Sym3<S>& a, const Sym3<T>& b) {
  return a = {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
template <class A, class B>
DYNAMICS_INLINE auto operator*(const Sym3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.xx * v.x)> {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

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

/// The constants of a model as a vector, and as a symmetric matrix (xx xy xz yy yz zz), of S or, by
/// default, of their own type.
template <class S = void, class Real>
DYNAMICS_INLINE auto constant(const Real (&v)[3]) {
  using Number = std::conditional_t<std::is_void_v<S>, Real, S>;
  return Vec3<Number>{Number(v[0]), Number(v[1]), Number(v[2])};
}
template <class S = void, class Real>
DYNAMICS_INLINE auto constant(const Real (&m)[6]) {
  using Number = std::conditional_t<std::is_void_v<S>, Real, S>;
  return Sym3<Number>{Number(m[0]), Number(m[1]), Number(m[2]),
                      Number(m[3]), Number(m[4]), Number(m[5])};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
