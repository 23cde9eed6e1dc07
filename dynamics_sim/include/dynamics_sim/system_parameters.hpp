// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the <ros2_control> block of a URDF says, checked: see the package's README.

#include <array>
#include <cstdint>
#include <dynamics_core/model.hpp>
#include <hardware_interface/hardware_info.hpp>
#include <string>
#include <vector>

#include "dynamics_sim/arm.hpp"
#include "dynamics_sim/system_link.hpp"

namespace dynamics_sim {

/// What a joint does that no controller commands.
enum class Unclaimed : std::uint8_t {
  free,   ///< no effort: it falls
  brake,  ///< stops where it is
  hold    ///< stays at, or returns to, where it was released
};

enum Kind : std::size_t { position, velocity, effort, acceleration };
inline constexpr std::array<const char*, 4> kind_names = {"position", "velocity", "effort",
                                                          "acceleration"};

/// A joint of the block.
struct SystemJoint {
  std::string name;
  std::size_t coordinate = 0;  ///< whose motion it shows: multiplier * q + offset
  double multiplier = 1.0, offset = 0.0;
  bool mimic = false;
  std::array<std::string, 3> commands;  ///< "joint/position", ...; empty where there is none
};

struct SystemParameters {
  ArmOptions arm;  ///< its step in whole nanoseconds
  dynamics::ModelOptions model;
  std::vector<Unclaimed> unclaimed;  ///< by joint of the model
  double largest_period = 0.1;       ///< (s)
  bool static_deflection = false;    ///< flexible links start bent by gravity, at rest
  std::string payload_topic = "/dynamics/payload";
  std::vector<std::string> ignored;  ///< names of parameters that there are not
};

/// All but what is by joint. Throws std::invalid_argument naming the parameter and what it must be.
SystemParameters read_parameters(const hardware_interface::HardwareInfo& info);

/// The joints of the block, and the parameters by joint: `tracking` and `unclaimed`. Throws
/// std::invalid_argument naming the joint.
std::vector<SystemJoint> read_joints(const hardware_interface::HardwareInfo& info,
                                     const dynamics::Model& model, SystemParameters& parameters);

/// Where the joints start: initial_value of the state interfaces position and velocity, else of the
/// command interfaces of that name, else zero or the stop next to it.
SystemState read_initial_values(const hardware_interface::HardwareInfo& info, const Arm& arm,
                                const std::vector<SystemJoint>& joints,
                                const SystemParameters& parameters);

}  // namespace dynamics_sim
