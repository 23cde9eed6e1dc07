// SPDX-License-Identifier: Apache-2.0
#pragma once

// Maxima that propagate NaN, for error measures. std::max(x, NaN) returns x and would hide a NaN;
// these return NaN, so that a test `error < tolerance` fails.
//
//   double worst = 0.0;
//   for (std::size_t i = 0; i < n; ++i)
//     worst = max_propagating_nan(worst, std::abs(a[i] - b[i]));
//   const double peak = max_abs(torques);

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Maximum that propagates NaN.
constexpr double max_propagating_nan(double a, double b) { return a >= b || a != a ? a : b; }

/// Largest absolute value; NaN if any value is NaN, 0 for an empty range.
inline double max_abs(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = max_propagating_nan(largest, std::abs(value));
  return largest;
}

/// The same for an Eigen expression.
template <class Derived>
double max_abs(const Eigen::DenseBase<Derived>& values) {
  const auto& evaluated = values.eval();
  double largest = 0.0;
  for (Eigen::Index j = 0; j < evaluated.cols(); ++j) {
    for (Eigen::Index i = 0; i < evaluated.rows(); ++i) {
      largest = max_propagating_nan(largest, std::abs(evaluated(i, j)));
    }
  }
  return largest;
}

/// Largest |a - b|; NaN if an entry of either is NaN or if the sizes differ.
inline double max_abs_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = max_propagating_nan(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace dynamics
