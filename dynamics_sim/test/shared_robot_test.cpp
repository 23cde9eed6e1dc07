// SPDX-License-Identifier: Apache-2.0
// Several <ros2_control> blocks of one robot: one simulation, whatever the order of activation.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <dynamics_core/readers.hpp>
#include <functional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "dynamics_sim/simulated_robot.hpp"
#include "manager_fixture.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

std::string joint(const std::string& name, const std::string& start) {
  return "<joint name='" + name +
         "'><command_interface name='position'/><command_interface name='velocity'/>"
         "<command_interface name='effort'/><state_interface name='position'><param "
         "name='initial_value'>" +
         start +
         "</param></state_interface><state_interface name='velocity'/><state_interface "
         "name='effort'/><state_interface name='acceleration'/></joint>";
}

std::string block(const std::string& name, const std::string& joints,
                  const std::string& parameters = "", const std::string& attributes = "") {
  return "<ros2_control name='" + name + "' type='system' " + attributes +
         "><hardware><plugin>dynamics_sim/DynamicsSystem</plugin>" + parameters + "</hardware>" +
         joints + "</ros2_control>";
}

const std::string joint1 = joint("joint1", "0.3"), joint10 = joint("joint10", "-0.4");
const std::string follower = "<joint name='follower'><state_interface name='position'/></joint>";

std::string two_blocks(const std::string& of_arm = "", const std::string& of_gripper = "") {
  return arm_urdf(block("arm", joint1, of_arm) + block("gripper", joint10 + follower, of_gripper));
}

const std::string no_limits = parameter("limits", "false");

/// Both blocks without resource manager.
struct Pair {
  explicit Pair(const std::string& urdf) : arm(urdf, false, 0), gripper(urdf, false, 1) {}
  void configure() {
    ASSERT_EQ(arm.configured = (*arm).on_configure(rclcpp_lifecycle::State()),
              CallbackReturn::SUCCESS);
    ASSERT_EQ(gripper.configured = (*gripper).on_configure(rclcpp_lifecycle::State()),
              CallbackReturn::SUCCESS);
  }
  return_type cycle(double period = 0.001) {
    for (System* one : {&arm, &gripper}) {
      if (one->write(period) != return_type::OK) return return_type::ERROR;
    }
    auto result = return_type::OK;
    for (System* one : {&arm, &gripper}) {
      if (one->read(period) != return_type::OK) result = return_type::ERROR;
    }
    return result;
  }
  void run(double seconds) {
    for (long k = std::lround(seconds / 0.001); k > 0; --k) ASSERT_EQ(cycle(), return_type::OK);
  }
  System arm, gripper;
};

TEST(SharedRobot, TwoBlocksEqualOneBlockBitForBit) {
  const std::string dynamics = "<dynamics damping='0.2' friction='0.1'/>";
  const std::string urdfs[] = {
      arm_urdf(block("all", joint1 + joint10 + follower, no_limits), dynamics),
      arm_urdf(block("arm", joint1, no_limits) + block("gripper", joint10 + follower, no_limits),
               dynamics)};
  std::vector<double> runs[2];
  for (std::size_t i = 0; i < 2; ++i) {
    Manager manager(urdfs[i]);
    ASSERT_TRUE(manager->are_components_initialized());
    ASSERT_TRUE(manager.claim({"joint1/effort", "joint10/position"}));
    auto effort = manager->claim_command_interface("joint1/effort");
    auto position = manager->claim_command_interface("joint10/position");
    for (int k = 0; k < 500; ++k) {
      ASSERT_TRUE(effort.set_value(6.0 * std::sin(0.01 * k)));
      ASSERT_TRUE(position.set_value(-0.4 + 0.001 * k));
      ASSERT_EQ(manager.cycle(), return_type::OK);
      for (const char* name : {"joint1/position", "joint1/velocity", "joint1/effort",
                               "joint1/acceleration", "joint10/position", "joint10/velocity",
                               "joint10/effort", "joint10/acceleration", "follower/position"})
        runs[i].push_back(manager.state(name));
    }
    // a mode switch of one block only
    ASSERT_TRUE(manager.claim({"joint10/velocity"}, {"joint10/position"}));
    for (int k = 0; k < 50; ++k) {
      ASSERT_EQ(manager.cycle(), return_type::OK);
      runs[i].push_back(manager.state("joint1/position"));
      runs[i].push_back(manager.state("joint10/effort"));
    }
  }
  EXPECT_GT(std::abs(runs[0][9 * 499] - 0.3), 0.05) << "it moves";
  EXPECT_EQ(runs[0], runs[1]);
}

