// SPDX-License-Identifier: Apache-2.0
#pragma once

// RobotInLoop: what every controller shares. The model of the robot with its payloads, the state
// and command interfaces of the joints, and the checks of the measured state.
//
//   robot.configure(*get_node(), get_robot_description(), settings);     // allocates, may throw
//   robot.open(*get_node(), make_evaluator);
//   robot.start(state_interfaces_);                                      // on_activate
//
//   robot.begin_cycle(period);                                           // update(), never throws
//   if (!robot.read(state_interfaces_, period)) return robot.hold(command_interfaces_, period);
//   robot.evaluate(law, tau);
//   return robot.write(command_interfaces_, tau, period);
//
// Payloads. Each controller has the service ~/set_payload with any number of named payloads. They
// belong to the controller's model only: the robot, simulated or real, does not change.
//
// Evaluators. A model with its payloads, the gains of a law and the memory to evaluate both is an
// Evaluator. A change of a payload or a gain builds a new one, in the thread of the service or the
// parameter. The control loop then ramps from the torques of the old one to those of the new one.
// As inverse dynamics is linear in the inertial parameters, the ramp of a payload is one of them.
//
// Measured state. It is refused if a value is not finite, cannot be read, or if the positions stay
// bit for bit the same while the measured velocities of the last 0.2 s amount to 1e-3 rad or m.
// hold() then repeats the last torques; after `stale_time` the controller ends with an error.
//
// The vectors have one entry per coordinate of the model, in its order.

#include <controller_interface/controller_interface_base.hpp>
#include <cstddef>
#include <dynamics_core/model.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <dynamics_core/workspace.hpp>
#include <dynamics_msgs/srv/set_named_payload.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp_lifecycle/lifecycle_node.hpp>
#include <span>
#include <string>
#include <vector>

#include "dynamics_controllers/exchange.hpp"

namespace dynamics_controllers {

/// A model and the memory to evaluate it. Controllers derive to add theirs.
struct Evaluator {
  explicit Evaluator(const dynamics::Model& robot) : model(robot), workspace(robot) {}
  virtual ~Evaluator() = default;
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Called in the control loop before this evaluator replaces another one. Must not throw,
  /// allocate or wait.
  virtual void continue_from(Evaluator& /*replaced*/) noexcept {}

  const dynamics::Model model;
  dynamics::Workspace workspace;
  double ramp_time = 0.0;  ///< (s)
};

/// Parameters that all controllers have.
struct RobotSettings {
  std::vector<std::string> joints;          ///< that are commanded; empty: all of the robot
  std::vector<std::string> passive_joints;  ///< that are measured only
  std::vector<double> gravity = {0.0, 0.0, -9.81};
  double payload_ramp_time = 0.0;   ///< if a request has none (s)
  double stale_time = 0.0;          ///< (s)
  double friction_velocity = 0.01;  ///< of dynamics::ModelOptions (rad/s or m/s)
  bool measure_effort = false;
  bool command_effort = true;
};

/// See above.
class RobotInLoop {
 public:
  using Factory = std::function<std::unique_ptr<Evaluator>(const dynamics::Model&)>;
  using SetPayload = dynamics_msgs::srv::SetNamedPayload;

  RobotInLoop();
  ~RobotInLoop();
  RobotInLoop(const RobotInLoop&) = delete;
  RobotInLoop& operator=(const RobotInLoop&) = delete;

  /// Builds the model from the URDF. Throws std::exception for a URDF that is no robot and for
  /// joints that it does not have, naming the parameter.
  void configure(rclcpp_lifecycle::LifecycleNode& node, const std::string& urdf,
                 const RobotSettings& settings);
  /// Makes the first evaluator and starts the service. Throws what the factory throws.
  void open(rclcpp_lifecycle::LifecycleNode& node, Factory factory);
  /// Ends the service and forgets the payloads.
  void release();

