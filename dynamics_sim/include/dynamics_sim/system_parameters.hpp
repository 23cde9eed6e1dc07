// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parameters and joints of the <ros2_control> blocks of a URDF. See the README of the package.

#include <array>
#include <cstdint>
#include <dynamics_core/model.hpp>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <hardware_interface/hardware_info.hpp>
#include <span>
#include <string>
#include <vector>

#include "dynamics_sim/system_link.hpp"
#include "dynamics_sim/system_sensors.hpp"

namespace dynamics_sim {

/// Behavior of a joint without controller.
enum class Unclaimed : std::uint8_t {
  free,   ///< zero effort
  brake,  ///< zero velocity
  hold    ///< holds the position at which it was released
};

enum Kind : std::size_t { position, velocity, effort, acceleration };
inline constexpr std::array<const char*, 4> kind_names = {"position", "velocity", "effort",
                                                          "acceleration"};

/// A joint of a <ros2_control> block.
struct SystemJoint {
  std::string name;
  std::size_t coordinate = 0;  ///< index; joint position = multiplier * q + offset
  double multiplier = 1.0, offset = 0.0;
  bool mimic = false;
  std::array<std::string, 4> commands;  ///< "joint/position", ...; empty if there is none
};

/// A <ros2_control> block of a robot.
struct SystemBlock {
  hardware_interface::HardwareInfo info;
  std::vector<SystemJoint> joints;    ///< in the order of the block
  std::vector<SystemSensor> sensors;  ///< likewise
};

struct SystemParameters {
  dynamics::RealTimeOptions simulation;  ///< the step is a whole number of nanoseconds
  dynamics::ModelOptions model;
  std::vector<Unclaimed> unclaimed;  ///< by joint of the model
  double largest_period = 0.1;       ///< (s)
  double wrench_duration = 0.1;      ///< (s) of a wrench on the topic
  bool static_deflection = false;    ///< flexible links start in static equilibrium
  std::string payload_topic = "dynamics/payload";
};

/// Reads the parameters of a robot from all its blocks; a parameter of one block is that of the
/// robot. Throws std::invalid_argument with the parameter and its valid values, or with two blocks
/// that give different values.
SystemParameters read_parameters(std::span<const SystemBlock> blocks);

/// Names of the parameters of a block that are not known.
std::vector<std::string> unknown_parameters(const hardware_interface::HardwareInfo& info);

/// Reads the joints of each block and their parameters `tracking` and `unclaimed`. Throws
/// std::invalid_argument with the joint, also for a joint in two blocks, and for commands of a
/// joint without actuator, which follows from closed loops.
void read_joints(std::span<SystemBlock> blocks, const dynamics::Plant& plant,
                 SystemParameters& parameters);

/// Initial state: initial_value of the state interfaces position and velocity, otherwise of the
/// command interfaces with the same name, otherwise zero or the nearest position limit. With closed
/// loops: values of independent joints, the others of the mechanism's start, or values of all
/// joints (see closed_state()). Changes the state of `robot`.
SystemState read_initial_values(std::span<const SystemBlock> blocks,
                                dynamics::RealTimeSimulation& robot,
                                const SystemParameters& parameters);

/// Values of parameters. They throw std::invalid_argument with `what` and the valid values.
double number_from(const std::string& text, const std::string& what);
std::vector<double> numbers_from(const std::string& text, const std::string& what);

}  // namespace dynamics_sim
