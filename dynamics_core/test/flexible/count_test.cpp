// SPDX-License-Identifier: Apache-2.0
// Counted operations of the recursive forward dynamics, compared with Mohan and Saha's Table 1.

#include <gtest/gtest.h>

#include <cstdio>

#include "papers/counting/flexible_counts.hpp"

namespace dynamics {
namespace {

using counting::FlexibleRow;
using counting::mohan_saha_table;

struct Count {
  double products = 0.0, sums = 0.0, quotients = 0.0;
};

/// Counts for the paper's chain: revolute joints, general alpha, m modes along y and along z.
Count count(std::size_t links, int modes) {
  const counting::OperationCount counts =
      counting::count_flexible_forward(counting::flexible_arm(links, modes));
  return {static_cast<double>(counts.multiplications), static_cast<double>(counts.additions),
          static_cast<double>(counts.divisions)};
}

TEST(FlexibleCount, IsBelowThePapersTable) {
  EXPECT_NEAR(mohan_saha_table(8, 2).multiplications, 9874.0, 0.5);
  EXPECT_NEAR(mohan_saha_table(8, 2).additions, 7699.0, 0.5);
  for (const int modes : {1, 2, 3, 6}) {
    for (const std::size_t links : {2U, 8U, 16U}) {
      const Count ours = count(links, modes);
      const FlexibleRow paper = mohan_saha_table(links, modes);
      std::printf("n = %2zu, m = %d: %6.0f M %6.0f A %4.0f divisions; the paper %6.0f M %6.0f A\n",
                  links, modes, ours.products, ours.sums, ours.quotients, paper.multiplications,
                  paper.additions);
      EXPECT_LT(ours.products, paper.multiplications);
      // with one mode the additions of zeros that are not skipped outweigh the savings
      EXPECT_LT(ours.sums, paper.additions * (modes == 1 ? 1.2 : 1.0));
    }
  }
}

TEST(FlexibleCount, IsLinearInLinksAndCubicOnlyInModes) {
  for (const int modes : {0, 2}) {
    const double step = count(9, modes).products - count(8, modes).products;
    for (const std::size_t links : {16U, 32U, 63U}) {
      EXPECT_EQ(count(links + 1, modes).products - count(links, modes).products, step);
    }
  }
  // cubic in the modes: its fourth difference is zero, its third that of k^3/6 with k = 2m
  double at[6];
  for (int m = 1; m <= 6; ++m) at[m - 1] = count(9, m).products - count(8, m).products;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(at[i + 4] - 4.0 * at[i + 3] + 6.0 * at[i + 2] - 4.0 * at[i + 1] + at[i], 0.0);
  }
  EXPECT_EQ(at[3] - 3.0 * at[2] + 3.0 * at[1] - at[0], 8.0);
}

}  // namespace
}  // namespace dynamics
