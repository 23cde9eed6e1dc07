// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <rclcpp/rclcpp.hpp>
#include <rclcpp_lifecycle/lifecycle_node.hpp>

#include "dynamics_controllers/robot_in_loop.hpp"

namespace dynamics_controllers {

/// The parameters that all controllers have, from the struct of one of them.
template <class Params>
RobotSettings robot_settings(const Params& params) {
  RobotSettings settings;
  settings.joints = params.joints;
  settings.passive_joints = params.passive_joints;
  settings.gravity = params.gravity;
  settings.payload_ramp_time = params.payload_ramp_time;
  settings.stale_time = params.stale_time;
  if constexpr (requires { params.start_from_measured_effort; })
    settings.measure_effort = params.start_from_measured_effort;
  if constexpr (requires { params.friction_velocity; })
    settings.friction_velocity = params.friction_velocity;
  return settings;
}

/// Gives the message of a realtime_tools::RealtimePublisher the sizes of this one, so that the
/// control loop does not allocate.
template <class Publisher, class Message>
void size_message(Publisher& publisher, const Message& message) {
  if constexpr (requires { publisher.msg_ = message; }) {
    publisher.lock();
    publisher.msg_ = message;
    publisher.unlock();
  } else {
    while (!publisher.try_publish(message)) rclcpp::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Bounds do not refuse NaN. Throws ArgumentError, naming the parameter.
inline void require_finite_parameters(rclcpp_lifecycle::LifecycleNode& node) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  for (const auto& name : node.list_parameters({}, 0).names) {
    const auto parameter = node.get_parameter(name);
    const bool well = parameter.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE
                          ? is_finite(parameter.as_double())
                          : parameter.get_type() != rclcpp::ParameterType::PARAMETER_DOUBLE_ARRAY ||
                                std::all_of(parameter.as_double_array().begin(),
                                            parameter.as_double_array().end(), is_finite);
    if (!well) throw dynamics::ArgumentError("parameter '" + name + "' is not finite");
  }
}

}  // namespace dynamics_controllers
