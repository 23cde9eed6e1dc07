// SPDX-License-Identifier: Apache-2.0
#pragma once

// The action ~/simulate: goals run side by side on threads of their own, further ones wait.

#include <atomic>
#include <cstddef>
#include <dynamics_msgs/action/simulate.hpp>
#include <memory>
#include <rclcpp/node.hpp>
#include <rclcpp_action/rclcpp_action.hpp>

#include "call_statistics.hpp"
#include "dynamics_ros/dynamics_server.hpp"
#include "worker_pool.hpp"

namespace dynamics_ros {

class SimulateAction {
 public:
  SimulateAction(rclcpp::Node& node, const DynamicsServer& server, CallStatistics& statistics,
                 std::size_t threads, std::size_t queue);
  ~SimulateAction();
  SimulateAction(const SimulateAction&) = delete;
  SimulateAction& operator=(const SimulateAction&) = delete;

  void end();  ///< ends the runs in progress
  WorkerPool::Load load() const { return pool_.load(); }

 private:
  using Simulate = dynamics_msgs::action::Simulate;
  using GoalHandle = rclcpp_action::ServerGoalHandle<Simulate>;

  void take(const std::shared_ptr<GoalHandle>& goal);
  void run(GoalHandle& goal) const;
  void finish(GoalHandle& goal, const std::shared_ptr<Simulate::Result>& result,
              CallStatistics::Duration took) const;

  rclcpp::Logger logger_;
  const DynamicsServer& server_;
  CallStatistics& statistics_;
  std::atomic<bool> ending_ = false;
  WorkerPool pool_;
  // Of its own, one callback at a time: rclcpp_action reports an accepted goal to the client before
  // it keeps it, and a request for the result that overtakes it would be answered with an empty
  // one.
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp_action::Server<Simulate>::SharedPtr action_;
};

}  // namespace dynamics_ros
