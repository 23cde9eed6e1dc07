// SPDX-License-Identifier: Apache-2.0
#pragma once

// A controller manager whose cycles are made by the owner of the simulated time:
//
//   LockstepManager arm(manager, executor, "");
//   arm.cycle(time);        // read, update, write, at a multiple of its period
//   arm.hold();             // the same without advancing the time or writing commands
//
// It repeats what other threads have locked, so that a cycle is complete: runs repeat bit for bit.

#include <atomic>
#include <chrono>
#include <controller_manager/controller_manager.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "dynamics_sim/system_link.hpp"

namespace dynamics_sim {

/// The names, separated by commas.
std::string joined(const std::vector<std::string>& names);

class LockstepManager {
 public:
  using Links = std::vector<std::shared_ptr<SystemLink>>;
  using ControllerManager = controller_manager::ControllerManager;

  /// `executor`: that of the manager, which no other manager uses. `name`: in messages and in names
  /// of joints (NAME/JOINT); empty if it is the only manager.
  LockstepManager(std::shared_ptr<ControllerManager> manager,
                  const std::shared_ptr<rclcpp::Executor>& executor, std::string name);

  const std::string& name() const { return name_; }
  ControllerManager& manager() const { return *manager_; }
  std::int64_t period() const { return period_; }  ///< (ns)
  /// Time of the first cycle after this time (ns). Cycles are at multiples of the period.
  std::int64_t next(std::int64_t time) const { return (time / period_ + 1) * period_; }
  bool is_due(std::int64_t time) const { return time % period_ == 0; }

  // any thread

  Links links() const { return SystemRegistry::instance().systems(*clock_); }
  std::vector<std::string> active_controllers() const;
  /// The controllers that the time waits for (set before the first cycle).
  void await(std::vector<std::string> controllers) { awaited_ = std::move(controllers); }
  std::vector<std::string> missing_controllers() const;
  bool switch_controllers(const std::vector<std::string>& on, const std::vector<std::string>& off);
  /// True if no block of the robot is read in every cycle.
  bool is_slow(const SystemLink& link) const;
  /// The robot description was received now.
  void description_received();

  // the loop

  /// Why the robot cannot be simulated, or nothing.
  std::optional<std::string> failure() const;
  /// Sets the time without a cycle: to that of the last cycle until this time.
  void set_time(std::int64_t time);
  /// True if all blocks are active. Also finds the blocks of the following cycles.
  bool is_active();
  void cycle(std::int64_t time);
  /// One cycle at the time of the last one: controllers and payloads can change; commands are not
  /// written.
  void hold();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_slow(const BlockLink& block) const { return block.read_period > period_; }
  rclcpp::Time stamp() const;
  rclcpp::Duration duration() const { return rclcpp::Duration(std::chrono::nanoseconds(period_)); }
  void read();
  void write();
  bool loaded();

  std::shared_ptr<ControllerManager> manager_;
  std::string name_;
  std::int64_t period_;
  std::shared_ptr<SimulatedClock> clock_;
  std::vector<std::string> awaited_;
  std::atomic<Clock::rep> description_time_ = 0;

  // used by the loop only
  SystemLink::Blocks blocks_;
  std::vector<std::uint64_t> writes_;
  std::int64_t time_ = 0;  // of the last cycle (ns)
  Clock::time_point loading_since_;
};

}  // namespace dynamics_sim
