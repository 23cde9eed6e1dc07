// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sines and cosines of joint angles: several doubles in one SIMD vector, other scalars one by one.

#include <cmath>
#include <cstddef>

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Sine and cosine of one angle. A scalar type may provide its own sine_cosine() in its namespace.
template <class S>
DYNAMICS_INLINE void sine_and_cosine(const S& angle, S& sine, S& cosine) {
  if constexpr (requires { sine_cosine(angle, sine, cosine); }) {
    sine_cosine(angle, sine, cosine);
  } else {
    using std::cos;
    using std::sin;
    sine = sin(angle);
    cosine = cos(angle);
  }
}

/// Sines and cosines of `lanes` doubles. Reduces each angle by the nearest multiple k of pi/2 to a
/// sum y + tail, evaluates minimax polynomials in y on +-pi/4 (relative error below 2^-57), then
/// exchanges the results and sets their signs by k. The error is below one unit in the last place.
/// For larger angles than `largest` use the C library.
template <std::size_t lanes>
struct SeveralSines {
  typedef double Reals __attribute__((vector_size(8 * lanes)));        // NOLINT
  typedef long long Integers __attribute__((vector_size(8 * lanes)));  // NOLINT

  /// k has 13 bits and the first two parts of pi/2 have 33 bits each, so their products are exact;
  /// the remainder of the third part is below the last place of every y that occurs.
  static constexpr double largest = 8192.0;

  Reals sine, cosine;

  [[gnu::always_inline]] explicit SeveralSines(Reals x) {
    const Reals shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;  // rounds to the nearest integer
    const Integers quadrant = __builtin_bit_cast(Integers, shifted);
    const Reals k = shifted - 0x1.8p52;
    const Reals first = x - k * 0x1.921fb544p+0;
    // y + tail is kept as two numbers, so that the polynomials do not depend on the tail
    const Reals y = first - k * 0x1.0b4611a6p-34;
    const Reals tail = ((first - y) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;

    const Reals z = y * y, zz = z * z, half = 0.5 * z;
    const Reals s = ((-0x1.5555555555549p-3 + z * 0x1.111111110f861p-7) +
                     zz * (-0x1.a01a019c0e4bep-13 + z * 0x1.71de3574ba3e7p-19)) +
                    (zz * zz) * (-0x1.ae5e63cd7450fp-26 + z * 0x1.5d9246c8cff12p-33);
    const Reals c = ((0x1.555555555554cp-5 - z * 0x1.6c16c16c15162p-10) +
                     zz * (0x1.a01a019caef37p-16 - z * 0x1.27e4f807d6201p-22)) +
                    (zz * zz) * (0x1.1ee9ea6cbe9b5p-29 - z * 0x1.8fadd06dae674p-37);
    const Reals sin_y = y + ((y * z) * s + (tail - tail * half));
    const Reals upper = 1.0 - half;
    const Reals cos_y = upper + (((1.0 - upper) - half) + (zz * c - y * tail));

    const Integers odd = -(quadrant & 1);
    const Integers a = __builtin_bit_cast(Integers, sin_y), b = __builtin_bit_cast(Integers, cos_y);
    const Integers swap = (a ^ b) & odd;
    const Integers sign_s = (quadrant & 2) << 62, sign_c = ((quadrant + 1) & 2) << 62;
    sine = __builtin_bit_cast(Reals, (a ^ swap) ^ sign_s);
    cosine = __builtin_bit_cast(Reals, (b ^ swap) ^ sign_c);
  }
};

/// Number of joints of one state whose sines and cosines are computed together.
#if defined(__AVX__)
inline constexpr std::size_t sines_at_a_time = 4;
#else
inline constexpr std::size_t sines_at_a_time = 2;
#endif

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
