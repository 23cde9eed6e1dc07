// SPDX-License-Identifier: Apache-2.0
// Slowing down: closed forms of a pendulum, and every result judged again with the core alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/from_urdf.hpp>
#include <dynamics_core/inverse_dynamics.hpp>
#include <dynamics_core/maximum.hpp>
#include <dynamics_core/trajectory.hpp>
#include <random>
#include <string>
#include <vector>

#include "../src/rate_profile.hpp"
#include "dynamics_ros/dynamics_server.hpp"
#include "messages.hpp"
#include "robots.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::msg::ResultCode;
using dynamics_msgs::srv::ScaleTrajectory;
using Points = std::vector<trajectory_msgs::msg::JointTrajectoryPoint>;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

ScaleTrajectory::Response scale(const DynamicsServer& server,
                                const ScaleTrajectory::Request& request) {
  ScaleTrajectory::Response response;
  server.scale_trajectory(request, response);
  return response;
}

// ---- the pendulum: inertia 0.65 kg m^2 at the joint, weight 9.81 N m, limits 12 N m and 3 rad/s

class Pendulum : public ::testing::Test {
 protected:
  void describe(const std::string& urdf) {
    ASSERT_EQ(server.set_description(urdf).code, ResultCode::SUCCESS);
  }
  /// From hanging at rest to an angle, at rest: 3 s^2 - 2 s^3 of it.
  static ScaleTrajectory::Request swing(double angle, double duration) {
    ScaleTrajectory::Request request;
    request.trajectory.joint_names = {"swing"};
    request.trajectory.points = {point(0.0, {0.0}), point(duration, {angle})};
    return request;
  }
  DynamicsServer server{{}};
};

TEST_F(Pendulum, EffortLimitInClosedForm) {
  describe(pendulum);
  // the first instant asks for the most: no weight, no friction yet, 6 angle / T^2
  const double asked = 0.65 * 6.0 * 0.2 / (0.2 * 0.2);
  const auto response = scale(server, swing(0.2, 0.2));
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  ASSERT_EQ(response.factors.size(), 1u);
  const double factor = std::sqrt(asked / 12.0);
  EXPECT_NEAR(response.factors[0], factor, 1e-8);
  EXPECT_NEAR(response.duration_factor, factor, 1e-8);
  EXPECT_LE(response.largest_effort_ratio, 1.0);
  EXPECT_NEAR(response.largest_effort_ratio, 1.0, 1e-7);
  EXPECT_TRUE(response.verdict.within_limits);
  EXPECT_NEAR(response.trajectory.points[0].effort[0], 12.0, 1e-6);
  EXPECT_NEAR(seconds_of(response.trajectory.points[1]), 0.2 * factor, 2e-9);
  EXPECT_EQ(response.trajectory.points[1].positions, std::vector<double>{0.2});
  EXPECT_TRUE(response.trajectory.points[1].accelerations.empty());
  EXPECT_EQ(response.path_deviation, 0.0);
  EXPECT_TRUE(response.velocities_from_spline);
}

TEST_F(Pendulum, VelocityLimitInClosedForm) {
  describe(replaced(pendulum, "effort=\"12\"", "effort=\"1200\""));
  auto request = swing(1.0, 0.3);  // fastest in the middle: 1.5 / 0.3 = 5 rad/s
  EXPECT_NEAR(scale(server, request).factors[0], 5.0 / 3.0, 1e-8);
  request.velocity_share = 0.5;
  const auto response = scale(server, request);
  EXPECT_NEAR(response.factors[0], 10.0 / 3.0, 1e-8);
  EXPECT_NEAR(response.largest_velocity_ratio, 0.5, 1e-7);
  EXPECT_LE(response.largest_velocity_ratio, 0.5);
}

TEST_F(Pendulum, FrictionCounts) {
  // a steady turn through the bottom: damping and Coulomb friction alone, 0.7 v + 0.3
  describe(replaced(pendulum, "effort=\"12\"", "effort=\"1.7\""));
  ScaleTrajectory::Request request;
  request.trajectory.joint_names = {"swing"};
  request.trajectory.points = {point(0.0, {-0.01}, {2.5}), point(0.008, {0.01}, {2.5})};
  const auto response = scale(server, request);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  // fastest where the weight resists the most, at its end
  const double v = 2.5 / response.factors[0];
  EXPECT_NEAR(0.7 * v + 0.3 * v / std::hypot(v, 0.01) + 9.81 * std::sin(0.01), 1.7, 1e-3);
  request.without_friction = true;
  EXPECT_EQ(scale(server, request).factors[0], 1.0);
}

