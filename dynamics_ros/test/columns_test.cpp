// SPDX-License-Identifier: Apache-2.0
// Trajectories in columns: the same answers as for a JointTrajectory, and their faults.
#include <gtest/gtest.h>

#include <dynamics_core/view.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "messages.hpp"
#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::msg::JointTrajectoryColumns;
using trajectory_msgs::msg::JointTrajectory;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

JointTrajectory motion(bool velocities, bool accelerations) {
  JointTrajectory trajectory;
  trajectory.joint_names = {"lift", "turn", "reach"};
  for (int k = 0; k < 20; ++k) {
    const double s = 0.05 * k;
    trajectory.points.push_back(point(0.1 * k, {s * s, -s, 0.3 * s}));
    if (velocities) trajectory.points.back().velocities = {0.4 * s, -0.5, 0.1};
    if (accelerations) trajectory.points.back().accelerations = {0.2, 0.0, s};
  }
  return trajectory;
}

JointTrajectoryColumns columns_of(const JointTrajectory& trajectory) {
  JointTrajectoryColumns columns;
  columns.joint_names = trajectory.joint_names;
  const auto add = [](std::vector<double>& matrix, const std::vector<double>& row) {
    matrix.insert(matrix.end(), row.begin(), row.end());
  };
  for (const auto& at : trajectory.points) {
    columns.time_from_start.push_back(at.time_from_start);
    add(columns.positions, at.positions);
    add(columns.velocities, at.velocities);
    add(columns.accelerations, at.accelerations);
    add(columns.effort, at.effort);
  }
  return columns;
}

class Columns : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS); }
  DynamicsServer server{[] {
    ServerOptions options;
    options.largest_request = 100;
    return options;
  }()};
};

TEST_F(Columns, EffortsAreThoseOfTheTrajectory) {
  for (const bool velocities : {true, false}) {
    for (const bool accelerations : {true, false}) {
      InverseDynamics::Request by_points, by_columns;
      by_points.trajectory = motion(velocities, accelerations);
      by_columns.columns = columns_of(by_points.trajectory);
      by_points.return_parts = by_columns.return_parts = true;
      InverseDynamics::Response points, columns;
      server.inverse_dynamics(by_points, points);
      server.inverse_dynamics(by_columns, columns);
      ASSERT_EQ(columns.result, ResultCode()) << columns.result.message;
      EXPECT_EQ(columns.effort, columns_of(points.trajectory).effort);
      EXPECT_EQ(columns.effort.size(), 60u);
      EXPECT_EQ(columns.trajectory, JointTrajectory());
      EXPECT_TRUE(points.effort.empty());
      EXPECT_EQ(columns.parts, points.parts);
      EXPECT_EQ(columns.verdict, points.verdict);
      EXPECT_EQ(columns.velocities_from_spline, !velocities);
      EXPECT_EQ(columns.accelerations_from_spline, !accelerations);

      CheckTorqueLimits::Request check;
      check.columns = by_columns.columns;
      CheckTorqueLimits::Response verdict;
      server.check_torque_limits(check, verdict);
      EXPECT_EQ(verdict.result, ResultCode());
      EXPECT_EQ(verdict.verdict, points.verdict);
    }
  }
}

TEST_F(Columns, AMovedRequestGivesTheSameResponse) {
  InverseDynamics::Request request;
  request.trajectory = motion(true, true);
  InverseDynamics::Response copied, moved;
  server.inverse_dynamics(request, copied);
  const auto* points = request.trajectory.points.data();
  server.inverse_dynamics(std::move(request), moved);
  EXPECT_EQ(moved, copied);
  EXPECT_EQ(moved.trajectory.points.data(), points) << "not copied";
}

TEST_F(Columns, ScaledTrajectoriesAreThoseOfTheTrajectory) {
  for (const bool accelerations : {true, false}) {
    ScaleTrajectory::Request by_points, by_columns;
    by_points.trajectory = motion(true, accelerations);
    by_columns.columns = columns_of(by_points.trajectory);
    by_points.effort_share = by_columns.effort_share = 0.55;
    by_points.interior_points = by_columns.interior_points = 1;
    by_points.method = by_columns.method = ScaleTrajectory::Request::PER_SEGMENT;
    ScaleTrajectory::Response points, columns;
    server.scale_trajectory(by_points, points);
    server.scale_trajectory(by_columns, columns);
    ASSERT_EQ(columns.result, ResultCode()) << columns.result.message;
    EXPECT_GT(columns.duration_factor, 1.0);
    EXPECT_EQ(columns.columns, columns_of(points.trajectory));
    EXPECT_EQ(columns.columns.time_from_start.size(), 39u);
    EXPECT_EQ(columns.trajectory, JointTrajectory());
    columns.trajectory = points.trajectory;
    points.columns = columns.columns;
    EXPECT_EQ(columns, points) << "all else is the same";
  }
}

