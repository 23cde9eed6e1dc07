// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/torque_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "settings.hpp"

namespace dynamics_controllers {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

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

CallbackReturn TorqueController::on_init() {
  try {
    declare_parameters();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
}

controller_interface::InterfaceConfiguration TorqueController::command_interface_configuration()
    const {
  return {controller_interface::interface_configuration_type::INDIVIDUAL, robot_.command_names()};
}

controller_interface::InterfaceConfiguration TorqueController::state_interface_configuration()
    const {
  return {controller_interface::interface_configuration_type::INDIVIDUAL, robot_.state_names()};
}

std::unique_ptr<Evaluator> TorqueController::make_evaluator(const dynamics::Model& model) const {
  return std::make_unique<Evaluator>(model);
}

CallbackReturn TorqueController::on_configure(const rclcpp_lifecycle::State&) {
  try {
    require_finite_parameters(*get_node());
    settings_ = read_settings();
    robot_.configure(*get_node(), get_robot_description(), settings_.robot,
                     [this](const dynamics::Model& model) { return make_evaluator(model); });
    for (const std::size_t i : robot_.joints()) {
      const auto& joint = robot_.bare_model().coordinates()[i];
      if (!settings_.limit_efforts || joint.effort > 0.0) continue;
      throw dynamics::ArgumentError("parameter 'limit_efforts': the effort limit of joint '" +
                                    joint.name + "' is zero; it could not carry its weight");
    }
    tau_.assign(robot_.size(), 0.0);
    offset_.assign(robot_.size(), 0.0);
    prepare();
    references_.assign(reference_names().size(), nan);
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    robot_.release();
    return CallbackReturn::FAILURE;
  }
}

CallbackReturn TorqueController::on_activate(const rclcpp_lifecycle::State&) {
  try {
    if (!robot_.start(state_interfaces_)) {
      RCLCPP_ERROR(get_node()->get_logger(), "not activated: %s", robot_.fault());
      return CallbackReturn::FAILURE;
    }
    for (const auto& handle : reference_handles_) std::ignore = handle->set_value(nan);
    std::fill(references_.begin(), references_.end(), nan);
    first_ = true;
    active_time_ = 0.0;
    begin();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "not activated: %s", error.what());
    return CallbackReturn::FAILURE;
  }
}

CallbackReturn TorqueController::on_deactivate(const rclcpp_lifecycle::State&) {
  if (*robot_.fault() != '\0')
    RCLCPP_WARN(get_node()->get_logger(), "while active: %s", robot_.fault());
  end();
  return CallbackReturn::SUCCESS;
}

CallbackReturn TorqueController::on_cleanup(const rclcpp_lifecycle::State&) {
  release();
  robot_.release();
  return CallbackReturn::SUCCESS;
}

CallbackReturn TorqueController::on_error(const rclcpp_lifecycle::State&) {
  end();
  release();
  robot_.release();
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::CommandInterface::SharedPtr>
TorqueController::on_export_reference_interfaces_list() {
  reference_handles_.clear();
  for (const auto& [prefix, name] : reference_names()) {
    reference_handles_.push_back(std::make_shared<hardware_interface::CommandInterface>(
        std::string(get_node()->get_name()) + "/" + prefix, name));
  }
  return reference_handles_;
}

std::vector<hardware_interface::StateInterface::SharedPtr>
TorqueController::on_export_state_interfaces_list() {
  state_handles_.clear();
  for (const auto& [prefix, name] : state_names()) {
    state_handles_.push_back(std::make_shared<hardware_interface::StateInterface>(
        std::string(get_node()->get_name()) + "/" + prefix, name));
  }
  return state_handles_;
}

void TorqueController::set_state(std::size_t index, double value) noexcept {
  if (index < state_handles_.size()) std::ignore = state_handles_[index]->set_value(value);
}

return_type TorqueController::update_reference_from_subscribers(const rclcpp::Time&,
                                                                const rclcpp::Duration&) {
  return return_type::OK;  // refer() takes what the topics sent
}

void TorqueController::blend(double period) noexcept {
  if (!(settings_.blend_time > 0.0) || !settings_.robot.measure_effort) return;
  if (first_) {
    for (const std::size_t i : robot_.joints()) offset_[i] = robot_.efforts()[i] - tau_[i];
  }
  const double done = std::min(active_time_ / settings_.blend_time, 1.0);
  const double share = 1.0 - done * done * (3.0 - 2.0 * done);
  for (const std::size_t i : robot_.joints()) tau_[i] += share * offset_[i];
  active_time_ += period;
}

return_type TorqueController::update_and_write_commands(const rclcpp::Time& time,
                                                        const rclcpp::Duration& duration) {
  const double period = std::max(0.0, duration.seconds());
  robot_.begin_cycle(period);
  if (!robot_.read(state_interfaces_, period)) return robot_.hold(command_interfaces_, period);
  if (is_in_chained_mode()) {
    for (std::size_t k = 0; k < reference_handles_.size(); ++k) {
      if (const auto value = reference_handles_[k]->get_optional()) references_[k] = *value;
    }
  }
  refer(time, period);
  const auto law = [this](Evaluator& evaluator, std::span<double> tau) {
    return torques(evaluator, tau);
  };
  bool valid = robot_.evaluate(law, tau_);
  for (const double x : tau_) valid = valid && std::isfinite(x);
  if (!valid) {
    robot_.report("the law has no torques in this state");
    return robot_.hold(command_interfaces_, period);
  }
  blend(period);
  if (settings_.limit_efforts) robot_.limit(tau_);
  robot_.write(command_interfaces_, tau_);
  first_ = false;
  finish(time, period);
  return return_type::OK;
}

}  // namespace dynamics_controllers
