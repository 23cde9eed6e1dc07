// SPDX-License-Identifier: Apache-2.0
#include "trajectory/rate_profile.hpp"

#include <algorithm>
#include <limits>

namespace dynamics {
namespace {

struct Interval {
  double lower, upper;
};

struct Corner {
  double y, next;
};

/// A convex polygon in the plane (y, y_next), clipped by half planes (Sutherland and Hodgman 1974).
class Region {
 public:
  Region(Interval y, Interval next)
      : corners_{{y.lower, next.lower},
                 {y.upper, next.lower},
                 {y.upper, next.upper},
                 {y.lower, next.upper}} {}

  /// Clips to a y + b y_next <= c.
  void cut(double a, double b, double c) {
    scratch_.clear();
    for (std::size_t i = 0; i < corners_.size(); ++i) {
      const Corner& from = corners_[i];
      const Corner& to = corners_[(i + 1) % corners_.size()];
      const double inside = c - a * from.y - b * from.next, beyond = c - a * to.y - b * to.next;
      if (inside >= 0.0) scratch_.push_back(from);
      if ((inside >= 0.0) != (beyond >= 0.0)) {
        const double share = inside / (inside - beyond);
        scratch_.push_back(
            {from.y + share * (to.y - from.y), from.next + share * (to.next - from.next)});
      }
    }
    corners_.swap(scratch_);
  }

  bool empty() const { return corners_.empty(); }

  Interval of_y() const {
    Interval found{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
    for (const Corner& corner : corners_) {
      found.lower = std::min(found.lower, corner.y);
      found.upper = std::max(found.upper, corner.y);
    }
    return found;
  }

 private:
  std::vector<Corner> corners_, scratch_;
};

/// The largest y_next of its interval that the bounds allow after y.
double largest_next(double y, Interval next, const std::vector<RateBound>& bounds) {
  for (const RateBound& bound : bounds) {
    const double rest = bound.at_start * y;
    if (bound.at_end > 0.0) {
      next.upper = std::min(next.upper, (bound.upper - rest) / bound.at_end);
      next.lower = std::max(next.lower, (bound.lower - rest) / bound.at_end);
    } else if (bound.at_end < 0.0) {
      next.upper = std::min(next.upper, (bound.lower - rest) / bound.at_end);
      next.lower = std::max(next.lower, (bound.upper - rest) / bound.at_end);
    }
  }
  // the backward pass found a solution; rounding may make lower exceed upper
  return std::max(next.lower, next.upper);
}

}  // namespace

RateProfile largest_rates(const RateProblem& problem) {
  const std::size_t points = problem.largest.size();
  std::vector<Interval> feasible(points);
  RateProfile profile;
  for (std::size_t k = points; k-- > 0;) {
    feasible[k] = {problem.smallest[k], problem.largest[k]};
    if (k + 1 == points) continue;
    Region region(feasible[k], feasible[k + 1]);
    for (const RateBound& bound : problem.segments[k]) {
      region.cut(bound.at_start, bound.at_end, bound.upper);
      if (!region.empty()) region.cut(-bound.at_start, -bound.at_end, -bound.lower);
      if (region.empty()) {
        profile.infeasible_segment = k;
        return profile;
      }
    }
    feasible[k] = region.of_y();
  }
  profile.y.push_back(feasible[0].upper);
  for (std::size_t k = 0; k + 1 < points; ++k) {
    const double next = largest_next(profile.y[k], feasible[k + 1], problem.segments[k]);
    profile.y.push_back(std::clamp(next, feasible[k + 1].lower, feasible[k + 1].upper));
  }
  return profile;
}

}  // namespace dynamics
