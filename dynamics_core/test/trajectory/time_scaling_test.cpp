// SPDX-License-Identifier: Apache-2.0
// Closed forms of a pendulum; every result of the crane is checked again by inverse dynamics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/trajectory_efforts.hpp"
#include "dynamics_core/view.hpp"
#include "trajectory/robots.hpp"

namespace dynamics::test {
namespace {

using Method = TimeScalingOptions::Method;
using Outcome = ScaledPath::Outcome;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Method both[] = {Method::uniform, Method::per_segment};

std::int64_t nanoseconds(double t) { return std::llround(t * 1e9); }

ScaledPath scale(const Model& model, const TimedPath& path,
                 const TimeScalingOptions& options = {}) {
  BatchWorkspace workspace(model);
  return scale_time(model, workspace, path, options);
}

/// Duration after scaling relative to the one before.
double duration_factor(const ScaledPath& scaled, const TimedPath& path) {
  return static_cast<double>(scaled.path.times.back() - scaled.path.times.front()) /
         static_cast<double>(path.times.back() - path.times.front());
}

// ---- the pendulum: inertia 0.65 kg m^2 at the joint, weight 9.81 N m, limits 12 N m and 3 rad/s

/// From hanging at rest to an angle, at rest: 3 s^2 - 2 s^3 of it.
TimedPath swing(double angle, double duration) {
  TimedPath path;
  path.times = {0, nanoseconds(duration)};
  path.q = {0.0, angle};
  return path;
}

TEST(TimeScaling, MeetsTheEffortLimitOfAPendulumInClosedForm) {
  // the effort is largest at the start, without weight and friction: 0.65 * 6 angle / T^2
  const double needed = 0.65 * 6.0 * 0.2 / (0.2 * 0.2), factor = std::sqrt(needed / 12.0);
  const TimedPath path = swing(0.2, 0.2);
  const ScaledPath scaled = scale(pendulum(), path);
  ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
  ASSERT_EQ(scaled.factors.size(), 1u);
  EXPECT_NEAR(scaled.factors[0], factor, 1e-8);
  EXPECT_NEAR(duration_factor(scaled, path), factor, 1e-8);
  EXPECT_LE(scaled.largest_effort_ratio, 1.0);
  EXPECT_NEAR(scaled.largest_effort_ratio, 1.0, 1e-7);
  EXPECT_NEAR(to_seconds(scaled.path.times[1]), 0.2 * factor, 2e-9);
  EXPECT_EQ(scaled.path.q, path.q);
  EXPECT_TRUE(scaled.path.qdd.empty());
  EXPECT_EQ(scaled.path_deviation, 0.0);
}

TEST(TimeScaling, MeetsTheVelocityLimitOfAPendulumInClosedForm) {
  const Model model = pendulum(1200.0);
  const TimedPath path = swing(1.0, 0.3);  // fastest in the middle: 1.5 / 0.3 = 5 rad/s
  EXPECT_NEAR(scale(model, path).factors[0], 5.0 / 3.0, 1e-8);
  TimeScalingOptions options;
  options.velocity_share = 0.5;
  const ScaledPath scaled = scale(model, path, options);
  EXPECT_NEAR(scaled.factors[0], 10.0 / 3.0, 1e-8);
  EXPECT_NEAR(scaled.largest_velocity_ratio, 0.5, 1e-7);
  EXPECT_LE(scaled.largest_velocity_ratio, 0.5);
}

TEST(TimeScaling, IncludesFrictionUnlessLeftOut) {
  // constant speed through the bottom: damping and Coulomb friction alone, 0.7 v + 0.3
  const Model model = pendulum(1.7);
  TimedPath path;
  path.times = {0, nanoseconds(0.008)};
  path.q = {-0.01, 0.01};
  path.qd = {2.5, 2.5};
  const ScaledPath scaled = scale(model, path);
  ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
  // the limit is reached at the end, where the weight resists the most
  const double v = 2.5 / scaled.factors[0];
  EXPECT_NEAR(0.7 * v + 0.3 * v / std::hypot(v, 0.01) + 9.81 * std::sin(0.01), 1.7, 1e-3);
  TimeScalingOptions options;
  options.friction = false;
  EXPECT_EQ(scale(model, path, options).factors[0], 1.0);
}

TEST(TimeScaling, ChangesNothingWithinTheLimits) {
  for (const Method method : both) {
    const TimedPath path = swing(0.4, 2.0);
    TimeScalingOptions options;
    options.method = method;
    const ScaledPath scaled = scale(pendulum(), path, options);
    ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
    EXPECT_THAT(scaled.factors, ElementsAre(1.0));
    EXPECT_EQ(scaled.path.times, path.times);
    EXPECT_EQ(scaled.path.qd, with_derivatives(path).qd);
  }
}

TEST(TimeScaling, FailsWhereGravityAloneExceedsALimit) {
  for (const Method method : both) {
    TimeScalingOptions options;
    options.method = method;
    options.effort_share = 0.5;  // 6 of the 9.79 N m
    const ScaledPath scaled = scale(pendulum(), swing(1.5, 0.5), options);
    EXPECT_EQ(scaled.outcome, Outcome::limits_not_met);
    EXPECT_THAT(scaled.message, AllOf(HasSubstr("gravity alone"), HasSubstr("'swing'"),
                                      HasSubstr("points["), HasSubstr("6 N m")));
    EXPECT_TRUE(scaled.path.times.empty());
    EXPECT_TRUE(scaled.factors.empty());
  }
}

/// A moment of 5 N m helps to start and adds to what the brake at the end must do, where the weight
/// helps: 0.65 * 6 angle / T^2 = 12 - 5 + 9.81 sin(angle).
TEST(TimeScaling, AddsWrenchesToTheWeight) {
  const Model model = pendulum();
  const double needed = 0.65 * 6.0 * 0.2 / (0.2 * 0.2);
  TimeScalingOptions options;
  const Axes all[] = {Axes::local, Axes::world, Axes::local_world_aligned};
  for (const Axes axes : all) {
    options.wrenches = {{model.frame("bob"), {.moment = {0.0, 5.0, 0.0}}, axes}};
    const ScaledPath scaled = scale(model, swing(0.2, 0.2), options);
    ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
    EXPECT_NEAR(scaled.factors[0], std::sqrt(needed / (7.0 + 9.81 * std::sin(0.2))), 1e-8);
    EXPECT_NEAR(scaled.largest_effort_ratio, 1.0, 1e-7);
    options.method = Method::per_segment;
    EXPECT_LE(scale(model, swing(0.2, 0.2), options).largest_effort_ratio, 1.0);
    options.method = Method::uniform;
  }
  options.wrenches = {{model.frame("bob"), {.moment = {0.0, 20.0, 0.0}}}};
  for (const Method method : both) {
    options.method = method;
    const ScaledPath failed = scale(model, swing(0.2, 0.2), options);
    EXPECT_EQ(failed.outcome, Outcome::limits_not_met);
    EXPECT_THAT(failed.message, HasSubstr("gravity and the wrenches require"));
  }
}

TEST(TimeScaling, ReportsProgressAndCanBeCanceled) {
  TimeScalingOptions options;
  options.method = Method::per_segment;
  std::vector<double> shares;
  options.progress = [&](double share) {
    shares.push_back(share);
    return true;
  };
  const TimedPath path = swing(0.2, 0.1);
  ASSERT_EQ(scale(pendulum(), path, options).outcome, Outcome::success);
  ASSERT_GE(shares.size(), 2u);
  EXPECT_EQ(shares.front(), 0.0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LE(shares.back(), 1.0);
  const std::size_t checks = shares.size();
  for (std::size_t most = 0; most < checks; ++most) {
    shares.clear();
    options.progress = [&](double share) {
      shares.push_back(share);
      return shares.size() <= most;
    };
    const ScaledPath canceled = scale(pendulum(), path, options);
    EXPECT_EQ(canceled.outcome, Outcome::canceled);
    EXPECT_EQ(canceled.message, "canceled");
    EXPECT_TRUE(canceled.path.times.empty());
    EXPECT_EQ(shares.size(), most + 1);
  }
}

TEST(TimeScaling, KeepsTheLargestFactor) {
  const TimedPath path = swing(0.2, 0.02);  // needs sqrt(162.5)
  for (const Method method : both) {
    TimeScalingOptions options;
    options.method = method;
    options.largest_factor = 5.0;
    options.points_name = "trajectory.points";
    const ScaledPath scaled = scale(pendulum(), path, options);
    EXPECT_EQ(scaled.outcome, Outcome::limits_not_met);
    EXPECT_THAT(scaled.message,
                AllOf(HasSubstr("'swing' at trajectory.points[0]"), HasSubstr("12.7")));
    options.largest_factor = 13.0;
    EXPECT_EQ(scale(pendulum(), path, options).outcome, Outcome::success);
  }
}

TEST(TimeScaling, KeepsTheLatestTime) {
  const TimedPath path = swing(0.2, 0.02);  // slowed to 0.2549 s
  for (const Method method : both) {
    TimeScalingOptions options;
    options.method = method;
    options.latest_time = nanoseconds(0.25);
    const ScaledPath scaled = scale(pendulum(), path, options);
    EXPECT_EQ(scaled.outcome, Outcome::limits_not_met);
    EXPECT_THAT(scaled.message, HasSubstr("ends after 0.25 s"));
    options.latest_time = nanoseconds(0.26);
    EXPECT_EQ(scale(pendulum(), path, options).outcome, Outcome::success);
  }
}

TEST(TimeScaling, FailsForAJointThatMustNotMove) {
  const ScaledPath scaled = scale(pendulum(12.0, 0.0), swing(0.2, 1.0));
  EXPECT_EQ(scaled.outcome, Outcome::limits_not_met);
  EXPECT_THAT(scaled.message, HasSubstr("velocity limit is 0"));
}

TEST(TimeScaling, NamesWhatIsWrong) {
  struct Case {
    std::function<void(TimedPath&, TimeScalingOptions&)> spoil;
    std::string words;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Case> cases = {
      {[](auto& path, auto&) {
         path = TimedPath{{0}, {0.0}, {}, {}};
       },
       "the path has 1 points"},
      {[](auto& path, auto&) { path.q.resize(4); }, "q of the path has 4 entries; 2 are needed"},
      {[](auto& path, auto&) { path.times[1] = 0; }, "times must increase"},
      {[&](auto& path, auto&) { path.q[1] = nan; }, "q at point 1, coordinate 0 is nan"},
      {[](auto&, auto& options) { options.effort_share = 0.0; }, "effort_share is 0"},
      {[&](auto&, auto& options) { options.velocity_share = nan; }, "velocity_share is nan"},
      {[](auto&, auto& options) { options.velocity_share = 1.1; }, "velocity_share is 1.1"},
      {[](auto&, auto& options) { options.largest_factor = 0.9; }, "largest_factor is 0.9"},
      {[](auto&, auto& options) { options.latest_time = 0; }, "latest_time is 0 ns"},
  };
  for (const Case& each : cases) {
    TimedPath path = swing(0.2, 0.2);
    TimeScalingOptions options;
    each.spoil(path, options);
    try {
      scale(pendulum(), path, options);
      ADD_FAILURE() << "no error: " << each.words;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(each.words));
    }
  }
}

TEST(TimeScaling, NamesThePointThatOverflows) {
  TimedPath path;
  path.times = {0, nanoseconds(1.0)};
  path.q.assign(6, 0.1);
  path.qd = {0.0, 0.0, 0.0, 0.0, 1e200, 0.0};
  try {
    scale(crane(), path);
    FAIL() << "no error";
  } catch (const StateError& error) {
    EXPECT_THAT(error.element(), HasSubstr("between points[0] and points[1]"));
  }
}

// ---- the crane

class Crane : public ::testing::Test {
 protected:
  /// Largest effort and velocity relative to the limits, at so many samples of each segment.
  std::pair<double, double> ratios(const TimedPath& path, int samples) {
    const auto motion = interpolate(path);
    std::pair<double, double> largest = {0.0, 0.0};
    std::vector<double> q(3), qd(3), qdd(3), tau(3);
    for (std::size_t k = 0; k + 1 < path.points(); ++k) {
      const double begin = to_seconds(path.times[k]), end = to_seconds(path.times[k + 1]);
      for (int i = 0; i <= samples; ++i) {
        const double t = i == samples ? std::nextafter(end, begin)
                                      : begin + (end - begin) * i / static_cast<double>(samples);
        motion->at(t, q, qd, qdd);
        inverse_dynamics(model, workspace, q, qd, qdd, tau);
        for (std::size_t j = 0; j < 3; ++j) {
          const auto& joint = model.coordinates()[j];
          largest.first = max_propagating_nan(largest.first, std::abs(tau[j]) / joint.effort);
          largest.second = max_propagating_nan(largest.second, std::abs(qd[j]) / joint.velocity);
        }
      }
    }
    return largest;
  }

  /// `given`: positions alone (0), with velocities (1), and with accelerations (2).
  static TimedPath random_path(std::mt19937& random, int given) {
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    TimedPath path;
    const int count = 3 + static_cast<int>(random() % 12);
    double t = 0.0;
    const auto append = [&](std::vector<double>& values, double scale) {
      for (const double share : {1.0, 1.0, scale}) values.push_back(share * unit(random));
    };
    for (int k = 0; k < count; ++k) {
      path.times.push_back(nanoseconds(t));
      path.q.push_back(2.0 * unit(random));
      path.q.push_back(0.9 + 0.5 * unit(random));
      path.q.push_back(0.3 + 0.2 * unit(random));
      if (given > 0) append(path.qd, 0.3);
      if (given > 1) append(path.qdd, 1.0);
      t += 0.3 + 0.2 * unit(random);
    }
    return path;
  }

  /// Calls check(path, trial) for 60 random paths, until one fails fatally.
  template <class Check>
  static void for_random_paths(unsigned seed, Check&& check) {
    std::mt19937 random(seed);
    for (int trial = 0; trial < 60 && !HasFatalFailure(); ++trial) {
      SCOPED_TRACE(trial);
      check(random_path(random, trial % 3), trial);
    }
  }

  Model model = crane();
  Workspace workspace{model};
};

TEST_F(Crane, UniformIsWithinTheLimitsAndNoSlowerThanNeeded) {
  int slowed = 0;
  for_random_paths(1, [&](const TimedPath& path, int) {
    const ScaledPath scaled = scale(model, path);
    ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
    const double factor = scaled.factors.at(0);
    const auto [effort, velocity] = ratios(scaled.path, 8);
    EXPECT_LE(effort, 1.0 + 1e-12);
    EXPECT_LE(velocity, 1.0 + 1e-12);
    EXPECT_NEAR(effort, scaled.largest_effort_ratio, 1e-9);
    EXPECT_NEAR(velocity, scaled.largest_velocity_ratio, 1e-9);
    const auto [dense_effort, dense_velocity] = ratios(scaled.path, 400);
    EXPECT_LE(dense_effort, 1.05) << "between the samples";
    EXPECT_LE(dense_velocity, 1.02);
    if (factor == 1.0) return;
    ++slowed;
    EXPECT_NEAR(max_propagating_nan(effort, velocity), 1.0, 1e-5) << "a limit is reached";
    // the same path: the spline at the same share of the time
    const auto before = interpolate(path), after = interpolate(scaled.path);
    std::vector<double> q(3), slow(3), rate(3), unused(3), slow_rate(3);
    const double end = to_seconds(path.times.back());
    for (double t = 0.0; t <= end; t += end / 57.0) {
      before->at(t, q, rate, unused);
      after->at(t * duration_factor(scaled, path), slow, slow_rate, unused);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(slow[j], q[j], 1e-6);
        EXPECT_NEAR(slow_rate[j] * factor, rate[j], 1e-5);
      }
    }
  });
  EXPECT_GT(slowed, 40);
}

TEST_F(Crane, PerSegmentIsWithinTheLimitsAndNeverSlowerThanUniform) {
  int faster = 0;
  for_random_paths(2, [&](const TimedPath& path, int trial) {
    TimeScalingOptions options;
    options.interior_points = trial % 2 == 0 ? 0 : 5;
    const double uniform = duration_factor(scale(model, path, options), path);
    options.method = Method::per_segment;
    const ScaledPath scaled = scale(model, path, options);
    ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
    const std::size_t pieces = options.interior_points + 1;
    ASSERT_EQ(scaled.path.points(), (path.points() - 1) * pieces + 1);
    ASSERT_EQ(scaled.factors.size(), scaled.path.points() - 1);
    EXPECT_GE(*std::min_element(scaled.factors.begin(), scaled.factors.end()), 1.0);
    EXPECT_LE(duration_factor(scaled, path), uniform * (1.0 + 1e-9));
    if (duration_factor(scaled, path) < 0.97 * uniform) ++faster;
    const auto [effort, velocity] = ratios(scaled.path, 8);
    EXPECT_LE(effort, 1.0 + 1e-12);
    EXPECT_LE(velocity, 1.0 + 1e-12);
    EXPECT_NEAR(effort, scaled.largest_effort_ratio, 1e-9);
    for (std::size_t i = 0; i < path.q.size(); ++i) {
      EXPECT_EQ(scaled.path.q[i / 3 * pieces * 3 + i % 3], path.q[i]) << "given points are kept";
    }
    // segments last as long as their factors say
    for (std::size_t k = 0; k + 1 < path.points() && pieces == 1; ++k) {
      EXPECT_NEAR(to_seconds(scaled.path.times[k + 1] - scaled.path.times[k]),
                  to_seconds(path.times[k + 1] - path.times[k]) * scaled.factors[k], 4e-9);
    }
  });
  EXPECT_GT(faster, 20) << "slow only where the limits require it";
}

TEST_F(Crane, MoreInteriorPointsKeepCloserToThePath) {
  std::mt19937 random(3);
  int compared = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const TimedPath path = random_path(random, 0);
    TimeScalingOptions options;
    options.method = Method::per_segment;
    options.interior_points = 2;
    const ScaledPath coarse = scale(model, path, options);
    ASSERT_EQ(coarse.outcome, Outcome::success) << coarse.message;
    options.interior_points = 30;
    const ScaledPath fine = scale(model, path, options);
    ASSERT_EQ(fine.outcome, Outcome::success) << fine.message;
    EXPECT_LT(fine.path_deviation, 1e-3);
    if (coarse.path_deviation > 0.0) {  // 0: uniform scaling was the best
      EXPECT_LT(fine.path_deviation, 0.1 * coarse.path_deviation);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST_F(Crane, AStraightPathStaysStraight) {
  TimedPath path;
  for (int k = 0; k <= 6; ++k) {
    const double s = k / 6.0, share = s * s * (3.0 - 2.0 * s);
    path.times.push_back(nanoseconds(0.6 * s));
    for (const double q : {2.0 * share, 0.3 + share, 0.4 * share}) path.q.push_back(q);
  }
  TimeScalingOptions options;
  options.method = Method::per_segment;
  options.effort_share = 0.9;
  options.velocity_share = 0.8;
  const ScaledPath scaled = scale(model, path, options);
  ASSERT_EQ(scaled.outcome, Outcome::success) << scaled.message;
  EXPECT_GT(duration_factor(scaled, path), 1.1);
  EXPECT_LT(scaled.path_deviation, 1e-12);
  EXPECT_LE(scaled.largest_effort_ratio, 0.9);
  EXPECT_LE(scaled.largest_velocity_ratio, 0.8);
}

}  // namespace
}  // namespace dynamics::test