TEST_F(Pendulum, WithinTheLimitsNothingChanges) {
  describe(pendulum);
  for (const std::uint8_t method :
       {ScaleTrajectory::Request::UNIFORM, ScaleTrajectory::Request::PER_SEGMENT}) {
    auto request = swing(0.4, 2.0);
    request.method = method;
    const auto response = scale(server, request);
    ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
    EXPECT_EQ(response.factors, std::vector<double>{1.0});
    EXPECT_EQ(response.duration_factor, 1.0);
    EXPECT_EQ(response.trajectory.points[1].time_from_start,
              request.trajectory.points[1].time_from_start);
  }
}

TEST_F(Pendulum, GravityAloneIsTooMuch) {
  describe(pendulum);
  for (const std::uint8_t method :
       {ScaleTrajectory::Request::UNIFORM, ScaleTrajectory::Request::PER_SEGMENT}) {
    auto request = swing(1.5, 0.5);
    request.method = method;
    request.effort_share = 0.5;  // 6 of the 9.79 N m
    const auto response = scale(server, request);
    EXPECT_EQ(response.result.code, ResultCode::LIMITS_NOT_MET);
    for (const char* word : {"gravity alone", "'swing'", "points[", "6 N m"}) {
      EXPECT_NE(response.result.message.find(word), std::string::npos) << response.result.message;
    }
    EXPECT_TRUE(response.trajectory.points.empty());
    EXPECT_EQ(response.verdict.joint_names, std::vector<std::string>{"swing"});
    EXPECT_FALSE(response.verdict.within_limits);  // of the request's trajectory
  }
}

TEST_F(Pendulum, TheLargestFactorIsKept) {
  describe(pendulum);
  auto request = swing(0.2, 0.02);  // asks for sqrt(162.5)
  request.largest_factor = 5.0;
  auto response = scale(server, request);
  EXPECT_EQ(response.result.code, ResultCode::LIMITS_NOT_MET);
  EXPECT_NE(response.result.message.find("'swing' at trajectory.points[0]"), std::string::npos)
      << response.result.message;
  EXPECT_NE(response.result.message.find("12.7"), std::string::npos) << response.result.message;
  request.method = ScaleTrajectory::Request::PER_SEGMENT;
  EXPECT_EQ(scale(server, request).result.code, ResultCode::LIMITS_NOT_MET);
  request.largest_factor = 13.0;
  EXPECT_EQ(scale(server, request).result.code, ResultCode::SUCCESS);
}

TEST_F(Pendulum, AJointThatMustNotMove) {
  describe(replaced(pendulum, "velocity=\"3\"", "velocity=\"0\""));
  const auto response = scale(server, swing(0.2, 1.0));
  EXPECT_EQ(response.result.code, ResultCode::LIMITS_NOT_MET);
  EXPECT_NE(response.result.message.find("velocity limit is 0"), std::string::npos)
      << response.result.message;
}

// ---- the crane, judged by the core alone

