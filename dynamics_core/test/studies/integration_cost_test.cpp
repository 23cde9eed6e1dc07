// SPDX-License-Identifier: Apache-2.0
// Integration cost of O(n) and O(n^3) accelerations, and the verdict on it.

#include "papers/studies/integration_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "papers/studies/single.hpp"

namespace dynamics::studies {
namespace {

TEST(Single, RoundsEveryOperationToFloat) {
  const Single x = 0.1, y = 3.0;
  EXPECT_EQ(static_cast<double>(x), static_cast<double>(0.1F));
  EXPECT_EQ(static_cast<double>(x * y), static_cast<double>(0.1F * 3.0F));
  EXPECT_EQ(static_cast<double>(1.0 / 3.0 * x), static_cast<double>((1.0F / 3.0F) * 0.1F));
  EXPECT_EQ(static_cast<double>(sin(x) - sqrt(y)),
            static_cast<double>(std::sin(0.1F) - std::sqrt(3.0F)));
}

/// Two algorithms of each class with the given evaluations; 0: does not complete.
std::string verdict(std::uint64_t linear_1, std::uint64_t linear_2, std::uint64_t cubic_1,
                    std::uint64_t cubic_2) {
  std::vector<IntegrationCost> rows;
  const auto add = [&](std::uint64_t evaluations, bool linear) {
    IntegrationCost row;
    row.robot = "arm";
    row.evaluations = evaluations;
    row.linear = linear;
    row.completed = evaluations > 0;
    rows.push_back(row);
  };
  add(linear_1, true);
  add(linear_2, true);
  add(cubic_1, false);
  add(cubic_2, false);
  const auto claims = smoothness_claims(rows);
  EXPECT_EQ(claims.size(), 1U);
  return claims.front().verdict;
}

TEST(IntegrationCost, VerdictFollowsFromTheEvaluations) {
  EXPECT_EQ(verdict(1000, 1000, 1000, 1000), "differs");
  EXPECT_EQ(verdict(1000, 1010, 1001, 1005), "differs");
  EXPECT_EQ(verdict(1000, 1010, 1200, 1100), "holds");
  EXPECT_EQ(verdict(1000, 1010, 0, 0), "holds");
  EXPECT_EQ(verdict(1000, 1150, 1100, 1300), "in trend");
  EXPECT_EQ(verdict(1200, 1100, 1000, 1000), "differs");
  EXPECT_EQ(verdict(0, 1000, 1000, 1000), "differs");
  EXPECT_EQ(verdict(0, 1000, 0, 0), "differs");
}

TEST(IntegrationCost, IsMeasuredForEveryAlgorithmAndPrecision) {
  const auto rows = integration_costs();
  EXPECT_EQ(rows.size(), 3U * 4U * 8U + 2U * 6U);
  for (const IntegrationCost& row : rows) {
    SCOPED_TRACE(row.robot + ", " + row.algorithm + (row.single ? ", single" : ", double"));
    if (!row.single) {
      EXPECT_TRUE(row.completed);
      EXPECT_LT(row.error, 1e-9);
    }
    if (row.completed) {
      EXPECT_GT(row.evaluations, row.steps);
      if (row.single) {
        EXPECT_GT(row.error, 1e-9);
      }
    }
  }
  const auto claims = smoothness_claims(rows);
  ASSERT_EQ(claims.size(), 14U);
  // equal for the papers' arms; the errors of O(n^3) count in long chains only
  EXPECT_EQ(claims.front().verdict, "differs");
  EXPECT_EQ(claims.back().verdict, "holds");
  for (const auto& claim : claims) {
    std::printf("%s\n    %s; %s: %s\n", claim.statement.c_str(), claim.computed.c_str(),
                claim.difference.c_str(), claim.verdict.c_str());
  }
  for (const IntegrationCost& row : rows) {
    std::printf(
        "%-18s %-7s %7.0e %-7s %-17s %-6s %6llu steps %5llu rejected %7llu evaluations, "
        "error %.1e%s\n",
        row.robot.c_str(), row.integrator.c_str(), row.rtol, row.single ? "single" : "double",
        row.algorithm.c_str(), row.linear ? "O(n)" : "O(n^3)",
        static_cast<unsigned long long>(row.steps), static_cast<unsigned long long>(row.rejected),
        static_cast<unsigned long long>(row.evaluations), row.error,
        row.completed ? "" : ", not completed");
  }
}

}  // namespace
}  // namespace dynamics::studies
