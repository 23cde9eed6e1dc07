// SPDX-License-Identifier: Apache-2.0
#pragma once

// DynamicsStateBroadcaster: the terms of the equations of motion in the measured state: M, C, g,
// friction, the pose and the Jacobian of a frame, and the energies. Publishes
// dynamics_msgs/DynamicsTerms on ~/dynamics_terms.

#include <atomic>
#include <dynamics_msgs/msg/dynamics_terms.hpp>
#include <memory>
#include <realtime_tools/realtime_publisher.hpp>
#include <string>

#include "dynamics_controllers/robot_controller.hpp"

namespace dynamics_state {
class ParamListener;
struct Params;
}  // namespace dynamics_state

namespace dynamics_controllers {

/// Terms of the equations of motion; see above.
class DynamicsStateBroadcaster final
    : public RobotController<controller_interface::ControllerInterface> {
 public:
  DynamicsStateBroadcaster();
  ~DynamicsStateBroadcaster() override;
  DynamicsStateBroadcaster(const DynamicsStateBroadcaster&) = delete;
  DynamicsStateBroadcaster& operator=(const DynamicsStateBroadcaster&) = delete;

  return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  using Message = dynamics_msgs::msg::DynamicsTerms;
  struct Memory;

  void declare_parameters() override;
  void set_up(const ParameterValues& values) override;
  void begin() override;
  void release() override;
  void check(const ParameterValues& values) const override;
  void change(const ParameterValues& values) override;
  dynamics::Status fill() noexcept;

  std::shared_ptr<dynamics_state::ParamListener> listener_;
  std::unique_ptr<dynamics_state::Params> params_;
  std::string frame_name_;
  std::atomic<double> publish_rate_{0.0};
  Eigen::MatrixXd M_, C_, J_;
  rclcpp::Publisher<Message>::SharedPtr publisher_;
  std::unique_ptr<realtime_tools::RealtimePublisher<Message>> realtime_publisher_;
  Message message_;
  double since_publication_ = 0.0;
};

}  // namespace dynamics_controllers
