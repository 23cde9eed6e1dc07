// SPDX-License-Identifier: Apache-2.0
// Gravity compensation: drift, start, friction, limits, payloads, states that are not valid.
#include <dynamics_core/rigid_dynamics.hpp>
#include <limits>

#include "dynamics_controllers/gravity_compensation_controller.hpp"
#include "ros_environment.hpp"

namespace dynamics_controllers::test {
namespace {

using SetPayload = dynamics_msgs::srv::SetNamedPayload;
using dynamics_msgs::msg::ResultCode;

std::unique_ptr<GravityCompensationController> controller() {
  return std::make_unique<GravityCompensationController>();
}

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double x : values) result = std::max(result, std::abs(x));
  return result;
}

double drift(const Loop& loop, const std::vector<double>& q) {
  double result = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i)
    result = std::max(result, std::abs(loop.robot->positions()[i] - q[i]));
  return result;
}

std::vector<double> gravity(const dynamics::Model& model, const std::vector<double>& q) {
  dynamics::Workspace workspace(model);
  std::vector<double> g(q.size());
  dynamics::gravity_forces(model, workspace, q, g);
  return g;
}

TEST(GravityCompensation, DriftsLessThanAMicroradianInTenSeconds) {
  for (const char* name : {"puma", "panda"}) {
    const auto& q = start_of(name);
    Loop loop(controller(), urdf(name));
    ASSERT_TRUE(loop.activate(q)) << name;
    loop.run(10.0);
    EXPECT_LT(drift(loop, q), 1e-6) << name;
    EXPECT_GT(largest(gravity(loop.model(), q)), 5.0) << name;
  }
}

TEST(GravityCompensation, StartsFromTheMeasuredEffort) {
  const auto& q = start_of("puma");
  const auto g = gravity(dynamics::model_from_urdf(urdf("puma")), q);
  Loop loop(controller(), urdf("puma"), {{"blend_time", 0.2}});
  ASSERT_TRUE(loop.activate(q));
  // another load than that of the model was held
  const auto names = loop.model().coordinate_names();
  for (std::size_t i = 0; i < 6; ++i) loop.set_state(names[i], "effort", g[i] + 2.0);
  double before = 0.0;
  for (int k = 0; k < 300; ++k) {
    ASSERT_EQ(loop.update(), return_type::OK);
    const double offset = loop.command(1) - g[1];
    if (k == 0) {
      EXPECT_NEAR(offset, 2.0, 1e-12);
    } else {
      EXPECT_LT(offset, before + 1e-12);
      EXPECT_GT(offset, before - 0.02) << "no jump";
    }
    before = offset;
  }
  EXPECT_NEAR(before, 0.0, 1e-12);
}

TEST(GravityCompensation, StartsAtGravityWithoutMeasuredEffort) {
  const auto& q = start_of("puma");
  Loop loop(controller(), urdf("puma"), {{"start_from_measured_effort", false}});
  ASSERT_TRUE(loop.activate(q));
  EXPECT_EQ(loop.controller->state_interface_configuration().names.size(), 12U);
  ASSERT_EQ(loop.update(), return_type::OK);
  const auto g = gravity(loop.model(), q);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(loop.command(i), g[i], 1e-12);
}

TEST(GravityCompensation, MovesWhenPushedAndStopsByItsDamping) {
  const auto& q = start_of("puma");
  Loop loop(controller(), urdf("puma"), {{"damping", std::vector<double>{5.0}}});
  ASSERT_TRUE(loop.activate(q));
  const dynamics::LinkWrench push[] = {{loop.model().end_effector(),
                                        {Eigen::Vector3d::Zero(), {10.0, 15.0, -10.0}},
                                        dynamics::Axes::local_world_aligned}};
  loop.robot->set_wrenches(push);
  loop.run(0.3);
  loop.robot->set_wrenches({});
  EXPECT_GT(largest(loop.robot->velocities()), 0.05);
  loop.run(20.0);
  EXPECT_GT(drift(loop, q), 0.02);
  EXPECT_LT(largest(loop.robot->velocities()), 1e-4);
}

TEST(GravityCompensation, AddsItsShareOfTheFriction) {
  const auto& q = start_of("panda");
  const std::string text = urdf("panda", true);
  Loop loop(controller(), text,
            {{"friction_compensation", 0.7}, {"start_from_measured_effort", false}});
  ASSERT_TRUE(loop.activate(q));
  loop.set_state("panda_joint2", "velocity", 50.0);
  loop.set_state("panda_joint2", "position", q[1] + 1e-9);
  ASSERT_EQ(loop.update(), return_type::OK);
  const auto g = gravity(loop.model(), q);
  EXPECT_NEAR(loop.command(1) - g[1], 0.7 * 0.43612, 1e-5);
  EXPECT_NEAR(loop.command(2) - g[2], 0.0, 1e-6);
}

