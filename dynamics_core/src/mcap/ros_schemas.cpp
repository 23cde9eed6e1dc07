// SPDX-License-Identifier: Apache-2.0
#include "mcap/ros_schemas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "dynamics_core/error.hpp"

namespace dynamics::mcap {
namespace {

struct MessageDefinition {
  std::string_view type, text;
  std::vector<std::string_view> contains = {};  ///< types of its fields
};

constexpr std::string_view stamp_type = "builtin_interfaces/msg/Time";
constexpr std::string_view duration_type = "builtin_interfaces/msg/Duration";
constexpr std::string_view header_type = "std_msgs/msg/Header";
constexpr std::string_view vector_type = "geometry_msgs/msg/Vector3";
constexpr std::string_view point_type = "geometry_msgs/msg/Point";
constexpr std::string_view quaternion_type = "geometry_msgs/msg/Quaternion";

const std::vector<MessageDefinition>& definitions() {
  static const std::vector<MessageDefinition> all = {
      {stamp_type, "int32 sec\nuint32 nanosec\n"},
      {duration_type, "int32 sec\nuint32 nanosec\n"},
      {header_type, "builtin_interfaces/Time stamp\nstring frame_id\n", {stamp_type}},
      {"std_msgs/msg/String", "string data\n"},
      {"std_msgs/msg/Float64", "float64 data\n"},
      {"rosgraph_msgs/msg/Clock", "builtin_interfaces/Time clock\n", {stamp_type}},
      {"sensor_msgs/msg/JointState",
       "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\n"
       "float64[] effort\n",
       {header_type}},
      {"trajectory_msgs/msg/JointTrajectoryPoint",
       "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
       "builtin_interfaces/Duration time_from_start\n",
       {duration_type}},
      {"trajectory_msgs/msg/JointTrajectory",
       "std_msgs/Header header\nstring[] joint_names\n"
       "trajectory_msgs/JointTrajectoryPoint[] points\n",
       {header_type, "trajectory_msgs/msg/JointTrajectoryPoint"}},
      {vector_type, "float64 x\nfloat64 y\nfloat64 z\n"},
      {point_type, "float64 x\nfloat64 y\nfloat64 z\n"},
      {quaternion_type, "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"},
      {"geometry_msgs/msg/Transform",
       "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
       {vector_type, quaternion_type}},
      {"geometry_msgs/msg/TransformStamped",
       "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/Transform transform\n",
       {header_type, "geometry_msgs/msg/Transform"}},
      {"tf2_msgs/msg/TFMessage",
       "geometry_msgs/TransformStamped[] transforms\n",
       {"geometry_msgs/msg/TransformStamped"}},
      {"geometry_msgs/msg/Pose",
       "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n",
       {point_type, quaternion_type}},
      {"geometry_msgs/msg/PoseStamped",
       "std_msgs/Header header\ngeometry_msgs/Pose pose\n",
       {header_type, "geometry_msgs/msg/Pose"}},
      {"rcl_interfaces/msg/Log",
       "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\n"
       "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\n"
       "string function\nuint32 line\n",
       {stamp_type}}};
  return all;
}

const MessageDefinition& definition(std::string_view type) {
  for (const MessageDefinition& each : definitions()) {
    if (each.type == type) return each;
  }
  throw ArgumentError(std::string(type), "is not in the table of ROS 2 messages");
}

/// The types that a message contains, at any depth, each once.
void collect(const MessageDefinition& message, std::vector<std::string_view>& types) {
  for (const std::string_view type : message.contains) {
    if (std::find(types.begin(), types.end(), type) != types.end()) continue;
    types.push_back(type);
    collect(definition(type), types);
  }
}

}  // namespace

std::string ros_schema(std::string_view type) {
  const MessageDefinition& message = definition(type);
  std::vector<std::string_view> types;
  collect(message, types);
  std::string text(message.text);
  for (const std::string_view each : types) {
    std::string name(each);  // package/Name, as fields refer to it
    name.erase(name.find("/msg"), std::string_view("/msg").size());
    text += fmt::format("{:=<80}\nMSG: {}\n{}", "", name, definition(each).text);
  }
  return text;
}

std::string ros_qos_profile(bool latched) {
  // the numbers of rmw, which every version of rosbag2 reads: history keep last; reliable;
  // transient local or volatile; liveliness automatic
  return fmt::format(
      "- history: 1\n"
      "  depth: {}\n"
      "  reliability: 1\n"
      "  durability: {}\n"
      "  deadline:\n    sec: 0\n    nsec: 0\n"
      "  lifespan:\n    sec: 0\n    nsec: 0\n"
      "  liveliness: 1\n"
      "  liveliness_lease_duration:\n    sec: 0\n    nsec: 0\n"
      "  avoid_ros_namespace_conventions: false",
      latched ? 1 : 10, latched ? 1 : 2);
}

}  // namespace dynamics::mcap
