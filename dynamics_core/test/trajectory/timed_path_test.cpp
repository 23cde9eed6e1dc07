// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two coordinates, 3 s^2 - 2 s^3 of the first and its half of the second, in one second.
TimedPath step() {
  TimedPath path;
  path.times = {0, 1'000'000'000};
  path.q = {0.0, 0.0, 1.0, 0.5};
  return path;
}

TEST(TimedPath, InterpolatesPositionsByTheSplineAtRestAtBothEnds) {
  const auto motion = interpolate(step());
  std::vector<double> q(2), qd(2), qdd(2);
  for (const double s : {0.0, 0.2, 0.5, 0.9, 1.0}) {
    motion->at(s, q, qd, qdd);
    EXPECT_NEAR(q[0], s * s * (3.0 - 2.0 * s), 1e-15);
    EXPECT_NEAR(qd[1], 0.5 * 6.0 * s * (1.0 - s), 1e-15);
    EXPECT_NEAR(qdd[0], 6.0 - 12.0 * s, 1e-14);
  }
}

TEST(TimedPath, UsesVelocitiesAndAccelerationsWhereGiven) {
  TimedPath path = step();
  path.qd = {0.3, 0.0, -0.2, 0.1};
  path.qdd = {1.0, 2.0, 3.0, 4.0};
  const auto motion = interpolate(path);
  std::vector<double> q(2), qd(2), qdd(2);
  motion->at(0.0, q, qd, qdd);
  EXPECT_THAT(qd, ElementsAre(0.3, 0.0));
  EXPECT_THAT(qdd, ElementsAre(1.0, 2.0));
  motion->at(1.0, q, qd, qdd);
  EXPECT_NEAR(qd[0], -0.2, 1e-14);
  EXPECT_NEAR(qdd[1], 4.0, 1e-13);
}

TEST(TimedPath, FillsOnlyTheDerivativesThatAreMissing) {
  const TimedPath filled = with_derivatives(step());
  EXPECT_THAT(filled.qd, ElementsAre(0.0, 0.0, 0.0, 0.0));
  EXPECT_THAT(filled.qdd, ElementsAre(6.0, 3.0, -6.0, -3.0));
  TimedPath path = step();
  path.qd = {0.3, 0.0, -0.2, 0.1};
  EXPECT_EQ(with_derivatives(path).qd, path.qd);
  EXPECT_NEAR(with_derivatives(path).qdd[0], 6.0 - 4.0 * 0.3 + 2.0 * 0.2, 1e-14);
  path.qdd = {1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(with_derivatives(path).qdd, path.qdd);
}

TEST(TimedPath, InteriorPointsLieOnTheTrajectory) {
  const TimedPath path = with_derivatives(step());
  const TimedPath finer = with_interior_points(path, 3);
  EXPECT_THAT(finer.times, ElementsAre(0, 250'000'000, 500'000'000, 750'000'000, 1'000'000'000));
  const auto before = interpolate(path), after = interpolate(finer);
  std::vector<double> q(2), qd(2), qdd(2), expected(2), expected_qd(2), expected_qdd(2);
  for (double t = 0.0; t <= 1.0; t += 0.01) {
    before->at(t, expected, expected_qd, expected_qdd);
    after->at(t, q, qd, qdd);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(q[i], expected[i], 1e-14);
      EXPECT_NEAR(qdd[i], expected_qdd[i], 1e-11);
    }
  }
  EXPECT_EQ(with_interior_points(path, 0).times, path.times);
}

TEST(TimedPath, DeviatesByTheDistanceToTheNearestState) {
  const TimedPath path = with_derivatives(step());
  TimedPath slower = path;
  slower.times[1] *= 3;
  EXPECT_LT(path_deviation(slower, path), 1e-13) << "another time is no deviation";
  // a detour of the second coordinate: qd adds s (1 - s)^2 - s^2 (1 - s), largest at the samples
  TimedPath detour = path;
  detour.qdd.clear();
  detour.qd = {0.0, 0.2, 0.0, 0.2};
  TimedPath straight = path;
  straight.qdd.clear();
  const double found = path_deviation(detour, straight);
  EXPECT_GT(found, 0.005);
  EXPECT_LT(found, 0.02);
  EXPECT_EQ(path_deviation(straight, straight), 0.0);
}

TEST(TimedPath, RoundsNanosecondsAsTrajectoryFilesDo) {
  EXPECT_EQ(to_seconds(0), 0.0);
  EXPECT_EQ(to_seconds(2'500'000'000), 2.5);
  EXPECT_EQ(to_seconds(1'000'000'003), 1.0 + 1e-9 * 3.0);
}

TEST(TimedPath, NamesWhatIsWrong) {
  const auto message = [](const auto& change, auto use) -> std::string {
    TimedPath path = with_derivatives(step());
    change(path);
    try {
      use(path);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "no error";
  };
  const auto read = [](const TimedPath& path) { interpolate(path); };
  EXPECT_THAT(message([](auto& path) { path.times.clear(); }, read), HasSubstr("times is empty"));
  EXPECT_THAT(message([](auto& path) { path.times[0] = -1; }, read),
              HasSubstr("times[0] is -1 ns"));
  EXPECT_THAT(message([](auto& path) { path.times[1] = 0; }, read), HasSubstr("times[1] is 0 ns"));
  EXPECT_THAT(message([](auto& path) { path.q.pop_back(); }, read), HasSubstr("q has 3 entries"));
  EXPECT_THAT(message([](auto& path) { path.q.clear(); }, read), HasSubstr("q has 0 entries"));
  EXPECT_THAT(message([](auto& path) { path.qdd.pop_back(); }, read),
              HasSubstr("qdd has 3 entries"));
  EXPECT_THAT(
      message([](auto& path) { path.qd[3] = std::numeric_limits<double>::quiet_NaN(); }, read),
      HasSubstr("qd at point 1, coordinate 1 is nan"));
  const auto refine = [](const TimedPath& path) { with_interior_points(path, 5); };
  EXPECT_THAT(message([](auto& path) { path.times[1] = 5; }, refine),
              HasSubstr("interior_points is 5: points 0 and 1 are only 5 ns apart"));
  EXPECT_EQ(message([](auto& path) { path.times[1] = 6; }, refine), "no error");
  EXPECT_THAT(message([](auto& path) { path.qd.clear(); }, refine), HasSubstr("qd is empty"));
  const auto compare = [](const TimedPath& path) {
    path_deviation(path, with_interior_points(path, 1));
  };
  EXPECT_THAT(message([](auto&) {}, compare), HasSubstr("made has 2 points of 2 coordinates"));
}

}  // namespace
}  // namespace dynamics::test
