// SPDX-License-Identifier: Apache-2.0
#pragma once

// ExternalTorqueBroadcaster: the joint torques and the wrench that act on the robot from outside,
// without a force sensor. They are estimated by dynamics::MomentumObserver
// (dynamics_core/control_laws.hpp) from measured positions, velocities and efforts.
//
// Publishes dynamics_msgs/ExternalTorques on ~/external_torques. State interfaces, for other
// controllers: JOINT/external_torque, wrench/force.x, ..., wrench/torque.z, collision/detected (0
// or 1). A collision is detected while a torque is beyond its threshold.

#include <atomic>
#include <dynamics_core/control_laws.hpp>
#include <dynamics_msgs/msg/external_torques.hpp>
#include <memory>
#include <realtime_tools/realtime_publisher.hpp>
#include <string>
#include <vector>

#include "dynamics_controllers/robot_controller.hpp"

namespace external_torque {
class ParamListener;
struct Params;
}  // namespace external_torque

namespace dynamics_controllers {

/// Estimate of external torques; see above.
class ExternalTorqueBroadcaster final
    : public RobotController<controller_interface::ChainableControllerInterface> {
 public:
  ExternalTorqueBroadcaster();
  ~ExternalTorqueBroadcaster() override;
  ExternalTorqueBroadcaster(const ExternalTorqueBroadcaster&) = delete;
  ExternalTorqueBroadcaster& operator=(const ExternalTorqueBroadcaster&) = delete;

 protected:
  return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                const rclcpp::Duration& period) override;
  return_type update_and_write_commands(const rclcpp::Time& time,
                                        const rclcpp::Duration& period) override;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list()
      override;

 private:
  using Message = dynamics_msgs::msg::ExternalTorques;

  /// What may change while the broadcaster runs.
  struct Tuning {
    dynamics::MomentumObserverOptions observer;
    std::vector<double> thresholds;  ///< one per joint
  };
  struct Memory;

  void declare_parameters() override;
  void set_up(const ParameterValues& values) override;
  void begin() override;
  void release() override;
  void check(const ParameterValues& values) const override;
  void change(const ParameterValues& values) override;
  Tuning tuning_from(const ParameterValues& values) const;
  void export_values(const rclcpp::Time& time, double period) noexcept;

  std::shared_ptr<external_torque::ParamListener> listener_;
  std::unique_ptr<external_torque::Params> params_;
  Tuning tuning_;
  std::string frame_name_;
  std::atomic<double> publish_rate_{0.0};
  std::vector<double> joint_torques_;
  std::vector<hardware_interface::StateInterface::SharedPtr> handles_;
  rclcpp::Publisher<Message>::SharedPtr publisher_;
  std::unique_ptr<realtime_tools::RealtimePublisher<Message>> realtime_publisher_;
  Message message_;
  double since_update_ = 0.0;  // of the observer, longer than a period after invalid states
  double since_publication_ = 0.0;
  bool published_collision_ = false;
};

}  // namespace dynamics_controllers