TEST(GravityCompensation, AddsEffortReferences) {
  const auto& q = start_of("puma");
  Loop loop(controller(), urdf("puma"), {{"start_from_measured_effort", false}});
  ASSERT_TRUE(loop.activate(q, true));
  const auto g = gravity(loop.model(), q);
  ASSERT_EQ(loop.update(), return_type::OK);
  EXPECT_NEAR(loop.command(0), g[0], 1e-12) << "NaN: none";
  loop.refer("controller/joint1/effort", 3.0);
  ASSERT_EQ(loop.update(), return_type::OK);
  EXPECT_NEAR(loop.command(0), g[0] + 3.0, 1e-12);
}

TEST(GravityCompensation, KeepsWithinTheLimitsWithPriorityToGravity) {
  std::string text = urdf("puma");
  text = std::regex_replace(text, std::regex("effort=\"[^\"]*\""), "effort=\"80\"");
  const auto& q = start_of("puma");
  Loop loop(controller(), text, {{"start_from_measured_effort", false}});
  ASSERT_TRUE(loop.activate(q, true));
  const auto g = gravity(loop.model(), q);
  ASSERT_LT(largest(g), 80.0);
  // joint1 wants 10 times what it has room for, joint2 less than its room
  loop.refer("controller/joint1/effort", 10.0 * (80.0 - g[0]));
  loop.refer("controller/joint2/effort", 2.0);
  ASSERT_EQ(loop.update(), return_type::OK);
  EXPECT_NEAR(loop.command(0), 80.0, 1e-9);
  EXPECT_NEAR(loop.command(1), g[1] + 0.2, 1e-9) << "reduced by the same factor";
  EXPECT_NEAR(loop.command(2), g[2], 1e-9) << "gravity is kept";
}

TEST(GravityCompensation, RefusesLimitsThatCannotCarryTheRobot) {
  const std::string text =
      std::regex_replace(urdf("puma"), std::regex("effort=\"186.4\""), "effort=\"0\"");
  Loop limited(controller(), text), free(controller(), text, {{"limit_efforts", false}}, "free");
  EXPECT_FALSE(limited.configure());
  EXPECT_TRUE(free.configure());
}

TEST(GravityCompensation, WrongPayloadDriftsAsComputed) {
  const auto& q = start_of("panda");
  Loop loop(controller(), urdf("panda"), {{"start_from_measured_effort", false}});
  const dynamics::Model loaded =
      loop.model().with_payload({"panda_link8", 1.5, {0.0, 0.0, 0.1}, Eigen::Matrix3d::Zero()});
  loop.set_robot(loaded);
  ASSERT_TRUE(loop.activate(q));
  dynamics::Workspace workspace(loaded);
  std::vector<double> qdd(7);
  dynamics::forward_dynamics(loaded, workspace, q, std::vector<double>(7, 0.0),
                             gravity(loop.model(), q), qdd);
  loop.run(0.02);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(loop.robot->positions()[i] - q[i], 0.5 * qdd[i] * 0.02 * 0.02,
                0.02 * 0.5 * largest(qdd) * 0.02 * 0.02)
        << i;
  }
}

SetPayload::Request payload(const std::string& name, const std::string& frame, double mass) {
  SetPayload::Request request;
  request.name = name;
  request.payload.frame_id = frame;
  request.payload.inertia.m = mass;
  request.payload.inertia.com.z = 0.1;
  return request;
}

TEST(GravityCompensation, NamedPayloadsAddUpOnARamp) {
  const auto& q = start_of("panda");
  Loop loop(controller(), urdf("panda"),
            {{"start_from_measured_effort", false}, {"payload_ramp_time", 0.1}});
  ASSERT_TRUE(loop.activate(q));
  Spinner spinner(loop);
  const auto with = [&](const std::string& frame, double mass) {
    return gravity(
        loop.model().with_payload({frame, mass, {0.0, 0.0, 0.1}, Eigen::Matrix3d::Zero()}), q);
  };
  const auto g = gravity(loop.model(), q);
  const auto hand = with("panda_link8", 1.0), elbow = with("panda_link4", 2.0);
  ASSERT_EQ(loop.update(), return_type::OK);
  const auto first =
      spinner.call<SetPayload>("/controller/set_payload", payload("gripper", "panda_link8", 1.0));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->result.code, ResultCode::SUCCESS) << first->result.message;
  EXPECT_NEAR(first->total_mass, loop.model().total_mass() + 1.0, 1e-9);
  double before = loop.command(3);
  for (int k = 0; k < 110; ++k) {
    ASSERT_EQ(loop.update(), return_type::OK);
    EXPECT_LT(std::abs(loop.command(3) - before), 0.03 * std::abs(hand[3] - g[3])) << "a ramp";
    before = loop.command(3);
  }
  EXPECT_NEAR(loop.command(3), hand[3], 1e-9);
  const auto second =
      spinner.call<SetPayload>("/controller/set_payload", payload("camera", "panda_link4", 2.0));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->payload_names, (std::vector<std::string>{"camera", "gripper"}));
  for (int k = 0; k < 110; ++k) ASSERT_EQ(loop.update(), return_type::OK);
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(loop.command(i), hand[i] + elbow[i] - g[i], 1e-9) << i;
  // removed with a ramp of its own
  auto remove = payload("gripper", "", 0.0);
  remove.default_ramp_time = false;
  remove.ramp_time = rclcpp::Duration::from_seconds(0.01);
  ASSERT_TRUE(spinner.call<SetPayload>("/controller/set_payload", remove));
  for (int k = 0; k < 15; ++k) ASSERT_EQ(loop.update(), return_type::OK);
  EXPECT_NEAR(loop.command(3), elbow[3], 1e-9);
}

