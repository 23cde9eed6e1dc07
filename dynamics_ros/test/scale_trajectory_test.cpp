// SPDX-License-Identifier: Apache-2.0
// ScaleTrajectory as a message; the scaling itself is tested in dynamics_core/test/trajectory.
#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/trajectory_efforts.hpp>
#include <limits>
#include <string>
#include <vector>

#include "dynamics_ros/dynamics_server.hpp"
#include "messages.hpp"
#include "robots.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::msg::ResultCode;
using dynamics_msgs::srv::ScaleTrajectory;

constexpr std::uint8_t methods[] = {ScaleTrajectory::Request::UNIFORM,
                                    ScaleTrajectory::Request::PER_SEGMENT};

ScaleTrajectory::Response scale(const char* urdf, const ScaleTrajectory::Request& request) {
  DynamicsServer server({});
  EXPECT_EQ(server.set_description(urdf).code, ResultCode::SUCCESS);
  ScaleTrajectory::Response response;
  server.scale_trajectory(request, response);
  return response;
}

/// From hanging at rest to an angle, at rest: 3 s^2 - 2 s^3 of it.
ScaleTrajectory::Request swing(double angle, double duration) {
  ScaleTrajectory::Request request;
  request.trajectory.joint_names = {"swing"};
  request.trajectory.points = {point(0.0, {0.0}), point(duration, {angle})};
  return request;
}

TEST(ScaleTrajectory, AnswersWithTheSlowedTrajectoryAndItsVerdict) {
  // the effort is largest at the start, without weight and friction: 0.65 * 6 angle / T^2
  const double factor = std::sqrt(0.65 * 6.0 * 0.2 / (0.2 * 0.2) / 12.0);
  auto request = swing(0.2, 0.2);
  request.trajectory.header.frame_id = "base";
  const auto response = scale(pendulum, request);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  ASSERT_EQ(response.factors.size(), 1u);
  EXPECT_NEAR(response.factors[0], factor, 1e-8);
  EXPECT_NEAR(response.duration_factor, factor, 1e-8);
  EXPECT_LE(response.largest_effort_ratio, 1.0);
  EXPECT_NEAR(response.largest_effort_ratio, 1.0, 1e-7);
  EXPECT_TRUE(response.verdict.within_limits);
  EXPECT_EQ(response.trajectory.header, request.trajectory.header);
  EXPECT_NEAR(response.trajectory.points[0].effort[0], 12.0, 1e-6);
  EXPECT_NEAR(seconds_of(response.trajectory.points[1]), 0.2 * factor, 2e-9);
  EXPECT_EQ(response.trajectory.points[1].positions, std::vector<double>{0.2});
  EXPECT_TRUE(response.trajectory.points[1].accelerations.empty());
  EXPECT_EQ(response.path_deviation, 0.0);
  EXPECT_TRUE(response.velocities_from_spline);
  EXPECT_TRUE(response.accelerations_from_spline);
}

TEST(ScaleTrajectory, WithinTheLimitsReturnsTheSameTimes) {
  for (const std::uint8_t method : methods) {
    auto request = swing(0.4, 2.0);
    request.method = method;
    const auto response = scale(pendulum, request);
    ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
    EXPECT_EQ(response.factors, std::vector<double>{1.0});
    EXPECT_EQ(response.duration_factor, 1.0);
    EXPECT_EQ(response.trajectory.points[1].time_from_start,
              request.trajectory.points[1].time_from_start);
  }
}

TEST(ScaleTrajectory, LimitsNotMetComesWithTheVerdictOnTheRequest) {
  for (const std::uint8_t method : methods) {
    auto request = swing(1.5, 0.5);
    request.method = method;
    request.effort_share = 0.5;  // 6 of the 9.79 N m
    const auto response = scale(pendulum, request);
    EXPECT_EQ(response.result.code, ResultCode::LIMITS_NOT_MET);
    for (const char* word : {"gravity alone", "'swing'", "trajectory.points[", "6 N m"}) {
      EXPECT_NE(response.result.message.find(word), std::string::npos) << response.result.message;
    }
    ScaleTrajectory::Response nothing_else;
    nothing_else.result = response.result;
    nothing_else.verdict = response.verdict;
    EXPECT_EQ(response, nothing_else);
    EXPECT_EQ(response.verdict.joint_names, std::vector<std::string>{"swing"});
    EXPECT_FALSE(response.verdict.within_limits);
  }
}

TEST(ScaleTrajectory, TriesNoLargerFactorThanRequested) {
  DynamicsServer server({});
  ASSERT_EQ(server.set_description(pendulum).code, ResultCode::SUCCESS);
  auto request = swing(0.2, 0.02);  // needs sqrt(162.5)
  request.largest_factor = 5.0;
  ScaleTrajectory::Response response;
  server.scale_trajectory(request, response);
  EXPECT_EQ(response.result.code, ResultCode::LIMITS_NOT_MET);
  EXPECT_NE(response.result.message.find("'swing' at trajectory.points[0]"), std::string::npos)
      << response.result.message;
  EXPECT_NE(response.result.message.find("12.7"), std::string::npos) << response.result.message;
  request.largest_factor = 13.0;
  server.scale_trajectory(request, response);
  EXPECT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
}

