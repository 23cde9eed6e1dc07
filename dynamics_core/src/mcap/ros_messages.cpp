// SPDX-License-Identifier: Apache-2.0
#include "mcap/ros_messages.hpp"

#include <fmt/format.h>

namespace dynamics::mcap {
namespace {

constexpr std::uint8_t info_level = 20;

void write_header(CdrWriter& cdr, std::int64_t stamp, std::string_view frame) {
  cdr.clear();
  cdr.time(stamp).text(frame);
}

void write_names(CdrWriter& cdr, const std::vector<std::string_view>& names) {
  cdr.u32(static_cast<std::uint32_t>(names.size()));
  for (const std::string_view name : names) cdr.text(name);
}

void write_transform(CdrWriter& cdr, const TransformStamped& transform) {
  for (const double x : transform.translation) cdr.f64(x);
  for (const double x : transform.quaternion) cdr.f64(x);
}

void check_length(const CdrReader& cdr, const char* field, std::size_t size, std::size_t names) {
  if (size == 0 || size == names) return;
  cdr.fail(fmt::format("{} has {} entries for {} joint names", field, size, names));
}

/// A time or duration that must not be negative, as ROS 2 demands.
std::int64_t read_time(CdrReader& cdr, const char* field) {
  const std::int64_t time = cdr.time();
  if (time < 0) cdr.fail(fmt::format("{} is negative", field));
  return time;
}

}  // namespace

void serialize(CdrWriter& cdr, const JointState& message) {
  write_header(cdr, message.stamp, "");
  write_names(cdr, message.names);
  cdr.numbers(message.position).numbers(message.velocity).numbers(message.effort);
}

void serialize(CdrWriter& cdr, const JointTrajectory& message) {
  write_header(cdr, message.stamp, "");
  write_names(cdr, message.names);
  cdr.u32(static_cast<std::uint32_t>(message.points.size()));
  for (const JointTrajectory::Point& point : message.points) {
    cdr.numbers(point.positions)
        .numbers(point.velocities)
        .numbers(point.accelerations)
        .numbers(point.effort)
        .time(point.time_from_start);
  }
}

void serialize(CdrWriter& cdr, const std::vector<TransformStamped>& transforms) {
  cdr.clear();
  cdr.u32(static_cast<std::uint32_t>(transforms.size()));
  for (const TransformStamped& each : transforms) {
    cdr.time(each.stamp).text(each.parent).text(each.child);
    write_transform(cdr, each);
  }
}

void serialize_pose(CdrWriter& cdr, const TransformStamped& pose) {
  write_header(cdr, pose.stamp, pose.parent);
  write_transform(cdr, pose);
}

void serialize_text(CdrWriter& cdr, std::string_view text) {
  cdr.clear();
  cdr.text(text);
}

void serialize_number(CdrWriter& cdr, double number) {
  cdr.clear();
  cdr.f64(number);
}

void serialize_clock(CdrWriter& cdr, std::int64_t time) {
  cdr.clear();
  cdr.time(time);
}

void serialize_log(CdrWriter& cdr, std::int64_t stamp, std::string_view name,
                   std::string_view text) {
  cdr.clear();
  cdr.time(stamp).u8(info_level).text(name).text(text).text("").text("").u32(0);
}

void read(CdrReader cdr, JointState& message) {
  message.stamp = read_time(cdr, "the stamp");
  cdr.text();  // frame
  cdr.texts(message.names);
  cdr.numbers(message.position);
  cdr.numbers(message.velocity);
  cdr.numbers(message.effort);
  const std::size_t names = message.names.size();
  check_length(cdr, "position", message.position.size(), names);
  check_length(cdr, "velocity", message.velocity.size(), names);
  check_length(cdr, "effort", message.effort.size(), names);
}

void read(CdrReader cdr, JointTrajectory& message) {
  message.stamp = read_time(cdr, "the stamp");
  cdr.text();  // frame
  cdr.texts(message.names);
  const std::size_t names = message.names.size();
  constexpr std::size_t least = 4 * sizeof(std::uint32_t) + 2 * sizeof(std::uint32_t);
  message.points.resize(cdr.count(least));
  for (JointTrajectory::Point& point : message.points) {
    cdr.numbers(point.positions);
    cdr.numbers(point.velocities);
    cdr.numbers(point.accelerations);
    cdr.numbers(point.effort);
    point.time_from_start = read_time(cdr, "time_from_start");
    check_length(cdr, "positions", point.positions.size(), names);
    check_length(cdr, "velocities", point.velocities.size(), names);
    check_length(cdr, "accelerations", point.accelerations.size(), names);
    check_length(cdr, "effort", point.effort.size(), names);
  }
}

}  // namespace dynamics::mcap