TEST(SharedRobot, AdvancesOncePerPeriodInAnyOrderOfActivation) {
  const std::string free = parameter("unclaimed", "free");
  System alone(arm_urdf(block("all", joint1 + joint10 + follower, free)));
  ASSERT_NO_FATAL_FAILURE(alone.activate());
  alone.run(0.2);
  for (const bool arm_first : {true, false}) {
    Pair pair(two_blocks(free, free));
    pair.configure();
    System& first = arm_first ? pair.arm : pair.gripper;
    System& second = arm_first ? pair.gripper : pair.arm;
    first.activate();
    second.activate();
    pair.run(0.2);
    EXPECT_EQ(pair.arm.state("joint1/position"), alone.state("joint1/position"));
    EXPECT_EQ(pair.gripper.state("joint10/position"), alone.state("joint10/position"));
    EXPECT_EQ(pair.arm.state("arm/steps"), 200.0);
    EXPECT_EQ(pair.gripper.state("gripper/steps"), 200.0) << "of the same instant";
  }
  // the second one later, between two readings of a period
  for (const bool arm_first : {true, false}) {
    Pair pair(two_blocks(free, free));
    pair.configure();
    System& first = arm_first ? pair.arm : pair.gripper;
    System& second = arm_first ? pair.gripper : pair.arm;
    first.activate();
    pair.run(0.1);
    ASSERT_EQ(pair.arm.read(), return_type::OK);
    second.activate();
    ASSERT_EQ(pair.gripper.read(), return_type::OK);
    pair.run(0.099);
    EXPECT_EQ(pair.arm.state("arm/steps"), 200.0) << arm_first;
    EXPECT_EQ(pair.gripper.state("gripper/steps"), 200.0) << arm_first;
    EXPECT_EQ(pair.arm.state("joint1/position"), alone.state("joint1/position"));
  }
}

TEST(SharedRobot, IsSimulatedWhileAnyBlockIsActive) {
  Pair pair(two_blocks(parameter("unclaimed", "free"), no_limits));
  EXPECT_TRUE(pair.arm.has_state("arm/steps"));
  pair.configure();
  pair.run(0.1);
  EXPECT_EQ(pair.arm.state("joint1/position"), 0.3) << "no block is active";
  pair.gripper.activate();
  pair.run(0.1);
  const double fallen = pair.arm.state("joint1/position");
  EXPECT_GT(fallen, 0.31) << "unclaimed and free, its block is inactive";
  EXPECT_NEAR(pair.gripper.state("joint10/position"), -0.4, 1e-6) << "held by its own block";
  // configuring or cleaning up one block does not restart the robot
  ASSERT_EQ(pair.arm.cleanup(), return_type::OK);
  ASSERT_EQ(pair.arm.configure(), return_type::OK);
  EXPECT_EQ(pair.arm.state("joint1/position"), fallen);
  pair.arm.activate();
  ASSERT_EQ(pair.gripper.deactivate(), return_type::OK);
  pair.run(0.05);
  EXPECT_GT(pair.arm.state("joint1/position"), fallen);
  ASSERT_EQ(pair.arm.deactivate(), return_type::OK);
  const double stands = pair.arm.state("joint1/position");
  pair.run(0.05);
  EXPECT_EQ(pair.arm.state("joint1/position"), stands);
  ASSERT_EQ(pair.arm.cleanup(), return_type::OK);
  ASSERT_EQ(pair.gripper.cleanup(), return_type::OK);
  pair.configure();
  EXPECT_EQ(pair.arm.state("joint1/position"), 0.3) << "all were cleaned up: from the beginning";
}

