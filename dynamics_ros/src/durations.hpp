// SPDX-License-Identifier: Apache-2.0
#pragma once

// Durations of messages as whole nanoseconds and as seconds.

#include <builtin_interfaces/msg/duration.hpp>
#include <cstdint>

namespace dynamics_ros {

inline std::int64_t nanoseconds(const builtin_interfaces::msg::Duration& duration) {
  return std::int64_t{duration.sec} * 1'000'000'000 + std::int64_t{duration.nanosec};
}

/// The number nearest to the duration: 0.05 for 50000000 ns.
inline double seconds(const builtin_interfaces::msg::Duration& duration) {
  return static_cast<double>(nanoseconds(duration)) / 1e9;
}

/// `time` must not be negative.
inline builtin_interfaces::msg::Duration duration_message(std::int64_t time) {
  builtin_interfaces::msg::Duration message;
  message.sec = static_cast<std::int32_t>(time / 1'000'000'000);
  message.nanosec = static_cast<std::uint32_t>(time % 1'000'000'000);
  return message;
}

}  // namespace dynamics_ros
