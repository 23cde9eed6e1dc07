// SPDX-License-Identifier: Apache-2.0
#include "joint_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "fault.hpp"

namespace dynamics_ros {

void JointStates::take(const sensor_msgs::msg::JointState& message) {
  const auto now = Clock::now();
  const std::size_t count = std::min(message.name.size(), message.position.size());
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(message.position[i])) entries_[message.name[i]] = {message.position[i], now};
  }
}

double JointStates::position(const std::string& joint, double timeout) const {
  std::optional<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(joint); found != entries_.end()) entry = found->second;
  }
  if (!entry) {
    throw Fault(ResultCode::NO_JOINT_STATE,
                fmt::format("other_joints.source is JOINT_STATES, but no joint_states had joint "
                            "'{}' yet",
                            joint));
  }
  const double age = std::chrono::duration<double>(Clock::now() - entry->received).count();
  if (age <= timeout) return entry->position;
  throw Fault(
      ResultCode::NO_JOINT_STATE,
      fmt::format("other_joints.source is JOINT_STATES, but the last joint_states with joint "
                  "'{}' came {:.3g} s ago; {} s are allowed (joint_state_timeout)",
                  joint, age, timeout));
}

}  // namespace dynamics_ros
