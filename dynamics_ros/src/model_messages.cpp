// SPDX-License-Identifier: Apache-2.0
#include "model_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "fault.hpp"

namespace dynamics_ros {
namespace {

using dynamics::JointType;
using dynamics::Model;
using dynamics_msgs::msg::FrameDescription;
using dynamics_msgs::msg::JointDescription;
using dynamics_msgs::msg::ModelNote;

std::uint8_t type_code(JointType type) {
  switch (type) {
    case JointType::continuous: return JointDescription::CONTINUOUS;
    case JointType::prismatic: return JointDescription::PRISMATIC;
    case JointType::planar: return JointDescription::PLANAR;
    case JointType::floating: return JointDescription::FLOATING;
    case JointType::revolute:
    case JointType::fixed: break;  // a fixed joint has no coordinate
  }
  return JointDescription::REVOLUTE;
}

JointDescription describe_joint(const Model& model, const dynamics::Coordinate& coordinate) {
  JointDescription message;
  message.name = coordinate.name;
  message.joint = coordinate.joint;
  message.prismatic = coordinate.prismatic;
  message.lower_limit = coordinate.lower;
  message.upper_limit = coordinate.upper;
  message.velocity_limit = coordinate.velocity;
  message.effort_limit = coordinate.effort;
  const auto& joints = model.description().joints;
  const auto described = std::find_if(joints.begin(), joints.end(), [&](const auto& joint) {
    return joint.name == coordinate.joint;
  });
  if (described != joints.end()) {
    message.type = type_code(described->type);
    message.damping = described->damping;
    message.friction = described->friction;
    message.rotor_inertia = described->rotor_inertia;
  }
  return message;
}

FrameDescription describe_frame(const Model& model, const dynamics::Frame& frame) {
  FrameDescription message;
  message.name = frame.name;
  const auto* body =
      frame.body < 0 ? nullptr : &model.bodies()[static_cast<std::size_t>(frame.body)];
  const std::string& carrier = body == nullptr ? model.base_link() : body->link;
  if (carrier != frame.name) message.merged_into = carrier;
  if (body != nullptr) message.joint = body->joint;
  for (const auto& link : model.description().links) {
    if (link.name == frame.name && link.inertial) message.mass = link.inertial->mass;
  }
  return message;
}

ModelNote describe_note(const dynamics::Note& note) {
  ModelNote message;
  message.severity = note.severity == dynamics::Note::Severity::warning ? ModelNote::WARNING
                                                                        : ModelNote::INFORMATION;
  message.element = note.element;
  message.message = note.message;
  return message;
}

}  // namespace

void describe(const Robot& robot, dynamics_msgs::srv::GetModel::Response& response) {
  const Model& model = robot.model;
  response.name = model.name();
  response.base_link = model.base_link();
  response.end_effector = model.frames()[model.end_effector()].name;
  response.gravity.x = model.gravity().x();
  response.gravity.y = model.gravity().y();
  response.gravity.z = model.gravity().z();
  response.total_mass = model.total_mass();
  for (const auto& coordinate : model.coordinates()) {
    response.joints.push_back(describe_joint(model, coordinate));
  }
  for (const auto& frame : model.frames()) response.frames.push_back(describe_frame(model, frame));
  for (const auto& note : model.notes()) response.notes.push_back(describe_note(note));
  const auto names = model.coordinate_names();
  if (robot.mechanism) {
    for (const auto& constraint : robot.mechanism->description().constraints)
      response.constraints.push_back(constraint.name);
    for (const std::size_t joint : robot.mechanism->independent())
      response.independent_joints.push_back(names[joint]);
    for (const std::size_t joint : robot.mechanism->actuated())
      response.actuated_joints.push_back(names[joint]);
    for (const auto& note : robot.mechanism->notes()) response.notes.push_back(describe_note(note));
  } else {
    response.independent_joints = response.actuated_joints = names;
  }
  if (robot.flexible) {
    for (const auto& note : robot.flexible->notes()) {
      response.notes.push_back(describe_note(note));
    }
    for (const auto& link : robot.flexible->links()) response.flexible_links.push_back(link.name);
    const auto amplitudes = robot.flexible->amplitude_names();
    response.amplitude_names.assign(amplitudes.begin(), amplitudes.end());
  }
  response.payload = payload_message(model);
  if (!robot.mechanism) response.no_forward_dynamics = model.singular_reason();
}

dynamics_msgs::msg::Payload payload_message(const Model& model) {
  dynamics_msgs::msg::Payload message;
  if (!model.payload()) return message;
  const dynamics::Payload& payload = *model.payload();
  message.frame_id = payload.frame;
  message.inertia.m = payload.mass;
  message.inertia.com.x = payload.center.x();
  message.inertia.com.y = payload.center.y();
  message.inertia.com.z = payload.center.z();
  message.inertia.ixx = payload.inertia(0, 0);
  message.inertia.ixy = payload.inertia(0, 1);
  message.inertia.ixz = payload.inertia(0, 2);
  message.inertia.iyy = payload.inertia(1, 1);
  message.inertia.iyz = payload.inertia(1, 2);
  message.inertia.izz = payload.inertia(2, 2);
  return message;
}

std::optional<dynamics::Payload> read_payload(const Model& model,
                                              const dynamics_msgs::msg::Payload& message,
                                              const std::string& field) {
  const auto& given = message.inertia;
  const std::array<std::pair<const char*, double>, 10> numbers = {{{"m", given.m},
                                                                   {"com.x", given.com.x},
                                                                   {"com.y", given.com.y},
                                                                   {"com.z", given.com.z},
                                                                   {"ixx", given.ixx},
                                                                   {"ixy", given.ixy},
                                                                   {"ixz", given.ixz},
                                                                   {"iyy", given.iyy},
                                                                   {"iyz", given.iyz},
                                                                   {"izz", given.izz}}};
  if (message.frame_id.empty()) {
    for (const auto& [name, value] : numbers) {
      if (value != 0.0) {
        throw Fault(ResultCode::UNKNOWN_FRAME,
                    fmt::format("{0}.frame_id is empty, but {0}.inertia.{1} is {2}: name the link, "
                                "or leave all at zero for no payload",
                                field, name, value));
      }
    }
    return std::nullopt;
  }
  if (!model.find_frame(message.frame_id)) {
    throw Fault(ResultCode::UNKNOWN_FRAME, fmt::format("{}.frame_id: robot '{}' has no link '{}'",
                                                       field, model.name(), message.frame_id));
  }
  for (const auto& [name, value] : numbers) {
    if (!std::isfinite(value)) {
      throw Fault(ResultCode::NOT_FINITE, fmt::format("{}.inertia.{} is {}", field, name, value));
    }
  }
  dynamics::Payload payload;
  payload.frame = message.frame_id;
  payload.mass = given.m;
  payload.center = {given.com.x, given.com.y, given.com.z};
  payload.inertia << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz,
      given.iyz, given.izz;
  return payload;
}

Model with_payload(const Model& model, const dynamics_msgs::msg::Payload& message) {
  const auto payload = read_payload(model, message);
  return payload ? model.with_payload(*payload) : model.without_payload();
}

}  // namespace dynamics_ros
