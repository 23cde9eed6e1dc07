// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls, faults and times of one service.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <dynamics_msgs/msg/result_code.hpp>
#include <mutex>

namespace dynamics_ros {

class CallStatistics {
 public:
  using Duration = std::chrono::steady_clock::duration;

  void add(const dynamics_msgs::msg::ResultCode& result, Duration took);

  struct Summary {
    std::uint64_t calls = 0, faults = 0;
    std::uint64_t internal_errors = 0;              ///< those that are the node's own
    dynamics_msgs::msg::ResultCode last_fault;      ///< SUCCESS where there was none
    double median = 0.0, p99 = 0.0, largest = 0.0;  ///< of the last 1024 calls (s)
  };
  Summary summary() const;

 private:
  mutable std::mutex mutex_;
  Summary counts_;
  std::array<Duration, 1024> times_{};
};

}  // namespace dynamics_ros
