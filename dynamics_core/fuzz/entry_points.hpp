// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzzers do with their bytes. Each must return whatever the bytes are; what they promise
// beyond that is checked, and a broken promise aborts. The tests replay the corpus through the same
// functions.

#include <string_view>

namespace dynamics::fuzz {

void urdf(std::string_view text);      ///< read_urdf, Model, dynamics of what was accepted
void check(std::string_view text);     ///< check_urdf and repair_urdf against the reader
void dh_table(std::string_view text);  ///< read_dh_table, to_urdf, and back

// files of points, and the motion through these
void trajectory(std::string_view text);       ///< CSV
void trajectory_yaml(std::string_view text);  ///< the layout of trajectory_msgs/JointTrajectory
void base_motion(std::string_view text);      ///< CSV

}  // namespace dynamics::fuzz
