// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reader of URDF, versions 1.0 to 1.2. It decides what is accepted; urdfdom, which the rest of ROS
// uses, then parses the same text converted to URDF 1.0, and each difference is a finding.

#include <string>
#include <string_view>

#include "model/parsed_robot.hpp"

namespace dynamics {

struct ParsedUrdf {
  ParsedRobot robot;      ///< with the findings of the reader; not validated yet
  std::string urdf_1_0;   ///< the text converted to URDF 1.0, for urdfdom
  bool is_robot = false;  ///< the root element is <robot>
};

/// Applies all edits to the text. Of two that overlap only the first is applied.
std::string apply_edits(std::string_view text, std::vector<Edit> edits);

/// Reads as much as possible. Throws only std::bad_alloc. `text` must outlive the result.
ParsedUrdf parse_urdf(std::string_view text, std::string_view source);

/// Parses the text with urdfdom and reports each difference from the description.
void compare_with_urdfdom(const std::string& urdf_1_0, const RobotDescription& description,
                          std::vector<Finding>& findings);

}  // namespace dynamics