class Slowed : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS); }

  static dynamics::Knots knots_of(const Points& points) {
    dynamics::Knots knots;
    for (const auto& at : points) {
      knots.t.push_back(seconds_of(at));
      knots.q.push_back(at.positions);
      if (!at.velocities.empty()) knots.qd.push_back(at.velocities);
      if (!at.accelerations.empty()) knots.qdd.push_back(at.accelerations);
    }
    return knots;
  }

  /// Largest effort and velocity against the limits, at so many places of each segment.
  std::pair<double, double> ratios(const Points& points, int places, bool friction = true) {
    const auto motion = dynamics::knot_trajectory(knots_of(points));
    dynamics::Conditions conditions;
    conditions.friction = friction;
    std::pair<double, double> largest = {0.0, 0.0};
    std::vector<double> q(3), qd(3), qdd(3), tau(3);
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      const double begin = seconds_of(points[k]), end = seconds_of(points[k + 1]);
      for (int i = 0; i <= places; ++i) {
        const double t = i == places ? std::nextafter(end, begin)
                                     : begin + (end - begin) * i / static_cast<double>(places);
        motion->at(t, q, qd, qdd);
        dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau, conditions);
        for (std::size_t j = 0; j < 3; ++j) {
          const auto& joint = model.coordinates()[j];
          largest.first =
              dynamics::max_propagating_nan(largest.first, std::abs(tau[j]) / joint.effort);
          largest.second =
              dynamics::max_propagating_nan(largest.second, std::abs(qd[j]) / joint.velocity);
        }
      }
    }
    return largest;
  }

  ScaleTrajectory::Request random_request(std::mt19937& random, int kind) {
    std::uniform_real_distribution<double> unit(-1.0, 1.0);
    ScaleTrajectory::Request request;
    request.trajectory.joint_names = {"turn", "lift", "reach"};
    const int count = 3 + static_cast<int>(random() % 12);
    double t = 0.0;
    for (int k = 0; k < count; ++k) {
      auto at = point(t, {2.0 * unit(random), 0.9 + 0.5 * unit(random), 0.3 + 0.2 * unit(random)});
      if (kind > 0) at.velocities = {unit(random), unit(random), 0.3 * unit(random)};
      if (kind > 1) at.accelerations = {unit(random), unit(random), unit(random)};
      request.trajectory.points.push_back(at);
      t += 0.3 + 0.2 * unit(random);
    }
    return request;
  }

  DynamicsServer server{{}};
  dynamics::Model model = dynamics::model_from_urdf(crane);
  dynamics::Workspace workspace{model};
};

TEST_F(Slowed, UniformIsWithinTheLimitsAndNoSlowerThanNeeded) {
  std::mt19937 random(1);
  int slowed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const auto request = random_request(random, trial % 3);
    const auto response = scale(server, request);
    ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
    const double factor = response.factors.at(0);
    const auto [effort, velocity] = ratios(response.trajectory.points, 8);
    EXPECT_LE(effort, 1.0 + 1e-12);
    EXPECT_LE(velocity, 1.0 + 1e-12);
    EXPECT_NEAR(effort, response.largest_effort_ratio, 1e-9);
    EXPECT_NEAR(velocity, response.largest_velocity_ratio, 1e-9);
    const auto [dense_effort, dense_velocity] = ratios(response.trajectory.points, 400);
    EXPECT_LE(dense_effort, 1.05) << "between the places that are judged";
    EXPECT_LE(dense_velocity, 1.02);
    if (factor == 1.0) continue;
    ++slowed;
    EXPECT_NEAR(dynamics::max_propagating_nan(effort, velocity), 1.0, 1e-5) << "a limit is reached";
    // the same path: the spline at the same share of the time
    const auto before = dynamics::knot_trajectory(knots_of(request.trajectory.points));
    const auto after = dynamics::knot_trajectory(knots_of(response.trajectory.points));
    std::vector<double> q(3), slow(3), rate(3), unused(3), slow_rate(3);
    const double end = seconds_of(request.trajectory.points.back());
    for (double t = 0.0; t <= end; t += end / 57.0) {
      before->at(t, q, rate, unused);
      after->at(t * response.duration_factor, slow, slow_rate, unused);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(slow[j], q[j], 1e-6);
        EXPECT_NEAR(slow_rate[j] * factor, rate[j], 1e-5);
      }
    }
  }
  EXPECT_GT(slowed, 40);
}

TEST_F(Slowed, PerSegmentIsWithinTheLimitsAndNeverSlowerThanUniform) {
  std::mt19937 random(2);
  int faster = 0;
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    auto request = random_request(random, trial % 3);
    request.interior_points = trial % 2 == 0 ? 0 : 5;
    const double uniform = scale(server, request).duration_factor;
    request.method = ScaleTrajectory::Request::PER_SEGMENT;
    const auto response = scale(server, request);
    ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
    const auto& made = response.trajectory.points;
    const std::size_t pieces = request.interior_points + 1;
    ASSERT_EQ(made.size(), (request.trajectory.points.size() - 1) * pieces + 1);
    ASSERT_EQ(response.factors.size(), made.size() - 1);
    EXPECT_GE(*std::min_element(response.factors.begin(), response.factors.end()), 1.0);
    EXPECT_LE(response.duration_factor, uniform * (1.0 + 1e-9));
    if (response.duration_factor < 0.97 * uniform) ++faster;
    const auto [effort, velocity] = ratios(made, 8);
    EXPECT_LE(effort, 1.0 + 1e-12);
    EXPECT_LE(velocity, 1.0 + 1e-12);
    EXPECT_NEAR(effort, response.largest_effort_ratio, 1e-9);
    for (std::size_t k = 0; k < request.trajectory.points.size(); ++k) {
      EXPECT_EQ(made[k * pieces].positions, request.trajectory.points[k].positions);
    }
    // segments last as long as their factors say, velocities are slowed with them
    for (std::size_t k = 0; k + 1 < made.size() && pieces == 1; ++k) {
      const double before =
          seconds_of(request.trajectory.points[k + 1]) - seconds_of(request.trajectory.points[k]);
      EXPECT_NEAR(seconds_of(made[k + 1]) - seconds_of(made[k]), before * response.factors[k],
                  4e-9);
    }
  }
  EXPECT_GT(faster, 20) << "slow only where it must be";
}

