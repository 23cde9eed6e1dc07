// SPDX-License-Identifier: Apache-2.0
#pragma once

// PivotOrder: rows and columns in the order in which a decomposition takes its pivots.

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace dynamics {

struct PivotOrder {
  std::vector<std::size_t> rows, cols;  ///< the pivots first, then the others
};

/// An order that keeps zeros of G where pivots are not small (Markowitz): `count` pivots, in the
/// columns `allowed`. Fewer pivots than `count`, with empty lists, if G has a lower rank.
PivotOrder sparse_pivot_order(Eigen::MatrixXd G, std::size_t count,
                              std::span<const std::size_t> allowed);

}  // namespace dynamics
