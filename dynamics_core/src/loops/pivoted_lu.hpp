// SPDX-License-Identifier: Apache-2.0
#pragma once

// LU decomposition with complete pivoting of a matrix of known rank, for small systems:
//
//   PivotedLu lu(rows, cols);           // allocates
//   lu.matrix = G;
//   if (lu.factor(rank)) lu.solve(b, x);      // G x = b, x zero in the columns without pivot
//
// Row and column k of the decomposed matrix are row rows[k] and column cols[k] of G. The search for
// pivots takes longer than the elimination: a known order is tried first.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/eigen_index.hpp"
#include "loops/pivot_order.hpp"

namespace dynamics {

struct PivotedLu {
  PivotedLu(std::size_t m, std::size_t n)
      : matrix(eigen_index(m), eigen_index(n)),
        rows(m),
        cols(n),
        y_(eigen_index(m)),
        inverse_(eigen_index(m)),
        free_(eigen_index(n), eigen_index(m)) {}

  Eigen::MatrixXd matrix;
  std::vector<std::size_t> rows, cols;
  std::size_t rank = 0;
  double largest = 0.0, smallest = 0.0;  ///< pivots

  double condition() const {
    return smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::infinity();
  }

  /// Decomposes `matrix` with `count` pivots from any column.
  bool factor(std::size_t count) noexcept {
    std::iota(cols.begin(), cols.end(), std::size_t{0});
    return eliminate(count, matrix.cols());
  }
  /// Takes the pivots from some columns only; `others` are the rest.
  bool factor(std::size_t count, std::span<const std::size_t> allowed,
              std::span<const std::size_t> others) noexcept {
    // the allowed columns first
    std::copy(allowed.begin(), allowed.end(), cols.begin());
    std::copy(others.begin(), others.end(), cols.begin() + static_cast<long>(allowed.size()));
    permute_columns();
    return eliminate(count, eigen_index(allowed.size()));
  }

  /// Decomposes G with `count` pivots in a known order, which skips zeros. False, with `matrix`
  /// undefined, where a pivot is small compared with others or with its column.
  bool factor(const Eigen::MatrixXd& G, std::size_t count, const PivotOrder& order) noexcept {
    if (order.rows.empty()) return false;
    constexpr double least = 0.01, most = 50.0;
    std::copy(order.rows.begin(), order.rows.end(), rows.begin());
    std::copy(order.cols.begin(), order.cols.end(), cols.begin());
    const Eigen::Index m = matrix.rows();
    matrix.setZero();
    for (const PivotOrder::Move& move : order.moves) matrix.data()[move.to] = G.data()[move.from];
    rank = count;
    largest = 0.0;
    smallest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < count; ++k) {
      double* column = matrix.data() + m * eigen_index(k);
      const double pivot = std::abs(column[k]);
      largest = std::max(largest, pivot);
      smallest = std::min(smallest, pivot);
      if (!(smallest > least * largest)) return false;
      const double inverse = inverse_[eigen_index(k)] = 1.0 / column[k];
      const std::uint32_t* below = order.below.data() + order.below_begin[k];
      const std::uint32_t* end = order.below.data() + order.below_begin[k + 1];
      for (const std::uint32_t* i = below; i != end; ++i) {
        column[*i] *= inverse;
        if (!(std::abs(column[*i]) < most)) return false;
      }
      if (below == end) continue;
      for (std::uint32_t j = order.right_begin[k]; j < order.right_begin[k + 1]; ++j) {
        double* other = matrix.data() + m * static_cast<Eigen::Index>(order.right[j]);
        const double factor = other[k];
        for (const std::uint32_t* i = below; i != end; ++i) other[*i] -= column[*i] * factor;
      }
    }
    return true;
  }

  /// x with matrix x = b, zero in the columns without pivot. x has one entry per column.
  template <class Rhs, class Solution>
  void solve(const Rhs& b, Solution&& x) noexcept {
    const Eigen::Index r = eigen_index(rank), m = matrix.rows();
    for (Eigen::Index i = 0; i < r; ++i) y_[i] = b[eigen_index(rows[static_cast<std::size_t>(i)])];
    for (Eigen::Index j = 0; j < r; ++j) {
      const double factor = y_[j];
      if (factor == 0.0) continue;
      const double* column = matrix.data() + m * j;
      for (Eigen::Index i = j + 1; i < r; ++i) y_[i] -= column[i] * factor;
    }
    solve_upper(r);
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      x[eigen_index(cols[static_cast<std::size_t>(j)])] = j < r ? y_[j] : 0.0;
  }

