// SPDX-License-Identifier: Apache-2.0
#pragma once

// SimulatedRobot: the simulation of one robot, shared by its <ros2_control> blocks.
//
//   auto robot = SimulatedRobot::join({executor, name_space}, info);   // each block, on_init
//   robot->configure(block); robot->activate(block);
//   if (auto lock = robot->try_lock()) ok = robot->read(block, changed, period);   // control loop
//
// Blocks of the same robot description that are loaded by the same controller manager share one
// simulation. It is simulated while at least one block is active, and advances once per control
// period: with the first block that is read in it.
//
// join() and the lifecycle functions run in other threads than the control loop, wait for a lock
// and may allocate. The control loop uses try_lock(): it neither waits nor allocates nor throws.

#include <cstdint>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <functional>
#include <hardware_interface/hardware_info.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dynamics_sim/external_wrenches.hpp"
#include "dynamics_sim/system_link.hpp"
#include "dynamics_sim/system_parameters.hpp"

namespace dynamics_sim {

/// Which controller manager has loaded a block.
struct ManagerIdentity {
  const void* executor = nullptr;  ///< null: unknown to the hardware in this version of ros2_control
  std::string name_space;
  bool operator==(const ManagerIdentity&) const = default;
};

class SimulatedRobot {
 public:
  using Lock = std::unique_lock<std::mutex>;

  /// Adds a block to the robot with this description and controller manager, which is made if there
  /// is none, or if a block of this name has it already. Throws std::invalid_argument and
  /// dynamics::Error for invalid blocks and blocks that contradict each other.
  static std::shared_ptr<SimulatedRobot> join(const ManagerIdentity& manager,
                                              const hardware_interface::HardwareInfo& info);
  /// Called when a block is destroyed.
  void leave(const std::string& block);
  ~SimulatedRobot();
  SimulatedRobot(const SimulatedRobot&) = delete;
  SimulatedRobot& operator=(const SimulatedRobot&) = delete;

  /// The block of this name; valid until it leaves.
  const SystemBlock& block(const std::string& name) const;
  /// Whether it was the first one to join: it exports what belongs to the robot.
  bool is_first(const std::string& block) const;
  const SystemParameters& parameters() const { return parameters_; }
  const std::shared_ptr<const dynamics::Plant>& plant() const { return plant_; }  ///< no payload
  const std::shared_ptr<SystemLink>& link() const { return link_; }
  std::shared_ptr<BlockLink> block_link(const std::string& block) const;
  std::int64_t step() const { return step_; }  ///< (ns)

  // Lifecycle of the blocks. They lock.

  /// The first block starts the simulation in the initial state, also after a fault. `serve`: what
  /// the block does where it is not read at the time of a reset (see SystemLink::serve()). Throws
  /// std::runtime_error if the robot cannot be simulated.
  void configure(const std::string& block, std::function<void()> serve);
  void activate(const std::string& block);
  /// The joints of the block become unclaimed if another block is active.
  void deactivate(const std::string& block);
  /// The block is no longer read.
  void end(const std::string& block);

  // For the control loop, and other threads that hold the lock.

  Lock lock() { return Lock(access_); }
  Lock try_lock() noexcept { return Lock(access_, std::try_to_lock); }

  /// One period (ns) of a block. `changed`: it has changed commands. False after a fault, for all
  /// blocks until the next configure().
  bool read(const BlockLink& block, bool changed, std::int64_t period) noexcept;
  /// Sets the behavior of a joint without controller.
  void release(std::size_t coordinate);

  dynamics::RealTimeSimulation& simulation() { return *simulation_; }
  const dynamics::PlantEnergy& energy() const { return energy_; }  ///< of the present state
  std::uint64_t late() const { return late_; }                     ///< steps
  /// Simulated time since the start or reset number restarts().
  std::int64_t time() const {
    return static_cast<std::int64_t>(simulation_->statistics().steps) * step_;
  }
  std::uint64_t restarts() const { return restarts_; }
  /// Once for each search that did not converge.
  bool take_unsolved() noexcept;

 private:
  struct Member {
    std::string name;
    std::uint64_t number = 0;  // in the order of joining
    std::shared_ptr<BlockLink> link;
    std::int64_t rate = 0;  // Hz
    bool configured = false;
    bool was_read = false;  // since the last advance
    std::function<void()> serve;
  };

  SimulatedRobot(std::string description, ManagerIdentity manager);
  void add(const hardware_interface::HardwareInfo& info);
  void build();
  void restart();
  void forget_requests();
  Member& member(const std::string& name);
  bool starts_period(Member& member) const noexcept;
  void apply_requests() noexcept;
  void apply_reset() noexcept;
  void serve() noexcept;
  std::int64_t time_to_simulate(std::int64_t period) noexcept;
  bool advance(std::int64_t nanoseconds) noexcept;
  bool evaluate() noexcept;

  std::string description_;
  ManagerIdentity manager_;
  std::shared_ptr<SimulatedClock> clock_;
  std::vector<SystemBlock> blocks_;
  std::vector<Member> members_;  // of the blocks, in the same order
  SystemParameters parameters_;
  std::shared_ptr<const dynamics::Plant> plant_;
  std::unique_ptr<dynamics::RealTimeSimulation> simulation_;
  std::shared_ptr<SystemLink> link_;
  SystemState initial_, before_;  // before a reset

  std::mutex access_;
  ExternalWrenches wrenches_;
  dynamics::PlantEnergy energy_;
  std::vector<double> hold_;    // by joint: position when it was released
  std::int64_t step_ = 0;       // ns
  std::int64_t period_ = 0;     // ns, nominal, of the control loop
  std::int64_t remainder_ = 0;  // ns, not simulated yet
  std::uint64_t late_ = 0;      // steps
  std::uint64_t restarts_ = 0;
  std::uint64_t unsolved_ = 0;  // reported
  std::uint64_t stepper_ = 0;   // number of the member that advanced last
  bool has_stepper_ = false;
  bool faulted_ = false;
};

}  // namespace dynamics_sim
