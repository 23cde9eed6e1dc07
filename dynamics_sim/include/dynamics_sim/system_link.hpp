// SPDX-License-Identifier: Apache-2.0
#pragma once

// How services, and a simulation_node that owns the clock, reach the simulated systems of their
// process: no ROS in it.
//
// Each DynamicsSystem has one SystemLink. What goes to its loop goes by mailboxes and atomics, so
// that `read` neither waits nor allocates.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_sim/arm.hpp"
#include "dynamics_sim/mailbox.hpp"

namespace dynamics_sim {

/// Of all coordinates of a system.
struct SystemState {
  std::vector<double> q, qd;
};

/// Positions and velocities by name, as a request brings them.
struct NamedState {
  std::span<const std::string> names;
  std::span<const double> positions;
  std::span<const double> velocities;  ///< empty: zeros
};

/// Why a request cannot be followed; the kinds of dynamics_msgs/ResultCode.
struct Refusal {
  enum class Kind : std::uint8_t { unknown, duplicate, wrong_size, not_finite, invalid };
  Kind kind;
  std::string message;
};

class SystemLink {
 public:
  /// Coordinates, initial state and limits are those of the arm.
  SystemLink(std::string name, const Arm& arm, SystemState initial);

  const std::string& name() const { return name_; }
  /// Joints by name, amplitudes as LINK/y1.
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  bool has(const std::string& coordinate) const;

  /// The initial state with what is named instead of it; names of others are passed over.
  SystemState state_from(const NamedState& named) const;

  // to the loop
  Mailbox<SystemState> reset;
  Mailbox<Arm> payload;
  std::atomic<bool> paused = false;
  std::atomic<std::uint64_t> steps = 0;  ///< control periods to make while paused

  // from the loop
  std::atomic<bool> active = false;
  std::atomic<std::int64_t> time = 0;  ///< simulated (ns), where the clock is owned
  std::atomic<std::uint64_t> reads = 0, writes = 0, resets = 0, payloads = 0;
  bool every_cycle = true;  ///< read in every cycle of the controller manager; set before active

 private:
  friend std::optional<Refusal> check(std::span<const std::shared_ptr<SystemLink>>,
                                      const NamedState&);
  std::string name_;
  std::vector<std::string> coordinates_;
  SystemState initial_;
  std::vector<double> lower_, upper_;
};

/// What is wrong with a state for these systems together; nothing where it can be taken.
std::optional<Refusal> check(std::span<const std::shared_ptr<SystemLink>> systems,
                             const NamedState& named);

/// The systems of this process and, where a simulation_node owns it, their clock.
class SystemRegistry {
 public:
  static SystemRegistry& instance();

  void add(const std::shared_ptr<SystemLink>& system);
  std::vector<std::shared_ptr<SystemLink>> systems() const;

  /// From here on systems follow time() instead of the periods they are read with, and leave
  /// pausing, stepping and resetting to the owner.
  void own_clock(bool owned) { owned_ = owned; }
  bool clock_is_owned() const { return owned_; }
  void set_time(std::int64_t nanoseconds) { time_ = nanoseconds; }
  std::int64_t time() const { return time_; }

  /// A system that could not be made, for whoever owns the process; the first one counts.
  void report_failure(const std::string& message);
  std::optional<std::string> failure() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<SystemLink>> systems_;
  std::optional<std::string> failure_;
  std::atomic<bool> owned_ = false;
  std::atomic<std::int64_t> time_ = 0;
};

}  // namespace dynamics_sim