TEST(ScaleTrajectory, EndsWithinAMessagesTime) {
  auto request = swing(0.2, 0.02);
  request.trajectory.points[0].time_from_start.sec = 2'000'000'000;
  request.trajectory.points[1].time_from_start.sec = 2'000'000'000;
  const auto response = scale(pendulum, request);
  EXPECT_EQ(response.result.code, ResultCode::LIMITS_NOT_MET);
  EXPECT_NE(response.result.message.find("2147483647 s"), std::string::npos)
      << response.result.message;
}

/// Every option reaches the core: the answer is the core's, joint by joint.
TEST(ScaleTrajectory, IsTheCoresAnswerInTheRequestsOrder) {
  const dynamics::Model model = dynamics::model_from_urdf(crane);
  dynamics::BatchWorkspace workspace(model);
  ScaleTrajectory::Request request;
  request.trajectory.joint_names = {"lift", "turn", "reach"};
  dynamics::TimedPath path;
  for (int k = 0; k <= 6; ++k) {
    // a cubic from rest to rest, with its derivatives
    const double s = k / 6.0, share = s * s * (3.0 - 2.0 * s);
    const double rate = 6.0 * s * (1.0 - s) / 0.6, change = (6.0 - 12.0 * s) / 0.36;
    const std::vector<double> q = {0.3 + share, 2.0 * share, 0.4 * share};
    const std::vector<double> qd = {rate, 2.0 * rate, 0.4 * rate};
    const std::vector<double> qdd = {change, 2.0 * change, 0.4 * change};
    request.trajectory.points.push_back(point(0.6 * s, q, qd, qdd));
    path.times.push_back(std::llround(0.6e9 * s));
    for (const std::size_t i : {1U, 0U, 2U}) {
      path.q.push_back(q[i]);
      path.qd.push_back(qd[i]);
      path.qdd.push_back(qdd[i]);
    }
  }
  request.method = ScaleTrajectory::Request::PER_SEGMENT;
  request.without_friction = true;
  request.effort_share = 0.9;
  request.velocity_share = 0.8;
  request.interior_points = 3;
  dynamics::TimeScalingOptions options;
  options.method = dynamics::TimeScalingOptions::Method::per_segment;
  options.friction = false;
  options.effort_share = 0.9;
  options.velocity_share = 0.8;
  options.interior_points = 3;
  const auto expected = dynamics::scale_time(model, workspace, path, options);
  const auto response = scale(crane, request);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  ASSERT_EQ(expected.outcome, dynamics::ScaledPath::Outcome::success) << expected.message;
  EXPECT_EQ(response.trajectory.joint_names, request.trajectory.joint_names);
  EXPECT_EQ(response.factors, expected.factors);
  EXPECT_EQ(response.largest_effort_ratio, expected.largest_effort_ratio);
  EXPECT_EQ(response.largest_velocity_ratio, expected.largest_velocity_ratio);
  EXPECT_EQ(response.path_deviation, expected.path_deviation);
  EXPECT_GT(response.path_deviation, 0.0);
  EXPECT_GT(response.duration_factor, 1.1);
  EXPECT_FALSE(response.velocities_from_spline);
  EXPECT_FALSE(response.accelerations_from_spline);
  ASSERT_EQ(response.trajectory.points.size(), 25u);
  for (std::size_t k = 0; k < 25; ++k) {
    const auto& made = response.trajectory.points[k];
    EXPECT_EQ(std::llround(seconds_of(made) * 1e9), expected.path.times[k]);
    const double* q = &expected.path.q[3 * k];
    const double* qd = &expected.path.qd[3 * k];
    const double* qdd = &expected.path.qdd[3 * k];
    EXPECT_EQ(made.positions, (std::vector<double>{q[1], q[0], q[2]}));
    EXPECT_EQ(made.velocities, (std::vector<double>{qd[1], qd[0], qd[2]}));
    EXPECT_EQ(made.accelerations, (std::vector<double>{qdd[1], qdd[0], qdd[2]}));
    EXPECT_EQ(made.effort.size(), 3u);
  }
}

TEST(ScaleTrajectory, AnswersForTheJointsThatMove) {
  ScaleTrajectory::Request request;
  request.trajectory.joint_names = {"lift"};
  request.trajectory.points = {point(0.0, {0.2}), point(0.1, {0.5}), point(0.3, {1.2})};
  request.other_joints.joint_names = {"turn", "reach"};
  request.other_joints.positions = {0.1, 0.2};
  const auto response = scale(crane, request);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS) << response.result.message;
  EXPECT_GT(response.factors[0], 1.0);
  EXPECT_EQ(response.trajectory.points[1].positions.size(), 1u);
  EXPECT_EQ(response.trajectory.points[1].effort.size(), 1u);
  EXPECT_EQ(response.verdict.joint_names, std::vector<std::string>{"lift"});
}

}  // namespace
}  // namespace dynamics_ros::test
