// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inverse of the inertia matrix, M^-1 = U^-T D^-1 U^-1, with entries u_ji that are zero unless
// body j carries body i (see udut.hpp). The matrix is symmetric: column i in memory is row i. On
// and above the diagonal the rows are computed in place; below it they hold U meanwhile.
//
//   inward    row i of U^-1: x_j -= u_ji x_i for the bodies j that carry i
//   outward   row i of M^-1: x_i = x_i / d_i - sum of u_ji x_j over the bodies j that carry i
//
// The cost is O(n p), p the number of pairs of a body and one that carries it, with one
// multiplication and addition per pair and column.

#include "rigid/recursions/udut.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// One past the last body that body i carries: they follow it in the list.
DYNAMICS_INLINE std::size_t subtree_end(const Tree& tree, std::size_t i) {
  std::size_t end = i + 1;
  while (end < tree.size() && tree[end].parent >= static_cast<int>(i)) ++end;
  return end;
}

/// to[k] -= factor * from[k] for first <= k < end
template <class S>
DYNAMICS_INLINE void subtract_row(const S& factor, const S* __restrict from, S* __restrict to,
                                  std::size_t first, std::size_t end) {
  for (std::size_t k = first; k < end; ++k) to[k] = to[k] - factor * from[k];
}

/// All entries of M^-1 over bodies, after decompose().
template <class S>
void inverse_inertia(const Tree& tree, const UdutScratch<S>* scratch, S* matrix,
                     std::size_t stride) {
  const std::size_t n = tree.size();
  const MatrixView<S> m{matrix, stride};
  m.set_zero(n);
  unit_factor<S>(tree, scratch,
                 [&](std::size_t j, std::size_t i, const S& value) { m(j, i) = value; });
  const auto row = [&](std::size_t i) { return matrix + i * stride; };
  const auto parent = [&](std::size_t i) { return tree[i].parent; };
  for (std::size_t i = n; i-- > 0;) {
    const std::size_t end = subtree_end(tree, i);
    row(i)[i] = S(1.0);
    for (int j = parent(i); j >= 0; j = parent(static_cast<std::size_t>(j))) {
      subtract_row(row(i)[j], row(i), row(static_cast<std::size_t>(j)), i, end);
    }
  }
  std::size_t root_end = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (parent(i) < 0) root_end = subtree_end(tree, i);
    S* x = row(i);
    for (std::size_t k = i; k < root_end; ++k) x[k] = x[k] * scratch[i].pivot_inverse;
    for (int j = parent(i); j >= 0; j = parent(static_cast<std::size_t>(j))) {
      subtract_row(S(x[j]), row(static_cast<std::size_t>(j)), x, i, root_end);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) row(i)[j] = row(j)[i];
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
