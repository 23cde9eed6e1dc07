// SPDX-License-Identifier: Apache-2.0
#include "trajectory/rate_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace dynamics::test {
namespace {

/// A mass on a straight line, q = u: |M u''| <= L between slow ends gives the trapezoid of full
/// force.
RateProblem mass_on_a_line(std::size_t points, double mass, double force, double slow) {
  const double h = 1.0 / static_cast<double>(points - 1);
  RateProblem problem;
  problem.smallest.assign(points, 1e-6);
  problem.largest.assign(points, 1.0);
  problem.largest.front() = problem.largest.back() = slow;
  problem.segments.assign(points - 1, {{-mass / (2 * h), mass / (2 * h), -force, force}});
  return problem;
}

TEST(RateProfile, IsTheTrapezoidOfFullForceForAMassOnALine) {
  constexpr std::size_t points = 41;
  const double mass = 3.0, force = 2.4, slow = 0.04, gain = 2.0 * force / mass;
  const RateProfile profile = largest_rates(mass_on_a_line(points, mass, force, slow));
  ASSERT_EQ(profile.y.size(), points);
  for (std::size_t k = 0; k < points; ++k) {
    const double u = static_cast<double>(k) / (points - 1);
    EXPECT_NEAR(profile.y[k], std::min({1.0, slow + gain * u, slow + gain * (1.0 - u)}), 1e-12);
  }
  EXPECT_FALSE(profile.infeasible_segment);
}

TEST(RateProfile, NamesTheInfeasibleSegment) {
  RateProblem problem = mass_on_a_line(41, 3.0, 2.4, 0.04);
  problem.segments[7] = {{1.0, 1.0, 5.0, 6.0}};  // y + y_next >= 5, but both are 1 at most
  const RateProfile profile = largest_rates(problem);
  EXPECT_EQ(profile.infeasible_segment, 7u);
  EXPECT_TRUE(profile.y.empty());
}

}  // namespace
}  // namespace dynamics::test
