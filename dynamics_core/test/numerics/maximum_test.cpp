// SPDX-License-Identifier: Apache-2.0
// Maxima of errors propagate NaN at any position and return NaN for unequal sizes.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dynamics_core/view.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Maximum, PropagatesNan) {
  EXPECT_TRUE(std::isnan(max_propagating_nan(nan, 1.0)));
  EXPECT_TRUE(std::isnan(max_propagating_nan(1.0, nan)));
  EXPECT_TRUE(std::isnan(max_propagating_nan(infinity, nan)));
  EXPECT_TRUE(std::isnan(max_propagating_nan(nan, infinity)));
  EXPECT_EQ(max_propagating_nan(1.0, 2.0), 2.0);
  EXPECT_EQ(max_propagating_nan(2.0, 1.0), 2.0);
  EXPECT_EQ(max_propagating_nan(-infinity, -1.0), -1.0);
  static_assert(max_propagating_nan(1.0, 2.0) == 2.0);
}

TEST(Maximum, MaxAbsPropagatesNanFromAnyPosition) {
  for (std::size_t size = 1; size <= 9; ++size) {
    for (std::size_t position = 0; position < size; ++position) {
      std::vector<double> values(size, -1.0);
      values[position] = -3.0;
      EXPECT_EQ(max_abs(values), 3.0);
      values[position] = nan;
      EXPECT_TRUE(std::isnan(max_abs(values)));
      EXPECT_TRUE(std::isnan(max_abs_difference(values, std::vector<double>(size, 0.0))));
      EXPECT_TRUE(std::isnan(max_abs_difference(std::vector<double>(size, 0.0), values)));
      Eigen::MatrixXd matrix = Eigen::MatrixXd::Constant(3, 3, -1.0);
      matrix.data()[position] = nan;
      EXPECT_TRUE(std::isnan(max_abs(matrix)));
      EXPECT_TRUE(std::isnan(max_abs(2.0 * matrix.transpose() - Eigen::MatrixXd::Ones(3, 3))));
    }
  }
  EXPECT_EQ(max_abs(std::vector<double>{}), 0.0);
  EXPECT_EQ(max_abs(Eigen::MatrixXd(0, 0)), 0.0);
  EXPECT_EQ(max_abs(Eigen::Vector2d(1.0, -2.0)), 2.0);
}

TEST(Maximum, MaxAbsDifferenceIsNanForUnequalSizes) {
  const std::vector<double> two = {1.0, 2.0}, three = {1.0, 2.0, 3.0};
  EXPECT_TRUE(std::isnan(max_abs_difference(two, three)));
  EXPECT_TRUE(std::isnan(max_abs_difference(three, two)));
  EXPECT_EQ(max_abs_difference(two, std::vector<double>{1.5, 1.0}), 1.0);
}

TEST(Maximum, RelativeErrorIsNanForNanAndUnequalSizes) {
  for (Eigen::Index position = 0; position < 9; ++position) {
    Eigen::VectorXd right = Eigen::VectorXd::Ones(9), wrong = right;
    wrong[position] = nan;
    EXPECT_TRUE(std::isnan(test::relative(wrong, right))) << position;
    EXPECT_TRUE(std::isnan(test::relative(right, wrong))) << position;
    EXPECT_TRUE(std::isnan(test::relative(right.head(position), right))) << position;
  }
  EXPECT_TRUE(std::isnan(test::relative(1.0, nan, 1.0)));
  EXPECT_EQ(test::relative(Eigen::Vector2d(1.0, 3.0), Eigen::Vector2d(1.0, 2.0)), 0.5);
  EXPECT_EQ(test::relative(Eigen::Vector2d(0.0, 1.0), Eigen::Vector2d(0.0, 0.0), 2.0), 0.5);
}

}  // namespace
}  // namespace dynamics
