// SPDX-License-Identifier: Apache-2.0
#pragma once

// A first look at a URDF's text: is it one, are its numbers numbers, in what order do its joints
// stand, and what does it say beyond what urdfdom reads.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamics_core/model/description.hpp"

namespace dynamics {

struct UrdfDocument {
  std::vector<std::string> links, joints;                 ///< in the order of the file
  std::unordered_map<std::string, double> rotor_inertia;  ///< by joint, reflected to the joint
  std::unordered_map<std::string, DhFlexible> flexible;   ///< by link
};

/// Throws ModelError with the source, the line, the element and what would be right.
UrdfDocument inspect_urdf(std::string_view text, std::string_view source);

}  // namespace dynamics
