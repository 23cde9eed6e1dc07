// SPDX-License-Identifier: Apache-2.0
#pragma once

// RobotController: the life cycle of every controller of this package, around a RobotInLoop.
// Derived classes state their parameters and what they do with the robot.
//
// Parameters. Those that are not read-only may change while the controller runs. A change is
// checked with all other values first, as at configure(): an invalid one is refused by its name and
// changes nothing. A valid one reaches the control loop without a lock: as a new Evaluator, or as
// an atomic number.

#include <controller_interface/chainable_controller_interface.hpp>
#include <controller_interface/controller_interface.hpp>
#include <map>
#include <memory>
#include <rclcpp/node_interfaces/node_parameters_interface.hpp>
#include <string>
#include <vector>

#include "dynamics_controllers/robot_in_loop.hpp"

namespace dynamics_controllers {

using controller_interface::CallbackReturn;
using controller_interface::return_type;

/// A copy of the parameters of a node, with changes that are not set yet.
class ParameterValues {
 public:
  explicit ParameterValues(const rclcpp_lifecycle::LifecycleNode& node,
                           const std::vector<rclcpp::Parameter>& changes = {});

  bool flag(const std::string& name) const { return values_.at(name).as_bool(); }
  double number(const std::string& name) const { return values_.at(name).as_double(); }
  std::vector<double> numbers(const std::string& name) const {
    return values_.at(name).as_double_array();
  }
  /// Bounds do not refuse NaN. Throws ArgumentError, naming a parameter that is not finite.
  void require_finite() const;

 private:
  std::map<std::string, rclcpp::Parameter> values_;
};

/// One entry per joint: `given` if it has one entry per joint, or its only entry for all of them;
/// `fallback` if it is empty. Throws ArgumentError, naming the parameter.
std::vector<double> per_joint(const char* parameter, const std::vector<double>& given,
                              std::size_t joints, double fallback);

/// Base of the controllers; Interface is ControllerInterface or ChainableControllerInterface.
template <class Interface>
class RobotController : public Interface {
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
  // Not in the control loop; these may throw. The message should name the parameter.

  virtual void declare_parameters() = 0;
  /// Configures robot() and what depends on its model.
  virtual void set_up(const ParameterValues& values) = 0;
  /// The state at activation is in robot().
  virtual void begin() {}
  virtual void end() {}
  virtual void release() {}
  /// Throws if these values of parameters that may change do not fit each other or the robot.
  virtual void check(const ParameterValues& values) const = 0;
  /// Parameters were changed after configure(); these are valid.
  virtual void change(const ParameterValues& values) = 0;

  RobotInLoop& robot() { return robot_; }
  const RobotInLoop& robot() const { return robot_; }

 private:
  void watch_parameters();
  void clean();

  RobotInLoop robot_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr checking_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr changing_;
};

extern template class RobotController<controller_interface::ControllerInterface>;
extern template class RobotController<controller_interface::ChainableControllerInterface>;

}  // namespace dynamics_controllers
