// SPDX-License-Identifier: Apache-2.0
#pragma once

// Several doubles side by side in one register, a scalar of the recursions: one state a lane. As
// many as the instruction set has room for. Only for the files compiled for one instruction set.

#include <cmath>
#include <cstddef>

#include "spatial/sine_cosine.hpp"
#include "spatial/vector3.hpp"
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

/// Sine and cosine of all lanes. A lane beyond the largest angle that is reduced here, or not a
/// number, goes to the C library, as it does for one state.
DYNAMICS_LANES_INLINE void sine_cosine(const Lanes& angle, Lanes& sine, Lanes& cosine) {
  using Sines = spatial::SeveralSines<Lanes::count>;
  constexpr double largest = Sines::largest;
  const Lanes::Vector x = angle.v;
  const Sines sines(x);
  sine.v = sines.sine;
  cosine.v = sines.cosine;

  const Lanes::Mask within = (x <= largest) & (x >= -largest);
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
