// SPDX-License-Identifier: Apache-2.0
#pragma once

// ExternalTorqueBroadcaster: the joint torques and the wrench that act on the robot from outside,
// without a force sensor. They are estimated by dynamics::MomentumObserver
// (dynamics_core/control_laws.hpp) from measured positions, velocities and efforts.
//
// Publishes dynamics_msgs/ExternalTorques on ~/external_torques. State interfaces, for other
// controllers: JOINT/external_torque, wrench/force.x, ..., wrench/torque.z, collision/detected (0
// or 1). A collision is detected while a torque is beyond its threshold.

#include <controller_interface/chainable_controller_interface.hpp>
#include <dynamics_core/control_laws.hpp>
#include <dynamics_msgs/msg/external_torques.hpp>
#include <memory>
#include <realtime_tools/realtime_publisher.hpp>
#include <string>
#include <vector>

#include "dynamics_controllers/robot_in_loop.hpp"

namespace external_torque {
class ParamListener;
struct Params;
}  // namespace external_torque

namespace dynamics_controllers {

/// Estimate of external torques; see above.
class ExternalTorqueBroadcaster final : public controller_interface::ChainableControllerInterface {
 public:
  using CallbackReturn = controller_interface::CallbackReturn;
  using return_type = controller_interface::return_type;

  ExternalTorqueBroadcaster();
  ~ExternalTorqueBroadcaster() override;
  ExternalTorqueBroadcaster(const ExternalTorqueBroadcaster&) = delete;
  ExternalTorqueBroadcaster& operator=(const ExternalTorqueBroadcaster&) = delete;

  CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous) override;

 protected:
  return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                const rclcpp::Duration& period) override;
  return_type update_and_write_commands(const rclcpp::Time& time,
                                        const rclcpp::Duration& period) override;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list()
      override;

 private:
  using Message = dynamics_msgs::msg::ExternalTorques;

  void configure();
  void export_values(const rclcpp::Time& time, double period) noexcept;

  std::shared_ptr<external_torque::ParamListener> listener_;
  std::unique_ptr<external_torque::Params> params_;
  RobotInLoop robot_;
  std::size_t frame_ = 0;
  std::vector<double> thresholds_, joint_torques_;
  std::vector<hardware_interface::StateInterface::SharedPtr> handles_;
  rclcpp::Publisher<Message>::SharedPtr publisher_;
  std::unique_ptr<realtime_tools::RealtimePublisher<Message>> realtime_publisher_;
  Message message_;
  double since_publication_ = 0.0;
};

}  // namespace dynamics_controllers
