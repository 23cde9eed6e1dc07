// SPDX-License-Identifier: Apache-2.0
#pragma once

// Transposes a square of SIMD registers: lane j of register i becomes lane i of register j.
//
//   double rows[4][4] in registers r[0] to r[3]  ->  columns in r[0] to r[3]
//
// GCC vectors of any scalar.

#include <cstddef>
#include <utility>

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Exchanges halves of blocks of 2 `half` lanes between two registers: of every block, the upper
/// half of `a` and the lower half of `b`.
template <std::size_t half, class Vector, std::size_t... lane>
DYNAMICS_INLINE void exchange_halves(Vector& a, Vector& b, std::index_sequence<lane...>) {
  constexpr std::size_t count = sizeof...(lane);
  const Vector old = a;
  a = __builtin_shufflevector(old, b, (lane % (2 * half) < half ? lane : lane + count - half)...);
  b = __builtin_shufflevector(old, b, (lane % (2 * half) < half ? lane + half : lane + count)...);
}
template <std::size_t half, class Vector>
DYNAMICS_INLINE void exchange_halves(Vector& a, Vector& b) {
  exchange_halves<half>(a, b, std::make_index_sequence<sizeof(Vector) / sizeof(a[0])>());
}

/// Transposes squares of `side` registers and lanes, one beside the other in the registers. side
/// log2(side) shuffles, without a loop: registers that a loop indexes would be kept in memory.
template <std::size_t side, class Vector>
DYNAMICS_INLINE void transpose(Vector (&r)[side]) {
  static_assert(side == 1 || side == 2 || side == 4 || side == 8);
  if constexpr (side >= 2) exchange_halves<1>(r[0], r[1]);
  if constexpr (side >= 4) {
    exchange_halves<1>(r[2], r[3]);
    if constexpr (side == 8) {
      exchange_halves<1>(r[4], r[5]);
      exchange_halves<1>(r[6], r[7]);
    }
    exchange_halves<2>(r[0], r[2]);
    exchange_halves<2>(r[1], r[3]);
  }
  if constexpr (side == 8) {
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
