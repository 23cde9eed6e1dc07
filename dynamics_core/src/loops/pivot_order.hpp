// SPDX-License-Identifier: Apache-2.0
#pragma once

// PivotOrder: rows and columns in the order in which a decomposition takes its pivots, and the
// entries that are not zero then: the elimination visits no others.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dynamics {

struct PivotOrder {
  std::vector<std::size_t> rows, cols;  ///< the pivots first, then the others

  /// Entry `from` of G, at place `to` of the ordered matrix, both column by column.
  struct Move {
    std::uint32_t to, from;
  };
  std::vector<Move> moves;
  /// Of pivot k: the rows below and the columns to the right with entries that are not zero after
  /// the pivots before, below[below_begin[k]] to below[below_begin[k + 1] - 1], and so on.
  std::vector<std::uint32_t> below, right, below_begin, right_begin;
};

/// An order that keeps zeros of G where pivots are not small (Markowitz): `count` pivots, in the
/// columns `allowed`. Fewer pivots than `count`, with empty lists, if G has a lower rank.
PivotOrder sparse_pivot_order(Eigen::MatrixXd G, std::size_t count,
                              std::span<const std::size_t> allowed);

/// Fills moves and lists for matrices whose entries are zero outside of `pattern`, column by
/// column.
void eliminate_pattern(PivotOrder& order, const std::vector<bool>& pattern, std::size_t count);

}  // namespace dynamics
