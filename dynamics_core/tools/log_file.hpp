// SPDX-License-Identifier: Apache-2.0
#pragma once

// MCAP files given on the command line as trajectory, torques or log.

#include <string>

#include "dynamics_core/trajectory.hpp"
#include "robot.hpp"

namespace dynamics::tools {

/// Help of --topic.
inline constexpr const char* topic_option_help =
    "topic of an MCAP file with joint states or trajectories (default: /joint_states, or the only "
    "one)";

/// True for .mcap, a file that begins like one, and a folder (of rosbag2).
bool is_log_file(const std::string& path);

/// The MCAP file: the path, or the only one in the folder. Throws InputError.
std::string log_file(const std::string& path);

/// Reads the joints of the robot and reports the notes as warnings. Throws InputError or
/// ParseError.
JointLog read_log(Robot& robot, const std::string& path, const std::string& topic,
                  JointLogOptions::Required required);

/// Throws InputError for a --topic that has no effect on `path`.
void check_topic(const std::string& topic, const std::string& path);

}  // namespace dynamics::tools
