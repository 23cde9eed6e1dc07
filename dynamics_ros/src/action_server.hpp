// SPDX-License-Identifier: Apache-2.0
#pragma once

// An action of the node: goals run in parallel on the threads of a pool, further ones wait.

#include <atomic>
#include <chrono>
#include <dynamics_msgs/msg/result_code.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <rclcpp/node.hpp>
#include <rclcpp_action/rclcpp_action.hpp>
#include <string>
#include <utility>

#include "call_statistics.hpp"
#include "worker_pool.hpp"

namespace dynamics_ros {

template <class Action>
class ActionServer {
 public:
  using Goal = typename Action::Goal;
  using Result = typename Action::Result;
  using Feedback = typename Action::Feedback;
  /// Computes the result of a goal. `go_on(progress)` is to be called now and then; false:
  /// canceled.
  using Compute = std::function<void(const Goal&, Result&, const std::function<bool(double)>&)>;
  /// The feedback at a progress of the goal, in the unit of Compute.
  using MakeFeedback = std::function<Feedback(const Goal&, double)>;

  /// `busy` is the message where the pool takes no more goals. The pool must end before this.
  ActionServer(rclcpp::Node& node, const std::string& name, CallStatistics& statistics,
               WorkerPool& pool, std::string busy, Compute compute, MakeFeedback feedback)
      : logger_(node.get_logger()),
        name_(name),
        statistics_(statistics),
        pool_(pool),
        busy_(std::move(busy)),
        compute_(std::move(compute)),
        feedback_(std::move(feedback)),
        group_(node.create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive)) {
    action_ = rclcpp_action::create_server<Action>(
        &node, "~/" + name,
        // a rejection could not say why: what is wrong is said by the result
        [](const rclcpp_action::GoalUUID&, const std::shared_ptr<const Goal>&) {
          return rclcpp_action::GoalResponse::ACCEPT_AND_DEFER;
        },
        [](const std::shared_ptr<GoalHandle>&) { return rclcpp_action::CancelResponse::ACCEPT; },
        [this](const std::shared_ptr<GoalHandle>& goal) { take(goal); },
        rcl_action_server_get_default_options(), group_);
  }
  ~ActionServer() = default;
  ActionServer(const ActionServer&) = delete;
  ActionServer& operator=(const ActionServer&) = delete;

  void cancel_all() { ending_ = true; }  ///< ends the goals in progress, before the pool ends

 private:
  using GoalHandle = rclcpp_action::ServerGoalHandle<Action>;
  using Clock = std::chrono::steady_clock;
  using ResultCode = dynamics_msgs::msg::ResultCode;
  static constexpr auto feedback_period = std::chrono::milliseconds(50);

  void take(const std::shared_ptr<GoalHandle>& goal) {
    if (pool_.submit([this, goal] { run(*goal); })) return;
    auto result = std::make_shared<Result>();
    result->result.code = ResultCode::BUSY;
    result->result.message = busy_;
    finish(*goal, result, Clock::duration::zero());
  }

  void run(GoalHandle& goal) const {
    const auto begin = Clock::now();
    auto last_feedback = begin - feedback_period;
    const auto input = goal.get_goal();
    const auto go_on = [&](double progress) {
      const auto now = Clock::now();
      if (now - last_feedback >= feedback_period) {
        last_feedback = now;
        goal.publish_feedback(std::make_shared<Feedback>(feedback_(*input, progress)));
      }
      return !goal.is_canceling() && !ending_;
    };
    auto result = std::make_shared<Result>();
    if (goal.is_canceling()) {
      result->result.code = ResultCode::CANCELED;
      result->result.message = "canceled before it began";
    } else {
      try {
        goal.execute();
      } catch (const std::exception& error) {  // canceled just now: seen below
        RCLCPP_DEBUG(logger_, "%s: %s", name_.c_str(), error.what());
      }
      compute_(*input, *result, go_on);
    }
    finish(goal, result, Clock::now() - begin);
  }

  void finish(GoalHandle& goal, const std::shared_ptr<Result>& result,
              CallStatistics::Duration took) const {
    statistics_.add(result->result, took);
    try {
      if (result->result.code == ResultCode::SUCCESS) {
        goal.succeed(result);
      } else if (goal.is_canceling()) {
        goal.canceled(result);
      } else {
        if (!goal.is_executing()) goal.execute();
        goal.abort(result);
      }
    } catch (const std::exception& error) {  // a node that ends
      RCLCPP_WARN(logger_, "%s: the result could not be given: %s", name_.c_str(), error.what());
    }
  }

  rclcpp::Logger logger_;
  std::string name_;
  CallStatistics& statistics_;
  WorkerPool& pool_;
  std::string busy_;
  Compute compute_;
  MakeFeedback feedback_;
  std::atomic<bool> ending_ = false;
  // Of its own, one callback at a time: rclcpp_action reports an accepted goal to the client before
  // it keeps it, and a request for the result that overtakes it would be answered with an empty
  // one.
  rclcpp::CallbackGroup::SharedPtr group_;
  typename rclcpp_action::Server<Action>::SharedPtr action_;
};

}  // namespace dynamics_ros
