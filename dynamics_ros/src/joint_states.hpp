// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <unordered_map>

namespace dynamics_ros {

/// The last position of each joint, from messages of one or several publishers. Any number of
/// threads may call.
class JointStates {
 public:
  using Clock = std::chrono::steady_clock;

  /// Positions that are not finite are ignored.
  void take(const sensor_msgs::msg::JointState& message);

  /// Throws Fault if no message had the joint, or if the last one came more than `timeout` s ago.
  double position(const std::string& joint, double timeout) const;

 private:
  struct Entry {
    double position = 0.0;
    Clock::time_point received;
  };
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> entries_;
};

}  // namespace dynamics_ros