  /// A basis of the null space: N has one column per column of the matrix and one row per column
  /// without pivot, where it is one.
  template <class Basis>
  void null_space(Basis&& N) noexcept {
    const Eigen::Index r = eigen_index(rank), m = matrix.rows(), free = matrix.cols() - r;
    // U^-1 of all columns without pivot at once: column i of free_ is row i
    for (Eigen::Index i = 0; i < r; ++i) {
      for (Eigen::Index f = 0; f < free; ++f) free_(f, i) = -matrix(i, r + f);
    }
    for (Eigen::Index j = r - 1; j >= 0; --j) {
      const double* column = matrix.data() + m * j;
      double* solved = free_.data() + free_.rows() * j;
      for (Eigen::Index f = 0; f < free; ++f) solved[f] *= inverse_[j];
      for (Eigen::Index i = 0; i < j; ++i) {
        const double factor = column[i];
        if (factor == 0.0) continue;
        double* other = free_.data() + free_.rows() * i;
        for (Eigen::Index f = 0; f < free; ++f) other[f] -= factor * solved[f];
      }
    }
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      const Eigen::Index row = eigen_index(cols[static_cast<std::size_t>(j)]);
      if (j < r) {
        for (Eigen::Index f = 0; f < free; ++f) N(f, row) = free_(f, j);
      } else {
        for (Eigen::Index f = 0; f < free; ++f) N(f, row) = j == r + f ? 1.0 : 0.0;
      }
    }
  }

 private:
  Eigen::VectorXd y_, inverse_;  ///< inverse_: of the pivots
  Eigen::MatrixXd free_;

  /// y_ := U^-1 y_.
  void solve_upper(Eigen::Index r) noexcept {
    const Eigen::Index m = matrix.rows();
    for (Eigen::Index j = r - 1; j >= 0; --j) {
      if (y_[j] == 0.0) continue;
      const double* column = matrix.data() + m * j;
      const double factor = y_[j] *= inverse_[j];
      for (Eigen::Index i = 0; i < j; ++i) y_[i] -= column[i] * factor;
    }
  }

  /// Brings column cols[k] to place k.
  void permute_columns() noexcept {
    // follow each column to where earlier swaps have moved it
    for (std::size_t k = 0; k < cols.size(); ++k) {
      std::size_t from = cols[k];
      while (from < k) from = cols[from];
      if (from != k) matrix.col(eigen_index(k)).swap(matrix.col(eigen_index(from)));
    }
  }

  bool eliminate(std::size_t count, Eigen::Index allowed) noexcept {
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    rank = count;
    largest = smallest = 0.0;
    const Eigen::Index m = matrix.rows(), n = matrix.cols();
    for (Eigen::Index k = 0; k < eigen_index(count); ++k) {
      Eigen::Index pr = k, pc = k;
      double best = -1.0;
      for (Eigen::Index j = k; j < allowed; ++j) {
        for (Eigen::Index i = k; i < m; ++i) {
          const double size = std::abs(matrix(i, j));
          if (size > best) {
            best = size;
            pr = i;
            pc = j;
          }
        }
      }
      if (k == 0) largest = best;
      smallest = best;
      if (!(best > 0.0)) return false;
      if (pr != k) {
        matrix.row(k).swap(matrix.row(pr));
        std::swap(rows[static_cast<std::size_t>(k)], rows[static_cast<std::size_t>(pr)]);
      }
      if (pc != k) {
        matrix.col(k).swap(matrix.col(pc));
        std::swap(cols[static_cast<std::size_t>(k)], cols[static_cast<std::size_t>(pc)]);
      }
      const double inverse = inverse_[k] = 1.0 / matrix(k, k);
      for (Eigen::Index i = k + 1; i < m; ++i) matrix(i, k) *= inverse;
      for (Eigen::Index j = k + 1; j < n; ++j) {
        const double factor = matrix(k, j);
        if (factor == 0.0) continue;
        for (Eigen::Index i = k + 1; i < m; ++i) matrix(i, j) -= matrix(i, k) * factor;
      }
    }
    return true;
  }
};

}  // namespace dynamics
