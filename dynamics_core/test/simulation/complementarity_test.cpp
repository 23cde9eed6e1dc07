// SPDX-License-Identifier: Apache-2.0
// The complementarity problem of friction, drives and stops, compared with the enumeration of all
// cases.

#include "simulation/complementarity.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>

#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

TEST(ForceLaw, IsTheSumOfItsForces) {
  ForceLaw law;
  law.clear();
  EXPECT_EQ(law.tread(0), 0.0);
  law.add_force(0.5, 20.0);  // a drive
  law.add_force(0.0, 3.0);   // friction
  ASSERT_EQ(law.count(), 2U);
  EXPECT_EQ(law.riser_at(0.0), 0U);
  EXPECT_EQ(law.riser_at(0.5), 1U);
  EXPECT_EQ(law.tread(0), 23.0);
  EXPECT_EQ(law.tread(1), 17.0);
  EXPECT_EQ(law.tread(2), -23.0);
  law.add_stop(0.0, -1);
  EXPECT_EQ(law.riser(0).lower, 17.0);
  EXPECT_EQ(law.riser(0).upper, infinity);
  law.add_force(0.5, 1.0);  // at the same place
  ASSERT_EQ(law.count(), 2U);
  EXPECT_EQ(law.tread(2), -24.0);
  law.add_stop(2.0, 1);
  EXPECT_EQ(law.riser(2).upper, -24.0);
  EXPECT_EQ(law.riser(2).lower, -infinity);
}

TEST(ForceLaw, InfiniteForceAndTwoStopsPrescribeTheMotion) {
  ForceLaw law;
  law.clear();
  law.add_force(0.0, 3.0);
  law.add_force(0.7, infinity);
  law.add_stop(0.0, 1);
  ASSERT_EQ(law.count(), 1U);
  EXPECT_EQ(law.riser(0).at, 0.7);
  EXPECT_EQ(law.riser(0).lower, -infinity);
  law.clear();
  law.add_stop(0.0, 1);
  law.add_stop(0.0, -1);
  ASSERT_EQ(law.count(), 1U);
  EXPECT_EQ(law.riser(0).upper, infinity);
  EXPECT_EQ(law.riser(0).lower, -infinity);
}

/// Solves by trying all segments of all rows. Returns NaN if none is consistent.
Eigen::VectorXd by_enumeration(const ComplementarityProblem& problem) {
  const std::size_t n = problem.laws.size();
  std::vector<std::size_t> segments(n, 0);
  for (;;) {
    Eigen::MatrixXd equations = problem.M;
    Eigen::VectorXd right = problem.h, given = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n));
    bool possible = true;
    // unknowns: w, or lambda where w is given
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const ForceLaw& law = problem.laws[i];
      if (segments[i] % 2 == 1) {
        const double w = law.riser(segments[i] / 2).at;
        right -= problem.M.col(row) * w;
        equations.col(row).setZero();
        equations(row, row) = -1.0;
      } else {
        const double force = law.tread(segments[i] / 2);
        possible = possible && std::isfinite(force);
        given[row] = force;
        if (possible) right[row] += force;
      }
    }
    if (possible) {
      const Eigen::VectorXd x = equations.partialPivLu().solve(right);
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const ForceLaw& law = problem.laws[i];
        const std::size_t k = segments[i] / 2;
        if (segments[i] % 2 == 1) {
          possible = possible && x[row] >= law.riser(k).lower && x[row] <= law.riser(k).upper;
          given[row] = x[row];
        } else {
          possible = possible && (k == law.count() || x[row] <= law.riser(k).at) &&
                     (k == 0 || x[row] >= law.riser(k - 1).at);
        }
      }
      if (possible) return given;
    }
    std::size_t i = 0;
    while (i < n && ++segments[i] > 2 * problem.laws[i].count()) segments[i++] = 0;
    if (i == n) return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(n), std::nan(""));
  }
}

TEST(ComplementarityProblem, AgreesWithTheEnumerationOfAllCases) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int with_three_risers = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    const Eigen::Index n = 1 + sample % 4;
    ComplementarityProblem problem(static_cast<std::size_t>(n));
    const Eigen::MatrixXd R = Eigen::MatrixXd::NullaryExpr(
        n, n, [&](Eigen::Index, Eigen::Index) { return normal(random); });
    problem.M = R * R.transpose() + 0.05 * Eigen::MatrixXd::Identity(n, n);
    problem.clear();
    for (Eigen::Index i = 0; i < n; ++i) {
      problem.h[i] = 3.0 * normal(random);
      ForceLaw& law = problem.laws[static_cast<std::size_t>(i)];
      const auto kind = (sample + i) % 5;
      if (kind == 0) continue;  // free
      law.add_force(0.0, std::abs(normal(random)));
      const double aim = normal(random);
      if (kind >= 2) law.add_force(aim, std::abs(normal(random)));
      if (kind >= 3) law.add_stop(std::min(aim, 0.0) - 0.1, -1);
      if (kind == 4) law.add_stop(std::max(aim, 0.0) + 0.1, 1);
      with_three_risers += law.count() > 2 ? 1 : 0;
      problem.segments[static_cast<std::size_t>(i)] = 1;
    }
    const Eigen::VectorXd expected = by_enumeration(problem);
    ASSERT_TRUE(problem.solve());
    EXPECT_LE(max_abs((problem.lambda - expected).eval()), 1e-9 * (1.0 + max_abs(expected)))
        << sample;
    EXPECT_LE(max_abs((problem.M * problem.w - problem.h - problem.lambda).eval()), 1e-9);
  }
  EXPECT_GT(with_three_risers, 100);
}

/// Needs a number of changes that grows exponentially with the size (Fathi 1979).
ComplementarityProblem fathi_problem(Eigen::Index size) {
  ComplementarityProblem problem(static_cast<std::size_t>(size));
  Eigen::MatrixXd factor =
      Eigen::MatrixXd::Constant(size, size, 2.0).triangularView<Eigen::Lower>();
  factor.diagonal().setOnes();
  problem.M = factor * factor.transpose();
  problem.h.setOnes();
  problem.clear();
  for (ForceLaw& law : problem.laws) law.add_stop(0.0, -1);
  std::fill(problem.segments.begin(), problem.segments.end(), std::size_t{1});
  return problem;
}

TEST(ComplementarityProblem, ReportsASearchThatDoesNotConverge) {
  for (const Eigen::Index size : {14, 22}) {
    ComplementarityProblem problem = fathi_problem(size);
    ASSERT_TRUE(problem.solve());
    const double contradiction =
        -std::min(problem.w.minCoeff(), problem.lambda.minCoeff()) / problem.lambda.maxCoeff();
    EXPECT_EQ(problem.converged(), size == 14);
    EXPECT_EQ(contradiction < 1e-9, size == 14) << "forces and accelerations must be positive";
  }
}

TEST(ComplementarityProblem, RefusesAnIndefiniteMatrix) {
  ComplementarityProblem problem(2);
  problem.M << 1, 2, 2, 1;
  problem.h << 1, 1;
  problem.clear();
  EXPECT_FALSE(problem.solve());
}

}  // namespace
}  // namespace dynamics
