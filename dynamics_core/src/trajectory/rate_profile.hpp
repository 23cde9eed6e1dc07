// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fastest rates along a path that keep every effort within its bounds.
//
// A path q(u) is run at the rate u' <= 1, u being its own time. With y = u'^2 linear in u between
// two points h apart, u'' = (y_next - y) / (2 h) is constant there, and an effort at a sample
// between them is linear in y and y_next (Bobrow, Dubowsky and Gibson 1985; Pham and Pham 2018):
//
//   tau = g + friction + (M q'' + C q') u'^2 + M q' u''
//
// A backward pass computes for each point the interval of y from which the rest of the path is
// feasible; a forward pass then takes the largest y at each point.

#include <cstddef>
#include <optional>
#include <vector>

namespace dynamics {

/// lower <= at_start * y + at_end * y_next <= upper
struct RateBound {
  double at_start, at_end, lower, upper;
};

/// Points 0 to N - 1 and N - 1 segments between them.
struct RateProblem {
  std::vector<double> smallest, largest;  ///< y at each point
  /// Per segment: one bound per joint and sample.
  std::vector<std::vector<RateBound>> segments;
};

struct RateProfile {
  std::vector<double> y;  ///< at each point; empty if the problem has no solution
  std::optional<std::size_t> infeasible_segment;
};

/// O(bounds). Allocates.
RateProfile largest_rates(const RateProblem& problem);

}  // namespace dynamics
