// SPDX-License-Identifier: Apache-2.0
// GPIOs and custom interfaces, acceleration commands, grippers with a mimic joint.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "allocations.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

std::string with_elements(const std::string& elements, const std::string& interfaces = "",
                          const std::string& parameters = "") {
  std::string block = control_block(parameters, "", interfaces);
  block.insert(block.rfind("</ros2_control>"), elements);
  return arm_urdf(block);
}

const std::string gpio =
    "<gpio name='io'><command_interface name='valve'/><state_interface name='valve'>"
    "<param name='initial_value'>2.5</param></state_interface>"
    "<command_interface name='lamp' data_type='bool'/>"
    "<state_interface name='lamp' data_type='bool'/>"
    "<state_interface name='pressure'><param name='initial_value'>7</param></state_interface>"
    "</gpio>";

TEST(Interfaces, GpioCommandsAreMirrored) {
  System system(with_elements(gpio));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"io/valve", "io/lamp"}), return_type::OK);
  system.run(0.01);
  EXPECT_EQ(system.state("io/valve"), 2.5) << "no command yet";
  EXPECT_EQ(system.state("io/pressure"), 7.0);
  EXPECT_FALSE(system.state<bool>("io/lamp"));
  system.command("io/valve", 0.75);
  system.command("io/lamp", true);
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_EQ(system.state("io/valve"), 0.75);
  EXPECT_TRUE(system.state<bool>("io/lamp"));
  const long before = allocations();
  bool well = true;
  for (int k = 0; k < 100; ++k) well = well && system.cycle() == return_type::OK;
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(well);
}

TEST(Interfaces, CustomInterfacesOfJointsAreMirrored) {
  System system(with_elements("",
                              "<command_interface name='gain'/><state_interface name='gain'/>"
                              "<state_interface name='temperature'/>"));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/gain", "joint1/position"}), return_type::OK);
  system.command("joint1/gain", 12.0);
  system.run(0.01);
  EXPECT_EQ(system.state("joint1/gain"), 12.0);
  EXPECT_EQ(system.state("joint1/position"), 0.3) << "no position command yet";
  EXPECT_EQ(system.state("joint10/gain"), 0.0) << "no command, no initial_value";
  EXPECT_EQ(system.claim({"joint1/torque"}), return_type::ERROR) << "does not exist";
}

TEST(Interfaces, JointsFollowAccelerationCommands) {
  System system(
      with_elements("", "<command_interface name='acceleration'/>", parameter("limits", "false")));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/acceleration"}), return_type::OK);
  system.run(0.1);
  EXPECT_NEAR(system.state("joint1/position"), 0.3, 1e-12) << "no command yet";
  system.command("joint1/acceleration", 2.0);
  system.run(0.5);
  EXPECT_NEAR(system.state("joint1/acceleration"), 2.0, 1e-9);
  EXPECT_NEAR(system.state("joint1/velocity"), 1.0, 1e-9);
  EXPECT_NEAR(system.state("joint1/position"), 0.3 + 0.25, 1e-9);
}

TEST(Interfaces, MimicJointFollowsTheCommandedLeader) {
  System system(arm_urdf(control_block(parameter("limits", "false"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint10/position"}), return_type::OK);
  system.command("joint10/position", 0.2);
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(system.cycle(), return_type::OK);
    ASSERT_EQ(system.state("follower/position"), 2.0 * system.state("joint10/position") + 0.5);
    ASSERT_EQ(system.state("follower/velocity"), 2.0 * system.state("joint10/velocity"));
  }
  EXPECT_NEAR(system.state("follower/position"), 0.9, 1e-6);
  std::string commanded = arm_urdf(control_block());
  const std::string follower = "<joint name='follower'><state_interface";
  commanded.insert(commanded.rfind(follower) + 23, "<command_interface name='position'/>");
  EXPECT_ANY_THROW(System{commanded}) << "not the follower: the parser of ros2_control refuses it";
}

class Ros : public ::testing::Environment {
 public:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }
};
const auto* const ros = ::testing::AddGlobalTestEnvironment(new Ros);

}  // namespace
}  // namespace dynamics_sim::test
