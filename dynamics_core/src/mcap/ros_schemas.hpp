// SPDX-License-Identifier: Apache-2.0
#pragma once

// Definitions of the ROS 2 messages that are written, and QoS profiles as rosbag2 stores them.

#include <string>
#include <string_view>

namespace dynamics::mcap {

/// Encodings of schemas and messages of ROS 2.
inline constexpr const char* ros_schema_encoding = "ros2msg";
inline constexpr const char* ros_message_encoding = "cdr";

/// The .msg text of "sensor_msgs/msg/JointState" and, separated as rosbag2 does it, of the messages
/// that it contains. Throws ArgumentError for a type that is not in the table.
std::string ros_schema(std::string_view type);

/// Value of the channel's metadata `offered_qos_profiles`: reliable, keep last 10; `latched`:
/// transient local, keep last 1.
std::string ros_qos_profile(bool latched);

}  // namespace dynamics::mcap
