// SPDX-License-Identifier: Apache-2.0
#pragma once

// TorqueController: base of the controllers that command efforts. Derived classes state their
// parameters, interfaces and law; the base runs the life cycle and the control loop:
//
//   read the state -> references -> tau = law -> blend -> limit -> write
//
// Blend. At activation the robot may be held by other efforts than those of the law, by a brake or
// another controller. The command starts at the measured effort and changes to that of the law
// within `blend_time`.
//
// update() never allocates, waits for a lock or throws. On a state that is not valid, and where the
// law has no answer (a singular inertia matrix), the last efforts are repeated for `stale_time`;
// then update() returns an error, and the controller manager deactivates the controller.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_controllers/robot_controller.hpp"

namespace dynamics_controllers {

/// Base of the controllers that command efforts; see above.
class TorqueController
    : public RobotController<controller_interface::ChainableControllerInterface> {
 protected:
  struct Settings {
    RobotSettings robot;
    double blend_time = 0.0;
    bool limit_efforts = true;
  };
  /// Interfaces as pairs of JOINT (or another prefix) and name.
  using Names = std::vector<std::pair<std::string, std::string>>;

  // Not in the control loop; these may throw. The message should name the parameter.

  /// Reads the parameters that are read-only.
  virtual Settings read_settings() = 0;
  /// The model is known: checks what depends on it, allocates, creates topics, sets what
  /// make_evaluator() needs.
  virtual void prepare(const ParameterValues& values) = 0;
  virtual std::unique_ptr<Evaluator> make_evaluator(const dynamics::Model& model) const = 0;
  /// The state at activation is in robot().
  virtual void start() {}
  /// Reference interfaces, in the order of references().
  virtual Names reference_names() const = 0;
  /// State interfaces, in the order of set_state().
  virtual Names state_names() const { return {}; }
  /// Replaces the evaluator after `change` set what make_evaluator() needs: the torques change
  /// within the blend time.
  void rebuild(const std::function<void()>& change);

  // In the control loop: these never allocate, wait or throw.

  /// Computes the references of this cycle.
  virtual void refer(const rclcpp::Time& /*time*/, double /*period*/) noexcept {}
  /// The law.
  virtual dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept = 0;
  /// The torques were written.
  virtual void finish(const rclcpp::Time& /*time*/, double /*period*/) noexcept {}

  /// Values of the reference interfaces; NaN where there is none, and if not in chained mode.
  std::span<const double> references() const { return references_; }
  void set_state(std::size_t index, double value) noexcept;
  /// The torques written last.
  std::span<const double> written() const { return tau_; }

  return_type update_reference_from_subscribers(const rclcpp::Time& time,
                                                const rclcpp::Duration& period) final;
  return_type update_and_write_commands(const rclcpp::Time& time,
                                        const rclcpp::Duration& period) final;
  std::vector<hardware_interface::CommandInterface::SharedPtr> on_export_reference_interfaces_list()
      final;
  std::vector<hardware_interface::StateInterface::SharedPtr> on_export_state_interfaces_list()
      final;

 private:
  void set_up(const ParameterValues& values) final;
  void begin() final;
  void blend(double period) noexcept;

  Settings settings_;
  std::vector<double> tau_, offset_, references_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> reference_handles_;
  std::vector<hardware_interface::StateInterface::SharedPtr> state_handles_;
  double active_time_ = 0.0;
  bool first_ = true;
};

}  // namespace dynamics_controllers
