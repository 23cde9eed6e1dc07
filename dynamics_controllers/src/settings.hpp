// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <rclcpp/rclcpp.hpp>
#include <string>

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

/// The link of the parameter `frame`; empty: the end effector. By name, because the indices of a
/// model with payloads may be others. Throws ArgumentError.
inline std::string frame_name(const dynamics::Model& model, const std::string& given) {
  if (given.empty()) return model.frames()[model.end_effector()].name;
  if (model.find_frame(given)) return given;
  throw dynamics::ArgumentError("parameter 'frame': the robot has no link '" + given + "'");
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

}  // namespace dynamics_controllers
