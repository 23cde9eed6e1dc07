// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <hardware_interface/component_parser.hpp>
#include <hardware_interface/system_interface.hpp>
#include <map>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

namespace dynamics_sim::test {

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

/// The plugin without resource manager; access to interfaces by name.
class System {
 public:
  explicit System(const std::string& urdf, bool configure = true)
      : loader_("hardware_interface", "hardware_interface::SystemInterface"),
        system_(loader_.createUniqueInstance("dynamics_sim/DynamicsSystem")) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(urdf).at(0);
    params.clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
    if (params.hardware_info.rw_rate == 0) params.hardware_info.rw_rate = 1000;
    initialized = system_->init(params);
    if (initialized != CallbackReturn::SUCCESS) return;
    for (const auto& state : system_->on_export_state_interfaces())
      states_[state->get_name()] = state;
    for (const auto& one : system_->on_export_command_interfaces())
      commands_[one->get_name()] = one;
    if (configure) configured = system_->on_configure(rclcpp_lifecycle::State());
  }

  void activate() {
    ASSERT_EQ(initialized, CallbackReturn::SUCCESS);
    ASSERT_EQ(configured, CallbackReturn::SUCCESS);
    ASSERT_EQ(system_->on_activate(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  }

  bool has_state(const std::string& name) const { return states_.count(name) > 0; }
  double state(const std::string& name) const { return states_.at(name)->get_optional().value(); }
  void command(const std::string& name, double value) {
    ASSERT_TRUE(commands_.at(name)->set_value(value));
  }

  return_type claim(const std::vector<std::string>& start,
                    const std::vector<std::string>& stop = {}) {
    const auto prepared = system_->prepare_command_mode_switch(start, stop);
    return prepared == return_type::OK ? system_->perform_command_mode_switch(start, stop)
                                       : prepared;
  }

  return_type cycle(double period = 0.001) {
    const auto written = system_->write(time_, rclcpp::Duration::from_seconds(period));
    const auto read = system_->read(time_, rclcpp::Duration::from_seconds(period));
    return written == return_type::OK ? read : written;
  }
  void run(double seconds, double period = 0.001) {
    for (long k = std::lround(seconds / period); k > 0; --k)
      ASSERT_EQ(cycle(period), return_type::OK);
  }
  hardware_interface::SystemInterface& operator*() { return *system_; }

  CallbackReturn initialized = CallbackReturn::ERROR, configured = CallbackReturn::ERROR;

 private:
  pluginlib::ClassLoader<hardware_interface::SystemInterface> loader_;
  pluginlib::UniquePtr<hardware_interface::SystemInterface> system_;
  std::map<std::string, hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::map<std::string, hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Time time_{0, 0, RCL_STEADY_TIME};
};

}  // namespace dynamics_sim::test
