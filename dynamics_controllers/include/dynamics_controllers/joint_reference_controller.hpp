// SPDX-License-Identifier: Apache-2.0
#pragma once

// Controllers that follow joint references, in place of joint_trajectory_controller:
//
//   ComputedTorqueController    tau = ID(q, qd, qdd_ref + kp e + kd e')
//   JointImpedanceController    tau = ID(q, qd, qdd_ref) + kp e + kd e'
//
// ID is the inverse dynamics of the robot with its payloads; e = q_ref - q. The gains of the first
// are accelerations per error: every joint has the given bandwidth and damping ratio in every
// pose. The gains of the second are a stiffness (N m/rad): a push deflects joint i by tau_i / kp_i.
//
// References: the action ~/follow_joint_trajectory and the topic ~/joint_trajectory, or in chained
// mode the reference interfaces JOINT/position, velocity, acceleration (each NaN: the position
// stays, the others are zero) and JOINT/effort (added to the torques).
// State interfaces: JOINT/position_error, JOINT/velocity_error.

#include <control_msgs/action/follow_joint_trajectory.hpp>
#include <control_msgs/msg/joint_trajectory_controller_state.hpp>
#include <memory>
#include <mutex>
#include <rclcpp_action/rclcpp_action.hpp>
#include <realtime_tools/realtime_publisher.hpp>
#include <trajectory_msgs/msg/joint_trajectory.hpp>

#include "dynamics_controllers/torque_controller.hpp"
#include "dynamics_controllers/trajectory_follower.hpp"

namespace joint_reference {
class ParamListener;
struct Params;
}  // namespace joint_reference

namespace dynamics_controllers {

/// A controller of joint references; see above.
class JointReferenceController : public TorqueController {
 public:
  JointReferenceController();
  ~JointReferenceController() override;
  JointReferenceController(const JointReferenceController&) = delete;
  JointReferenceController& operator=(const JointReferenceController&) = delete;

 protected:
  /// What may change while the controller runs, one entry per commanded joint.
  struct Gains {
    std::vector<double> kp, kd, damping_ratio;
    bool damping_from_ratio = false;  ///< kd is not given
    bool friction = true;
  };
  struct Memory;

  /// One entry per commanded joint.
  std::vector<double> q_ref_, qd_ref_, qdd_ref_;
  std::vector<double> error_, error_rate_;

  /// Gains from the parameters. inertia: the diagonal of M at activation.
  virtual Gains gains_from(const ParameterValues& values,
                           std::span<const double> inertia) const = 0;
  static Gains gains_for(const ParameterValues& values, std::span<const double> inertia);
  void add_effort_references(std::span<double> tau) const noexcept;

  Names reference_names() const final;

 private:
  using Action = control_msgs::action::FollowJointTrajectory;
  using GoalHandle = rclcpp_action::ServerGoalHandle<Action>;
  using State = control_msgs::msg::JointTrajectoryControllerState;
  /// Of the control loop, for the other threads.
  struct Snapshot {
    std::vector<double> q_ref, qd_ref, qdd_ref, q, qd;
    std::int64_t time = 0;
  };

  void declare_parameters() final;
  Settings read_settings() final;
  void prepare(const ParameterValues& values) final;
  void check(const ParameterValues& values) const final;
  void change(const ParameterValues& values) final;
  std::unique_ptr<Evaluator> make_evaluator(const dynamics::Model& model) const final;
  void start() final;
  void end() final;
  void release() final;
  void create_topics();
  Names state_names() const final;
  void refer(const rclcpp::Time& time, double period) noexcept final;
  void finish(const rclcpp::Time& time, double period) noexcept final;

  /// Throws ArgumentError, naming what is wrong.
  std::unique_ptr<TrackedTrajectory> track(const trajectory_msgs::msg::JointTrajectory& message);
  dynamics::Knots knots(const trajectory_msgs::msg::JointTrajectory& message, bool partial);
  void apply_tolerances(const Action::Goal& goal, TrackedTrajectory& trajectory) const;
  rclcpp_action::GoalResponse handle_goal(const Action::Goal& goal);
  void accept(const std::shared_ptr<GoalHandle>& goal);
  void monitor();
  void finish_goal(std::int32_t code, const std::string& message, bool canceled);

  std::shared_ptr<joint_reference::ParamListener> listener_;
  std::unique_ptr<joint_reference::Params> params_;
  Gains gains_;
  std::vector<double> inertia_;  // the diagonal of M at activation
  std::vector<double> measured_, measured_rate_;
  TrajectoryFollower follower_;
  TripleBuffer<Snapshot> snapshots_;
  double since_publication_ = 0.0;

  rclcpp::Publisher<State>::SharedPtr publisher_;
  std::unique_ptr<realtime_tools::RealtimePublisher<State>> realtime_publisher_;
  State state_;

  // not the control loop
  std::mutex goal_mutex_;
  bool active_ = false;
  std::uint64_t next_id_ = 1, goal_id_ = 0;
  std::shared_ptr<GoalHandle> goal_;
  rclcpp_action::Server<Action>::SharedPtr server_;
  rclcpp::Subscription<trajectory_msgs::msg::JointTrajectory>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr timer_;
};

/// tau = ID(q, qd, qdd_ref + kp e + kd e').
class ComputedTorqueController final : public JointReferenceController {
 private:
  Gains gains_from(const ParameterValues& values, std::span<const double> inertia) const override;
  dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept override;
};

/// tau = ID(q, qd, qdd_ref) + kp e + kd e'.
class JointImpedanceController final : public JointReferenceController {
 private:
  Gains gains_from(const ParameterValues& values, std::span<const double> inertia) const override;
  dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept override;
};

}  // namespace dynamics_controllers
