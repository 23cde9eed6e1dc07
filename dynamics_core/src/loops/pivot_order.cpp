// SPDX-License-Identifier: Apache-2.0
#include "loops/pivot_order.hpp"

#include <algorithm>
#include <cmath>

#include "base/eigen_index.hpp"

namespace dynamics {

PivotOrder sparse_pivot_order(Eigen::MatrixXd G, std::size_t count,
                              std::span<const std::size_t> allowed) {
  constexpr double zero = 1e-12;  // relative to the largest entry
  constexpr double least = 0.2;   // of a pivot, relative to the largest that is left
  const auto m = static_cast<std::size_t>(G.rows()), n = static_cast<std::size_t>(G.cols());
  std::vector<bool> row_left(m, true), column_left(n, false);
  for (const std::size_t column : allowed) column_left[column] = true;
  std::vector<bool> taken(n, false);
  const double scale = G.size() > 0 ? G.cwiseAbs().maxCoeff() : 0.0;
  const auto entry = [&](std::size_t i, std::size_t j) {
    const double size = std::abs(G(eigen_index(i), eigen_index(j)));
    return size > zero * scale ? size : 0.0;
  };
  PivotOrder order;
  for (std::size_t k = 0; k < count; ++k) {
    double largest = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; row_left[i] && j < n; ++j) {
        if (column_left[j]) largest = std::max(largest, entry(i, j));
      }
    }
    if (!(largest > 0.0)) return {};
    std::size_t row = m, column = n, fewest = m * n + 1;
    double best = 0.0;
    for (std::size_t i = 0; i < m; ++i) {
      if (!row_left[i]) continue;
      std::size_t in_row = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (!taken[j] && entry(i, j) > 0.0) ++in_row;
      }
      for (std::size_t j = 0; j < n; ++j) {
        if (!column_left[j] || !(entry(i, j) >= least * largest)) continue;
        std::size_t in_column = 0;
        for (std::size_t r = 0; r < m; ++r) {
          if (row_left[r] && entry(r, j) > 0.0) ++in_column;
        }
        const std::size_t fill = (in_row - 1) * (in_column - 1);
        if (fill > fewest || (fill == fewest && entry(i, j) <= best)) continue;
        fewest = fill;
        best = entry(i, j);
        row = i;
        column = j;
      }
    }
    order.rows.push_back(row);
    order.cols.push_back(column);
    row_left[row] = false;
    column_left[column] = false;
    taken[column] = true;
    for (std::size_t i = 0; i < m; ++i) {
      if (!row_left[i]) continue;
      const double factor =
          G(eigen_index(i), eigen_index(column)) / G(eigen_index(row), eigen_index(column));
      if (factor != 0.0) G.row(eigen_index(i)) -= factor * G.row(eigen_index(row));
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    if (row_left[i]) order.rows.push_back(i);
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (!taken[j]) order.cols.push_back(j);
  }
  return order;
}

void eliminate_pattern(PivotOrder& order, const std::vector<bool>& pattern, std::size_t count) {
  const std::size_t m = order.rows.size(), n = order.cols.size();
  if (m == 0) return;
  std::vector<bool> filled(m * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t from = order.rows[i] + m * order.cols[j], to = i + m * j;
      if (!pattern[from]) continue;
      filled[to] = true;
      order.moves.push_back({static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(from)});
    }
  }
  const auto size = [](const std::vector<std::uint32_t>& list) {
    return static_cast<std::uint32_t>(list.size());
  };
  for (std::size_t k = 0; k < count; ++k) {
    order.below_begin.push_back(size(order.below));
    order.right_begin.push_back(size(order.right));
    for (std::size_t i = k + 1; i < m; ++i) {
      if (filled[i + m * k]) order.below.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t j = k + 1; j < n; ++j) {
      if (!filled[k + m * j]) continue;
      order.right.push_back(static_cast<std::uint32_t>(j));
      for (std::size_t i = k + 1; i < m; ++i) {
        if (filled[i + m * k]) filled[i + m * j] = true;
      }
    }
  }
  order.below_begin.push_back(size(order.below));
  order.right_begin.push_back(size(order.right));
}

}  // namespace dynamics
