// SPDX-License-Identifier: Apache-2.0
#pragma once

// How fast a path may be run, station by station.
//
// The path is given as q(u), u the time of the trajectory as it came; it is to be run with the rate
// u' <= 1. With y = u'^2 linear in u between two stations, u'' = (y_next - y) / (2 h) is constant
// there, and an effort at a place between them is linear in the two values of y (Bobrow, Dubowsky
// and Gibson 1985; Pham and Pham 2018):
//
//   tau = g + friction + (M q'' + C q') u'^2 + M q' u''
//
// The largest y that keeps every effort within its bounds is found by one pass backward, which says
// from which y the rest of the path can be run, and one pass forward, which takes the largest.

#include <cstddef>
#include <optional>
#include <vector>

namespace dynamics_ros {

/// lower <= at_start * y + at_end * y_next <= upper
struct RateBound {
  double at_start, at_end, lower, upper;
};

struct RateProblem {
  std::vector<double> smallest;  ///< y of each station, at least
  std::vector<double> largest;   ///< and at most
  /// Of each segment between two stations: one bound a joint and place.
  std::vector<std::vector<RateBound>> segments;
};

struct RateProfile {
  std::vector<double> y;             ///< of each station, empty where there is none
  std::optional<std::size_t> stuck;  ///< the segment that cannot be passed at any rate
};

RateProfile solve(const RateProblem& problem);

}  // namespace dynamics_ros