TEST_F(Columns, ClosedLoopsFollowTheIndependentJoint) {
  ASSERT_EQ(server.set_description(four_bar()).code, ResultCode::SUCCESS);
  InverseDynamics::Request by_points, by_columns;
  by_points.trajectory.joint_names = {"crank"};
  by_points.trajectory.points = {point(0.0, {0.1}), point(0.5, {0.4}), point(1.0, {0.2})};
  by_columns.columns = columns_of(by_points.trajectory);
  InverseDynamics::Response points, columns;
  server.inverse_dynamics(by_points, points);
  server.inverse_dynamics(by_columns, columns);
  ASSERT_EQ(columns.result, ResultCode()) << columns.result.message;
  EXPECT_EQ(columns.effort, columns_of(points.trajectory).effort);
}

TEST_F(Columns, FaultsNameColumnPointAndJoint) {
  struct Case {
    std::function<void(InverseDynamics::Request&)> spoil;
    std::int32_t code;
    std::vector<std::string> words;
  };
  const std::vector<Case> cases = {
      {[](auto& r) { r.trajectory.joint_names = {"lift"}; },
       ResultCode::INVALID_VALUE,
       {"both trajectory and columns"}},
      {[](auto& r) { r.columns.joint_names.clear(); },
       ResultCode::EMPTY_REQUEST,
       {"columns.joint_names is empty"}},
      {[](auto& r) { r.columns.joint_names[1] = "tail"; },
       ResultCode::UNKNOWN_JOINT,
       {"columns.joint_names[1]", "'tail'"}},
      {[](auto& r) { r.columns.joint_names[1] = "lift"; },
       ResultCode::DUPLICATE_JOINT,
       {"columns.joint_names[1]", "'lift'"}},
      {[](auto& r) { r.columns.joint_names.pop_back(); },
       ResultCode::MISSING_JOINT,
       {"neither columns nor other_joints", "'reach'"}},
      {[](auto& r) { r.columns.time_from_start.clear(); },
       ResultCode::EMPTY_REQUEST,
       {"columns.time_from_start is empty"}},
      {[](auto& r) { r.columns.time_from_start.resize(101); },
       ResultCode::TOO_LARGE,
       {"columns.time_from_start has 101"}},
      {[](auto& r) { r.columns.time_from_start[7] = r.columns.time_from_start[6]; },
       ResultCode::TIME_NOT_INCREASING,
       {"columns.time_from_start[7]", "that of the point before"}},
      {[](auto& r) { r.columns.time_from_start[0].sec = -1; },
       ResultCode::TIME_NOT_INCREASING,
       {"columns.time_from_start[0]", "0 or more"}},
      {[](auto& r) { r.columns.positions.pop_back(); },
       ResultCode::WRONG_SIZE,
       {"columns.positions has 59 entries, not 60: 20 points of 3 joints"}},
      {[](auto& r) { r.columns.velocities.resize(3); },
       ResultCode::WRONG_SIZE,
       {"columns.velocities has 3 entries"}},
      {[](auto& r) { r.columns.accelerations[31] = nan; },
       ResultCode::NOT_FINITE,
       {"columns.accelerations[31], point 10, of joint 'turn' is nan"}},
      {[](auto& r) { r.columns.velocities[6] = 1e300; },
       ResultCode::NO_SOLUTION,
       {"columns.points[2]", "joint '"}},
  };
  for (const auto& fault : cases) {
    InverseDynamics::Request request;
    request.columns = columns_of(motion(true, true));
    fault.spoil(request);
    InverseDynamics::Response response;
    server.inverse_dynamics(request, response);
    EXPECT_EQ(response.result.code, fault.code) << response.result.message;
    for (const auto& word : fault.words) {
      EXPECT_NE(response.result.message.find(word), std::string::npos)
          << word << ": " << response.result.message;
    }
    InverseDynamics::Response nothing_else;
    nothing_else.result = response.result;
    EXPECT_EQ(response, nothing_else);
  }
}

}  // namespace
}  // namespace dynamics_ros::test
