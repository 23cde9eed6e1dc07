// SPDX-License-Identifier: Apache-2.0
// The plugin in a resource manager: lifecycle transitions, mode switches, failures, payload topic
// and services.
#include <gtest/gtest.h>

#include <dynamics_core/readers.hpp>
#include <ros2_control_test_assets/descriptions.hpp>

#include "allocations.hpp"
#include "dynamics_sim/system_services.hpp"
#include "manager_fixture.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

using dynamics_msgs::msg::ResultCode;
using lifecycle_msgs::msg::State;
using Reset = dynamics_msgs::srv::ResetSimulation;
using SetState = dynamics_msgs::srv::SetSimulationState;
using Step = dynamics_msgs::srv::StepSimulation;

TEST(ResourceManager, LoadsRunsAndSwitchesModes) {
  Manager manager(arm_urdf(control_block(parameter("limits", "false"))));
  ASSERT_TRUE(manager->are_components_initialized());
  EXPECT_EQ(manager.lifecycle(), State::PRIMARY_STATE_ACTIVE);
  for (const char* name : {"joint1/position", "joint10/velocity", "joint1/effort",
                           "joint10/acceleration", "follower/position", "arm/kinetic_energy"}) {
    EXPECT_TRUE(manager->state_interface_exists(name)) << name;
  }
  ASSERT_TRUE(manager.claim({"joint1/position"}));
  auto command = manager->claim_command_interface("joint1/position");
  ASSERT_TRUE(command.set_value(0.6));
  ASSERT_EQ(manager.cycle(500), return_type::OK);
  EXPECT_NEAR(manager.state("joint1/position"), 0.6, 1e-6);
  EXPECT_TRUE(manager.claim({"joint1/effort"})) << "feed-forward";
  EXPECT_FALSE(manager.claim({"joint1/torque"}));
}

TEST(ResourceManager, PerformsEveryLifecycleTransition) {
  Manager manager(arm_urdf(control_block(parameter("unclaimed", "free"))), false);
  EXPECT_EQ(manager.lifecycle(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_EQ(manager.cycle(3), return_type::OK) << "nothing to do yet";

  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_INACTIVE, "inactive"), return_type::OK);
  EXPECT_EQ(manager.lifecycle(), State::PRIMARY_STATE_INACTIVE);
  EXPECT_EQ(manager.cycle(50), return_type::OK);
  EXPECT_EQ(manager.state("joint1/position"), 0.3) << "inactive: it stands";

  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_ACTIVE, "active"), return_type::OK);
  EXPECT_EQ(manager.cycle(100), return_type::OK);
  const double fallen = manager.state("joint1/position");
  EXPECT_GT(fallen, 0.31);

  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_INACTIVE, "inactive"), return_type::OK);
  EXPECT_EQ(manager.cycle(50), return_type::OK);
  EXPECT_EQ(manager.state("joint1/position"), fallen);
  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_ACTIVE, "active"), return_type::OK);
  EXPECT_EQ(manager.cycle(10), return_type::OK);
  EXPECT_GT(manager.state("joint1/position"), fallen) << "it goes on from there";

  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_UNCONFIGURED, "unconfigured"), return_type::OK);
  EXPECT_EQ(manager.lifecycle(), State::PRIMARY_STATE_UNCONFIGURED);
  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_ACTIVE, "active"), return_type::OK);
  EXPECT_EQ(manager.state("joint1/position"), 0.3) << "configured again: from the beginning";

  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_FINALIZED, "finalized"), return_type::OK);
  EXPECT_EQ(manager.lifecycle(), State::PRIMARY_STATE_FINALIZED);
  EXPECT_EQ(manager.cycle(3), return_type::OK);
}

TEST(ResourceManager, CanBeConfiguredAgainAfterFailure) {
  Manager manager(arm_urdf(control_block(parameter("limits", "false"))));
  ASSERT_TRUE(manager.claim({"joint1/effort"}));
  {
    auto command = manager->claim_command_interface("joint1/effort");
    ASSERT_TRUE(command.set_value(1e300));
    return_type result = return_type::OK;
    for (int k = 0; k < 100 && result == return_type::OK; ++k) result = manager.cycle();
    EXPECT_EQ(result, return_type::ERROR);
  }
  EXPECT_EQ(manager.lifecycle(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_EQ(manager.cycle(3), return_type::OK);
  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_ACTIVE, "active"), return_type::OK);
  EXPECT_EQ(manager.cycle(100), return_type::OK);
  EXPECT_EQ(manager.state("joint1/position"), 0.3) << "claims are forgotten, it holds";
}

TEST(ResourceManager, InvalidModelIsNotLoaded) {
  Manager manager(arm_urdf(control_block(), "", "-2"));
  EXPECT_FALSE(manager->are_components_initialized());
  const auto failure = SystemRegistry::instance().failure();
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->find("upper"), std::string::npos) << *failure;
  EXPECT_EQ(manager.cycle(3), return_type::OK);
}

