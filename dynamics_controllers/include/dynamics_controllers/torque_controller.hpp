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

#include <controller_interface/chainable_controller_interface.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_controllers/robot_in_loop.hpp"

namespace dynamics_controllers {

using controller_interface::CallbackReturn;
using controller_interface::return_type;

/// Base of the controllers that command efforts; see above.
class TorqueController : public controller_interface::ChainableControllerInterface {
 public:
  CallbackReturn on_init() final;
  controller_interface::InterfaceConfiguration command_interface_configuration() const final;
  controller_interface::InterfaceConfiguration state_interface_configuration() const final;
  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) final;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) final;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) final;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous) final;
  CallbackReturn on_error(const rclcpp_lifecycle::State& previous) final;

 protected:
  struct Settings {
    RobotSettings robot;
    double blend_time = 0.0;
    bool limit_efforts = true;
  };
  /// Interfaces as pairs of JOINT (or another prefix) and name.
  using Names = std::vector<std::pair<std::string, std::string>>;

  // Not in the control loop; these may throw. The message should name the parameter.

  /// Declares the parameters.
  virtual void declare_parameters() = 0;
  /// Reads the parameters.
  virtual Settings read_settings() = 0;
  virtual std::unique_ptr<Evaluator> make_evaluator(const dynamics::Model& model) const;
  /// The model is known: checks what depends on it, allocates, creates topics.
  virtual void prepare() {}
  /// The state at activation is in robot().
  virtual void begin() {}
  virtual void end() {}
  virtual void release() {}
  /// Reference interfaces, in the order of references().
  virtual Names reference_names() const = 0;
  /// State interfaces, in the order of set_state().
  virtual Names state_names() const { return {}; }

  // In the control loop: these never allocate, wait or throw.

  /// Computes the references of this cycle.
  virtual void refer(const rclcpp::Time& /*time*/, double /*period*/) noexcept {}
  /// The law.
  virtual dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept = 0;
  /// The torques were written.
  virtual void finish(const rclcpp::Time& /*time*/, double /*period*/) noexcept {}

  RobotInLoop& robot() { return robot_; }
  const RobotInLoop& robot() const { return robot_; }
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
  void blend(double period) noexcept;

  RobotInLoop robot_;
  Settings settings_;
  std::vector<double> tau_, offset_, references_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> reference_handles_;
  std::vector<hardware_interface::StateInterface::SharedPtr> state_handles_;
  double active_time_ = 0.0;
  bool first_ = true;
};

/// One entry per joint: `given` if it has one entry per joint, or its only entry for all of them;
/// `fallback` if it is empty. Throws ArgumentError, naming the parameter.
std::vector<double> per_joint(const char* parameter, const std::vector<double>& given,
                              std::size_t joints, double fallback);

}  // namespace dynamics_controllers
