// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sines and cosines of several floats in one SIMD vector, as SeveralSines for doubles.

#include <cstddef>

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Sines and cosines of angle + offset of `lanes` floats. The sum is not rounded to a float before
/// the reduction: at 1000 rad its last place would be 6e-5 rad. Reduces each sum by the nearest
/// multiple k of pi/2 to y, evaluates minimax polynomials in y on +-pi/4 (relative error below
/// 2^-27), then exchanges the results and sets their signs by k. The error is below 1e-7, with an
/// offset of at most pi below 2e-7. For larger angles than `largest` use the C library.
template <std::size_t lanes>
struct SeveralFloatSines {
  typedef float Reals __attribute__((vector_size(4 * lanes)));   // NOLINT(modernize-use-using)
  typedef int Integers __attribute__((vector_size(4 * lanes)));  // NOLINT(modernize-use-using)

  /// k has 13 bits and the first two parts of pi/2 have 11 bits each, so their products are exact.
  static constexpr float largest = 8192.0F;

  Reals sine, cosine;

  [[gnu::always_inline]] SeveralFloatSines(Reals angle, float offset) {
    constexpr float rounding = 0x1.8p23F;  // a sum with it is rounded to an integer
    const Reals shifted = (angle + offset) * 0x1.45f306p-1F + rounding;
    const Integers quadrant = __builtin_bit_cast(Integers, shifted);
    const Reals k = shifted - rounding;
    const Reals y = (((angle - k * 0x1.92p+0F) + offset) - k * 0x1.fb4p-12F) - k * 0x1.4442d2p-24F;

    const Reals z = y * y;
    const Reals sin_y =
        y + (y * z) * (-0x1.555546p-3F + z * (0x1.11073ap-7F - z * 0x1.9943b4p-13F));
    const Reals cos_y =
        1.0F + z * (-0.5F + z * (0x1.55554ap-5F + z * (-0x1.6c0c34p-10F + z * 0x1.99eb74p-16F)));

    const Integers odd = -(quadrant & 1);
    const Integers a = __builtin_bit_cast(Integers, sin_y), b = __builtin_bit_cast(Integers, cos_y);
    const Integers swap = (a ^ b) & odd;
    const Integers sign_s = (quadrant & 2) << 30, sign_c = ((quadrant + 1) & 2) << 30;
    sine = __builtin_bit_cast(Reals, (a ^ swap) ^ sign_s);
    cosine = __builtin_bit_cast(Reals, (b ^ swap) ^ sign_c);
  }
};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