TEST(SharedRobot, JointsOfADeactivatedBlockAreReleased) {
  Pair pair(two_blocks(no_limits, no_limits));
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  ASSERT_EQ(pair.gripper.claim({"joint10/velocity"}), return_type::OK);
  pair.gripper.command("joint10/velocity", 0.5);
  pair.run(0.2);
  EXPECT_NEAR(pair.gripper.state("joint10/velocity"), 0.5, 1e-3);
  const double released = pair.gripper.state("joint10/position");
  ASSERT_EQ(pair.gripper.deactivate(), return_type::OK);
  for (int k = 0; k < 500; ++k) {  // an inactive block is read, but not written
    ASSERT_EQ(pair.arm.cycle(), return_type::OK);
    ASSERT_EQ(pair.gripper.read(), return_type::OK);
  }
  EXPECT_NEAR(pair.gripper.state("joint10/velocity"), 0.0, 1e-6);
  EXPECT_NEAR(pair.gripper.state("joint10/position"), released, 0.01);
}

TEST(SharedRobot, JointsInNoBlockAreUnclaimed) {
  System held(arm_urdf(block("arm", joint1)));
  ASSERT_NO_FATAL_FAILURE(held.activate());
  ASSERT_EQ(held.claim({"joint1/effort"}), return_type::OK);
  held.command("joint1/effort", 0.0);
  held.run(0.1);
  dynamics::RealTimeSimulation expected(dynamics::model_from_urdf(arm_urdf()), {});
  expected.reset(std::vector{0.3, 0.0}, std::vector{0.0, 0.0});
  expected.commands()[1] = dynamics::JointCommand::position(0.0);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(expected.step());
  EXPECT_EQ(held.state("joint1/position"), expected.positions()[0]) << "joint10 is held";
  EXPECT_GT(held.state("joint1/position"), 0.31);
  System free(arm_urdf(block("arm", joint1, parameter("unclaimed", "free"))));
  ASSERT_NO_FATAL_FAILURE(free.activate());
  free.run(0.1);
  expected.reset(std::vector{0.3, 0.0}, std::vector{0.0, 0.0});
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(expected.step());
  EXPECT_EQ(free.state("joint1/position"), expected.positions()[0]) << "both fall";
}

/// The message with which the second block is refused; empty if it is not.
std::string refusal(const std::string& urdf) {
  System first(urdf, false, 0);
  EXPECT_EQ(first.initialized, CallbackReturn::SUCCESS);
  const auto info = hardware_interface::parse_control_resources_from_urdf(urdf).at(1);
  try {
    SimulatedRobot::join({}, info)->leave(info.name);  // without executor and node
  } catch (const std::exception& error) {
    EXPECT_EQ(System(urdf, false, 1).initialized, CallbackReturn::ERROR);
    return error.what();
  }
  return "";
}

TEST(SharedRobot, RefusesBlocksThatContradictEachOther) {
  for (const auto& [name, one, other] : {std::array<std::string, 3>{"step", "0.001", "0.002"},
                                         {"gravity", "0 0 -9.81", "0 0 0"},
                                         {"limits", "true", "false"}}) {
    const std::string message = refusal(two_blocks(parameter(name, one), parameter(name, other)));
    for (const std::string& part : {name, std::string("'arm'"), std::string("'gripper'")})
      EXPECT_NE(message.find(part), std::string::npos) << name << ": " << message;
  }
  EXPECT_EQ(refusal(two_blocks(parameter("step", "0.001"), parameter("step", "1e-3"))), "");
  EXPECT_EQ(refusal(two_blocks(parameter("step", "0.0005"))), "") << "given once";
  const std::string twice = refusal(arm_urdf(block("arm", joint1) + block("gripper", joint1)));
  EXPECT_NE(twice.find("joint 'joint1' is in block 'arm' and in block 'gripper'"),
            std::string::npos)
      << twice;
  const std::string async =
      refusal(arm_urdf(block("arm", joint1) + block("gripper", joint10, "", "is_async='true'")));
  EXPECT_NE(async.find("is_async"), std::string::npos) << async;
}

TEST(SharedRobot, ParametersOfOneBlockAreThoseOfTheRobot) {
  Pair pair(two_blocks("", parameter("step", "0.0005") + parameter("gravity", "0 0 0") +
                               parameter("unclaimed", "free")));
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  pair.run(0.1);
  EXPECT_EQ(pair.arm.state("arm/steps"), 200.0);
  EXPECT_EQ(pair.gripper.state("joint10/position"), -0.4);
}

