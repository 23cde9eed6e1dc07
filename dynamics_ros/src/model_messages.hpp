// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models and payloads as messages.

#include <dynamics_core/model.hpp>
#include <dynamics_msgs/msg/payload.hpp>
#include <dynamics_msgs/srv/get_model.hpp>
#include <optional>
#include <string>

#include "robot.hpp"

namespace dynamics_ros {

/// Fills everything but the result.
void describe(const Robot& robot, dynamics_msgs::srv::GetModel::Response& response);

/// What the model carries; the frame is empty where it carries nothing.
dynamics_msgs::msg::Payload payload_message(const dynamics::Model& model);

/// The payload of a message for that model, none if its frame_id is empty. Throws Fault.
std::optional<dynamics::Payload> read_payload(const dynamics::Model& model,
                                              const dynamics_msgs::msg::Payload& message,
                                              const std::string& field = "payload");

/// The model with that payload, or without any where its frame is empty. Throws Fault.
dynamics::Model with_payload(const dynamics::Model& model,
                             const dynamics_msgs::msg::Payload& message);

}  // namespace dynamics_ros
