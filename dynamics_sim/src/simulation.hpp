// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs control loops with simulated time: each cycle advances the time by one nominal period, then
// reads, updates and writes. Several controller managers share the time: those that are due at a
// time make their cycles in their order. See simulation_node in the README of the package.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <dynamics_msgs/srv/reset_simulation.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <std_msgs/msg/float64.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "lockstep_manager.hpp"

namespace dynamics_sim {

class Simulation : public std::enable_shared_from_this<Simulation> {
 public:
  enum class State : std::uint8_t { running, paused, waiting };
  struct Result {
    int code = 0;  ///< of dynamics_msgs/ResultCode
    std::string message;
    std::uint64_t steps = 0;
  };
  using Managers = std::vector<std::shared_ptr<LockstepManager>>;

  /// At least one manager. `node`: has the parameters of the simulation; spun by an executor. Its
  /// callbacks may outlive the simulation; they have no effect then.
  static std::shared_ptr<Simulation> create(Managers managers, rclcpp::Node::SharedPtr node);

  /// Runs until ROS is shut down or a robot cannot be simulated. Returns the exit code.
  int run();

  // called by services, in any thread
  State state() const;
  /// (ns) Zero is one nanosecond, because a stamp of zero means "unset" in ROS.
  std::int64_t time() const { return std::max<std::int64_t>(time_, 1); }
  void pause(bool paused);
  /// Waits until the steps, periods of the fastest manager, are done.
  Result step(std::uint64_t steps);
  /// With any code but SUCCESS state, time and controllers are as before, except where the message
  /// says that controllers could not be activated. Without `state` only the time is reset.
  Result reset(const dynamics_msgs::srv::ResetSimulation::Request& request, bool state = true);
  double speed() const { return speed_; }
  void quit();

 private:
  using Clock = std::chrono::steady_clock;
  using Links = LockstepManager::Links;
  using States = std::vector<std::unique_ptr<SystemState>>;
  using Names = std::vector<std::string>;
  /// A state of the robots of one manager, by the names of their joints.
  struct ManagerState {
    Names names;
    std::vector<double> positions, velocities;
    NamedState named() const { return {names, positions, velocities}; }
  };

  Simulation(Managers managers, rclcpp::Node::SharedPtr node);
  void read_parameters();
  void listen();
  bool failed();
  void check_controllers();
  bool ready();
  void set_time(std::int64_t nanoseconds);
  void publish_clock();
  void publish_factor();
  void hold_time();
  bool cycle(std::int64_t time);
  std::int64_t next_time() const;
  void pace();
  void process_requests();
  Result distribute(const dynamics_msgs::srv::ResetSimulation::Request& request,
                    std::vector<ManagerState>& states) const;
  std::string known_names() const;
  Result check_reset(const dynamics_msgs::srv::ResetSimulation::Request& request,
                     const std::vector<ManagerState>& states) const;
  Result reset_frozen(const dynamics_msgs::srv::ResetSimulation::Request& request,
                      const std::vector<ManagerState>& named, bool state);
  Names switch_on(const std::vector<Names>& controllers);
  std::string exchange_states(const Links& links, States& states);
  void request_time(std::int64_t nanoseconds);

  Managers managers_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
  rclcpp::Publisher<std_msgs::msg::Float64>::SharedPtr factor_;
  std::vector<rclcpp::Subscription<std_msgs::msg::String>::SharedPtr> descriptions_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr check_parameters_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr set_parameters_;
  rclcpp::TimerBase::SharedPtr timer_;
  Clock::time_point last_report_;
  std::int64_t period_;  // of the fastest manager (ns)

  // shared with services
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false;
  bool frozen_ = false;                         // during a reset
  bool is_frozen_ = false;                      // the loop has noticed it
  bool started_ = false;                        // the awaited controllers are active
  bool ready_ = false;                          // they were found active
  std::optional<std::int64_t> requested_time_;  // (ns)
  bool ended_ = false;
  std::uint64_t steps_ = 0;  // to simulate while paused
  std::uint64_t steps_done_ = 0;
  std::mutex job_;  // one step or reset at a time
  std::atomic<double> speed_ = 1.0;
  std::atomic<std::int64_t> time_ = 0;  // ns

  // used by the loop only
  Clock::time_point anchor_, published_, last_yield_, measured_since_;
  std::int64_t anchor_time_ = 0, measured_from_ = 0;
  double anchor_speed_ = -1.0;
  int code_ = 0;
};

}  // namespace dynamics_sim
