// SPDX-License-Identifier: Apache-2.0
// References along trajectories: no jumps, tolerances, stops.
#include "dynamics_controllers/trajectory_follower.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace dynamics_controllers::test {
namespace {

constexpr double period = 0.001;

std::unique_ptr<TrackedTrajectory> line(double from, double to, double duration,
                                        std::uint64_t id = 0) {
  auto result = std::make_unique<TrackedTrajectory>();
  result->times = {0.0, duration};
  result->path =
      dynamics::knot_trajectory({result->times, {{from}, {to}}, {{0.0}, {0.0}}, {{0.0}, {0.0}}});
  result->id = id;
  result->path_position = result->goal_position = result->goal_velocity = {0.0};
  return result;
}

/// Follows perfectly for `seconds`; checks that the reference and its velocity do not jump, and
/// that the velocity is the derivative of the position.
struct Follower : TrajectoryFollower {
  explicit Follower(double q0, bool continuous = false) {
    configure({continuous}, 0.2);
    start(std::vector<double>{q0});
  }
  void run(double seconds, double measured_offset = 0.0) {
    for (long k = std::lround(seconds / period); k > 0; --k) {
      const double before = q()[0], rate = qd()[0];
      const std::vector<double> measured = {before + measured_offset}, measured_rate = {rate};
      now += 1'000'000;
      update(now, period, measured, measured_rate);
      if (!smooth) continue;
      EXPECT_NEAR(q()[0] - before, period * 0.5 * (rate + qd()[0]), 1e-6) << now;
      EXPECT_NEAR(qd()[0] - rate, period * qdd()[0], 0.02) << now;
    }
  }
  std::int64_t now = 1'000'000'000;
  bool smooth = true;
};

TEST(TrajectoryFollower, FollowsATrajectoryAndReportsItsEnd) {
  Follower follower(0.2);
  follower.run(0.1);
  EXPECT_EQ(follower.q()[0], 0.2);
  follower.send(line(0.2, 1.2, 1.0, 5));
  follower.run(0.5);
  EXPECT_NEAR(follower.q()[0], 0.7, 0.01);
  EXPECT_EQ(follower.ended().id, 0U);
  follower.run(0.6);
  EXPECT_EQ(follower.q()[0], 1.2);
  EXPECT_EQ(follower.ended().id, 5U);
  EXPECT_EQ(follower.ended().outcome, Outcome::succeeded);
}

TEST(TrajectoryFollower, ReplacesATrajectoryInMotionWithoutAJump) {
  Follower follower(0.0);
  follower.send(line(0.0, 1.0, 1.0));
  follower.run(0.5);
  EXPECT_GT(follower.qd()[0], 1.0);
  follower.send(line(0.0, -1.0, 2.0));  // planned from another state
  follower.run(2.1);
  EXPECT_NEAR(follower.q()[0], -1.0, 1e-12);
}

TEST(TrajectoryFollower, WaitsForTheStartOfATrajectory) {
  Follower follower(0.0);
  auto later = line(0.0, 1.0, 1.0);
  later->start = follower.now + 500'000'000;
  follower.send(std::move(later));
  follower.run(0.499);
  EXPECT_EQ(follower.q()[0], 0.0);
  follower.run(1.1);
  EXPECT_EQ(follower.q()[0], 1.0);
  // one that began before starts at its present point
  auto earlier = line(1.0, 2.0, 1.0);
  earlier->start = follower.now - 500'000'000;
  follower.send(std::move(earlier));
  follower.run(0.51);
  EXPECT_NEAR(follower.q()[0], 2.0, 1e-9);
}

TEST(TrajectoryFollower, ComesToRestWithoutAPath) {
  Follower follower(0.0);
  follower.send(line(0.0, 1.0, 1.0));
  follower.run(0.5);
  const double before = follower.q()[0], rate = follower.qd()[0];
  follower.send(std::make_unique<TrackedTrajectory>());
  follower.run(0.25);
  EXPECT_NEAR(follower.q()[0], before + 0.1 * rate, 0.01);
  EXPECT_EQ(follower.qd()[0], 0.0);
}

TEST(TrajectoryFollower, StopsWhereTheRobotIsIfAToleranceIsViolated) {
  Follower follower(0.0);
  follower.smooth = false;
  auto strict = line(0.0, 1.0, 1.0, 3);
  strict->path_position = {0.01};
  follower.send(std::move(strict));
  follower.run(0.3, 0.005);
  EXPECT_EQ(follower.ended().id, 0U);
  follower.run(0.001, 0.5);
  EXPECT_EQ(follower.ended().id, 3U);
  EXPECT_EQ(follower.ended().outcome, Outcome::path_tolerance);
  const double stands = follower.q()[0];
  EXPECT_GT(stands, 0.5) << "the measured position";
  follower.run(1.0);
  EXPECT_EQ(follower.q()[0], stands);
  EXPECT_EQ(follower.qd()[0], 0.0);
}

TEST(TrajectoryFollower, ChecksTheGoalUntilItsTimeIsOver) {
  for (const bool arrives : {true, false}) {
    Follower follower(0.0);
    follower.smooth = false;
    auto goal = line(0.0, 1.0, 0.5, 9);
    goal->goal_position = {0.01};
    goal->goal_time = 0.3;
    follower.send(std::move(goal));
    follower.run(0.6, 0.1);
    EXPECT_EQ(follower.ended().id, 0U) << "not there yet";
    follower.run(0.3, arrives ? 0.001 : 0.1);
    EXPECT_EQ(follower.ended().id, 9U);
    EXPECT_EQ(follower.ended().outcome, arrives ? Outcome::succeeded : Outcome::goal_tolerance);
  }
}

TEST(TrajectoryFollower, ErrorsOfContinuousJointsAreWithinHalfATurn) {
  Follower turning(2.0 * std::numbers::pi - 0.1, true), revolute(2.0 * std::numbers::pi - 0.1);
  EXPECT_NEAR(turning.error(0, 0.1), -0.2, 1e-12);
  EXPECT_NEAR(revolute.error(0, 0.1), 2.0 * std::numbers::pi - 0.2, 1e-12);
}

}  // namespace
}  // namespace dynamics_controllers::test
