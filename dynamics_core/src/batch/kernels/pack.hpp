// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pack: a SIMD register of doubles as the scalar of the recursions, one state per lane. Its size
// depends on the instruction set. Only for files that are compiled once per instruction set.

#include <cmath>
#include <cstddef>

#include "spatial/sine_cosine.hpp"
#include "spatial/vector3.hpp"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Packs must stay in registers, so kernels inline all calls. With a sanitizer that would only be
// slow to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DYNAMICS_FLATTEN
#else
#define DYNAMICS_FLATTEN __attribute__((flatten))
#endif

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

struct Pack {
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

  Pack() = default;
  DYNAMICS_INLINE Pack(double x) : v(x - Vector{}) {}  // NOLINT(google-explicit-constructor)
  DYNAMICS_INLINE explicit Pack(Vector vector) : v(vector) {}
};

DYNAMICS_INLINE Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
DYNAMICS_INLINE Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
DYNAMICS_INLINE Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
DYNAMICS_INLINE Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
DYNAMICS_INLINE Pack operator-(const Pack& a) { return Pack(-a.v); }
DYNAMICS_INLINE Pack& operator+=(Pack& a, const Pack& b) { return a = a + b; }
DYNAMICS_INLINE Pack& operator-=(Pack& a, const Pack& b) { return a = a - b; }

DYNAMICS_INLINE Pack sqrt(const Pack& a) {
#if defined(__AVX512F__)
  return Pack(_mm512_maskz_sqrt_pd(0xff, a.v));
#elif defined(__AVX2__)
  return Pack(_mm256_sqrt_pd(a.v));
#elif defined(__SSE2__)
  return Pack(_mm_sqrt_pd(a.v));
#else
  Pack root;
  for (std::size_t i = 0; i < Pack::count; ++i) root.v[i] = std::sqrt(a.v[i]);
  return root;
#endif
}

/// Whether the mask is set for any lane.
DYNAMICS_INLINE bool any(const Pack::Mask& mask) {
#if defined(__AVX512DQ__)
  return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd(__builtin_bit_cast(__m256d, mask)) != 0;
#else
  long long all = 0;
  for (std::size_t i = 0; i < Pack::count; ++i) all |= mask[i];
  return all != 0;
#endif
}
/// a where the mask is set, else b.
DYNAMICS_INLINE Pack select(const Pack::Mask& mask, const Pack& a, const Pack& b) {
  return Pack(mask ? a.v : b.v);
}
/// Mask of the lanes that are infinite or NaN.
DYNAMICS_INLINE Pack::Mask not_finite(const Pack& a) {
  return (a.v - a.v) != Pack::Vector{};  // NOLINT(misc-redundant-expression): zero if finite
}

/// The first `entries` numbers of a row in memory, fewer than a pack has; zeros in the other lanes.
DYNAMICS_INLINE Pack::Vector load_part(const double* from, std::size_t entries) {
#if defined(__AVX512F__)
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << entries) - 1U), from);
#elif defined(__AVX2__)
  const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
  const __m256i end = _mm256_set1_epi64x(static_cast<long long>(entries));
  return _mm256_maskload_pd(from, _mm256_cmpgt_epi64(end, lanes));
#else
  Pack::Vector part = {};
  for (std::size_t i = 0; i < entries; ++i) part[i] = from[i];
  return part;
#endif
}
/// Stores the first `entries` lanes only.
DYNAMICS_INLINE void store_part(const Pack::Vector& part, double* to, std::size_t entries) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << entries) - 1U), part);
#else
  for (std::size_t i = 0; i < entries; ++i) to[i] = part[i];
#endif
}

/// Sine and cosine of all lanes. NaN and angles beyond the largest that is reduced here are
/// computed by the C library, as for one state.
DYNAMICS_INLINE void sine_cosine(const Pack& angle, Pack& sine, Pack& cosine) {
  using Sines = spatial::SeveralSines<Pack::count>;
  constexpr double largest = Sines::largest;
  const Pack::Vector x = angle.v;
  const Sines sines(x);
  sine.v = sines.sine;
  cosine.v = sines.cosine;

  const Pack::Mask within = (x <= largest) & (x >= -largest);
  if (!any(~within)) [[likely]]
    return;
  for (std::size_t i = 0; i < Pack::count; ++i) {
    if (within[i] != 0) continue;
    sine.v[i] = std::sin(x[i]);
    cosine.v[i] = std::cos(x[i]);
  }
}
DYNAMICS_INLINE Pack sin(const Pack& angle) {
  Pack sine, cosine;
  sine_cosine(angle, sine, cosine);
  return sine;
}
DYNAMICS_INLINE Pack cos(const Pack& angle) {
  Pack sine, cosine;
  sine_cosine(angle, sine, cosine);
  return cosine;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
