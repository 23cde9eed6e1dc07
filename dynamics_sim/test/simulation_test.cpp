// SPDX-License-Identifier: Apache-2.0
// The simulation of simulation_node in this process: parameters, services after its end.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <dynamics_msgs/srv/set_simulation_state.hpp>
#include <dynamics_msgs/srv/step_simulation.hpp>
#include <memory>
#include <std_srvs/srv/trigger.hpp>
#include <string>
#include <thread>
#include <vector>

#include "simulation_services.hpp"

namespace dynamics_sim::test {
namespace {

using namespace std::chrono_literals;
using dynamics_msgs::msg::ResultCode;
using dynamics_msgs::srv::SetSimulationState;
using dynamics_msgs::srv::StepSimulation;
using rcl_interfaces::msg::SetParametersResult;

class SimulationTest : public ::testing::Test {
 protected:
  SimulationTest() : executor(std::make_shared<rclcpp::executors::SingleThreadedExecutor>()) {
    auto options = controller_manager::get_cm_node_options();
    options.append_parameter_override("use_sim_time", true);
    options.append_parameter_override("update_rate", 100);
    manager = std::make_shared<controller_manager::ControllerManager>(
        executor, "controller_manager", "", options);
    node = std::make_shared<rclcpp::Node>("simulation");
  }

  std::shared_ptr<Simulation> create() {
    return Simulation::create({std::make_shared<LockstepManager>(manager, executor, "")}, node);
  }

  std::shared_ptr<rclcpp::Executor> executor;
  std::shared_ptr<controller_manager::ControllerManager> manager;
  rclcpp::Node::SharedPtr node;
};

TEST_F(SimulationTest, RejectedParametersHaveNoEffect) {
  // is called after the check of the simulation
  const auto veto =
      node->add_on_set_parameters_callback([](const std::vector<rclcpp::Parameter>& parameters) {
        SetParametersResult result;
        result.successful = parameters.size() == 1;
        return result;
      });
  const auto simulation = create();
  node->declare_parameter("other", 1);
  EXPECT_FALSE(node->set_parameters_atomically(
                       {rclcpp::Parameter("speed", 3.0), rclcpp::Parameter("other", 2)})
                   .successful);
  EXPECT_EQ(simulation->speed(), 1.0);
  EXPECT_FALSE(node->set_parameter(rclcpp::Parameter("speed", -1.0)).successful);
  EXPECT_FALSE(node->set_parameter(rclcpp::Parameter("speed", "fast")).successful);
  EXPECT_EQ(simulation->speed(), 1.0);
  EXPECT_TRUE(node->set_parameter(rclcpp::Parameter("speed", 3.0)).successful);
  EXPECT_EQ(simulation->speed(), 3.0);
  EXPECT_TRUE(node->set_parameter(rclcpp::Parameter("speed", 2)).successful);
  EXPECT_EQ(simulation->speed(), 2.0);
}

TEST_F(SimulationTest, ServicesRespondAfterItHasEnded) {
  auto simulation = create();
  const auto services = make_services(*node, simulation);
  simulation.reset();
  executor->add_node(node);
  std::thread spinning([&] { executor->spin(); });
  const auto respond = [&](auto client, auto request) {
    EXPECT_TRUE(client->wait_for_service(60s));
    auto future = client->async_send_request(request);
    EXPECT_EQ(future.wait_for(60s), std::future_status::ready);
    return future.get();
  };
  const auto state = respond(node->create_client<SetSimulationState>("~/set_state"),
                             std::make_shared<SetSimulationState::Request>());
  EXPECT_EQ(state->result.code, ResultCode::INTERNAL_ERROR);
  const auto step = respond(node->create_client<StepSimulation>("~/step"),
                            std::make_shared<StepSimulation::Request>());
  EXPECT_EQ(step->result.code, ResultCode::INTERNAL_ERROR);
  EXPECT_EQ(step->result.message, "the simulation has ended");
  const auto pause = respond(node->create_client<std_srvs::srv::Trigger>("~/pause"),
                             std::make_shared<std_srvs::srv::Trigger::Request>());
  EXPECT_FALSE(pause->success);
  EXPECT_TRUE(node->set_parameter(rclcpp::Parameter("speed", 3.0)).successful) << "without effect";
  executor->cancel();
  spinning.join();
}

class Ros : public ::testing::Environment {
 public:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }
};
const auto* const ros = ::testing::AddGlobalTestEnvironment(new Ros);

}  // namespace
}  // namespace dynamics_sim::test
