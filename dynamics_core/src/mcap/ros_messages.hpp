// SPDX-License-Identifier: Apache-2.0
#pragma once

// ROS 2 messages as plain data, with their serialization. Times in nanoseconds, SI units.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mcap/cdr.hpp"

namespace dynamics::mcap {

/// sensor_msgs/msg/JointState. Reading: the names are views of the message.
struct JointState {
  static constexpr std::string_view type = "sensor_msgs/msg/JointState";
  std::int64_t stamp = 0;
  std::vector<std::string_view> names;
  std::vector<double> position, velocity, effort;
};

/// trajectory_msgs/msg/JointTrajectory.
struct JointTrajectory {
  static constexpr std::string_view type = "trajectory_msgs/msg/JointTrajectory";
  struct Point {
    std::vector<double> positions, velocities, accelerations, effort;
    std::int64_t time_from_start = 0;
  };
  std::int64_t stamp = 0;
  std::vector<std::string_view> names;
  std::vector<Point> points;
};

/// geometry_msgs/msg/TransformStamped.
struct TransformStamped {
  std::int64_t stamp = 0;
  std::string_view parent, child;
  std::array<double, 3> translation = {};
  std::array<double, 4> quaternion = {};  ///< x, y, z, w
};

// The writer is cleared first.
void serialize(CdrWriter& cdr, const JointState& message);
void serialize(CdrWriter& cdr, const JointTrajectory& message);
/// tf2_msgs/msg/TFMessage
void serialize(CdrWriter& cdr, const std::vector<TransformStamped>& transforms);
/// geometry_msgs/msg/PoseStamped; `child` is not part of it
void serialize_pose(CdrWriter& cdr, const TransformStamped& pose);
/// std_msgs/msg/String, std_msgs/msg/Float64, rosgraph_msgs/msg/Clock
void serialize_text(CdrWriter& cdr, std::string_view text);
void serialize_number(CdrWriter& cdr, double number);
void serialize_clock(CdrWriter& cdr, std::int64_t time);
/// rcl_interfaces/msg/Log of level INFO
void serialize_log(CdrWriter& cdr, std::int64_t stamp, std::string_view name,
                   std::string_view text);

// Reading replaces `message` and keeps its memory. Arrays may be empty or have one entry per name;
// other lengths are errors.
void read(CdrReader cdr, JointState& message);
void read(CdrReader cdr, JointTrajectory& message);

}  // namespace dynamics::mcap
