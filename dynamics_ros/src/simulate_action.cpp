// SPDX-License-Identifier: Apache-2.0
#include "simulate_action.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

#include "durations.hpp"

namespace dynamics_ros {
namespace {

using dynamics_msgs::msg::ResultCode;
using Clock = std::chrono::steady_clock;

constexpr auto feedback_period = std::chrono::milliseconds(50);

}  // namespace

SimulateAction::SimulateAction(rclcpp::Node& node, const DynamicsServer& server,
                               CallStatistics& statistics, std::size_t threads, std::size_t queue)
    : logger_(node.get_logger()),
      server_(server),
      statistics_(statistics),
      pool_(threads, queue),
      group_(node.create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive)) {
  action_ = rclcpp_action::create_server<Simulate>(
      &node, "~/simulate",
      // a rejection could not say why: what is wrong is said by the result
      [](const rclcpp_action::GoalUUID&, const std::shared_ptr<const Simulate::Goal>&) {
        return rclcpp_action::GoalResponse::ACCEPT_AND_DEFER;
      },
      [](const std::shared_ptr<GoalHandle>&) { return rclcpp_action::CancelResponse::ACCEPT; },
      [this](const std::shared_ptr<GoalHandle>& goal) { take(goal); },
      rcl_action_server_get_default_options(), group_);
}

SimulateAction::~SimulateAction() { end(); }

void SimulateAction::end() {
  ending_ = true;
  pool_.end();
}

void SimulateAction::take(const std::shared_ptr<GoalHandle>& goal) {
  if (pool_.submit([this, goal] { run(*goal); })) return;
  auto result = std::make_shared<Simulate::Result>();
  result->result.code = ResultCode::BUSY;
  result->result.message =
      "as many simulations wait as parameter simulation_queue allows: ask again later";
  finish(*goal, result, Clock::duration::zero());
}

void SimulateAction::run(GoalHandle& goal) const {
  const auto begin = Clock::now();
  auto last_feedback = begin - feedback_period;
  const double duration = seconds(goal.get_goal()->duration);
  const auto go_on = [&](double time) {
    const auto now = Clock::now();
    if (now - last_feedback >= feedback_period) {
      last_feedback = now;
      auto feedback = std::make_shared<Simulate::Feedback>();
      feedback->time_from_start = duration_message(std::llround(time * 1e9));
      feedback->progress = time / duration;
      goal.publish_feedback(feedback);
    }
    return !goal.is_canceling() && !ending_;
  };
  auto result = std::make_shared<Simulate::Result>();
  if (goal.is_canceling()) {
    result->result.code = ResultCode::CANCELED;
    result->result.message = "canceled before it began";
  } else {
    try {
      goal.execute();
    } catch (const std::exception& error) {  // canceled just now: seen below
      RCLCPP_DEBUG(logger_, "simulate: %s", error.what());
    }
    server_.simulate(*goal.get_goal(), *result, go_on);
  }
  finish(goal, result, Clock::now() - begin);
}

void SimulateAction::finish(GoalHandle& goal, const std::shared_ptr<Simulate::Result>& result,
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
    RCLCPP_WARN(logger_, "simulate: the result could not be given: %s", error.what());
  }
}

}  // namespace dynamics_ros
