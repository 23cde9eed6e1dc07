// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether two arguments share memory.

#include <cstddef>
#include <functional>

namespace dynamics {

/// `count` rows of `width` numbers in memory, `stride` from one row to the next (0: the same row).
template <class Real>
struct RowsInMemory {
  const Real* data;
  std::size_t width, count, stride;

  bool operator==(const RowsInMemory&) const = default;
  const Real* begin(std::size_t row) const { return data + row * stride; }
  const Real* end(std::size_t row) const { return begin(row) + width; }
};
using MemoryRows = RowsInMemory<double>;

/// The memory of a matrix, one row per column.
template <class Matrix>
MemoryRows memory_rows(const Matrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.rows()),
          static_cast<std::size_t>(matrix.cols()),
          matrix.cols() > 1 ? static_cast<std::size_t>(matrix.outerStride()) : 0};
}

/// Whether a number belongs to both. O(1) for arguments in different places, else O(count).
template <class Real>
bool overlap(const RowsInMemory<Real>& a, const RowsInMemory<Real>& b) {
  if (a.width == 0 || a.count == 0 || b.width == 0 || b.count == 0) return false;
  const std::less_equal<const Real*> not_after;
  if (not_after(a.end(a.count - 1), b.data) || not_after(b.end(b.count - 1), a.data)) return false;
  for (std::size_t i = 0, j = 0; i < a.count && j < b.count;) {
    if (not_after(a.end(i), b.begin(j))) {
      ++i;
    } else if (not_after(b.end(j), a.begin(i))) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace dynamics
