// SPDX-License-Identifier: Apache-2.0
#pragma once

// Non-real-time interface of a block of a simulated robot, all for the whole robot: payloads,
// wrenches on links and, without simulation_node, the services that reset, pause and step it.

#include <dynamics_core/plant.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <dynamics_msgs/msg/payload.hpp>
#include <dynamics_msgs/msg/result_code.hpp>
#include <dynamics_msgs/srv/apply_wrench.hpp>
#include <dynamics_msgs/srv/reset_simulation.hpp>
#include <dynamics_msgs/srv/set_simulation_state.hpp>
#include <dynamics_msgs/srv/step_simulation.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>

#include "dynamics_sim/system_link.hpp"

namespace dynamics_sim {

class JobQueue;

/// Converts to the codes of the message.
dynamics_msgs::msg::ResultCode to_result(const RequestError& error);
dynamics_msgs::msg::ResultCode to_result(int code, const std::string& message);

/// The plant with that payload, or without any if its frame is empty. Throws
/// dynamics::ArgumentError for an invalid payload.
std::unique_ptr<dynamics::Plant> with_payload(const dynamics::Plant& plant,
                                              const dynamics_msgs::msg::Payload& load);

/// The wrench of a message, for that long (s) in the steps of the simulation. Throws
/// std::invalid_argument naming an unknown link, or what is not finite or not positive.
TimedWrench to_timed_wrench(const dynamics::Model& model,
                            const geometry_msgs::msg::WrenchStamped& message, double duration,
                            double step);

class SystemServices {
 public:
  struct Options {
    std::string block;                             ///< its name
    std::shared_ptr<const dynamics::Plant> plant;  ///< the robot without payload
    dynamics::RealTimeOptions simulation;
    std::string payload_topic;     ///< empty: none
    double wrench_duration = 0.1;  ///< of wrenches on the topic (s)
    bool control = true;           ///< provide reset, set_state and step
  };

  /// `node`: node of the hardware component, spun by its executor; null: creates a node and a
  /// thread.
  SystemServices(const rclcpp::Node::SharedPtr& node, std::shared_ptr<SystemLink> link,
                 Options options);
  ~SystemServices();
  SystemServices(const SystemServices&) = delete;
  SystemServices& operator=(const SystemServices&) = delete;

 private:
  using Reset = dynamics_msgs::srv::ResetSimulation;
  using SetState = dynamics_msgs::srv::SetSimulationState;
  using Step = dynamics_msgs::srv::StepSimulation;
  using ApplyWrench = dynamics_msgs::srv::ApplyWrench;
  struct Context;  // data of the callbacks, which may outlive this object during a call

  std::shared_ptr<Context> context_;
  std::shared_ptr<JobQueue> jobs_;  // of the services that wait for the control loop
  rclcpp::Node::SharedPtr node_;
  rclcpp::Subscription<dynamics_msgs::msg::Payload>::SharedPtr payload_;
  rclcpp::Subscription<geometry_msgs::msg::WrenchStamped>::SharedPtr wrench_;
  rclcpp::Service<ApplyWrench>::SharedPtr apply_wrench_;
  rclcpp::Service<Reset>::SharedPtr reset_;
  rclcpp::Service<SetState>::SharedPtr set_state_;
  rclcpp::Service<Step>::SharedPtr step_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
  std::thread thread_;
};

}  // namespace dynamics_sim