TEST(SharedRobot, RequestsActOnTheWholeRobot) {
  Pair pair(two_blocks(parameter("unclaimed", "free"), parameter("unclaimed", "free")));
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U) << "one robot";
  EXPECT_EQ(systems[0]->name(), "arm, gripper");
  pair.run(0.1);
  systems[0]->paused = true;
  const double stands = pair.arm.state("joint1/position");
  pair.run(0.01);
  EXPECT_EQ(pair.arm.state("joint1/position"), stands);
  systems[0]->steps = 3;
  pair.run(0.01);
  EXPECT_EQ(pair.arm.state("arm/steps"), 103.0);
  const std::vector<std::string> names = {"joint10"};
  const std::vector<double> positions = {0.2};
  systems[0]->reset.send(
      std::make_unique<SystemState>(systems[0]->state_from({names, positions, {}})));
  ASSERT_EQ(pair.cycle(), return_type::OK);
  EXPECT_EQ(pair.arm.state("joint1/position"), 0.3);
  EXPECT_EQ(pair.gripper.state("joint10/position"), 0.2);
}

TEST(SharedRobot, FaultEndsAllBlocks) {
  Pair pair(two_blocks(no_limits, no_limits));
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  ASSERT_EQ(pair.arm.claim({"joint1/effort"}), return_type::OK);
  pair.arm.command("joint1/effort", 1e300);
  for (int k = 0; k < 100 && pair.cycle() == return_type::OK; ++k) {
  }
  EXPECT_EQ(pair.arm.read(), return_type::ERROR);
  EXPECT_EQ(pair.gripper.read(), return_type::ERROR);
  const rclcpp_lifecycle::State state;
  EXPECT_EQ((*pair.arm).on_error(state), CallbackReturn::SUCCESS);
  EXPECT_EQ((*pair.gripper).on_error(state), CallbackReturn::SUCCESS);
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  pair.run(0.01);
  EXPECT_EQ(pair.arm.state("joint1/position"), 0.3);
}

TEST(SharedRobot, SlowerBlockSeesTheStatesOfItsTimes) {
  const std::string free = parameter("unclaimed", "free");
  const std::string urdf = arm_urdf(block("arm", joint1, free, "rw_rate='200'") +
                                    block("gripper", joint10, free, "rw_rate='1000'"));
  Pair pair(urdf);
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  for (int k = 0; k < 100; ++k) {
    if (k % 5 == 0) {
      ASSERT_EQ(pair.arm.read(0.005), return_type::OK);
    }
    ASSERT_EQ(pair.gripper.read(), return_type::OK);
    EXPECT_EQ(pair.gripper.state("gripper/steps"), k + 1.0);
    EXPECT_EQ(pair.arm.state("arm/steps"), k - k % 5);
  }
}

TEST(SharedRobot, RobotsOfTheSameDescriptionAreIndependent) {
  const std::string urdf = two_blocks(parameter("unclaimed", "free"), no_limits);
  Pair one(urdf), other(urdf);
  EXPECT_EQ(SystemRegistry::instance().systems().size(), 2U);
  one.configure();
  other.configure();
  one.arm.activate();
  one.gripper.activate();
  other.arm.activate();
  one.run(0.1);
  EXPECT_GT(one.arm.state("joint1/position"), 0.31);
  EXPECT_EQ(other.arm.state("joint1/position"), 0.3);
}

TEST(SharedRobot, ReadAndWriteDoNotAllocate) {
  Pair pair(two_blocks(no_limits, no_limits));
  pair.configure();
  pair.arm.activate();
  pair.gripper.activate();
  ASSERT_EQ(pair.arm.claim({"joint1/effort"}), return_type::OK);
  ASSERT_EQ(pair.gripper.claim({"joint10/position"}), return_type::OK);
  pair.arm.command("joint1/effort", 3.0);
  pair.gripper.command("joint10/position", 0.1);
  bool well = true;
  const long before = allocations();
  for (int k = 0; k < 500; ++k) well = well && pair.cycle() == return_type::OK;
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(well);
}

}  // namespace
}  // namespace dynamics_sim::test
