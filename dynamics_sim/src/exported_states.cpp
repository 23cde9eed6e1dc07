// SPDX-License-Identifier: Apache-2.0
// State interfaces: joints, sensors, mirrored commands, and those of the robot.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "dynamics_sim/dynamics_system.hpp"

namespace dynamics_sim {
namespace {

template <class Handle>
bool is(const Handle& handle, const std::string& prefix, const std::string& name) {
  return handle->get_prefix_name() == prefix && handle->get_interface_name() == name;
}

}  // namespace

/// The first block exports what belongs to the robot.
void DynamicsSystem::name_extra_interfaces() {
  extra_interfaces_.clear();
  const auto& coordinates = robot_->link()->coordinates();
  for (std::size_t i = robot_->simulation().joints(); first_ && i < coordinates.size(); ++i) {
    const std::string& name = coordinates[i];  // LINK/y1
    const auto slash = name.rfind('/');
    extra_interfaces_.emplace_back(name.substr(0, slash), name.substr(slash + 1));
    extra_interfaces_.emplace_back(name.substr(0, slash), name.substr(slash + 1) + "_velocity");
  }
  for (const char* name : {"kinetic_energy", "potential_energy", "strain_energy", "steps",
                           "evaluations", "late_steps", "unsolved"}) {
    extra_interfaces_.emplace_back(info_.name, name);
  }
  for (const SimpleReduction& one : transmissions_) {
    for (const char* name : {"position", "velocity", "effort"})
      extra_interfaces_.emplace_back(one.actuator, name);
  }
}

std::vector<hardware_interface::InterfaceDescription>
DynamicsSystem::export_unlisted_state_interface_descriptions() {
  std::vector<hardware_interface::InterfaceDescription> descriptions;
  for (const auto& [prefix, name] : extra_interfaces_) {
    hardware_interface::InterfaceInfo interface;
    interface.name = name;
    interface.data_type = "double";
    interface.size = 1;
    interface.enable_limits = false;
    descriptions.emplace_back(prefix, interface);
  }
  return descriptions;
}

void DynamicsSystem::find_handles() {
  for (Joint& joint : joints_) {
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
      for (const auto& handle : joint_states_) {
        if (is(handle, joint.config.name, kind_names[kind])) joint.state_handle[kind] = handle;
      }
      for (const auto& handle : joint_commands_) {
        if (is(handle, joint.config.name, kind_names[kind])) joint.command_handle[kind] = handle;
      }
    }
  }
  extra_handles_.assign(extra_interfaces_.size(), nullptr);
  for (std::size_t i = 0; i < extra_interfaces_.size(); ++i) {
    for (const auto& handle : unlisted_states_) {
      if (is(handle, extra_interfaces_[i].first, extra_interfaces_[i].second))
        extra_handles_[i] = handle;
    }
  }
  sensors_.clear();
  for (const SystemSensor& sensor : robot_->block(info_.name).sensors) {
    if (sensor.kind != SystemSensor::Kind::constant)
      sensors_.emplace_back(sensor, sensor_states_, robot_->step());
  }
  find_mirrors();
}

/// Commands of GPIOs, and those of joints that are no motion, are copied to states of their names.
/// States of joints without initial_value start at zero, as those of GenericSystem.
void DynamicsSystem::find_mirrors() {
  for (const auto& state : joint_states_) {
    if (state->get_data_type() != hardware_interface::HandleDataType::DOUBLE) continue;
    if (std::isnan(state->get_optional().value_or(0.0))) std::ignore = state->set_value(0.0);
  }
  mirrors_.clear();
  const auto add = [&](const auto& commands, const auto& states) {
    for (const auto& command : commands) {
      for (const auto& state : states) {
        if (is(state, command->get_prefix_name(), command->get_interface_name()))
          mirrors_.push_back({command, state});
      }
    }
  };
  add(gpio_commands_, gpio_states_);
  add(joint_commands_, joint_states_);
  std::erase_if(mirrors_, [](const Mirror& one) {
    const std::string name = one.command->get_interface_name();
    return std::find(kind_names.begin(), kind_names.end(), name) != kind_names.end();
  });
}

void DynamicsSystem::mirror() noexcept {
  for (const Mirror& one : mirrors_) {
    if (one.command->get_data_type() == hardware_interface::HandleDataType::BOOL) {
      if (const auto value = one.command->get_optional<bool>())
        std::ignore = one.state->set_value(*value);
    } else if (const auto value = one.command->get_optional(); value && std::isfinite(*value)) {
      std::ignore = one.state->set_value(*value);
    }
  }
}

void DynamicsSystem::export_joints() {
  const dynamics::RealTimeSimulation& simulation = robot_->simulation();
  for (Joint& joint : joints_) {
    const std::size_t i = joint.config.coordinate;
    const double multiplier = joint.config.multiplier;
    std::array<double, 4> values = {
        multiplier * simulation.positions()[i] + joint.config.offset,
        multiplier * simulation.velocities()[i],
        joint.config.mimic ? 0.0 : simulation.efforts()[i],
        multiplier * simulation.accelerations()[i],
    };
    if (joint.encoder) joint.encoder->read(robot_->time(), {values.data(), 2});
    for (std::size_t kind = 0; kind < values.size(); ++kind) {
      if (joint.state_handle[kind]) std::ignore = joint.state_handle[kind]->set_value(values[kind]);
    }
  }
}

/// The caller has the lock.
void DynamicsSystem::export_states() {
  const dynamics::RealTimeSimulation& simulation = robot_->simulation();
  if (restarts_ != robot_->restarts()) {
    restarts_ = robot_->restarts();
    for (SensorOutput& sensor : sensors_) sensor.reset();
    for (Joint& joint : joints_) {
      if (joint.encoder) joint.encoder->reset();
    }
  }
  export_joints();
  for (SensorOutput& sensor : sensors_) sensor.write(simulation, robot_->time());
  mirror();
  std::size_t next = 0;
  const auto export_value = [&](double value) {
    if (extra_handles_[next]) std::ignore = extra_handles_[next]->set_value(value);
    ++next;
  };
  for (std::size_t i = simulation.joints(); first_ && i < simulation.size(); ++i) {
    export_value(simulation.positions()[i]);
    export_value(simulation.velocities()[i]);
  }
  const dynamics::PlantEnergy& energy = robot_->energy();
  export_value(energy.kinetic);
  export_value(energy.potential);
  export_value(energy.strain);
  export_value(static_cast<double>(simulation.statistics().steps));
  export_value(static_cast<double>(simulation.statistics().evaluations));
  export_value(static_cast<double>(robot_->late()));
  export_value(static_cast<double>(simulation.statistics().unsolved));
  for (const SimpleReduction& one : transmissions_) {
    const SystemJoint& joint = joints_[one.joint].config;
    const std::size_t i = joint.coordinate;
    const double q = joint.multiplier * simulation.positions()[i] + joint.offset;
    export_value(one.reduction * (q - one.offset));
    export_value(one.reduction * joint.multiplier * simulation.velocities()[i]);
    export_value(joint.mimic ? 0.0 : simulation.efforts()[i] / one.reduction);
  }
}

}  // namespace dynamics_sim