TEST_F(Slowed, MorePointsKeepToThePath) {
  std::mt19937 random(3);
  int compared = 0;
  for (int trial = 0; trial < 6; ++trial) {
    auto request = random_request(random, 0);
    request.method = ScaleTrajectory::Request::PER_SEGMENT;
    request.interior_points = 2;
    const auto coarse = scale(server, request);
    ASSERT_EQ(coarse.result.code, ResultCode::SUCCESS) << coarse.result.message;
    request.interior_points = 30;
    const auto response = scale(server, request);
    ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
    EXPECT_LT(response.path_deviation, 1e-3);
    if (coarse.path_deviation > 0.0) {  // 0: uniform scaling was the best
      EXPECT_LT(response.path_deviation, 0.1 * coarse.path_deviation);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST_F(Slowed, AStraightPathStaysStraight) {
  ScaleTrajectory::Request request;
  request.trajectory.joint_names = {"lift", "turn", "reach"};
  for (int k = 0; k <= 6; ++k) {
    const double s = k / 6.0, share = s * s * (3.0 - 2.0 * s);
    request.trajectory.points.push_back(point(0.6 * s, {0.3 + share, 2.0 * share, 0.4 * share}));
  }
  request.method = ScaleTrajectory::Request::PER_SEGMENT;
  request.effort_share = 0.9;
  request.velocity_share = 0.8;
  const auto response = scale(server, request);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_GT(response.duration_factor, 1.1);
  EXPECT_LT(response.path_deviation, 1e-12);
  EXPECT_LE(response.largest_effort_ratio, 0.9);
  EXPECT_LE(response.largest_velocity_ratio, 0.8);
  EXPECT_EQ(response.trajectory.joint_names, request.trajectory.joint_names);
}

TEST_F(Slowed, StandingJointsAndFriction) {
  ScaleTrajectory::Request request;
  request.trajectory.joint_names = {"lift"};
  request.trajectory.points = {point(0.0, {0.2}), point(0.1, {0.5}), point(0.3, {1.2})};
  request.other_joints.joint_names = {"turn", "reach"};
  request.other_joints.positions = {0.1, 0.2};
  const auto response = scale(server, request);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_GT(response.factors[0], 1.0);
  EXPECT_EQ(response.trajectory.points[1].positions.size(), 1u);
  EXPECT_EQ(response.trajectory.points[1].effort.size(), 1u);
}

// ---- rates by themselves

/// A mass on a straight line, q = u: |M u''| <= L from slow to slow is the trapezoid of full
/// thrust.
TEST(RateProfile, AMassOnALine) {
  constexpr std::size_t stations = 41;
  const double h = 1.0 / (stations - 1), mass = 3.0, force = 2.4, slow = 0.04;
  RateProblem problem;
  problem.smallest.assign(stations, 1e-6);
  problem.largest.assign(stations, 1.0);
  problem.largest.front() = problem.largest.back() = slow;
  problem.segments.assign(stations - 1, {{-mass / (2 * h), mass / (2 * h), -force, force}});
  const RateProfile profile = solve(problem);
  ASSERT_EQ(profile.y.size(), stations);
  for (std::size_t k = 0; k < stations; ++k) {
    const double u = h * static_cast<double>(k), gain = 2.0 * force / mass;
    EXPECT_NEAR(profile.y[k], std::min({1.0, slow + gain * u, slow + gain * (1.0 - u)}), 1e-12);
  }
  // nothing fits: a segment asks for more than any rate gives
  problem.segments[7] = {{1.0, 1.0, 5.0, 6.0}};
  EXPECT_EQ(solve(problem).stuck, 7u);
}

}  // namespace
}  // namespace dynamics_ros::test
