// SPDX-License-Identifier: Apache-2.0
// The comparisons of the validation: NaN, unequal lengths and incomplete runs do not hold.

#include <gtest/gtest.h>

#include <cmath>

#include "validate/runs.hpp"

namespace dynamics::tools {
namespace {

ValidationReport report() {
  return ValidationReport([](double) {});
}

TEST(Validation, LargestDifferenceIsNanForNanAndUnequalLengths) {
  const std::vector<Column> right = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  EXPECT_EQ(largest_difference(right, {{1.0, 2.0, 3.0}, {4.0, 5.5, 6.0}}), 0.5);
  EXPECT_TRUE(std::isnan(largest_difference(right, {{1.0, 2.0, 3.0}, {4.0, std::nan(""), 6.0}})));
  EXPECT_TRUE(std::isnan(largest_difference(right, {{1.0, 2.0, 3.0}, {4.0, 5.0}})));
  EXPECT_TRUE(std::isnan(largest_difference(right, {{1.0, 2.0, 3.0}})));
  EXPECT_TRUE(std::isnan(largest_difference({{1.0}}, right)));
}

TEST(Validation, RunThatEndsEarlyDoesNotHold) {
  const PaperRobot planar("planar3");
  ValidationReport page = report();
  SimulationOptions options = planar.forced();
  options.duration = 0.2;
  Recording run = planar.run(options, page, 0.0, 1.0);
  EXPECT_TRUE(run.statistics.completed);
  EXPECT_EQ(page.claims(), 0U);
  EXPECT_LT(largest_deviation(run), 1e-6);

  // with this step the implicit equations have no solution
  options.integrator = "gauss6";
  options.step = 5.0;
  options.duration = 10.0;
  run = planar.run(options, page, 0.0, 1.0);
  ASSERT_FALSE(run.statistics.completed);
  EXPECT_EQ(page.failures(), 1U);
  EXPECT_TRUE(std::isnan(largest_deviation(run)));
  page.end_claims();
  EXPECT_NE(page.text().find("**does not hold**"), std::string::npos) << page.text();
  EXPECT_NE(page.text().find("planar3, forced, gauss6: it ended at"), std::string::npos)
      << page.text();
}

TEST(Validation, InterruptedRunDoesNotHold) {
  const PaperRobot planar("planar3");
  ValidationReport page = report();
  SimulationOptions options = planar.forced();
  const Recording run = simulate(planar.model(), options, [](double t) { return t < 0.1; });
  EXPECT_TRUE(std::isnan(largest_deviation(run)));
  require_completed(page, run);
  EXPECT_EQ(page.failures(), 1U);
}

}  // namespace
}  // namespace dynamics::tools
