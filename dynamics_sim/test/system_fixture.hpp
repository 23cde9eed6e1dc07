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
  explicit System(const std::string& urdf, bool configure = true, std::size_t block = 0)
      : loader_("hardware_interface", "hardware_interface::SystemInterface"),
        system_(loader_.createUniqueInstance("dynamics_sim/DynamicsSystem")) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(urdf).at(block);
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
  template <class T = double>
  T state(const std::string& name) const {
    return states_.at(name)->get_optional<T>().value();
  }
  template <class T>
  void command(const std::string& name, T value) {
    ASSERT_TRUE(commands_.at(name)->set_value(value));
  }

  return_type claim(const std::vector<std::string>& start,
                    const std::vector<std::string>& stop = {}) {
    const auto prepared = system_->prepare_command_mode_switch(start, stop);
    return prepared == return_type::OK ? system_->perform_command_mode_switch(start, stop)
                                       : prepared;
  }

  return_type write(double period = 0.001) {
    return system_->write(time_, rclcpp::Duration::from_seconds(period));
  }
  return_type read(double period = 0.001) {
    return system_->read(time_, rclcpp::Duration::from_seconds(period));
  }
  return_type cycle(double period = 0.001) {
    const auto written = write(period);
    const auto done = read(period);
    return written == return_type::OK ? done : written;
  }
  return_type configure() { return result(system_->on_configure(rclcpp_lifecycle::State())); }
  return_type deactivate() { return result(system_->on_deactivate(rclcpp_lifecycle::State())); }
  return_type cleanup() { return result(system_->on_cleanup(rclcpp_lifecycle::State())); }
  void run(double seconds, double period = 0.001) {
    for (long k = std::lround(seconds / period); k > 0; --k)
      ASSERT_EQ(cycle(period), return_type::OK);
  }
  hardware_interface::SystemInterface& operator*() { return *system_; }

  CallbackReturn initialized = CallbackReturn::ERROR, configured = CallbackReturn::ERROR;

 private:
  static return_type result(CallbackReturn given) {
    return given == CallbackReturn::SUCCESS ? return_type::OK : return_type::ERROR;
  }

  pluginlib::ClassLoader<hardware_interface::SystemInterface> loader_;
  pluginlib::UniquePtr<hardware_interface::SystemInterface> system_;
  std::map<std::string, hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::map<std::string, hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Time time_{0, 0, RCL_STEADY_TIME};
};

}  // namespace dynamics_sim::test
