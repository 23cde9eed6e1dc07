// SPDX-License-Identifier: Apache-2.0
// Commands of the joints: which interfaces controllers have claimed, and their values.
#include <algorithm>
#include <cmath>
#include <limits>
#include <rclcpp/logging.hpp>
#include <tuple>

#include "dynamics_sim/dynamics_system.hpp"

namespace dynamics_sim {

DynamicsSystem::return_type DynamicsSystem::prepare_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  const auto joint_of = [&](const std::string& name) {  // by exact name
    return std::find_if(joints_.begin(), joints_.end(), [&](const Joint& joint) {
      const std::string& own = joint.config.name;
      return name.size() > own.size() && name[own.size()] == '/' &&
             name.compare(0, own.size(), own) == 0;
    });
  };
  for (const auto* names : {&start, &stop}) {
    for (const auto& name : *names) {
      const auto joint = joint_of(name);
      if (joint == joints_.end()) continue;  // belongs to another system
      const auto is_named = [&](const auto& mirror) { return mirror->get_name() == name; };
      if (std::find(joint->config.commands.begin(), joint->config.commands.end(), name) ==
              joint->config.commands.end() &&
          std::none_of(joint_commands_.begin(), joint_commands_.end(), is_named)) {
        RCLCPP_ERROR(get_logger(), "command interface '%s' does not exist", name.c_str());
        return return_type::ERROR;
      }
    }
  }
  return return_type::OK;
}

DynamicsSystem::return_type DynamicsSystem::perform_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  for (Joint& joint : joints_) {
    std::uint32_t claims = joint.claims.load();
    bool changed = false;
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
      if (joint.config.commands[kind].empty()) continue;
      if (std::find(stop.begin(), stop.end(), joint.config.commands[kind]) != stop.end()) {
        claims &= ~(1U << kind);
        changed = true;
      }
      if (std::find(start.begin(), start.end(), joint.config.commands[kind]) != start.end()) {
        claims |= 1U << kind;
        // discard the last command of the previous controller
        if (joint.command_handle[kind]) {
          std::ignore =
              joint.command_handle[kind]->set_value(std::numeric_limits<double>::quiet_NaN());
        }
        changed = true;
      }
    }
    if (changed) joint.claims = claims + 16;
  }
  return return_type::OK;
}

/// Called in the control loop. Until the first command a joint behaves as without controller.
/// Returns whether a joint was switched.
bool DynamicsSystem::apply_mode_switches() {
  bool changed = false;
  for (Joint& joint : joints_) {
    const std::uint32_t claims = joint.claims.load();
    if (claims == joint.seen) continue;
    changed = true;
    joint.seen = claims;
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind)
      joint.claimed[kind] = ((claims >> kind) & 1U) != 0;
    joint.given = {};
    robot_->release(joint.config.coordinate);
  }
  return changed;
}

/// No joint is claimed. The caller has the lock.
void DynamicsSystem::forget_claims() {
  for (Joint& joint : joints_) {
    joint.claims = joint.seen = 0;
    joint.claimed = {};
    joint.given = {};
  }
}

/// Reads the commands of a joint. A command that is not finite is ignored.
void DynamicsSystem::command(Joint& joint) {
  for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
    if (!joint.claimed[kind] || !joint.command_handle[kind]) continue;
    const auto value = joint.command_handle[kind]->get_optional();
    if (value && std::isfinite(*value)) {
      joint.value[kind] = *value;
      joint.given[kind] = true;
    }
  }
  dynamics::JointCommand& target = robot_->simulation().commands()[joint.config.coordinate];
  const double rate =
      joint.claimed[velocity] && joint.given[velocity] ? joint.value[velocity] : 0.0;
  if (joint.claimed[position]) {
    if (joint.given[position]) {
      target = joint.claimed[velocity]
                   ? dynamics::JointCommand::position(joint.value[position], rate)
                   : dynamics::JointCommand::position(joint.value[position]);
    }
  } else if (joint.claimed[velocity]) {
    if (joint.given[velocity]) target = dynamics::JointCommand::velocity(rate);
  } else if (joint.claimed[acceleration]) {
    if (joint.given[acceleration])
      target = dynamics::JointCommand::acceleration(joint.value[acceleration]);
    return;
  } else if (joint.claimed[effort] && joint.given[effort]) {
    target = dynamics::JointCommand::effort(joint.value[effort]);
  }
  const bool driven = joint.claimed[position] ? joint.given[position] : joint.given[velocity];
  if (driven && joint.claimed[effort] && joint.given[effort]) {
    target = target.with_feedforward(joint.value[effort]);
  }
}

}  // namespace dynamics_sim
