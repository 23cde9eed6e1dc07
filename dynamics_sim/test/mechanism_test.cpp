// SPDX-License-Identifier: Apache-2.0
// Mechanisms with closed loops in the component: a four-bar linkage.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/simulate.hpp>
#include <dynamics_core/view.hpp>
#include <dynamics_msgs/msg/payload.hpp>
#include <dynamics_msgs/srv/reset_simulation.hpp>
#include <limits>

#include "allocations.hpp"
#include "dynamics_sim/system_services.hpp"
#include "manager_fixture.hpp"
#include "robots.hpp"

namespace dynamics_sim::test {
namespace {

using dynamics_msgs::msg::ResultCode;
using Reset = dynamics_msgs::srv::ResetSimulation;

const std::vector<std::string> joints = {"crank", "coupler", "rocker"};
const std::string actuated = "actuated='true'";

dynamics::Mechanism four_bar() {
  return dynamics::mechanism_from_urdf(four_bar_urdf("", actuated));
}

template <class Source>
std::vector<double> values(Source& source, const char* interface) {
  std::vector<double> all;
  for (const auto& joint : joints) all.push_back(source.state(joint + "/" + interface));
  return all;
}

double loop_error(const std::vector<double>& q) {
  const dynamics::Mechanism mechanism = four_bar();
  dynamics::MechanismWorkspace workspace(mechanism);
  return dynamics::loop_error(mechanism, workspace, q);
}

/// Position of all joints at this angle of the crank.
std::vector<double> closed(double crank) {
  const dynamics::Mechanism mechanism = four_bar();
  dynamics::MechanismWorkspace workspace(mechanism);
  std::vector<double> q(3);
  dynamics::close_loops(mechanism, workspace, mechanism.start(), std::vector{crank}, q);
  return q;
}

std::string failure_of(const std::string& urdf) {
  testing::internal::CaptureStderr();
  const System system(urdf);
  const std::string output = testing::internal::GetCapturedStderr();
  EXPECT_EQ(system.initialized, CallbackReturn::ERROR) << output;
  return output;
}

TEST(Mechanism, FallsLikeSimulate) {
  Manager manager(four_bar_urdf(
      four_bar_block(parameter("unclaimed", "free") + parameter("limits", "false")), actuated));
  ASSERT_TRUE(manager->are_components_initialized());
  EXPECT_LT(dynamics::max_abs(values(manager, "position")), 1e-14);
  double largest = 0.0;
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(manager.cycle(), return_type::OK);
    largest = dynamics::max_propagating_nan(largest, loop_error(values(manager, "position")));
  }
  EXPECT_LT(largest, 1e-12);
  dynamics::SimulationOptions options;
  options.duration = options.sample = 0.5;
  options.rtol = 1e-12;
  const auto run = dynamics::simulate(*dynamics::loop_plant(four_bar()), options);
  std::vector<double> q, qd, qdd;
  for (const auto& column : run.q) q.push_back(column.back());
  for (const auto& column : run.qd) qd.push_back(column.back());
  for (const auto& column : run.qdd) qdd.push_back(column.back());
  EXPECT_GT(dynamics::max_abs(q), 0.5) << "it moves";
  EXPECT_LT(dynamics::max_abs_difference(values(manager, "position"), q), 1e-8);
  EXPECT_LT(dynamics::max_abs_difference(values(manager, "velocity"), qd), 1e-7);
  EXPECT_LT(dynamics::max_abs_difference(values(manager, "acceleration"), qdd), 1e-6);
  EXPECT_EQ(values(manager, "effort"), std::vector(3, 0.0));
  EXPECT_NEAR(manager.state("arm/kinetic_energy"), run.kinetic.back(), 1e-6);
  EXPECT_NEAR(manager.state("arm/potential_energy"), run.potential.back(), 1e-6);
}

TEST(Mechanism, HoldsAndFollowsCommandsOfTheCrank) {
  System system(four_bar_urdf(four_bar_block("", {"crank"}, {{"crank", "0.2"}}), actuated));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_LT(dynamics::max_abs_difference(values(system, "position"), closed(0.2)), 1e-12);
  system.run(0.5);
  EXPECT_LT(dynamics::max_abs_difference(values(system, "position"), closed(0.2)), 1e-9);
  EXPECT_GT(std::abs(system.state("crank/effort")), 0.1) << "gravity is held";
  EXPECT_EQ(system.state("rocker/effort"), 0.0);
  ASSERT_EQ(system.claim({"crank/position", "crank/velocity"}), return_type::OK);
  double largest = 0.0;
  for (int k = 1; k <= 1000; ++k) {
    system.command("crank/position", 0.2 - 0.0005 * k);
    system.command("crank/velocity", -0.5);
    ASSERT_EQ(system.cycle(), return_type::OK);
    largest = dynamics::max_propagating_nan(largest, loop_error(values(system, "position")));
  }
  EXPECT_LT(largest, 1e-12);
  EXPECT_LT(dynamics::max_abs_difference(values(system, "position"), closed(-0.3)), 2e-3);
  // the drive exerts the torque of inverse dynamics
  const dynamics::Mechanism mechanism = four_bar();
  dynamics::MechanismWorkspace workspace(mechanism);
  std::vector<double> tau(1);
  dynamics::inverse_dynamics(mechanism, workspace, values(system, "position"),
                             values(system, "velocity"), values(system, "acceleration"), tau);
  EXPECT_NEAR(system.state("crank/effort"), tau[0], 1e-8);
  // effort
  ASSERT_EQ(system.claim({"crank/effort"}, {"crank/position", "crank/velocity"}), return_type::OK);
  system.command("crank/effort", 3.0);
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_EQ(system.state("crank/effort"), 3.0);
}

TEST(Mechanism, IndependentJointsMayComeFromTheBlock) {
  System system(four_bar_urdf(four_bar_block("", {"rocker"}, {{"rocker", "0.1"}})));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_NEAR(system.state("rocker/position"), 0.1, 1e-14);
  ASSERT_EQ(system.claim({"rocker/position"}), return_type::OK);
  system.command("rocker/position", 0.2);
  system.run(0.5);
  EXPECT_NEAR(system.state("rocker/position"), 0.2, 1e-6);
  EXPECT_GT(std::abs(system.state("rocker/effort")), 1.0);
  EXPECT_EQ(system.state("crank/effort"), 0.0);
  EXPECT_LT(loop_error(values(system, "position")), 1e-12);
}

TEST(Mechanism, CommandsOfOtherJointsAreRefusedByName) {
  std::string output = failure_of(four_bar_urdf(four_bar_block("", {"crank", "rocker"}), actuated));
  EXPECT_NE(output.find("joint 'rocker' has a command interface 'position', but no actuator"),
            std::string::npos)
      << output;
  EXPECT_NE(output.find("joints with an actuator: crank"), std::string::npos) << output;
  for (const std::string name : {"unclaimed", "tracking"}) {
    std::string urdf = four_bar_urdf(four_bar_block(), actuated);
    const std::string joint = "<joint name='rocker'>";
    const auto place = urdf.find(joint, urdf.find("ros2_control"));
    urdf.insert(place + joint.size(), parameter(name, name == "unclaimed" ? "hold" : "ideal"));
    output = failure_of(urdf);
    EXPECT_NE(output.find("joint 'rocker' has a parameter '" + name + "'"), std::string::npos)
        << output;
  }
}

TEST(Mechanism, InitialValuesAreOfTheIndependentJointsOrCloseTheLoop) {
  const auto number = [](double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    return std::string(text.data());
  };
  const auto q = closed(-0.4);
  const std::map<std::string, std::string> all = {
      {"crank", number(q[0])}, {"coupler", number(q[1])}, {"rocker", number(q[2])}};
  System system(four_bar_urdf(four_bar_block("", {"crank"}, all), actuated));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_LT(dynamics::max_abs_difference(values(system, "position"), q), 1e-12);

  auto open = all;
  open["rocker"] = number(q[2] + 0.01);
  std::string output = failure_of(four_bar_urdf(four_bar_block("", {"crank"}, open), actuated));
  EXPECT_NE(output.find("do not close the loops of 'four_bar'"), std::string::npos) << output;
  output = failure_of(four_bar_urdf(four_bar_block("", {"crank"}, {{"rocker", "0.1"}}), actuated));
  EXPECT_NE(output.find("joint 'rocker': follows from the closed loops of 'four_bar'"),
            std::string::npos)
      << output;
  EXPECT_NE(output.find("(crank)"), std::string::npos) << output;
  output = failure_of(four_bar_urdf(four_bar_block("", {"rocker"}, {{"rocker", "2.5"}})));
  EXPECT_NE(output.find("robot 'four_bar': constraint 'pin'"), std::string::npos)
      << "cannot be reached: " << output;
}

TEST(Mechanism, InvalidDescriptionsAreRefusedByName) {
  std::string output = failure_of(four_bar_urdf(four_bar_block(), actuated, "fixed"));
  EXPECT_NE(output.find("constraint 'pin'"), std::string::npos) << output;
  output = failure_of(four_bar_urdf(four_bar_block(), actuated, "hinge"));
  EXPECT_NE(output.find("'pin'"), std::string::npos) << output;
}

TEST(Mechanism, ResetTakesIndependentJointsOrAll) {
  Manager manager(four_bar_urdf(four_bar_block(parameter("unclaimed", "brake")), actuated));
  ASSERT_TRUE(manager->are_components_initialized());
  const auto reset = [&](const Reset::Request& request) {
    const auto answer = manager.call<Reset>("/arm/reset", request);
    return answer ? answer->result : to_result(-1, "no response");
  };
  Reset::Request request;
  request.joint_names = {"crank"};
  request.positions = {0.3};
  request.velocities = {0.0};
  auto result = reset(request);
  EXPECT_EQ(result.code, ResultCode::SUCCESS) << result.message;
  EXPECT_LT(dynamics::max_abs_difference(values(manager, "position"), closed(0.3)), 1e-3);
  request.joint_names = {"rocker", "crank", "coupler"};
  const auto q = closed(-0.2);
  request.positions = {q[2], q[0], q[1]};
  request.velocities = {};
  result = reset(request);
  EXPECT_EQ(result.code, ResultCode::SUCCESS) << result.message;
  EXPECT_LT(dynamics::max_abs_difference(values(manager, "position"), q), 1e-3);

  const auto before = values(manager, "position");
  request.positions[0] += 0.01;
  result = reset(request);
  EXPECT_EQ(result.code, ResultCode::INVALID_VALUE);
  EXPECT_NE(result.message.find("do not close the loops of 'four_bar'"), std::string::npos)
      << result.message;
  request.joint_names = {"rocker"};
  request.positions = {0.1};
  result = reset(request);
  EXPECT_EQ(result.code, ResultCode::INVALID_VALUE);
  EXPECT_NE(result.message.find("joint 'rocker'"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("independent joints (crank)"), std::string::npos) << result.message;
  EXPECT_LT(dynamics::max_abs_difference(values(manager, "position"), before), 1e-6)
      << "nothing was changed";
  result = reset(Reset::Request());
  EXPECT_EQ(result.code, ResultCode::SUCCESS) << result.message;
  EXPECT_LT(dynamics::max_abs(values(manager, "position")), 1e-3);
}

TEST(Mechanism, PayloadTopicChangesTheTorque) {
  Manager manager(
      four_bar_urdf(four_bar_block(parameter("payload_topic", "/test/loops/payload")), actuated));
  const auto publisher = manager.node().create_publisher<dynamics_msgs::msg::Payload>(
      "/test/loops/payload", rclcpp::QoS(1).transient_local());
  const auto effort = [&] {
    EXPECT_EQ(manager.cycle(), return_type::OK);
    return manager.state("crank/effort");
  };
  const auto expected = [](double mass) {
    dynamics::Mechanism mechanism = four_bar();
    if (mass > 0.0) {
      mechanism =
          mechanism.with_payload({"coupler_link", mass, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()});
    }
    dynamics::MechanismWorkspace workspace(mechanism);
    std::vector<double> g(1);
    dynamics::gravity_forces(mechanism, workspace, std::vector(3, 0.0), g);
    return g[0];
  };
  EXPECT_NEAR(effort(), expected(0.0), 1e-9);
  EXPECT_GT(std::abs(expected(2.0) - expected(0.0)), 0.1);
  dynamics_msgs::msg::Payload payload;
  payload.frame_id = "coupler_link";
  payload.inertia.m = 2.0;
  payload.inertia.com.x = 0.5;
  publisher->publish(payload);
  EXPECT_TRUE(eventually([&] { return std::abs(effort() - expected(2.0)) < 1e-6; })) << effort();
  publisher->publish(dynamics_msgs::msg::Payload());
  EXPECT_TRUE(eventually([&] { return std::abs(effort() - expected(0.0)) < 1e-6; })) << effort();
}

TEST(Mechanism, ReadAndWriteDoNotAllocate) {
  System system(four_bar_urdf(four_bar_block(), actuated));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"crank/position"}), return_type::OK);
  system.command("crank/position", 0.1);
  ASSERT_EQ(system.cycle(), return_type::OK);
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  const std::vector<std::string> name = {"crank"};
  const std::vector<double> position = {0.2};
  systems[0]->reset.send(
      std::make_unique<SystemState>(systems[0]->state_from({name, position, {}})));
  bool well = true;
  const long before = allocations();
  for (int k = 0; k < 500; ++k) well = well && system.cycle() == return_type::OK;
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(well);
  EXPECT_EQ(systems[0]->resets, 1U);
}

}  // namespace
}  // namespace dynamics_sim::test
