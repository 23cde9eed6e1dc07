// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one reader of URDF texts, versions 1.0 to 1.2. It decides what is accepted; urdfdom reads the
// same text afterwards, and any difference is a finding.

#include <string>
#include <string_view>

#include "model/parsed_robot.hpp"

namespace dynamics {

struct ParsedUrdf {
  ParsedRobot robot;      ///< with what reading found; not validated yet
  std::string twin;       ///< the same robot as URDF 1.0, for urdfdom
  bool is_robot = false;  ///< its root element is <robot>
};

/// The text with all edits made; of two that overlap the first.
std::string edited(std::string_view text, std::vector<Edit> edits);

/// Reads as far as possible. Throws nothing but std::bad_alloc. `text` must outlive the result.
ParsedUrdf parse_urdf(std::string_view text, std::string_view source);

/// Reads the twin with urdfdom and reports what it reads differently.
void compare_with_urdfdom(const std::string& twin, const RobotDescription& description,
                          std::vector<Finding>& findings);

}  // namespace dynamics
