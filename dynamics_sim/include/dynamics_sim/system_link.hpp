// SPDX-License-Identifier: Apache-2.0
#pragma once

// Connects services, and a simulation_node that owns the clock, with the simulated robots of the
// same process. Independent of ROS.
//
// Each SimulatedRobot has one SystemLink, which its <ros2_control> blocks share. Data for its
// control loop pass through mailboxes and atomics, so that `read` neither blocks nor allocates.

#include <atomic>
#include <cstdint>
#include <dynamics_core/real_time_simulation.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_sim/external_wrenches.hpp"
#include "dynamics_sim/mailbox.hpp"

namespace dynamics_sim {

/// State of all coordinates of a robot.
struct SystemState {
  std::vector<double> q, qd;
};

/// The state that closes the loops of a mechanism; on a tree `state` itself. `has_q` and `has_qd`
/// tell which values of `state` are prescribed: of independent joints, which determine the others,
/// or of all joints, which must close the loops. Throws dynamics::ArgumentError naming the joint
/// and what would be right, dynamics::StateError where the loops cannot be closed. Changes the
/// state of `robot`.
SystemState closed_state(dynamics::RealTimeSimulation& robot, const SystemState& state,
                         const std::vector<bool>& has_q, const std::vector<bool>& has_qd);

/// Positions and velocities by name, as in a request.
struct NamedState {
  std::span<const std::string> names;
  std::span<const double> positions;
  std::span<const double> velocities;  ///< empty: zeros
};

/// Why a request is rejected; kinds as in dynamics_msgs/ResultCode.
struct RequestError {
  enum class Kind : std::uint8_t { unknown, duplicate, wrong_size, not_finite, invalid };
  Kind kind;
  std::string message;
};

/// Simulated time of the robots of a controller manager (ns), set by the owner of the clock.
struct SimulatedClock {
  std::atomic<std::int64_t> time = 0;
};

/// A <ros2_control> block of a robot, as the owner of the clock sees it.
struct BlockLink {
  std::string name;
  bool every_cycle = true;       ///< is read in every cycle of the controller manager
  std::int64_t read_period = 0;  ///< (ns) if that is longer than a cycle, it is not
  std::atomic<bool> active = false;
  std::atomic<std::int64_t> time = 0;  ///< simulated time of its states (ns), if the clock is owned
  std::atomic<std::uint64_t> writes = 0;
};

class SystemLink {
 public:
  using Blocks = std::vector<std::shared_ptr<BlockLink>>;

  /// Coordinates, initial state and limits are those of the robot. `clock`: of its controller
  /// manager.
  SystemLink(const dynamics::RealTimeSimulation& robot, SystemState initial, Blocks blocks,
             std::shared_ptr<SimulatedClock> clock);

  /// The names of the blocks, separated by commas.
  const std::string& name() const { return name_; }
  const Blocks& blocks() const { return blocks_; }
  const std::shared_ptr<SimulatedClock>& clock() const { return clock_; }
  /// Names of the joints, then of the amplitudes (LINK/y1).
  const std::vector<std::string>& coordinates() const { return coordinates_; }
  bool has(const std::string& coordinate) const;

  /// The initial state with the named values replaced; names of other systems are ignored. Throws
  /// as closed_state() does.
  SystemState state_from(const NamedState& named) const;

  /// Called by the owner of the clock, in the thread that calls `read`: applies a reset and a
  /// payload to hardware that is not read because its own period (rw_rate) has not passed.
  void serve();
  /// Sets what serve() calls; null while the system changes its state or is gone.
  void set_server(std::function<void()> server);

  // to the control loop
  /// The loop gives back the state before the reset, or this state if it was refused.
  Mailbox<SystemState> reset;
  Mailbox<dynamics::RealTimeSimulation> payload;
  WrenchQueue wrenches;
  std::atomic<bool> paused = false;
  std::atomic<std::uint64_t> steps = 0;  ///< control periods to simulate while paused
  std::mutex requests;                   ///< held by a sender until its request is answered

  // from the control loop
  std::atomic<bool> configured = false;  ///< a block is inactive or active: is read, can be reset
  std::atomic<bool> active = false;      ///< a block is active: the robot is simulated
  std::atomic<std::int64_t> time = 0;    ///< simulated time (ns), if the clock is owned
  std::atomic<std::uint64_t> resets = 0, payloads = 0;
  std::atomic<bool> reset_refused = false;  ///< the last reset

 private:
  friend std::optional<RequestError> check(std::span<const std::shared_ptr<SystemLink>>,
                                           const NamedState&);
  std::mutex serving_;
  std::function<void()> server_;
  std::string name_;
  Blocks blocks_;
  std::shared_ptr<SimulatedClock> clock_;
  std::vector<std::string> coordinates_;
  SystemState initial_;
  std::vector<double> lower_, upper_;
  mutable std::mutex access_;
  std::unique_ptr<dynamics::RealTimeSimulation> closing_;  // closes the loops of requests
};

/// Checks a state for these systems together; empty if it is valid.
std::optional<RequestError> check(std::span<const std::shared_ptr<SystemLink>> systems,
                                  const NamedState& named);

/// The robots of this process and, if a simulation_node owns them, their clocks: one per controller
/// manager.
class SystemRegistry {
 public:
  static SystemRegistry& instance();

  void add(const std::shared_ptr<SystemLink>& system);
  std::vector<std::shared_ptr<SystemLink>> systems() const;
  /// Those with this clock.
  std::vector<std::shared_ptr<SystemLink>> systems(const SimulatedClock& clock) const;

  /// The clock of the controller manager with this executor, made at the first call. Null: of the
  /// managers of an older ros2_control, which does not tell its executor to the hardware.
  std::shared_ptr<SimulatedClock> clock(const void* executor);
  /// If owned, systems follow their clock instead of the periods of read(), and the owner pauses,
  /// steps and resets them.
  void own_clock(bool owned) { owned_ = owned; }
  bool clock_is_owned() const { return owned_; }

  /// Reports a system that could not be initialized; the first report is kept.
  void report_failure(const std::string& message);
  std::optional<std::string> failure() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<SystemLink>> systems_;
  std::optional<std::string> failure_;
  std::map<const void*, std::weak_ptr<SimulatedClock>> clocks_;  // by executor
  std::atomic<bool> owned_ = false;
};

}  // namespace dynamics_sim
