// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/external_wrenches.hpp"

#include <algorithm>
#include <exception>

namespace dynamics_sim {

bool WrenchQueue::send(const TimedWrench& wrench) {
  const std::lock_guard guard(senders_);
  const std::uint64_t next = sent_.load(std::memory_order_relaxed);
  if (next - taken_.load(std::memory_order_acquire) >= capacity) return false;
  entries_[next % capacity] = wrench;
  sent_.store(next + 1, std::memory_order_release);
  return true;
}

bool WrenchQueue::take(TimedWrench& wrench) noexcept {
  const std::uint64_t next = taken_.load(std::memory_order_relaxed);
  if (next == sent_.load(std::memory_order_acquire)) return false;
  wrench = entries_[next % capacity];
  taken_.store(next + 1, std::memory_order_release);
  return true;
}

void ExternalWrenches::add(const TimedWrench& wrench) noexcept {
  const auto end = active_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto same = std::find_if(active_.begin(), end, [&](const TimedWrench& one) {
    return one.wrench.frame == wrench.wrench.frame;
  });
  if (same == end && count_ == most) return;
  if (same == end) ++count_;
  *same = wrench;
}

void ExternalWrenches::take(WrenchQueue& queue, dynamics::RealTimeSimulation& robot) noexcept {
  TimedWrench next;
  bool changed = false;
  while (queue.take(next)) {
    add(next);
    changed = true;
  }
  if (changed) apply(robot);
}

void ExternalWrenches::count_step(dynamics::RealTimeSimulation& robot) noexcept {
  if (count_ == 0) return;
  const auto end = active_.begin() + static_cast<std::ptrdiff_t>(count_);
  for (auto one = active_.begin(); one != end; ++one) one->steps -= one->steps > 0 ? 1 : 0;
  const auto last =
      std::remove_if(active_.begin(), end, [](const TimedWrench& one) { return one.steps == 0; });
  if (last == end) return;
  count_ = static_cast<std::size_t>(last - active_.begin());
  apply(robot);
}

void ExternalWrenches::clear(WrenchQueue& queue) noexcept {
  count_ = 0;
  TimedWrench dropped;
  while (queue.take(dropped)) {
  }
}

void ExternalWrenches::apply(dynamics::RealTimeSimulation& robot) noexcept {
  for (std::size_t i = 0; i < count_; ++i) applied_[i] = active_[i].wrench;
  try {
    robot.set_wrenches({applied_.data(), count_});
  } catch (const std::exception&) {  // were checked by the sender: not reached
    count_ = 0;
  }
}

}  // namespace dynamics_sim
