// SPDX-License-Identifier: Apache-2.0
#pragma once

// CartesianImpedanceController: a frame of the robot behaves like a mass on a spring and a damper
// between it and its reference pose. The law is dynamics::OperationalSpaceLaw
// (dynamics_core/control_laws.hpp):
//
//   tau = ID(q, qd, a) + J^T (K e_x + D e_x' + F - L (J' qd + J a))
//
// with the accelerations `a` of the posture, which move the null space only.
//
// References, in the axes of the base link:
//   ~/pose     geometry_msgs/PoseStamped: the pose. The reference moves there with at most
//              max_linear_velocity and max_angular_velocity
//   ~/wrench   geometry_msgs/WrenchStamped: exerted in addition, about the frame's origin. If
//              header.frame_id is the frame, in its axes. Zero after wrench_timeout
//   ~/posture  sensor_msgs/JointState: positions that the null space moves to
// or in chained mode the reference interfaces pose/position.x, y, z, pose/orientation.x, y, z, w,
// wrench/force.x, ..., wrench/torque.z (base axes), and JOINT/position of the posture. A reference
// that is NaN stays. At activation the references are the measured pose and posture.
//
// State interfaces: error/position.x, y, z (m), error/rotation.x, y, z (rad).

#include <atomic>
#include <dynamics_core/control_laws.hpp>
#include <geometry_msgs/msg/pose_stamped.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <memory>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <vector>

#include "dynamics_controllers/torque_controller.hpp"

namespace cartesian_impedance {
class ParamListener;
struct Params;
}  // namespace cartesian_impedance

namespace dynamics_controllers {

/// Impedance of a frame; see above.
class CartesianImpedanceController final : public TorqueController {
 public:
  CartesianImpedanceController();
  ~CartesianImpedanceController() override;
  CartesianImpedanceController(const CartesianImpedanceController&) = delete;
  CartesianImpedanceController& operator=(const CartesianImpedanceController&) = delete;

 private:
  using PoseStamped = geometry_msgs::msg::PoseStamped;
  using WrenchStamped = geometry_msgs::msg::WrenchStamped;
  using JointState = sensor_msgs::msg::JointState;
  struct WrenchInput {
    dynamics::Wrench wrench;
    bool local = false;
  };

  struct Memory;

  void declare_parameters() override;
  Settings read_settings() override;
  void prepare(const ParameterValues& values) override;
  void check(const ParameterValues& values) const override;
  void change(const ParameterValues& values) override;
  std::unique_ptr<Evaluator> make_evaluator(const dynamics::Model& model) const override;
  void start() override;
  void release() override;
  void read_gains(const ParameterValues& values);
  void read_limits(const ParameterValues& values);
  Names reference_names() const override;
  Names state_names() const override;
  void refer(const rclcpp::Time& time, double period) noexcept override;
  dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept override;
  void finish(const rclcpp::Time& time, double period) noexcept override;

  void take(const PoseStamped& message);
  void take(const WrenchStamped& message);
  void take(const JointState& message);
  void read_topics(double period) noexcept;
  void read_references() noexcept;
  void move_reference(double period) noexcept;

  std::shared_ptr<cartesian_impedance::ParamListener> listener_;
  std::unique_ptr<cartesian_impedance::Params> params_;

  // what may change while the controller runs: of the evaluator, and of the references
  dynamics::OperationalSpaceOptions options_;
  double posture_bandwidth_ = 0.0, posture_damping_ratio_ = 0.0;
  std::atomic<double> max_linear_velocity_{0.0}, max_angular_velocity_{0.0};
  std::atomic<double> max_posture_velocity_{0.0}, wrench_timeout_{0.0};

  std::string frame_name_;
  TripleBuffer<dynamics::Pose> poses_;
  TripleBuffer<WrenchInput> wrenches_;
  TripleBuffer<std::vector<double>> postures_;
  rclcpp::Subscription<PoseStamped>::SharedPtr pose_subscription_;
  rclcpp::Subscription<WrenchStamped>::SharedPtr wrench_subscription_;
  rclcpp::Subscription<JointState>::SharedPtr posture_subscription_;

  // control loop
  dynamics::Pose goal_, measured_;
  dynamics::FrameTarget target_;
  WrenchInput wrench_;
  double wrench_age_ = 0.0;
  std::vector<double> posture_goal_, posture_;  // one per commanded joint
};

}  // namespace dynamics_controllers
