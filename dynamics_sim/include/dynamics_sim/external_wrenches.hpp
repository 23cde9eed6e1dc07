// SPDX-License-Identifier: Apache-2.0
#pragma once

// Wrenches on links from outside, for a limited time. Any thread sends them, the control loop
// applies them:
//
//   WrenchQueue queue;
//   queue.send({{frame, wrench, dynamics::Axes::local}, steps});   // any thread
//   ExternalWrenches wrenches;                                     // of the loop
//   wrenches.take(queue, robot);                                   // before the steps
//   ok = robot.step();
//   wrenches.count_step(robot);                                    // after each
//
// The loop neither allocates nor blocks. Independent of ROS.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/external_inputs.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <mutex>

namespace dynamics_sim {

/// A wrench on a link for a number of steps of the simulation.
struct TimedWrench {
  dynamics::LinkWrench wrench;  ///< a valid frame, finite
  std::uint64_t steps = 0;
};

/// Wrenches on their way to the control loop: many senders, one receiver.
class WrenchQueue {
 public:
  static constexpr std::size_t capacity = 64;

  /// False if `capacity` wrenches have not been taken yet; then this one is dropped.
  [[nodiscard]] bool send(const TimedWrench& wrench);
  /// Called by the loop: the oldest one. False if there is none.
  bool take(TimedWrench& wrench) noexcept;

 private:
  std::array<TimedWrench, capacity> entries_;
  std::mutex senders_;
  std::atomic<std::uint64_t> sent_ = 0, taken_ = 0;
};

/// The wrenches that act, at most one per link: a new one replaces the previous one.
class ExternalWrenches {
 public:
  /// Takes what was sent.
  void take(WrenchQueue& queue, dynamics::RealTimeSimulation& robot) noexcept;
  /// Ends the wrenches whose steps are over.
  void count_step(dynamics::RealTimeSimulation& robot) noexcept;
  /// None acts any more, and what was sent is dropped.
  void clear(WrenchQueue& queue) noexcept;

 private:
  static constexpr std::size_t most = dynamics::RealTimeSimulation::max_wrenches;

  void add(const TimedWrench& wrench) noexcept;
  void apply(dynamics::RealTimeSimulation& robot) noexcept;

  std::array<TimedWrench, most> active_;
  std::array<dynamics::LinkWrench, most> applied_;
  std::size_t count_ = 0;
};

}  // namespace dynamics_sim
