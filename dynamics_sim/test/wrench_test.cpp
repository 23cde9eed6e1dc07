// SPDX-License-Identifier: Apache-2.0
// Wrenches on links, by topic and service.
#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/readers.hpp>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "dynamics_sim/system_services.hpp"
#include "manager_fixture.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

using dynamics_msgs::msg::ResultCode;
using ApplyWrench = dynamics_msgs::srv::ApplyWrench;
using geometry_msgs::msg::WrenchStamped;

const std::string free_joints =
    parameter("unclaimed", "free") + parameter("gravity", "0 0 0") + parameter("limits", "false");

dynamics::RealTimeSimulation expected_arm() {
  dynamics::ModelOptions weightless;
  weightless.gravity.setZero();
  dynamics::RealTimeOptions options;
  options.limits = false;
  dynamics::RealTimeSimulation robot(dynamics::model_from_urdf(arm_urdf(), weightless), options);
  robot.reset(std::vector{0.3, -0.4}, std::vector{0.0, 0.0});
  return robot;
}

dynamics::LinkWrench push(const std::string& link, double z) {
  const auto model = dynamics::model_from_urdf(arm_urdf());
  return {model.frame(link), {{0.0, 0.5, 0.0}, {0.0, 0.0, z}}, dynamics::Axes::local};
}

TEST(Wrench, ActsForItsStepsAndNoLonger) {
  System system(arm_urdf(control_block(free_joints)));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  ASSERT_TRUE(systems[0]->wrenches.send({push("lower", 3.0), 50}));
  ASSERT_TRUE(systems[0]->wrenches.send({push("upper", -1.0), 20}));
  dynamics::RealTimeSimulation expected = expected_arm();
  const std::vector<dynamics::LinkWrench> both = {push("lower", 3.0), push("upper", -1.0)};
  for (int k = 0; k < 100; ++k) {
    const std::size_t acting = k < 20 ? 2 : k < 50 ? 1 : 0;
    expected.set_wrenches({both.data(), acting});
    ASSERT_TRUE(expected.step());
    ASSERT_EQ(system.cycle(), return_type::OK);
    ASSERT_EQ(system.state("joint1/position"), expected.positions()[0]) << k;
  }
  EXPECT_GT(std::abs(system.state("joint10/velocity")), 0.1);
  // a new wrench on a link replaces the previous one
  ASSERT_TRUE(systems[0]->wrenches.send({push("lower", 3.0), 1000}));
  ASSERT_TRUE(systems[0]->wrenches.send({push("lower", 0.0), 1}));
  ASSERT_EQ(system.cycle(), return_type::OK);
  ASSERT_EQ(system.cycle(), return_type::OK);
  const double energy = system.state("arm/kinetic_energy");
  system.run(0.05);
  EXPECT_NEAR(system.state("arm/kinetic_energy"), energy, 1e-9);
}

TEST(Wrench, ResetEndsIt) {
  System system(arm_urdf(control_block(free_joints)));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  ASSERT_TRUE(systems[0]->wrenches.send({push("lower", 3.0), 1000}));
  system.run(0.05);
  EXPECT_NE(system.state("joint10/velocity"), 0.0);
  systems[0]->reset.send(std::make_unique<SystemState>(systems[0]->state_from({})));
  system.run(0.05);
  EXPECT_EQ(system.state("joint10/velocity"), 0.0);
}

TEST(Wrench, DoesNotAllocate) {
  System system(arm_urdf(control_block(free_joints)));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  const auto pushes = {push("lower", 0.1), push("upper", 0.1), push("finger", 0.1)};
  bool well = true;
  const long before = allocations();
  for (std::uint64_t k = 0; k < 300; ++k) {
    for (const auto& one : pushes) well = well && systems[0]->wrenches.send({one, k % 7 + 1});
    well = well && system.cycle() == return_type::OK;
  }
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(well);
}

