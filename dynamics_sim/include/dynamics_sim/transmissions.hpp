// SPDX-License-Identifier: Apache-2.0
#pragma once

// <transmission> elements of the <ros2_control> block. Commands and states are those of the joints;
// the side of the actuators is exported in addition.

#include <cstddef>
#include <hardware_interface/hardware_info.hpp>
#include <string>
#include <vector>

namespace dynamics_sim {

/// transmission_interface/SimpleTransmission: q_actuator = reduction (q_joint - offset).
struct SimpleReduction {
  std::size_t joint = 0;  ///< index in the block
  std::string actuator;
  double reduction = 1.0, offset = 0.0;
};

/// Throws std::invalid_argument with the transmission for other types, and for a reduction of zero.
std::vector<SimpleReduction> read_transmissions(const hardware_interface::HardwareInfo& info);

}  // namespace dynamics_sim
