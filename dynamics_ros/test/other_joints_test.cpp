// SPDX-License-Identifier: Apache-2.0
// Where the joints are that a trajectory does not move.
#include <gtest/gtest.h>

#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <limits>
#include <string>
#include <vector>

#include "messages.hpp"
#include "robots.hpp"
#include "services.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::msg::OtherJoints;
using Vector = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class StandingJoints : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS); }

  DynamicsServer server{{}};
  dynamics::Model model = dynamics::model_from_urdf(crane);
  dynamics::Workspace workspace{model};
};

TEST_F(StandingJoints, OtherJointsFromJointStatesOrZero) {
  InverseDynamics::Request part;
  part.trajectory.joint_names = {"lift"};
  part.trajectory.points = {point(0.0, {-0.3}, {0.0}, {0.0})};
  const auto effort_at = [&](double turn, double reach) {
    Vector tau(3);
    dynamics::inverse_dynamics(model, workspace, Vector{turn, -0.3, reach}, Vector(3, 0.0),
                               Vector(3, 0.0), tau);
    return tau[1];
  };
  const auto answer = [&] {
    InverseDynamics::Response response;
    server.inverse_dynamics(part, response);
    return response;
  };
  EXPECT_EQ(answer().result.code, ResultCode::MISSING_JOINT);
  part.other_joints.source = OtherJoints::ZERO;
  ASSERT_EQ(answer().result, ResultCode());
  EXPECT_EQ(answer().trajectory.points[0].effort[0], effort_at(0.0, 0.0));
  part.other_joints.joint_names = {"reach"};
  part.other_joints.positions = {0.5};
  EXPECT_EQ(answer().trajectory.points[0].effort[0], effort_at(0.0, 0.5));

  part.other_joints = OtherJoints();
  part.other_joints.source = OtherJoints::JOINT_STATES;
  auto refused = answer().result;
  EXPECT_EQ(refused.code, ResultCode::NO_JOINT_STATE);
  EXPECT_NE(refused.message.find("'turn'"), std::string::npos) << refused.message;
  sensor_msgs::msg::JointState state;
  state.name = {"reach", "turn", "lift", "of another robot"};
  state.position = {0.25, nan, 1.0, 2.0};
  server.take_joint_states(state);
  EXPECT_EQ(answer().result.code, ResultCode::NO_JOINT_STATE) << "NaN is no position";
  state.name = {"turn", "without a position"};
  state.position = {0.6};
  server.take_joint_states(state);
  ASSERT_EQ(answer().result, ResultCode()) << answer().result.message;
  EXPECT_EQ(answer().trajectory.points[0].effort[0], effort_at(0.6, 0.25));
  part.other_joints.joint_names = {"reach"};
  part.other_joints.positions = {0.5};
  EXPECT_EQ(answer().trajectory.points[0].effort[0], effort_at(0.6, 0.5));
  part.other_joints.source = 3;
  refused = answer().result;
  EXPECT_EQ(refused.code, ResultCode::INVALID_VALUE);
  EXPECT_NE(refused.message.find("other_joints.source is 3"), std::string::npos);
}

TEST_F(StandingJoints, OldJointStatesAreRefused) {
  DynamicsServer impatient([] {
    ServerOptions options;
    options.joint_state_timeout = -1.0;  // older than any
    return options;
  }());
  ASSERT_EQ(impatient.set_description(crane).code, ResultCode::SUCCESS);
  sensor_msgs::msg::JointState state;
  state.name = {"turn", "reach"};
  state.position = {0.1, 0.2};
  InverseDynamics::Request part;
  part.trajectory.joint_names = {"lift"};
  part.trajectory.points = {point(0.0, {-0.3})};
  part.other_joints.source = OtherJoints::JOINT_STATES;
  InverseDynamics::Response response;
  impatient.take_joint_states(state);
  impatient.inverse_dynamics(part, response);
  EXPECT_EQ(response.result.code, ResultCode::NO_JOINT_STATE);
  EXPECT_NE(response.result.message.find("joint_state_timeout"), std::string::npos)
      << response.result.message;
}

TEST_F(StandingJoints, ZeroIsWithinTheLimits) {
  std::string text = crane;
  text.replace(text.find("lower=\"0\" upper=\"0.6\""), 21, "lower=\"0.1\" upper=\"0.6\"");
  ASSERT_EQ(server.set_description(text).code, ResultCode::SUCCESS);
  InverseDynamics::Request part;
  part.trajectory.joint_names = {"lift", "turn"};
  part.trajectory.points = {point(0.0, {-0.3, 0.0}, {0.0, 0.0}, {0.0, 0.0})};
  part.other_joints.source = OtherJoints::ZERO;
  InverseDynamics::Response response;
  server.inverse_dynamics(part, response);
  ASSERT_EQ(response.result, ResultCode()) << response.result.message;
  Vector tau(3);
  dynamics::inverse_dynamics(model, workspace, Vector{0.0, -0.3, 0.1}, Vector(3, 0.0),
                             Vector(3, 0.0), tau);
  EXPECT_NEAR(response.trajectory.points[0].effort[0], tau[1], 1e-12);
}

/// Only independent joints are taken; the others follow from the loop.
TEST_F(StandingJoints, OfClosedLoopsAreTheIndependentOnes) {
  std::string text = four_bar();
  text.insert(text.find("<constraint"), R"(
    <link name="flag"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="wave" type="continuous"><parent link="base"/><child link="flag"/>
      <axis xyz="0 0 1"/></joint>)");
  ASSERT_EQ(server.set_description(text).code, ResultCode::SUCCESS);
  const auto mechanism = dynamics::mechanism_from_urdf(text);
  ASSERT_EQ(mechanism.size(), 2u);
  InverseDynamics::Request part, whole;
  part.trajectory.joint_names = {"wave"};
  part.trajectory.points = {point(0.0, {0.3}, {0.0}, {2.0})};
  part.return_parts = true;
  InverseDynamics::Response response, expected;
  server.inverse_dynamics(part, response);
  EXPECT_EQ(response.result.code, ResultCode::MISSING_JOINT);
  sensor_msgs::msg::JointState state;
  state.name = {"crank"};
  state.position = {0.4};
  server.take_joint_states(state);
  for (const std::uint8_t source : {OtherJoints::ZERO, OtherJoints::JOINT_STATES}) {
    const bool zero = source == OtherJoints::ZERO;
    part.other_joints.source = source;
    server.inverse_dynamics(part, response);
    ASSERT_EQ(response.result, ResultCode()) << response.result.message;
    whole = part;
    whole.other_joints = OtherJoints();
    whole.other_joints.joint_names = {"crank"};
    whole.other_joints.positions = {zero ? mechanism.start()[mechanism.tree().coordinate("crank")]
                                         : 0.4};
    server.inverse_dynamics(whole, expected);
    EXPECT_EQ(response, expected);
  }
}

}  // namespace
}  // namespace dynamics_ros::test
