// SPDX-License-Identifier: Apache-2.0
// Step and reset requests, which block the threads of the services.
#include <controller_manager_msgs/srv/switch_controller.hpp>
#include <dynamics_msgs/msg/result_code.hpp>

#include "dynamics_sim/system_services.hpp"
#include "simulation.hpp"

namespace dynamics_sim {

using dynamics_msgs::msg::ResultCode;

Simulation::Result Simulation::step(std::uint64_t steps) {
  if (steps == 0 || steps > 10'000'000) {
    return {ResultCode::INVALID_VALUE,
            "steps is " + std::to_string(steps) + ": must be from 1 to 10000000", 0};
  }
  const std::lock_guard one(job_);
  std::unique_lock lock(mutex_);
  if (!started_) {
    return {ResultCode::INVALID_VALUE, "the simulation waits until its controllers are active", 0};
  }
  if (!paused_) return {ResultCode::INVALID_VALUE, "the simulation is not paused", 0};
  steps_ = steps;
  const std::int64_t before = published_time_;
  changed_.notify_all();
  while (steps_ > 0 && !ended_ && rclcpp::ok()) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  // time zero is published as one nanosecond
  const auto done = static_cast<std::uint64_t>((published_time_ - before + 1) / period_);
  if (done >= steps) return {ResultCode::SUCCESS, "", steps};
  return {ResultCode::CANCELED, "the simulation ended or was resumed", done};
}

Simulation::Result Simulation::reset(const dynamics_msgs::srv::ResetSimulation::Request& request) {
  if (request.reset_time && request.keep_controllers) {
    return {ResultCode::INVALID_VALUE,
            "keep_controllers and reset_time cannot be combined: controllers cannot go back in "
            "time",
            0};
  }
  const Links links = SystemRegistry::instance().systems();
  if (links.empty() || !manager_->is_resource_manager_initialized()) {
    return {ResultCode::NO_MODEL, "no simulated robot has been loaded yet", 0};
  }
  const NamedState named = {request.names, request.positions, request.velocities};
  if (const auto error = check(links, named)) {
    const auto result = to_result(*error);
    return {result.code, result.message, 0};
  }
  const std::lock_guard one(job_);
  {
    std::unique_lock lock(mutex_);
    frozen_ = true;
    is_frozen_ = false;
    changed_.notify_all();
    while (!is_frozen_ && !ended_ && rclcpp::ok()) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
  }
  Result result = reset_state(request, links);
  const std::lock_guard guard(mutex_);
  frozen_ = false;
  changed_.notify_all();
  return result;
}

/// While the loop is frozen: deactivates the controllers, resets time and state, activates them.
Simulation::Result Simulation::reset_state(
    const dynamics_msgs::srv::ResetSimulation::Request& request, const Links& links) {
  using Strictness = controller_manager_msgs::srv::SwitchController::Request;
  const auto switch_controllers = [&](const std::vector<std::string>& on,
                                      const std::vector<std::string>& off) {
    return manager_->switch_controller(on, off, Strictness::STRICT, false,
                                       rclcpp::Duration::from_seconds(10.0)) ==
           controller_interface::return_type::OK;
  };
  std::vector<std::string> active;
  if (!request.keep_controllers) active = active_controllers();
  if (!active.empty() && !switch_controllers({}, active)) {
    return {ResultCode::INTERNAL_ERROR, "the controllers could not be deactivated", 0};
  }
  if (request.reset_time) {
    std::unique_lock lock(mutex_);
    reset_time_requested_ = true;
    while (reset_time_requested_ && !ended_ && rclcpp::ok()) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
    }
  }
  const NamedState named = {request.names, request.positions, request.velocities};
  std::string not_reset;
  for (const auto& link : links) {
    const auto before = link->resets.load();
    link->reset.send(std::make_unique<SystemState>(link->state_from(named)));
    const auto end = Clock::now() + std::chrono::seconds(5);
    while (link->resets == before && Clock::now() < end && rclcpp::ok()) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    if (link->resets == before && link->reset.withdraw()) not_reset = link->name();
    link->reset.collect();
  }
  const bool reactivated = active.empty() || switch_controllers(active, {});
  if (!not_reset.empty()) {
    return {ResultCode::INTERNAL_ERROR,
            "system '" + not_reset +
                "' was not reset because it is neither active nor inactive: configure it again",
            0};
  }
  if (!reactivated) {
    return {ResultCode::INTERNAL_ERROR, "the controllers could not be activated again", 0};
  }
  return {};
}

}  // namespace dynamics_sim
