// SPDX-License-Identifier: Apache-2.0
#pragma once

// DynamicsStateBroadcaster: the terms of the equations of motion in the measured state: M, C, g,
// friction, the pose and the Jacobian of a frame, and the energies. Publishes
// dynamics_msgs/DynamicsTerms on ~/dynamics_terms.

#include <controller_interface/controller_interface.hpp>
#include <dynamics_msgs/msg/dynamics_terms.hpp>
#include <memory>
#include <realtime_tools/realtime_publisher.hpp>

#include "dynamics_controllers/robot_in_loop.hpp"

namespace dynamics_state {
class ParamListener;
struct Params;
}  // namespace dynamics_state

namespace dynamics_controllers {

/// Terms of the equations of motion; see above.
class DynamicsStateBroadcaster final : public controller_interface::ControllerInterface {
 public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using return_type = controller_interface::return_type;

  DynamicsStateBroadcaster();
  ~DynamicsStateBroadcaster() override;
  DynamicsStateBroadcaster(const DynamicsStateBroadcaster&) = delete;
  DynamicsStateBroadcaster& operator=(const DynamicsStateBroadcaster&) = delete;

  CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous) override;
  return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  using Message = dynamics_msgs::msg::DynamicsTerms;

  void configure();
  dynamics::Status fill() noexcept;

  std::shared_ptr<dynamics_state::ParamListener> listener_;
  std::unique_ptr<dynamics_state::Params> params_;
  RobotInLoop robot_;
  std::size_t frame_ = 0;
  Eigen::MatrixXd M_, C_, J_;
  rclcpp::Publisher<Message>::SharedPtr publisher_;
  std::unique_ptr<realtime_tools::RealtimePublisher<Message>> realtime_publisher_;
  Message message_;
  double since_publication_ = 0.0;
};

}  // namespace dynamics_controllers
