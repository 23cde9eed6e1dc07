// SPDX-License-Identifier: Apache-2.0
#pragma once

// Entry points of the fuzzers. Each must return for any input. Further properties (for example that
// the checker accepts what the reader accepts) are checked; a violated property aborts. The tests
// replay the corpus through the same functions.
//
//   dynamics::fuzz::urdf("<robot name='r'><link name='a'/></robot>");

#include <string_view>

namespace dynamics::fuzz {

void urdf(std::string_view text);      ///< read_urdf, Model, dynamics of accepted models
void check(std::string_view text);     ///< check_urdf and repair_urdf, compared with the reader
void dh_table(std::string_view text);  ///< read_dh_table, to_urdf, and reading that URDF

// trajectory files and the trajectories through their points
void trajectory(std::string_view text);       ///< CSV
void trajectory_yaml(std::string_view text);  ///< the layout of trajectory_msgs/JointTrajectory
void base_motion(std::string_view text);      ///< CSV
void mcap(std::string_view data);             ///< parse_joint_log: positions and efforts

}  // namespace dynamics::fuzz
