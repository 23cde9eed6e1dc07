// SPDX-License-Identifier: Apache-2.0
#pragma once

// Several doubles side by side in one register, a scalar of the recursions: one state a lane. As
// many as the instruction set has room for. Only for the files compiled for one instruction set.

#include <cmath>
#include <cstddef>

#include "dynamics_core/spatial/vector3.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

#define DYNAMICS_LANES_INLINE [[gnu::always_inline]] inline

struct Lanes {
#if defined(__AVX512F__)
  static constexpr std::size_t count = 8;
#elif defined(__AVX2__)
  static constexpr std::size_t count = 4;
#else
  static constexpr std::size_t count = 2;
#endif
  typedef double Vector __attribute__((vector_size(8 * count)));   // NOLINT(modernize-use-using)
  typedef long long Mask __attribute__((vector_size(8 * count)));  // NOLINT(modernize-use-using)

  Vector v;

  Lanes() = default;
  DYNAMICS_LANES_INLINE Lanes(double x) : v(x - Vector{}) {}  // NOLINT(google-explicit-constructor)
  DYNAMICS_LANES_INLINE explicit Lanes(Vector vector) : v(vector) {}
};

DYNAMICS_LANES_INLINE Lanes operator+(const Lanes& a, const Lanes& b) { return Lanes(a.v + b.v); }
DYNAMICS_LANES_INLINE Lanes operator-(const Lanes& a, const Lanes& b) { return Lanes(a.v - b.v); }
DYNAMICS_LANES_INLINE Lanes operator*(const Lanes& a, const Lanes& b) { return Lanes(a.v * b.v); }
DYNAMICS_LANES_INLINE Lanes operator/(const Lanes& a, const Lanes& b) { return Lanes(a.v / b.v); }
DYNAMICS_LANES_INLINE Lanes operator-(const Lanes& a) { return Lanes(-a.v); }
DYNAMICS_LANES_INLINE Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }
DYNAMICS_LANES_INLINE Lanes& operator-=(Lanes& a, const Lanes& b) { return a = a - b; }

DYNAMICS_LANES_INLINE Lanes sqrt(const Lanes& a) {
#if defined(__AVX512F__)
  return Lanes(_mm512_maskz_sqrt_pd(0xff, a.v));
#elif defined(__AVX2__)
  return Lanes(_mm256_sqrt_pd(a.v));
#elif defined(__SSE2__)
  return Lanes(_mm_sqrt_pd(a.v));
#else
  Lanes root;
  for (std::size_t i = 0; i < Lanes::count; ++i) root.v[i] = std::sqrt(a.v[i]);
  return root;
#endif
}

/// Some lane of the mask is set.
DYNAMICS_LANES_INLINE bool any(const Lanes::Mask& mask) {
  long long all = 0;
  for (std::size_t i = 0; i < Lanes::count; ++i) all |= mask[i];
  return all != 0;
}
/// a where the mask is set, else b.
DYNAMICS_LANES_INLINE Lanes select(const Lanes::Mask& mask, const Lanes& a, const Lanes& b) {
  return Lanes(mask ? a.v : b.v);
}
/// Lanes that are infinite or not numbers.
DYNAMICS_LANES_INLINE Lanes::Mask not_finite(const Lanes& a) {
  return (a.v - a.v) != Lanes::Vector{};  // NOLINT(misc-redundant-expression): zero if finite
}

/// Sine and cosine of all lanes: the angle less the nearest multiple k of pi/2 in two numbers
/// y + tail, polynomials in y on +-pi/4, then exchange and signs by k. Below one unit in the last
/// place. A lane beyond `largest`, or not a number, goes to the C library, as it does for one
/// state.
DYNAMICS_LANES_INLINE void sine_cosine(const Lanes& angle, Lanes& sine, Lanes& cosine) {
  using Vector = Lanes::Vector;
  using Mask = Lanes::Mask;
  constexpr double largest = 8192.0;
  const Vector x = angle.v;
  const Vector shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;  // rounds to the nearest integer
  const Mask quadrant = __builtin_bit_cast(Mask, shifted);
  const Vector k = shifted - 0x1.8p52;
  const Vector first = x - k * 0x1.921fb544p+0;
  const Vector second = first - k * 0x1.0b4611a6p-34;
  const Vector rest = k * 0x1.3198a2e037073p-69 - ((first - second) - k * 0x1.0b4611a6p-34);
  const Vector y = second - rest;
  const Vector tail = (second - y) - rest;

  const Vector z = y * y, zz = z * z, half = 0.5 * z;
  const Vector s = ((-0x1.5555555555549p-3 + z * 0x1.111111110f861p-7) +
                    zz * (-0x1.a01a019c0e4bep-13 + z * 0x1.71de3574ba3e7p-19)) +
                   (zz * zz) * (-0x1.ae5e63cd7450fp-26 + z * 0x1.5d9246c8cff12p-33);
  const Vector c = ((0x1.555555555554cp-5 - z * 0x1.6c16c16c15162p-10) +
                    zz * (0x1.a01a019caef37p-16 - z * 0x1.27e4f807d6201p-22)) +
                   (zz * zz) * (0x1.1ee9ea6cbe9b5p-29 - z * 0x1.8fadd06dae674p-37);
  const Vector sin_y = y + ((y * z) * s + (tail - tail * half));
  const Vector upper = 1.0 - half;
  const Vector cos_y = upper + (((1.0 - upper) - half) + (zz * c - y * tail));

  const Mask odd = -(quadrant & 1);
  const Mask a = __builtin_bit_cast(Mask, sin_y), b = __builtin_bit_cast(Mask, cos_y);
  const Mask swap = (a ^ b) & odd;
  sine.v = __builtin_bit_cast(Vector, (a ^ swap) ^ ((quadrant & 2) << 62));
  cosine.v = __builtin_bit_cast(Vector, (b ^ swap) ^ (((quadrant + 1) & 2) << 62));

  const Mask within = (x <= largest) & (x >= -largest);
  if (!any(~within)) [[likely]]
    return;
  for (std::size_t i = 0; i < Lanes::count; ++i) {
    if (within[i] != 0) continue;
    sine.v[i] = std::sin(x[i]);
    cosine.v[i] = std::cos(x[i]);
  }
}
DYNAMICS_LANES_INLINE Lanes sin(const Lanes& angle) {
  Lanes sine, cosine;
  sine_cosine(angle, sine, cosine);
  return sine;
}
DYNAMICS_LANES_INLINE Lanes cos(const Lanes& angle) {
  Lanes sine, cosine;
  sine_cosine(angle, sine, cosine);
  return cosine;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
