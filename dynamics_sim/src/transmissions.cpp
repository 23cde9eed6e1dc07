// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/transmissions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dynamics_sim {

std::vector<SimpleReduction> read_transmissions(const hardware_interface::HardwareInfo& info) {
  std::vector<SimpleReduction> read;
  for (const auto& transmission : info.transmissions) {
    const auto fail = [&](const std::string& message) {
      throw std::invalid_argument("transmission '" + transmission.name + "' " + message);
    };
    if (transmission.type != "transmission_interface/SimpleTransmission") {
      fail("is of type '" + transmission.type +
           "': only transmission_interface/SimpleTransmission is simulated; remove it to command "
           "its joints directly");
    }
    if (transmission.joints.size() != 1 || transmission.actuators.size() != 1) {
      fail("has " + std::to_string(transmission.joints.size()) + " joints and " +
           std::to_string(transmission.actuators.size()) +
           " actuators: a SimpleTransmission has one of each");
    }
    const auto& joint = transmission.joints.front();
    const auto named = [&](const std::string& name) {
      return std::find_if(info.joints.begin(), info.joints.end(),
                          [&](const auto& each) { return each.name == name; });
    };
    const auto place = named(joint.name);
    if (place == info.joints.end()) {
      fail("has the joint '" + joint.name + "', which is not in the block");
    }
    if (!std::isfinite(joint.mechanical_reduction) || joint.mechanical_reduction == 0.0 ||
        !std::isfinite(joint.offset)) {
      fail("has a mechanical_reduction of " + std::to_string(joint.mechanical_reduction) +
           " and an offset of " + std::to_string(joint.offset) +
           ": must be finite, the reduction not zero");
    }
    const std::string& actuator = transmission.actuators.front().name;
    if (named(actuator) != info.joints.end()) {
      fail("has the actuator '" + actuator + "', which is also the name of a joint");
    }
    read.push_back({static_cast<std::size_t>(place - info.joints.begin()), actuator,
                    joint.mechanical_reduction, joint.offset});
  }
  return read;
}

}  // namespace dynamics_sim
