// SPDX-License-Identifier: Apache-2.0
#pragma once

// A simulated system's side that is not real time: its payload's topic and, where no
// simulation_node does that, its services to reset, pause and step it.

#include <dynamics_core/model.hpp>
#include <dynamics_msgs/msg/payload.hpp>
#include <dynamics_msgs/msg/result_code.hpp>
#include <dynamics_msgs/srv/reset_simulation.hpp>
#include <dynamics_msgs/srv/set_simulation_state.hpp>
#include <dynamics_msgs/srv/step_simulation.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>

#include "dynamics_sim/arm.hpp"
#include "dynamics_sim/system_link.hpp"

namespace dynamics_sim {

/// As the message's codes.
dynamics_msgs::msg::ResultCode to_result(const Refusal& refusal);
dynamics_msgs::msg::ResultCode to_result(int code, const std::string& message);

/// Throws dynamics::ModelError for a payload that cannot be.
dynamics::Model with_payload(const dynamics::Model& model, const dynamics_msgs::msg::Payload& load);

class SystemServices {
 public:
  struct Options {
    dynamics::Model model;  ///< the robot without payload
    ArmOptions arm;
    std::string payload_topic;  ///< empty: none
    bool control = true;        ///< offer reset, set_state and step
  };

  /// `node`: the hardware component's, spun by somebody else; null: one of its own with a thread.
  SystemServices(const rclcpp::Node::SharedPtr& node, std::shared_ptr<SystemLink> link,
                 Options options);
  ~SystemServices();
  SystemServices(const SystemServices&) = delete;
  SystemServices& operator=(const SystemServices&) = delete;

 private:
  using Reset = dynamics_msgs::srv::ResetSimulation;
  using SetState = dynamics_msgs::srv::SetSimulationState;
  using Step = dynamics_msgs::srv::StepSimulation;
  struct Desk;  // what the callbacks use: they may outlive this for the time of one call

  std::shared_ptr<Desk> desk_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Subscription<dynamics_msgs::msg::Payload>::SharedPtr payload_;
  rclcpp::Service<Reset>::SharedPtr reset_;
  rclcpp::Service<SetState>::SharedPtr set_state_;
  rclcpp::Service<Step>::SharedPtr step_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
  std::thread thread_;
};

}  // namespace dynamics_sim
