// SPDX-License-Identifier: Apache-2.0
#include "overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "fault.hpp"
#include "model_messages.hpp"
#include "request.hpp"

namespace dynamics_ros {
namespace {

using dynamics::Model;
using dynamics_msgs::msg::JointLimits;
using dynamics_msgs::msg::ModelOverrides;

Eigen::Vector3d read_vector(const geometry_msgs::msg::Vector3& vector, const std::string& field) {
  const std::array<std::pair<const char*, double>, 3> numbers = {
      {{"x", vector.x}, {"y", vector.y}, {"z", vector.z}}};
  for (const auto& [name, value] : numbers) {
    if (std::isfinite(value)) continue;
    throw Fault(ResultCode::NOT_FINITE, fmt::format("{}.{} is {}", field, name, value));
  }
  return {vector.x, vector.y, vector.z};
}

/// Replaces one kind of limit. `member` is that of the description.
void replace_limits(const Model& model, const std::vector<double>& values,
                    const std::vector<std::string>& names,
                    const std::vector<std::size_t>& coordinates, const char* field,
                    double dynamics::JointLimits::*member,
                    dynamics::RobotDescription& description) {
  if (values.empty()) return;
  if (values.size() != names.size()) {
    throw Fault(ResultCode::WRONG_SIZE, fmt::format("overrides.limits.{} has {} entries for {} "
                                                    "joints",
                                                    field, values.size(), names.size()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0.0)) {
      throw Fault(ResultCode::INVALID_VALUE,
                  fmt::format("overrides.limits.{}[{}] of joint '{}' is {}; it must be 0 or more",
                              field, i, names[i], values[i]));
    }
    const std::string& joint = model.coordinates()[coordinates[i]].joint;
    if (joint != names[i]) {
      throw Fault(ResultCode::NOT_SUPPORTED,
                  fmt::format("overrides.limits.joint_names[{}]: '{}' is one coordinate of joint "
                              "'{}', which has one limit for all",
                              i, names[i], joint));
    }
    const auto described =
        std::find_if(description.joints.begin(), description.joints.end(),
                     [&](const auto& candidate) { return candidate.name == joint; });
    if (!described->limits) {  // a continuous joint
      constexpr double infinity = std::numeric_limits<double>::infinity();
      described->limits = dynamics::JointLimits{0.0, 0.0, infinity, infinity};
    }
    *described->limits.*member = values[i];
  }
}

/// The description with the limits replaced.
dynamics::RobotDescription with_limits(const Model& model, const JointLimits& limits,
                                       dynamics::RobotDescription description) {
  const auto& names = limits.joint_names;
  const auto coordinates = read_joints(model, names, "overrides.limits.joint_names");
  if (limits.velocity_limits.empty() && limits.effort_limits.empty()) {
    throw Fault(ResultCode::WRONG_SIZE,
                "overrides.limits has joint_names, but neither velocity_limits nor effort_limits");
  }
  replace_limits(model, limits.velocity_limits, names, coordinates, "velocity_limits",
                 &dynamics::JointLimits::velocity, description);
  replace_limits(model, limits.effort_limits, names, coordinates, "effort_limits",
                 &dynamics::JointLimits::effort, description);
  return description;
}

/// `original` is the model itself, or the mechanism whose tree it is.
template <class Original>
Original changed(const Original& original, const Model& model, const ModelOverrides& overrides) {
  Original made = original;
  if (overrides.limits != JointLimits()) {
    dynamics::ModelOptions options;
    options.gravity = model.gravity();
    options.friction_velocity = model.friction_velocity();
    made = Original(with_limits(model, overrides.limits, original.description()), options);
    if (model.payload()) made = made.with_payload(*model.payload());
  }
  if (overrides.replace_gravity) {
    made = made.with_gravity(read_vector(overrides.gravity, "overrides.gravity"));
  }
  if (!overrides.replace_payload) return made;
  const auto payload = read_payload(model, overrides.payload, "overrides.payload");
  return payload ? made.with_payload(*payload) : made.without_payload();
}

}  // namespace

bool changes_model(const ModelOverrides& overrides) {
  const auto check = [](bool given, bool used, const char* field) {
    if (!given || used) return;
    throw Fault(ResultCode::INVALID_VALUE,
                fmt::format("overrides.{} is given, but replace_{} is false", field, field));
  };
  check(overrides.payload != dynamics_msgs::msg::Payload(), overrides.replace_payload, "payload");
  check(overrides.gravity != geometry_msgs::msg::Vector3(), overrides.replace_gravity, "gravity");
  return overrides.replace_payload || overrides.replace_gravity ||
         overrides.limits != JointLimits();
}

std::shared_ptr<const Robot> with_overrides(const Robot& robot, const ModelOverrides& overrides) {
  if (robot.mechanism) {
    return std::make_shared<const Robot>(changed(*robot.mechanism, robot.model, overrides),
                                         robot.batch_threads());
  }
  return std::make_shared<const Robot>(changed(robot.model, robot.model, overrides),
                                       robot.batch_threads());
}

std::vector<dynamics::LinkWrench> read_wrenches(
    const Model& model, const std::vector<dynamics_msgs::msg::LinkWrench>& wrenches) {
  using Message = dynamics_msgs::msg::LinkWrench;
  std::vector<dynamics::LinkWrench> made;
  for (std::size_t i = 0; i < wrenches.size(); ++i) {
    const auto field = [i](const char* member) {
      return fmt::format("wrenches[{}].{}", i, member);
    };
    const auto& given = wrenches[i];
    const auto frame = model.find_frame(given.frame_id);
    if (!frame) {
      throw Fault(ResultCode::UNKNOWN_FRAME,
                  fmt::format("{}: robot '{}' has no link '{}'", field("frame_id"), model.name(),
                              given.frame_id));
    }
    dynamics::LinkWrench& wrench = made.emplace_back();
    wrench.frame = *frame;
    wrench.axes = read_axes(given.axes, field("axes"));
    wrench.wrench.force = read_vector(given.wrench.force, field("wrench.force"));
    wrench.wrench.moment = read_vector(given.wrench.torque, field("wrench.torque"));
  }
  static_assert(Message::WORLD == 0 && Message::LOCAL == 1 && Message::LOCAL_WORLD_ALIGNED == 2);
  return made;
}

}  // namespace dynamics_ros