  std::vector<std::string> state_names() const;
  std::vector<std::string> command_names() const;
  std::size_t size() const { return q_.size(); }
  /// Indices of the commanded joints among the coordinates, and their names, in the order of the
  /// parameter `joints`.
  std::span<const std::size_t> joints() const { return joints_; }
  const std::vector<std::string>& joint_names() const { return joint_names_; }
  /// The robot without the payloads of the service.
  const dynamics::Model& bare_model() const { return *bare_; }

  /// Not in the control loop: calls `change`, which may set what the factory reads, and replaces
  /// the evaluator within `ramp_time`. One caller at a time.
  void rebuild(double ramp_time, const std::function<void()>& change);
  /// Not in the control loop, before the first cycle: uses the last evaluator without a ramp.
  void settle() noexcept;

  using States = std::vector<hardware_interface::LoanedStateInterface>;
  using Commands = std::vector<hardware_interface::LoanedCommandInterface>;

  /// Before the first cycle: settle(), and reads the state. False if the state is not valid.
  bool start(const States& states) noexcept;

  /// Continues a ramp, or begins the next.
  void begin_cycle(double period) noexcept;
  /// Reads the measured state; false if it is not valid.
  [[nodiscard]] bool read(const States& states, double period) noexcept;
  std::span<const double> positions() const { return q_; }
  std::span<const double> velocities() const { return qd_; }
  std::span<const double> efforts() const { return effort_; }  ///< zero without `measure_effort`

  /// The evaluator in use; the old one during a ramp.
  Evaluator& evaluator() { return *current_; }

  /// tau = law(evaluator, tau), during a ramp between those of both models. A law is called as
  /// Status law(Evaluator&, std::span<double> tau). False if it fails; tau is then undefined.
  template <class Law>
  [[nodiscard]] bool evaluate(const Law& law, std::span<double> tau) noexcept {
    if (law(*current_, tau) != dynamics::Status::ok) return false;
    if (!next_) return true;
    if (law(*next_, std::span<double>(other_)) != dynamics::Status::ok) return false;
    const double share = ramp_ * ramp_ * (3.0 - 2.0 * ramp_);
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += share * (other_[i] - tau[i]);
    return true;
  }

  /// Limits the torques to those of the URDF. Gravity has priority: where a joint exceeds its
  /// limit, all torques beyond gravity are reduced by the same factor. Returns whether they were.
  bool limit(std::span<double> tau) noexcept;

  /// Writes the torques of the commanded joints; ERROR after `stale_time` in which a command could
  /// not be written.
  controller_interface::return_type write(Commands& commands, std::span<const double> tau,
                                          double period) noexcept;
  /// The cycle of a controller without commands is complete.
  void accept() noexcept { invalid_ = 0.0; }
  /// Writes the torques of the last cycle; ERROR after `stale_time` without a valid state.
  controller_interface::return_type hold(Commands& commands, double period) noexcept;
  /// Why the last hold() was needed; empty if it was not.
  const char* fault() const { return fault_; }
  void report(const char* fault) noexcept { fault_ = fault; }

 private:
  std::unique_ptr<Evaluator> make_evaluator(double ramp_time) const;
  bool send(Commands& commands, std::span<const double> tau) noexcept;
  void set_payload(const SetPayload::Request& request, SetPayload::Response& response);

  RobotSettings settings_;
  Factory factory_;
  std::optional<dynamics::Model> bare_;
  std::vector<std::size_t> joints_, measured_;
  std::vector<std::string> joint_names_, measured_names_;
  std::vector<double> effort_limits_;

  // not the control loop
  std::mutex payload_mutex_;
  std::map<std::string, dynamics_msgs::msg::Payload> payloads_;
  rclcpp::Service<SetPayload>::SharedPtr service_;

  // control loop
  Mailbox<Evaluator> mailbox_;
  std::unique_ptr<Evaluator> current_, next_, retired_;
  double ramp_ = 0.0;
  std::vector<double> q_, qd_, effort_, read_, gravity_, other_, last_;
  std::vector<double> moved_;  // by the velocities, while the positions are the same
  double invalid_ = 0.0;       // time without a valid state or command
  bool written_ = false;
  const char* fault_ = "";
};

}  // namespace dynamics_controllers
