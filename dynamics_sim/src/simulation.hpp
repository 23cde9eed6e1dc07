// SPDX-License-Identifier: Apache-2.0
#pragma once

// Owns the clock and the control loop: each cycle advances the time by one nominal period, then
// reads, updates and writes. See the package's README, "simulation_node".

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <controller_manager/controller_manager.hpp>
#include <cstdint>
#include <dynamics_msgs/srv/reset_simulation.hpp>
#include <memory>
#include <mutex>
#include <rclcpp/rclcpp.hpp>
#include <rosgraph_msgs/msg/clock.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "dynamics_sim/system_link.hpp"

namespace dynamics_sim {

class Simulation {
 public:
  enum class State : std::uint8_t { running, paused, waiting };
  struct Answer {
    int code = 0;  ///< of dynamics_msgs/ResultCode
    std::string message;
    std::uint64_t steps = 0;
  };

  /// `node`: the simulation's own, with its parameters; spun by the executor of the manager.
  Simulation(std::shared_ptr<controller_manager::ControllerManager> manager,
             rclcpp::Node::SharedPtr node);

  /// The loop, until ROS is shut down or the robot cannot be simulated. Returns the exit code.
  int run();

  // from services, in any thread
  State state() const;
  std::int64_t time() const { return shown_; }  ///< (ns)
  void pause(bool paused);
  Answer step(std::uint64_t steps);
  Answer reset(const dynamics_msgs::srv::ResetSimulation::Request& request);
  void quit();

 private:
  using Clock = std::chrono::steady_clock;
  using Links = std::vector<std::shared_ptr<SystemLink>>;

  void read_parameters();
  bool failed();
  void look_at_controllers();
  bool ready();
  bool loaded();
  void set_time(std::int64_t nanoseconds);
  void publish_clock();
  rclcpp::Time stamp() const;
  void stand();
  void cycle();
  void read();
  void write();
  void pace();
  void obey();
  std::vector<std::string> active_controllers() const;
  Answer put_back(const dynamics_msgs::srv::ResetSimulation::Request& request, const Links& links);

  std::shared_ptr<controller_manager::ControllerManager> manager_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr clock_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr on_parameters_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::vector<std::string> awaited_;
  Clock::time_point complained_;
  std::int64_t period_;  // ns

  // shared with services
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool paused_ = false;
  bool frozen_ = false;    // while a reset is under way
  bool standing_ = false;  // the loop has seen that
  bool started_ = false;   // the controllers waited for are active
  bool ready_ = false;     // that they are was seen
  bool go_back_ = false;   // time to zero, please
  bool ended_ = false;
  std::uint64_t steps_ = 0;  // to make while paused
  std::mutex job_;           // one step or reset at a time
  std::atomic<double> speed_ = 1.0;
  std::atomic<std::int64_t> shown_ = 1;
  std::atomic<Clock::rep> described_ = 0;  // when the robot description came

  // of the loop
  Links links_;
  std::vector<std::uint64_t> writes_;
  std::int64_t time_ = 0;  // ns
  Clock::time_point anchor_, published_, breath_, loading_since_;
  std::int64_t anchor_time_ = 0;
  double anchor_speed_ = -1.0;
  int code_ = 0;
};

}  // namespace dynamics_sim
