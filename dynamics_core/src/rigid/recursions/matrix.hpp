// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "spatial/vector3.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// A square matrix of n x n entries in memory, stored by columns that start `stride` entries apart.
template <class S>
struct MatrixView {
  S* data;
  std::size_t stride;

  DYNAMICS_INLINE S& operator()(std::size_t i, std::size_t j) const { return data[j * stride + i]; }
  /// Recursions do not visit the entries of bodies on different branches.
  DYNAMICS_INLINE void set_zero(std::size_t n) const {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) (*this)(i, j) = S(0.0);
    }
  }
};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
