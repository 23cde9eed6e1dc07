// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/moving_robot.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/readers.hpp>
#include <utility>
#include <vector>

namespace dynamics_ros {
namespace {

double seconds(const builtin_interfaces::msg::Time& time) {
  return static_cast<double>(time.sec) + 1e-9 * static_cast<double>(time.nanosec);
}

}  // namespace

MovingRobot::MovingRobot(const dynamics::Model& model) : RobotState(model) {
  for (std::size_t i = 0; i < model.size(); ++i) {
    const std::string& name = model.coordinates()[i].name;
    slots_[name + "/position"] = {Quantity::position, i};
    slots_[name + "/velocity"] = {Quantity::velocity, i};
    slots_[name + "/effort"] = {Quantity::effort, i};
  }
  if (flexible() == nullptr) return;
  for (const dynamics::FlexibleLink& link : flexible()->links()) {
    for (std::size_t j = 0; j < link.modes(); ++j) {
      const bool y = j < link.modes_y;
      const std::string name =
          link.name + (y ? "/y" : "/z") + std::to_string((y ? j : j - link.modes_y) + 1);
      slots_[name] = {Quantity::position, link.first + j};
      slots_[name + "_velocity"] = {Quantity::velocity, link.first + j};
    }
  }
}

MovingRobot MovingRobot::from_urdf(const std::string& urdf, const dynamics::ModelOptions& options) {
  dynamics::RobotDescription description = dynamics::read_urdf(urdf, "robot_description");
  if (!description.constraints.empty())
    return MovingRobot(dynamics::Mechanism(std::move(description), options));
  return MovingRobot(dynamics::Model(std::move(description), options));
}

MovingRobot::MovingRobot(const dynamics::Mechanism& mechanism) : MovingRobot(mechanism.tree()) {
  mechanism_ = mechanism;
  loops_.emplace(mechanism);
  closed_.assign(mechanism.start().begin(), mechanism.start().end());
  has_position_.assign(closed_.size(), false);
  has_velocity_ = has_position_;
}

/// Sets the joints that no message has, where the independent joints are known.
void MovingRobot::close_loops() {
  const auto independent = mechanism_->independent();
  const auto known = [&](const std::vector<bool>& has) {
    return std::all_of(independent.begin(), independent.end(),
                       [&](std::size_t joint) { return has[joint]; });
  };
  const auto complete = [](const std::vector<bool>& has) {
    return std::find(has.begin(), has.end(), false) == has.end();
  };
  using dynamics::Status;
  if (known(has_position_) && !complete(has_position_)) {
    std::vector<double> z;
    for (const std::size_t joint : independent) z.push_back(positions()[joint]);
    if (try_close_loops(*mechanism_, *loops_, closed_, z, closed_) != Status::ok) return;
    for (std::size_t i = 0; i < closed_.size(); ++i) {
      if (!has_position_[i]) set_position(i, closed_[i]);
    }
  }
  if (complete(has_velocity_)) return;
  std::vector<double> rates(velocities().begin(), velocities().end());
  const bool moves = known(has_velocity_) && has_positions() &&
                     try_close_velocities(*mechanism_, *loops_, positions(), rates) == Status::ok;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (has_velocity_[i]) continue;
    if (moves) {
      set_velocity(i, rates[i]);
    } else {
      clear_velocity(i);
    }
  }
}

void MovingRobot::set(Slot slot, double value) {
  if (mechanism_ && slot.quantity == Quantity::position) has_position_[slot.index] = true;
  if (mechanism_ && slot.quantity == Quantity::velocity) has_velocity_[slot.index] = true;
  switch (slot.quantity) {
    case Quantity::position: set_position(slot.index, value); break;
    case Quantity::velocity: set_velocity(slot.index, value); break;
    case Quantity::effort: set_effort(slot.index, value); break;
  }
}

bool MovingRobot::take(const sensor_msgs::msg::JointState& message) {
  if (complete_ && std::abs(seconds(message.header.stamp) - *complete_) < overlap) return false;
  bool taken = false;
  for (std::size_t i = 0; i < message.name.size(); ++i) {
    const auto found = slots_.find(message.name[i] + "/position");
    if (found == slots_.end()) continue;
    const std::size_t joint = found->second.index;
    const auto take_from = [&](const std::vector<double>& values, Quantity quantity) {
      const bool given = i < values.size() && std::isfinite(values[i]);
      if (given) set({quantity, joint}, values[i]);
      taken = taken || given;
      return given;
    };
    take_from(message.position, Quantity::position);
    if (!take_from(message.velocity, Quantity::velocity)) {
      clear_velocity(joint);
      if (mechanism_) has_velocity_[joint] = false;
    }
    if (!take_from(message.effort, Quantity::effort)) clear_effort(joint);
  }
  if (taken && mechanism_) close_loops();
  if (taken) stamp_ = message.header.stamp;
  return taken;
}

bool MovingRobot::take(const control_msgs::msg::DynamicJointState& message) {
  Taken taken;
  const std::size_t entries = std::min(message.joint_names.size(), message.interface_values.size());
  for (std::size_t i = 0; i < entries; ++i) {
    const auto& values = message.interface_values[i];
    const std::size_t count = std::min(values.interface_names.size(), values.values.size());
    for (std::size_t k = 0; k < count; ++k) {
      take(message.joint_names[i] + "/" + values.interface_names[k], values.values[k], taken);
    }
  }
  return finish(taken, message.header.stamp);
}

bool MovingRobot::take(const control_msgs::msg::Keys& names,
                       const control_msgs::msg::Float64Values& message) {
  if (names.keys.size() != message.values.size()) return false;
  Taken taken;
  for (std::size_t i = 0; i < names.keys.size(); ++i) {
    take(names.keys[i], message.values[i], taken);
  }
  return finish(taken, message.header.stamp);
}

void MovingRobot::take(const std::string& interface, double value, Taken& taken) {
  const auto found = slots_.find(interface);
  if (found == slots_.end() || !std::isfinite(value)) return;
  set(found->second, value);
  ++taken.values;
  if (found->second.quantity == Quantity::position) ++taken.positions;
}

bool MovingRobot::finish(const Taken& taken, const builtin_interfaces::msg::Time& stamp) {
  if (taken.values == 0) return false;
  stamp_ = stamp;
  if (mechanism_) close_loops();
  if (taken.positions >= positions().size()) complete_ = seconds(stamp);
  return true;
}

}  // namespace dynamics_ros
