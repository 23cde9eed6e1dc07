// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transposes a square of SIMD registers: lane j of register i becomes lane i of register j.
//
//   double rows[4][4] in registers r[0] to r[3]  ->  columns in r[0] to r[3]

#include <cstddef>

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// GCC vectors of 1, 2, 4 or 8 doubles. count log2(count) shuffles.
template <std::size_t count, class Vector>
DYNAMICS_INLINE void transpose(Vector (&r)[count]) {
  static_assert(count == 1 || count == 2 || count == 4 || count == 8);
  if constexpr (count == 2) {
    const Vector a = r[0];
    r[0] = __builtin_shufflevector(a, r[1], 0, 2);
    r[1] = __builtin_shufflevector(a, r[1], 1, 3);
  } else if constexpr (count == 4) {
    for (std::size_t i = 0; i < 4; i += 2) {
      const Vector a = r[i];
      r[i] = __builtin_shufflevector(a, r[i + 1], 0, 4, 2, 6);
      r[i + 1] = __builtin_shufflevector(a, r[i + 1], 1, 5, 3, 7);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const Vector a = r[i];
      r[i] = __builtin_shufflevector(a, r[i + 2], 0, 1, 4, 5);
      r[i + 2] = __builtin_shufflevector(a, r[i + 2], 2, 3, 6, 7);
    }
  } else if constexpr (count == 8) {
    for (std::size_t i = 0; i < 8; i += 2) {
      const Vector a = r[i];
      r[i] = __builtin_shufflevector(a, r[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
      r[i + 1] = __builtin_shufflevector(a, r[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (std::size_t i = 0; i < 8; i = i % 4 == 1 ? i + 3 : i + 1) {
      const Vector a = r[i];
      r[i] = __builtin_shufflevector(a, r[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      r[i + 2] = __builtin_shufflevector(a, r[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector a = r[i];
      r[i] = __builtin_shufflevector(a, r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
      r[i + 4] = __builtin_shufflevector(a, r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
