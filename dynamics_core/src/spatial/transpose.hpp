// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transposes a square of SIMD registers: lane j of register i becomes lane i of register j.
//
//   double rows[4][4] in registers r[0] to r[3]  ->  columns in r[0] to r[3]

#include <cstddef>

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Exchanges halves of blocks of 2 `half` lanes between two registers: of every block, the upper
/// half of `a` and the lower half of `b`. GCC vectors of 2, 4 or 8 doubles.
template <std::size_t half, class Vector>
DYNAMICS_INLINE void exchange_halves(Vector& a, Vector& b) {
  constexpr std::size_t count = sizeof(Vector) / sizeof(double);
  const Vector old = a;
  if constexpr (count == 2) {
    a = __builtin_shufflevector(old, b, 0, 2);
    b = __builtin_shufflevector(old, b, 1, 3);
  } else if constexpr (count == 4 && half == 1) {
    a = __builtin_shufflevector(old, b, 0, 4, 2, 6);
    b = __builtin_shufflevector(old, b, 1, 5, 3, 7);
  } else if constexpr (count == 4) {
    a = __builtin_shufflevector(old, b, 0, 1, 4, 5);
    b = __builtin_shufflevector(old, b, 2, 3, 6, 7);
  } else if constexpr (half == 1) {
    a = __builtin_shufflevector(old, b, 0, 8, 2, 10, 4, 12, 6, 14);
    b = __builtin_shufflevector(old, b, 1, 9, 3, 11, 5, 13, 7, 15);
  } else if constexpr (half == 2) {
    a = __builtin_shufflevector(old, b, 0, 1, 8, 9, 4, 5, 12, 13);
    b = __builtin_shufflevector(old, b, 2, 3, 10, 11, 6, 7, 14, 15);
  } else {
    a = __builtin_shufflevector(old, b, 0, 1, 2, 3, 8, 9, 10, 11);
    b = __builtin_shufflevector(old, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// GCC vectors of 1, 2, 4 or 8 doubles. count log2(count) shuffles, without a loop: registers that
/// a loop indexes would be kept in memory.
template <std::size_t count, class Vector>
DYNAMICS_INLINE void transpose(Vector (&r)[count]) {
  static_assert(count == 1 || count == 2 || count == 4 || count == 8);
  if constexpr (count >= 2) exchange_halves<1>(r[0], r[1]);
  if constexpr (count >= 4) {
    exchange_halves<1>(r[2], r[3]);
    if constexpr (count == 8) {
      exchange_halves<1>(r[4], r[5]);
      exchange_halves<1>(r[6], r[7]);
    }
    exchange_halves<2>(r[0], r[2]);
    exchange_halves<2>(r[1], r[3]);
  }
  if constexpr (count == 8) {
    exchange_halves<2>(r[4], r[6]);
    exchange_halves<2>(r[5], r[7]);
    exchange_halves<4>(r[0], r[4]);
    exchange_halves<4>(r[1], r[5]);
    exchange_halves<4>(r[2], r[6]);
    exchange_halves<4>(r[3], r[7]);
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
