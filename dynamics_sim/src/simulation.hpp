// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the control loop with simulated time: each cycle advances the time by one nominal period,
// then reads, updates and writes. See simulation_node in the README of the package.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <controller_manager/controller_manager.hpp>
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

#include "dynamics_sim/system_link.hpp"

namespace dynamics_sim {

/// The names, separated by commas.
std::string joined(const std::vector<std::string>& names);

class Simulation : public std::enable_shared_from_this<Simulation> {
 public:
  enum class State : std::uint8_t { running, paused, waiting };
  struct Result {
    int code = 0;  ///< of dynamics_msgs/ResultCode
    std::string message;
    std::uint64_t steps = 0;
  };

  /// `node`: has the parameters of the simulation; spun by the executor of the manager. Its
  /// callbacks may outlive the simulation; they have no effect then.
  static std::shared_ptr<Simulation> create(
      std::shared_ptr<controller_manager::ControllerManager> manager, rclcpp::Node::SharedPtr node);

  /// Runs until ROS is shut down or the robot cannot be simulated. Returns the exit code.
  int run();

  // called by services, in any thread
  State state() const;
  std::int64_t time() const { return published_time_; }  ///< (ns)
  void pause(bool paused);
  Result step(std::uint64_t steps);  ///< waits until the steps are done
  /// With any code but SUCCESS state, time and controllers are as before, except where the message
  /// says that controllers could not be activated. Without `state` only the time is reset.
  Result reset(const dynamics_msgs::srv::ResetSimulation::Request& request, bool state = true);
  double speed() const { return speed_; }
  void quit();

 private:
  using Clock = std::chrono::steady_clock;
  using Links = std::vector<std::shared_ptr<SystemLink>>;

  Simulation(std::shared_ptr<controller_manager::ControllerManager> manager,
             rclcpp::Node::SharedPtr node);
  void read_parameters();
  void listen();
  bool failed();
  void check_controllers();
  bool ready();
  bool loaded();
  void set_time(std::int64_t nanoseconds);
  void publish_clock();
  void publish_factor();
  rclcpp::Time stamp() const;
  void hold_time();
  void cycle();
  void read();
  void write();
  void pace();
  void process_requests();
  std::vector<std::string> active_controllers() const;
  bool switch_controllers(const std::vector<std::string>& on, const std::vector<std::string>& off);
  Result reset_frozen(const dynamics_msgs::srv::ResetSimulation::Request& request, bool state,
                      const Links& links);
  std::string exchange_states(const Links& links,
                              std::vector<std::unique_ptr<SystemState>>& states);
  void request_time(std::int64_t nanoseconds);
  bool is_slow(const BlockLink& block) const { return block.read_period > period_; }
  /// True if no block is read in every cycle.
  bool is_slow(const SystemLink& link) const {
    return std::all_of(link.blocks().begin(), link.blocks().end(),
                       [&](const auto& block) { return is_slow(*block); });
  }

  std::shared_ptr<controller_manager::ControllerManager> manager_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
  rclcpp::Publisher<std_msgs::msg::Float64>::SharedPtr factor_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr check_parameters_;
  rclcpp::node_interfaces::PostSetParametersCallbackHandle::SharedPtr set_parameters_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::vector<std::string> awaited_;
  Clock::time_point last_report_;
  std::int64_t period_;  // ns

  // shared with services
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false;
  bool frozen_ = false;                         // during a reset
  bool is_frozen_ = false;                      // the loop has noticed it
  bool started_ = false;                        // wait_for_controllers are active
  bool ready_ = false;                          // they were found active
  std::optional<std::int64_t> requested_time_;  // (ns)
  bool ended_ = false;
  std::uint64_t steps_ = 0;  // to simulate while paused
  std::mutex job_;           // one step or reset at a time
  std::atomic<double> speed_ = 1.0;
  std::atomic<std::int64_t> published_time_ = 1;
  std::atomic<Clock::rep> description_time_ = 0;  // when the robot description was received

  // used by the loop only
  Links links_;
  SystemLink::Blocks blocks_;  // of all of them
  std::vector<std::uint64_t> writes_;
  std::int64_t time_ = 0;  // ns
  Clock::time_point anchor_, published_, last_yield_, loading_since_, measured_since_;
  std::int64_t anchor_time_ = 0, measured_from_ = 0;
  double anchor_speed_ = -1.0;
  int code_ = 0;
};

}  // namespace dynamics_sim
