// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/trajectory_efforts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "trajectory/robots.hpp"

namespace dynamics::test {
namespace {

using ::testing::HasSubstr;

// limits of the crane: 100 N m, 60 N m, 40 N
const std::vector<double> efforts = {10.0,  -30.0, 4.0,    //
                                     -50.0, 59.0,  40.0,   //
                                     101.0, 20.0,  -80.0,  //
                                     20.0,  -90.0, 0.0};

TEST(EffortLimits, ReportsPeaksAndTheFirstViolation) {
  const EffortVerdict verdict = check_effort_limits(crane(), efforts);
  ASSERT_EQ(verdict.peaks.size(), 3u);
  EXPECT_EQ(verdict.peaks[0].peak, 101.0);
  EXPECT_EQ(verdict.peaks[0].point, 2u);
  EXPECT_EQ(verdict.peaks[0].limit, 100.0);
  EXPECT_EQ(verdict.peaks[0].ratio, 1.01);
  EXPECT_EQ(verdict.peaks[1].peak, 90.0);
  EXPECT_EQ(verdict.peaks[1].point, 3u);
  EXPECT_EQ(verdict.peaks[2].ratio, 2.0);
  EXPECT_FALSE(verdict.within_limits());
  ASSERT_TRUE(verdict.violation);
  EXPECT_EQ(verdict.violation->point, 2u);
  EXPECT_EQ(verdict.violation->coordinate, 2u) << "80 of 40 N is worse than 101 of 100 N m";
}

TEST(EffortLimits, ChecksSomeCoordinatesInTheirOrder) {
  const std::vector<std::size_t> lift_and_turn = {1, 0};
  const EffortVerdict verdict = check_effort_limits(crane(), efforts, lift_and_turn);
  ASSERT_EQ(verdict.peaks.size(), 2u);
  EXPECT_EQ(verdict.peaks[0].coordinate, 1u);
  EXPECT_EQ(verdict.peaks[1].coordinate, 0u);
  EXPECT_EQ(verdict.violation->coordinate, 0u);
}

TEST(EffortLimits, AllowsEffortEqualToItsLimit) {
  EXPECT_TRUE(
      check_effort_limits(crane(), std::vector<double>{100.0, -60.0, 40.0}).within_limits());
  EXPECT_FALSE(
      check_effort_limits(crane(), std::vector<double>{std::nextafter(100.0, 200.0), 0.0, 0.0})
          .within_limits());
  EXPECT_TRUE(check_effort_limits(crane(), std::vector<double>{}).within_limits());
}

TEST(EffortLimits, OfZeroAllowsOnlyZero) {
  const Model model = pendulum(0.0);
  const EffortVerdict none = check_effort_limits(model, std::vector<double>{0.0, 0.0});
  EXPECT_TRUE(none.within_limits());
  EXPECT_EQ(none.peaks[0].ratio, 0.0);
  const EffortVerdict some = check_effort_limits(model, std::vector<double>{0.0, 1e-300});
  EXPECT_FALSE(some.within_limits());
  EXPECT_EQ(some.peaks[0].ratio, std::numeric_limits<double>::infinity());
}

TEST(EffortLimits, NamesWhatIsWrong) {
  const auto message = [](std::vector<double> tau, std::vector<std::size_t> coordinates) {
    try {
      check_effort_limits(crane(), tau, coordinates);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({1.0, 2.0}, {0}), HasSubstr("tau has 2 entries; a multiple of 3"));
  EXPECT_THAT(message({1.0, 2.0, 3.0}, {3}), HasSubstr("coordinates has 3"));
  EXPECT_THAT(message({1, 2, 3, 4, std::nan(""), 6}, {0}),
              HasSubstr("tau of 'lift' at point 1 is nan"));
}

TEST(EffortParts, AreTheTermsOfThePendulum) {
  const Model model = pendulum();
  BatchWorkspace workspace(model);
  const std::vector<double> q = {0.0, 0.4, -1.0}, qd = {0.0, 2.0, -0.5}, qdd = {1.0, 0.0, 3.0};
  const EffortParts parts = effort_parts(model, workspace, q, qd, qdd);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(parts.gravity[k], 9.81 * std::sin(q[k]), 1e-12);
    EXPECT_NEAR(parts.velocity[k], 0.0, 1e-12);
    EXPECT_NEAR(parts.inertia[k], 0.65 * qdd[k], 1e-12);
    EXPECT_NEAR(parts.friction[k], 0.7 * qd[k] + 0.3 * qd[k] / std::hypot(qd[k], 0.01), 1e-4);
  }
  EXPECT_EQ(effort_parts(model, workspace, q, qd, qdd, false).friction,
            std::vector<double>(3, 0.0));
}

TEST(EffortParts, AddUpToInverseDynamics) {
  const Model model = crane();
  BatchWorkspace batch(model);
  Workspace single(model);
  std::vector<double> q, qd, qdd;
  for (int k = 0; k < 60; ++k) {
    q.push_back(std::sin(0.7 * k));
    qd.push_back(2.0 * std::cos(1.1 * k));
    qdd.push_back(3.0 * std::sin(1.7 * k + 1.0));
  }
  for (const bool friction : {true, false}) {
    const EffortParts parts = effort_parts(model, batch, q, qd, qdd, friction);
    ExternalInputs external;
    external.friction = friction;
    std::vector<double> tau(3);
    for (std::size_t k = 0; k < 20; ++k) {
      const auto row = [k](const std::vector<double>& all) {
        return std::span(all).subspan(3 * k, 3);
      };
      inverse_dynamics(model, single, row(q), row(qd), row(qdd), tau, external);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t at = 3 * k + i;
        EXPECT_NEAR(parts.gravity[at] + parts.velocity[at] + parts.inertia[at] + parts.friction[at],
                    tau[i], 1e-11);
      }
    }
  }
}

TEST(EffortParts, NameThePointThatOverflows) {
  const Model model = crane();
  BatchWorkspace workspace(model);
  std::vector<double> q(6, 0.1), qd(6, 0.1), qdd(6, 0.1);
  qd[4] = 1e200;
  try {
    effort_parts(model, workspace, q, qd, qdd);
    FAIL() << "no error";
  } catch (const StateError& error) {
    EXPECT_EQ(error.element(), "point 1");
    EXPECT_THAT(error.what(), HasSubstr("too large"));
  }
  EXPECT_THROW(effort_parts(model, workspace, q, std::vector<double>(5), qdd), ArgumentError);
}

}  // namespace
}  // namespace dynamics::test