TEST(GravityCompensation, RefusesPayloadsThatAreNone) {
  const auto& q = start_of("panda");
  Loop loop(controller(), urdf("panda"), {{"start_from_measured_effort", false}});
  ASSERT_TRUE(loop.activate(q));
  Spinner spinner(loop);
  const auto refused = [&](const SetPayload::Request& request) {
    const auto response = spinner.call<SetPayload>("/controller/set_payload", request);
    EXPECT_TRUE(response && response->payload_names.empty() && !response->result.message.empty());
    return response ? response->result.code : -1;
  };
  EXPECT_EQ(refused(payload("x", "nowhere", 1.0)), ResultCode::UNKNOWN_FRAME);
  EXPECT_EQ(refused(payload("x", "panda_link8", -1.0)), ResultCode::INVALID_VALUE);
  EXPECT_EQ(refused(payload("", "panda_link8", 1.0)), ResultCode::INVALID_VALUE);
  auto slow = payload("x", "panda_link8", 1.0);
  slow.default_ramp_time = false;
  slow.ramp_time = rclcpp::Duration::from_seconds(-1.0);
  EXPECT_EQ(refused(slow), ResultCode::INVALID_VALUE);
  ASSERT_EQ(loop.update(), return_type::OK);
  EXPECT_NEAR(loop.command(1), gravity(loop.model(), q)[1], 1e-9) << "nothing was changed";
}

TEST(GravityCompensation, RepeatsTheLastEffortsAndThenEndsWithoutAState) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto& q = start_of("puma");
  Loop loop(controller(), urdf("puma"), {{"stale_time", 0.0105}});
  ASSERT_TRUE(loop.activate(q));
  ASSERT_NO_FATAL_FAILURE(loop.run(0.1));
  loop.write_states();
  const double last = loop.command(1);
  loop.set_state("joint3", "velocity", nan);
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(loop.update(), return_type::OK) << k;
    EXPECT_EQ(loop.command(1), last);
  }
  EXPECT_EQ(loop.update(), return_type::ERROR);
  loop.write_states();
  EXPECT_EQ(loop.update(), return_type::OK) << "a valid state again";
}

TEST(GravityCompensation, EndsWhenTheStateIsStale) {
  const auto& q = start_of("puma");
  Loop loop(controller(), urdf("puma"), {{"stale_time", 0.01}});
  ASSERT_TRUE(loop.activate(q));
  for (int k = 0; k < 3000; ++k) ASSERT_EQ(loop.update(), return_type::OK) << "at rest";
  // positions stay the same, although a joint moves by 0.1 rad/s
  loop.set_state("joint2", "velocity", 0.1);
  int cycles = 0;
  while (loop.update() == return_type::OK && cycles < 1000) ++cycles;
  EXPECT_GE(cycles, 10);
  EXPECT_LE(cycles, 30);
}

TEST(GravityCompensation, IsNotActivatedWithoutAState) {
  Loop loop(controller(), urdf("puma"));
  ASSERT_TRUE(loop.configure());
  EXPECT_NE(loop.controller->get_node()->activate().id(), State::PRIMARY_STATE_ACTIVE)
      << "the interfaces are NaN";
}

TEST(GravityCompensation, ControlsSomeJointsOfARobot) {
  const auto& q = start_of("puma");
  const Parameters parameters = {{"joints", std::vector<std::string>{"joint3", "joint2"}},
                                 {"passive_joints", std::vector<std::string>{"joint1"}},
                                 {"start_from_measured_effort", false}};
  Loop loop(controller(), urdf("puma"), parameters);
  ASSERT_TRUE(loop.activate(q));
  EXPECT_EQ(loop.controller->command_interface_configuration().names,
            (std::vector<std::string>{"joint3/effort", "joint2/effort"}));
  ASSERT_EQ(loop.update(), return_type::OK);
  // joint4 to joint6 are assumed to be at zero
  const auto g = gravity(loop.model(), {q[0], q[1], q[2], 0.0, 0.0, 0.0});
  EXPECT_NEAR(loop.command(0), g[2], 1e-12);
  EXPECT_NEAR(loop.command(1), g[1], 1e-12);
}

}  // namespace
}  // namespace dynamics_controllers::test
