// SPDX-License-Identifier: Apache-2.0
// Step and reset requests, which block the threads of the services.
#include <algorithm>
#include <controller_manager_msgs/srv/switch_controller.hpp>
#include <dynamics_msgs/msg/result_code.hpp>
#include <thread>

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

Simulation::Result Simulation::reset(const dynamics_msgs::srv::ResetSimulation::Request& request,
                                     bool state) {
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
  const NamedState named = {request.joint_names, request.positions, request.velocities};
  if (const auto error = check(links, named)) {
    const auto result = to_result(*error);
    return {result.code, result.message, 0};
  }
  // all that can be refused, before anything is changed
  for (const auto& link : links) {
    if (!link->configured) {
      return {ResultCode::INTERNAL_ERROR,
              "nothing was reset: system '" + link->name() +
                  "' is neither active nor inactive: configure it again",
              0};
    }
    if (request.reset_time && is_slow(*link)) {
      return {ResultCode::INVALID_VALUE,
              "reset_time is not possible with rw_rate of system '" + link->name() +
                  "': the controller manager would not read it until the present time is reached "
                  "again",
              0};
    }
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
  Result result = reset_frozen(request, state, links);
  const std::lock_guard guard(mutex_);
  frozen_ = false;
  changed_.notify_all();
  return result;
}

bool Simulation::switch_controllers(const std::vector<std::string>& on,
                                    const std::vector<std::string>& off) {
  using Strictness = controller_manager_msgs::srv::SwitchController::Request;
  if (on.empty() && off.empty()) return true;
  return manager_->switch_controller(on, off, Strictness::STRICT, false,
                                     rclcpp::Duration::from_seconds(10.0)) ==
         controller_interface::return_type::OK;
}

/// Sets the states of all systems, or of none. On success `states` are those before. Otherwise
/// returns the name of the system that was not set.
std::string Simulation::exchange_states(const Links& links,
                                        std::vector<std::unique_ptr<SystemState>>& states) {
  std::vector<std::uint64_t> resets;
  for (std::size_t i = 0; i < links.size(); ++i) {
    resets.push_back(links[i]->resets);
    links[i]->reset.send(std::move(states[i]));
  }
  const auto end = Clock::now() + std::chrono::seconds(5);
  const auto done = [&](std::size_t i) { return links[i]->resets != resets[i]; };
  const auto all_done = [&] {
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (!done(i)) return false;
    }
    return true;
  };
  while (!all_done() && Clock::now() < end && rclcpp::ok()) {
    std::unique_lock lock(mutex_);
    if (ended_) break;
    changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
  std::string failed;
  Links changed;
  std::vector<std::unique_ptr<SystemState>> before;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!done(i) && links[i]->reset.withdraw()) {
      failed = links[i]->name();
      continue;
    }
    // done, or in this moment
    while (!(states[i] = links[i]->reset.collect()) && rclcpp::ok()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (links[i]->reset_refused || !states[i]) {
      failed = links[i]->name();
      continue;
    }
    changed.push_back(links[i]);
  }
  if (failed.empty() || changed.empty()) return failed;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (std::find(changed.begin(), changed.end(), links[i]) != changed.end())
      before.push_back(std::move(states[i]));
  }
  exchange_states(changed, before);
  return failed;
}

/// Lets the frozen loop set the time.
void Simulation::request_time(std::int64_t nanoseconds) {
  std::unique_lock lock(mutex_);
  requested_time_ = nanoseconds;
  while (requested_time_ && !ended_ && rclcpp::ok()) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
}

/// While the loop is frozen: deactivates the controllers, resets state and time, activates the
/// controllers. What fails is undone.
Simulation::Result Simulation::reset_frozen(
    const dynamics_msgs::srv::ResetSimulation::Request& request, bool state, const Links& links) {
  std::vector<std::string> active;
  if (!request.keep_controllers) active = active_controllers();
  if (!switch_controllers({}, active)) {
    return {ResultCode::INTERNAL_ERROR,
            "nothing was reset: the controllers could not be deactivated", 0};
  }
  const auto not_activated = [&] {
    return switch_controllers(active, {})
               ? std::string()
               : "; these controllers could not be activated again: " + joined(active);
  };
  std::vector<std::unique_ptr<SystemState>> states;
  if (state) {
    const NamedState named = {request.joint_names, request.positions, request.velocities};
    for (const auto& link : links) {
      states.push_back(std::make_unique<SystemState>(link->state_from(named)));
    }
    const std::string failed = exchange_states(links, states);
    if (!failed.empty()) {
      return {ResultCode::INTERNAL_ERROR,
              "nothing was reset: system '" + failed + "' does not respond" + not_activated(), 0};
    }
  }
  const std::int64_t time = SystemRegistry::instance().time();
  if (request.reset_time) request_time(0);
  const std::string problem = not_activated();
  if (problem.empty()) return {};
  if (request.reset_time) request_time(time);
  if (state) exchange_states(links, states);
  return {ResultCode::INTERNAL_ERROR,
          "nothing was reset: the controllers could not be activated in the new state" +
              not_activated(),
          0};
}

}  // namespace dynamics_sim
