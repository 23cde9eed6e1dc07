// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pack: a SIMD register of doubles, or floats with DYNAMICS_KERNEL_FLOAT, as the scalar of the
// recursions, one state per lane. Its size depends on the instruction set. Only for files that are
// compiled once per instruction set.

#include <cmath>
#include <cstddef>

#include "spatial/sine_cosine.hpp"
#include "spatial/sine_cosine_float.hpp"
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
#ifdef DYNAMICS_KERNEL_FLOAT
  using Real = float;
  using Integer = int;
#else
  using Real = double;
  using Integer = long long;
#endif
#if defined(__AVX512F__)
  static constexpr std::size_t bytes = 64;
#elif defined(__AVX2__)
  static constexpr std::size_t bytes = 32;
#else
  static constexpr std::size_t bytes = 16;
#endif
  static constexpr std::size_t count = bytes / sizeof(Real);
  typedef Real Vector __attribute__((vector_size(bytes)));   // NOLINT(modernize-use-using)
  typedef Integer Mask __attribute__((vector_size(bytes)));  // NOLINT(modernize-use-using)

  Vector v;

  Pack() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  DYNAMICS_INLINE Pack(double x) : v(static_cast<Real>(x) - Vector{}) {}
#ifdef DYNAMICS_KERNEL_FLOAT
  // NOLINTNEXTLINE(google-explicit-constructor)
  DYNAMICS_INLINE Pack(float x) : v(x - Vector{}) {}
#endif
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
#if defined(DYNAMICS_KERNEL_FLOAT) && defined(__AVX512F__)
  return Pack(_mm512_maskz_sqrt_ps(0xffff, a.v));
#elif defined(DYNAMICS_KERNEL_FLOAT) && defined(__AVX2__)
  return Pack(_mm256_sqrt_ps(a.v));
#elif defined(DYNAMICS_KERNEL_FLOAT) && defined(__SSE2__)
  return Pack(_mm_sqrt_ps(a.v));
#elif defined(__AVX512F__)
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
#if defined(DYNAMICS_KERNEL_FLOAT) && defined(__AVX512DQ__)
  return _mm512_movepi32_mask(__builtin_bit_cast(__m512i, mask)) != 0;
#elif defined(DYNAMICS_KERNEL_FLOAT) && defined(__AVX2__)
  return _mm256_movemask_ps(__builtin_bit_cast(__m256, mask)) != 0;
#elif defined(__AVX512DQ__)
  return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd(__builtin_bit_cast(__m256d, mask)) != 0;
#else
  Pack::Integer all = 0;
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

// Rows of numbers in memory, one per state, as they are transposed: a register has the same part of
// one row of doubles, or of two rows of floats.

/// Entries of a state in a register, and states in a register.
inline constexpr std::size_t state_part = Pack::bytes / sizeof(double);
inline constexpr std::size_t states_per_register = Pack::count / state_part;
typedef Pack::Real StatePart  // NOLINT(modernize-use-using)
    __attribute__((vector_size(state_part * sizeof(Pack::Real))));

/// The first `entries` numbers of a row, fewer than state_part; zeros in the other lanes.
DYNAMICS_INLINE StatePart load_part(const Pack::Real* from, std::size_t entries) {
#if defined(__AVX512F__) && defined(DYNAMICS_KERNEL_FLOAT)
  return _mm256_maskz_loadu_ps(static_cast<__mmask8>((1U << entries) - 1U), from);
#elif defined(__AVX512F__)
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << entries) - 1U), from);
#elif defined(__AVX2__) && defined(DYNAMICS_KERNEL_FLOAT)
  const __m128i lanes = _mm_setr_epi32(0, 1, 2, 3);
  return _mm_maskload_ps(from, _mm_cmpgt_epi32(_mm_set1_epi32(static_cast<int>(entries)), lanes));
#elif defined(__AVX2__)
  const __m256i lanes = _mm256_setr_epi64x(0, 1, 2, 3);
  const __m256i end = _mm256_set1_epi64x(static_cast<long long>(entries));
  return _mm256_maskload_pd(from, _mm256_cmpgt_epi64(end, lanes));
#else
  StatePart part = {};
  for (std::size_t i = 0; i < entries; ++i) part[i] = from[i];
  return part;
#endif
}
/// Stores the first `entries` lanes only.
DYNAMICS_INLINE void store_part(const StatePart& part, Pack::Real* to, std::size_t entries) {
#if defined(__AVX512F__) && defined(DYNAMICS_KERNEL_FLOAT)
  _mm256_mask_storeu_ps(to, static_cast<__mmask8>((1U << entries) - 1U), part);
#elif defined(__AVX512F__)
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << entries) - 1U), part);
#else
  for (std::size_t i = 0; i < entries; ++i) to[i] = part[i];
#endif
}

/// Replaces sines and cosines of NaN and of angles beyond the largest that is reduced here by those
/// of the C library, as for one state.
DYNAMICS_INLINE void repair_sines(const Pack::Vector& angle, double offset, Pack::Real largest,
                                  Pack& sine, Pack& cosine) {
  const Pack::Mask within = (angle <= largest) & (angle >= -largest);
  if (!any(~within)) [[likely]]
    return;
  for (std::size_t i = 0; i < Pack::count; ++i) {
    if (within[i] != 0) continue;
    const double x = static_cast<double>(angle[i]) + offset;
    sine.v[i] = static_cast<Pack::Real>(std::sin(x));
    cosine.v[i] = static_cast<Pack::Real>(std::cos(x));
  }
}
/// Stores to memory that is aligned to the size of a register, past the cache where the instruction
/// set can. stored_past_cache() makes the numbers visible to other threads.
DYNAMICS_INLINE void store_past_cache(const Pack::Vector& v, Pack::Real* to) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), __builtin_bit_cast(__m512i, v));
#elif defined(__AVX2__)
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), __builtin_bit_cast(__m256i, v));
#elif defined(__SSE2__)
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), __builtin_bit_cast(__m128i, v));
#else
  __builtin_memcpy(to, &v, sizeof v);
#endif
}
DYNAMICS_INLINE void stored_past_cache() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Sine and cosine of all lanes.
#ifdef DYNAMICS_KERNEL_FLOAT
DYNAMICS_INLINE void sine_cosine(const Pack& angle, float offset, Pack& sine, Pack& cosine) {
  using Sines = spatial::SeveralFloatSines<Pack::count>;
  const Pack::Vector x = angle.v;
  const Sines sines(x, offset);
  sine.v = sines.sine;
  cosine.v = sines.cosine;
  repair_sines(x, static_cast<double>(offset), Sines::largest, sine, cosine);
}
DYNAMICS_INLINE void sine_cosine(const Pack& angle, Pack& sine, Pack& cosine) {
  sine_cosine(angle, 0.0F, sine, cosine);
}
#else
DYNAMICS_INLINE void sine_cosine(const Pack& angle, Pack& sine, Pack& cosine) {
  using Sines = spatial::SeveralSines<Pack::count>;
  const Pack::Vector x = angle.v;
  const Sines sines(x);
  sine.v = sines.sine;
  cosine.v = sines.cosine;
  repair_sines(x, 0.0, Sines::largest, sine, cosine);
}
#endif
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
