// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/robot_controller.hpp"

#include <algorithm>
#include <cmath>

namespace dynamics_controllers {

ParameterValues::ParameterValues(const rclcpp_lifecycle::LifecycleNode& node,
                                 const std::vector<rclcpp::Parameter>& changes) {
  for (const auto& one : node.get_parameters(node.list_parameters({}, 0).names))
    values_[one.get_name()] = one;
  for (const auto& one : changes) values_[one.get_name()] = one;
}

void ParameterValues::require_finite() const {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  for (const auto& [name, parameter] : values_) {
    bool finite = true;
    if (parameter.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE) {
      finite = is_finite(parameter.as_double());
    } else if (parameter.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE_ARRAY) {
      const auto values = parameter.as_double_array();
      finite = std::all_of(values.begin(), values.end(), is_finite);
    }
    if (!finite) throw dynamics::ArgumentError("parameter '" + name + "' is not finite");
  }
}

std::vector<double> per_joint(const char* parameter, const std::vector<double>& given,
                              std::size_t joints, double fallback) {
  if (given.size() == joints) return given;
  if (given.size() > 1) {
    throw dynamics::ArgumentError("parameter '" + std::string(parameter) + "' has " +
                                  std::to_string(given.size()) + " entries; 1 for all joints or " +
                                  std::to_string(joints) + ", one per joint, are needed");
  }
  return std::vector<double>(joints, given.empty() ? fallback : given[0]);
}

template <class Interface>
CallbackReturn RobotController<Interface>::on_init() {
  try {
    declare_parameters();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(this->get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
}

template <class Interface>
controller_interface::InterfaceConfiguration
RobotController<Interface>::command_interface_configuration() const {
  const auto names = robot_.command_names();
  if (names.empty()) return {controller_interface::interface_configuration_type::NONE, {}};
  return {controller_interface::interface_configuration_type::INDIVIDUAL, names};
}

template <class Interface>
controller_interface::InterfaceConfiguration
RobotController<Interface>::state_interface_configuration() const {
  return {controller_interface::interface_configuration_type::INDIVIDUAL, robot_.state_names()};
}

template <class Interface>
CallbackReturn RobotController<Interface>::on_configure(const rclcpp_lifecycle::State&) {
  try {
    const ParameterValues values(*this->get_node());
    values.require_finite();
    set_up(values);
    watch_parameters();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(this->get_node()->get_logger(), "%s", error.what());
    clean();
    return CallbackReturn::FAILURE;
  }
}

template <class Interface>
void RobotController<Interface>::watch_parameters() {
  // before the callback of the generated listener, which keeps what a later one refuses
  checking_ = this->get_node()->add_on_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>& changes) {
        rcl_interfaces::msg::SetParametersResult result;
        result.successful = true;
        try {
          const ParameterValues values(*this->get_node(), changes);
          values.require_finite();
          check(values);
        } catch (const std::exception& error) {
          result.successful = false;
          result.reason = error.what();
        }
        return result;
      });
  changing_ = this->get_node()->add_post_set_parameters_callback(
      [this](const std::vector<rclcpp::Parameter>&) {
        try {
          change(ParameterValues(*this->get_node()));
        } catch (const std::exception& error) {
          RCLCPP_ERROR(this->get_node()->get_logger(), "%s", error.what());
        }
      });
}

template <class Interface>
CallbackReturn RobotController<Interface>::on_activate(const rclcpp_lifecycle::State&) {
  try {
    if (!robot_.start(this->state_interfaces_)) {
      RCLCPP_ERROR(this->get_node()->get_logger(), "not activated: %s", robot_.fault());
      return CallbackReturn::FAILURE;
    }
    begin();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(this->get_node()->get_logger(), "not activated: %s", error.what());
    return CallbackReturn::FAILURE;
  }
}

template <class Interface>
CallbackReturn RobotController<Interface>::on_deactivate(const rclcpp_lifecycle::State&) {
  if (*robot_.fault() != '\0')
    RCLCPP_WARN(this->get_node()->get_logger(), "while active: %s", robot_.fault());
  end();
  return CallbackReturn::SUCCESS;
}

template <class Interface>
void RobotController<Interface>::clean() {
  checking_.reset();
  changing_.reset();
  release();
  robot_.release();
}

template <class Interface>
CallbackReturn RobotController<Interface>::on_cleanup(const rclcpp_lifecycle::State&) {
  clean();
  return CallbackReturn::SUCCESS;
}

template <class Interface>
CallbackReturn RobotController<Interface>::on_error(const rclcpp_lifecycle::State&) {
  end();
  clean();
  return CallbackReturn::SUCCESS;
}

template class RobotController<controller_interface::ControllerInterface>;
template class RobotController<controller_interface::ChainableControllerInterface>;

}  // namespace dynamics_controllers