TEST(Wrench, QueueIsBoundedAndKeepsTheOrder) {
  WrenchQueue queue;
  for (std::uint64_t k = 0; k < WrenchQueue::capacity; ++k)
    EXPECT_TRUE(queue.send({push("lower", 1.0), k + 1}));
  EXPECT_FALSE(queue.send({push("lower", 1.0), 1000}));
  TimedWrench taken;
  for (std::uint64_t k = 0; k < WrenchQueue::capacity; ++k) {
    ASSERT_TRUE(queue.take(taken));
    EXPECT_EQ(taken.steps, k + 1);
  }
  EXPECT_FALSE(queue.take(taken));
  EXPECT_TRUE(queue.send({push("lower", 1.0), 7}));
}

WrenchStamped message(const std::string& link, double z) {
  WrenchStamped made;
  made.header.frame_id = link;
  made.wrench.force.z = z;
  return made;
}

TEST(Wrench, OfAMessageIsChecked) {
  const auto model = dynamics::model_from_urdf(arm_urdf());
  const TimedWrench made = to_timed_wrench(model, message("lower", 2.0), 0.05, 0.001);
  EXPECT_EQ(made.steps, 50U);
  EXPECT_EQ(made.wrench.frame, model.frame("lower"));
  EXPECT_EQ(made.wrench.wrench.force.z(), 2.0);
  EXPECT_EQ(to_timed_wrench(model, message("lower", 2.0), 1e-9, 0.001).steps, 1U);
  EXPECT_THROW(to_timed_wrench(model, message("hand", 2.0), 0.1, 0.001), std::invalid_argument);
  EXPECT_THROW(to_timed_wrench(model, message("lower", NAN), 0.1, 0.001), std::invalid_argument);
  EXPECT_THROW(to_timed_wrench(model, message("lower", 1.0), 0.0, 0.001), std::invalid_argument);
  EXPECT_THROW(to_timed_wrench(model, message("lower", 1.0), NAN, 0.001), std::invalid_argument);
}

TEST(Wrench, ComesByServiceAndTopic) {
  Manager manager(arm_urdf(control_block(free_joints + parameter("wrench_duration", "0.03"))));
  ApplyWrench::Request request;
  request.wrench = message("lower", 3.0);
  request.duration.nanosec = 40'000'000;
  const auto applied = manager.call<ApplyWrench>("/arm/apply_wrench", request);
  ASSERT_TRUE(applied);
  ASSERT_EQ(applied->result.code, ResultCode::SUCCESS) << applied->result.message;
  ASSERT_EQ(manager.cycle(100), return_type::OK);
  dynamics::RealTimeSimulation expected = expected_arm();
  const dynamics::LinkWrench wrench = {
      expected.model().frame("lower"), {{0.0, 0.0, 0.0}, {0.0, 0.0, 3.0}}, dynamics::Axes::local};
  expected.set_wrenches({&wrench, 1});
  for (int k = 0; k < 40; ++k) ASSERT_TRUE(expected.step());
  EXPECT_NEAR(manager.state("arm/kinetic_energy"), expected.energy().kinetic, 1e-9)
      << "pushed for 40 ms, then it moves freely";
  request.wrench.header.frame_id = "hand";
  const auto refused = manager.call<ApplyWrench>("/arm/apply_wrench", request);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->result.code, ResultCode::INVALID_VALUE);
  EXPECT_NE(refused->result.message.find("'hand'"), std::string::npos);

  const auto publisher =
      manager.node().create_publisher<WrenchStamped>("/arm/wrench", rclcpp::QoS(10));
  const double before = manager.state("arm/kinetic_energy");
  EXPECT_TRUE(eventually([&] {
    publisher->publish(message("lower", -5.0));
    EXPECT_EQ(manager.cycle(5), return_type::OK);
    return std::abs(manager.state("arm/kinetic_energy") - before) > 1e-3;
  }));
}

}  // namespace
}  // namespace dynamics_sim::test
