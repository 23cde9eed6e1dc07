// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/torque_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dynamics_controllers {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void TorqueController::set_up(const ParameterValues& values) {
  settings_ = read_settings();
  robot().configure(*get_node(), get_robot_description(), settings_.robot);
  for (const std::size_t i : robot().joints()) {
    const auto& joint = robot().bare_model().coordinates()[i];
    if (!settings_.limit_efforts || joint.effort > 0.0) continue;
    throw dynamics::ArgumentError("parameter 'limit_efforts': the effort limit of joint '" +
                                  joint.name + "' is zero; it could not carry its weight");
  }
  tau_.assign(robot().size(), 0.0);
  offset_.assign(robot().size(), 0.0);
  prepare(values);
  references_.assign(reference_names().size(), nan);
  robot().open(*get_node(), [this](const dynamics::Model& model) { return make_evaluator(model); });
}

void TorqueController::rebuild(const std::function<void()>& change) {
  robot().rebuild(settings_.blend_time, change);
}

void TorqueController::begin() {
  for (const auto& handle : reference_handles_) std::ignore = handle->set_value(nan);
  std::fill(references_.begin(), references_.end(), nan);
  first_ = true;
  active_time_ = 0.0;
  start();
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
    for (const std::size_t i : robot().joints()) offset_[i] = robot().efforts()[i] - tau_[i];
  }
  const double done = std::min(active_time_ / settings_.blend_time, 1.0);
  const double share = 1.0 - done * done * (3.0 - 2.0 * done);
  for (const std::size_t i : robot().joints()) tau_[i] += share * offset_[i];
  active_time_ += period;
}

return_type TorqueController::update_and_write_commands(const rclcpp::Time& time,
                                                        const rclcpp::Duration& duration) {
  const double period = std::max(0.0, duration.seconds());
  robot().begin_cycle(period);
  if (!robot().read(state_interfaces_, period)) return robot().hold(command_interfaces_, period);
  if (is_in_chained_mode()) {
    for (std::size_t k = 0; k < reference_handles_.size(); ++k) {
      if (const auto value = reference_handles_[k]->get_optional()) references_[k] = *value;
    }
  }
  refer(time, period);
  const auto law = [this](Evaluator& evaluator, std::span<double> tau) {
    return torques(evaluator, tau);
  };
  bool valid = robot().evaluate(law, tau_);
  for (const double x : tau_) valid = valid && std::isfinite(x);
  if (!valid) {
    robot().report("the law has no torques in this state");
    return robot().hold(command_interfaces_, period);
  }
  blend(period);
  if (settings_.limit_efforts) robot().limit(tau_);
  const auto result = robot().write(command_interfaces_, tau_, period);
  first_ = false;
  finish(time, period);
  return result;
}

}  // namespace dynamics_controllers
