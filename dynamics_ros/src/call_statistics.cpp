// SPDX-License-Identifier: Apache-2.0
#include "call_statistics.hpp"

#include <algorithm>
#include <vector>

namespace dynamics_ros {

using dynamics_msgs::msg::ResultCode;

void CallStatistics::add(const ResultCode& result, Duration took) {
  const std::lock_guard lock(mutex_);
  times_[counts_.calls % times_.size()] = took;
  ++counts_.calls;
  if (result.code == ResultCode::SUCCESS) return;
  ++counts_.faults;
  if (result.code == ResultCode::INTERNAL_ERROR) ++counts_.internal_errors;
  counts_.last_fault = result;
}

CallStatistics::Summary CallStatistics::summary() const {
  Summary made;
  std::vector<Duration> times;
  {
    const std::lock_guard lock(mutex_);
    made = counts_;
    const auto known =
        static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(counts_.calls, times_.size()));
    times.assign(times_.begin(), times_.begin() + known);
  }
  if (times.empty()) return made;
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) {
    const std::size_t rank = (times.size() * percent + 99) / 100;
    return std::chrono::duration<double>(times[std::max<std::size_t>(rank, 1) - 1]).count();
  };
  made.median = at(50);
  made.p99 = at(99);
  made.largest = at(100);
  return made;
}

}  // namespace dynamics_ros