TEST(ResourceManager, RunsRobotOfTestAssets) {
  std::string block =
      "<ros2_control name='arm' type='system'><hardware><plugin>"
      "dynamics_sim/DynamicsSystem</plugin><param name='limits'>false</param></hardware>";
  for (const char* joint : {"joint1", "joint2", "joint3"}) {
    block += std::string("<joint name='") + joint +
             "'><command_interface name='position'/><state_interface name='position'/>"
             "<state_interface name='velocity'/></joint>";
  }
  Manager manager(std::string(ros2_control_test_assets::urdf_head) + block + "</ros2_control>" +
                  ros2_control_test_assets::urdf_tail);
  ASSERT_TRUE(manager->are_components_initialized());
  ASSERT_TRUE(manager.claim({"joint1/position", "joint2/position"}));
  auto command = manager->claim_command_interface("joint2/position");
  ASSERT_TRUE(command.set_value(0.05));
  ASSERT_EQ(manager.cycle(1000), return_type::OK);
  EXPECT_NEAR(manager.state("joint2/position"), 0.05, 1e-3);
}

dynamics_msgs::msg::Payload load(const std::string& frame, double mass) {
  dynamics_msgs::msg::Payload payload;
  payload.frame_id = frame;
  payload.inertia.m = mass;
  payload.inertia.com.x = 0.5;
  return payload;
}

TEST(ResourceManager, PayloadTopicChangesModel) {
  Manager manager(arm_urdf(control_block(parameter("payload_topic", "/test/payload"))));
  auto& node = manager.node();
  const auto publisher = node.create_publisher<dynamics_msgs::msg::Payload>(
      "/test/payload", rclcpp::QoS(1).transient_local());
  const auto effort = [&] {
    EXPECT_EQ(manager.cycle(), return_type::OK);
    return manager.state("joint1/effort");
  };
  const double bare = effort();
  // gravity torque with the payload
  const auto expected = [&](double mass) {
    auto model = dynamics::model_from_urdf(arm_urdf());
    if (mass > 0.0) {
      model = model.with_payload({"lower", mass, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()});
    }
    dynamics::RealTimeSimulation arm(model, {});
    arm.reset(std::vector{0.3, -0.4}, std::vector{0.0, 0.0});
    arm.commands()[0] = dynamics::JointCommand::position(0.3);
    arm.commands()[1] = dynamics::JointCommand::position(-0.4);
    EXPECT_TRUE(arm.evaluate());
    return arm.efforts()[0];
  };
  EXPECT_NEAR(bare, expected(0.0), 1e-9);
  publisher->publish(load("lower", 0.2));
  EXPECT_TRUE(eventually([&] { return std::abs(effort() - expected(0.2)) < 1e-9; }));
  // an invalid payload is rejected and the previous one kept
  publisher->publish(load("nowhere", 0.3));
  publisher->publish(load("lower", -1.0));
  publisher->publish(load("lower", 0.4));
  EXPECT_TRUE(eventually([&] { return std::abs(effort() - expected(0.4)) < 1e-9; }));
  publisher->publish(load("", 0.0));
  EXPECT_TRUE(eventually([&] { return std::abs(effort() - bare) < 1e-9; }));
}

TEST(ResourceManager, ChangeOfPayloadDoesNotAllocate) {
  System system(arm_urdf(control_block(parameter("payload_topic", ""))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  auto model = dynamics::model_from_urdf(arm_urdf());
  bool well = true;
  long count = 0;
  for (int k = 1; k <= 5; ++k) {
    systems[0]->payload.send(std::make_unique<dynamics::RealTimeSimulation>(
        model.with_payload({"lower", 0.1 * k, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}),
        dynamics::RealTimeOptions()));
    systems[0]->reset.send(std::make_unique<SystemState>(systems[0]->state_from({})));
    const long before = allocations();
    for (int c = 0; c < 10; ++c) well = well && system.cycle() == return_type::OK;
    count += allocations() - before;
  }
  EXPECT_TRUE(well);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(systems[0]->payloads, 5U);
  EXPECT_EQ(systems[0]->resets, 5U);
}

TEST(ResourceManager, ServicesResetPauseAndStep) {
  Manager manager(arm_urdf(control_block(parameter("unclaimed", "free"))));
  ASSERT_EQ(manager.cycle(100), return_type::OK);
  SetState::Request pause;
  pause.state = SetState::Request::PAUSED;
  auto paused = manager.call<SetState>("/arm/set_state", pause);
  ASSERT_TRUE(paused);
  EXPECT_EQ(paused->state, SetState::Request::PAUSED);
  const double stands = manager.state("joint1/position");
  ASSERT_EQ(manager.cycle(50), return_type::OK);
  EXPECT_EQ(manager.state("joint1/position"), stands);

  const double before = manager.state("arm/steps");
  Step::Request step;
  step.steps = 7;
  const auto stepped = manager.call<Step>("/arm/step", step);
  ASSERT_TRUE(stepped);
  EXPECT_EQ(stepped->result.code, ResultCode::SUCCESS);
  EXPECT_EQ(stepped->steps, 7U);
  EXPECT_EQ(manager.state("arm/steps"), before + 7.0);

  Reset::Request reset;
  reset.joint_names = {"joint10"};
  reset.positions = {0.25};
  reset.velocities = {0.125};
  const auto done = manager.call<Reset>("/arm/reset", reset);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->result.code, ResultCode::SUCCESS) << done->result.message;
  EXPECT_EQ(manager.state("joint1/position"), 0.3) << "not named: its initial value";
  EXPECT_EQ(manager.state("joint10/position"), 0.25);
  EXPECT_EQ(manager.state("joint10/velocity"), 0.125);

  const auto refused = [&](const Reset::Request& request) {
    const auto result = manager.call<Reset>("/arm/reset", request);
    return result ? result->result.code : -1;
  };
  Reset::Request bad = reset;
  bad.joint_names = {"joint2"};
  EXPECT_EQ(refused(bad), ResultCode::UNKNOWN_JOINT);
  bad.joint_names = {"joint10", "joint10"};
  EXPECT_EQ(refused(bad), ResultCode::WRONG_SIZE);
  bad.positions = {0.0, 0.0};
  bad.velocities = {};
  EXPECT_EQ(refused(bad), ResultCode::DUPLICATE_JOINT);
  bad = reset;
  bad.positions = {std::nan("")};
  EXPECT_EQ(refused(bad), ResultCode::NOT_FINITE);
  bad.positions = {5.0};
  EXPECT_EQ(refused(bad), ResultCode::INVALID_VALUE);
  bad = reset;
  bad.reset_time = true;
  EXPECT_EQ(refused(bad), ResultCode::INVALID_VALUE);
  EXPECT_EQ(manager.state("joint10/position"), 0.25) << "nothing was changed";

  pause.state = SetState::Request::RUNNING;
  ASSERT_TRUE(manager.call<SetState>("/arm/set_state", pause));
  const auto running = manager.call<Step>("/arm/step", step);
  ASSERT_TRUE(running);
  EXPECT_EQ(running->result.code, ResultCode::INVALID_VALUE) << "not paused";
  ASSERT_EQ(manager.cycle(10), return_type::OK);
  EXPECT_GT(manager.state("joint1/position"), 0.3) << "it falls again";
}

TEST(ResourceManager, StepDoesNotKeepOtherServicesWaiting) {
  Manager manager(arm_urdf(control_block(parameter("unclaimed", "free"))));
  SetState::Request request;
  request.state = SetState::Request::PAUSED;
  ASSERT_TRUE(manager.call<SetState>("/arm/set_state", request));
  // without a control loop the steps are not made
  auto& node = manager.node();
  const auto step = node.create_client<Step>("/arm/step");
  ASSERT_TRUE(step->wait_for_service(10s));
  const auto steps = std::make_shared<Step::Request>();
  steps->steps = 100;
  auto stepped = step->async_send_request(steps);
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  ASSERT_TRUE(eventually([&] { return systems[0]->steps == 100U; }));
  const auto set_state = node.create_client<SetState>("/arm/set_state");
  ASSERT_TRUE(set_state->wait_for_service(10s));
  auto asked = set_state->async_send_request(std::make_shared<SetState::Request>());
  ASSERT_EQ(asked.wait_for(60s), std::future_status::ready);
  EXPECT_EQ(asked.get()->state, SetState::Request::PAUSED);
  EXPECT_EQ(stepped.wait_for(0s), std::future_status::timeout) << "not answered yet";
  // resuming ends the request
  ASSERT_EQ(manager.cycle(3), return_type::OK);
  request.state = SetState::Request::RUNNING;
  auto resumed = set_state->async_send_request(std::make_shared<SetState::Request>(request));
  ASSERT_EQ(resumed.wait_for(60s), std::future_status::ready);
  ASSERT_EQ(stepped.wait_for(60s), std::future_status::ready);
  const auto answer = stepped.get();
  EXPECT_EQ(answer->result.code, ResultCode::CANCELED) << answer->result.message;
  EXPECT_EQ(answer->steps, 3U);
}

TEST(ResourceManager, CleanupEndsAStepInProgress) {
  Manager manager(arm_urdf(control_block()));
  SetState::Request request;
  request.state = SetState::Request::PAUSED;
  ASSERT_TRUE(manager.call<SetState>("/arm/set_state", request));
  const auto step = manager.node().create_client<Step>("/arm/step");
  ASSERT_TRUE(step->wait_for_service(10s));
  const auto steps = std::make_shared<Step::Request>();
  steps->steps = 1000000;
  const auto stepped = step->async_send_request(steps);
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  ASSERT_TRUE(eventually([&] { return systems[0]->steps == 1000000U; }));
  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_UNCONFIGURED, "unconfigured"), return_type::OK);
  EXPECT_EQ(systems[0]->steps, 0U);
  ASSERT_EQ(manager.transit(State::PRIMARY_STATE_ACTIVE, "active"), return_type::OK);
  EXPECT_FALSE(systems[0]->paused);
}

}  // namespace
}  // namespace dynamics_sim::test
