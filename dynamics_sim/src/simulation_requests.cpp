// SPDX-License-Identifier: Apache-2.0
// Step and reset requests, which block the threads of the services.
#include <algorithm>
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
  steps_done_ = 0;
  changed_.notify_all();
  while (steps_ > 0 && !ended_ && rclcpp::ok()) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  if (steps_done_ == steps) return {ResultCode::SUCCESS, "", steps};
  return {ResultCode::CANCELED, "the simulation ended or was resumed", steps_done_};
}

/// The names of the joints in a request: JOINT, or MANAGER/JOINT.
std::string Simulation::known_names() const {
  std::string names;
  for (const auto& manager : managers_) {
    for (const auto& link : manager->links()) {
      for (const auto& one : link->coordinates())
        names += (manager->name().empty() ? " " : " " + manager->name() + "/") + one;
    }
  }
  return names;
}

/// The named values by manager. Refuses names that no manager has, or several ones have.
Simulation::Result Simulation::distribute(
    const dynamics_msgs::srv::ResetSimulation::Request& request,
    std::vector<ManagerState>& states) const {
  states.resize(managers_.size());
  if (managers_.size() == 1) {
    states[0] = {request.joint_names, request.positions, request.velocities};
    return {};
  }
  const auto size_error = [&](const char* what, std::size_t size) -> Result {
    return {ResultCode::WRONG_SIZE,
            std::string(what) + " has " + std::to_string(size) + " entries, but names has " +
                std::to_string(request.joint_names.size()),
            0};
  };
  const std::size_t count = request.joint_names.size();
  if (request.positions.size() != count) return size_error("positions", request.positions.size());
  if (!request.velocities.empty() && request.velocities.size() != count)
    return size_error("velocities", request.velocities.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = request.joint_names[i];
    Names owners;
    for (std::size_t k = 0; k < managers_.size(); ++k) {
      const std::string prefix = managers_[k]->name() + "/";
      const std::string own =
          name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
      for (const auto& link : managers_[k]->links()) {
        if (!link->has(own)) continue;
        owners.push_back(prefix + own);
        states[k].names.push_back(own);
        states[k].positions.push_back(request.positions[i]);
        if (!request.velocities.empty()) states[k].velocities.push_back(request.velocities[i]);
      }
    }
    if (owners.empty()) {
      return {
          ResultCode::UNKNOWN_JOINT,
          "'" + name + "' is not a joint or amplitude of the robots; known names:" + known_names(),
          0};
    }
    if (owners.size() > 1) {
      return {ResultCode::INVALID_VALUE,
              "'" + name + "' is a joint of several robots: write " + joined(owners), 0};
    }
  }
  return {};
}

/// All that can be refused before anything is changed.
Simulation::Result Simulation::check_reset(
    const dynamics_msgs::srv::ResetSimulation::Request& request,
    const std::vector<ManagerState>& states) const {
  for (std::size_t k = 0; k < managers_.size(); ++k) {
    const Links links = managers_[k]->links();
    const auto place = [&](const std::string& system) {
      return "system '" + (managers_.size() > 1 ? managers_[k]->name() + "/" : "") + system + "'";
    };
    if (links.empty() || !managers_[k]->manager().is_resource_manager_initialized()) {
      return {ResultCode::NO_MODEL,
              "no simulated robot has been loaded yet" +
                  (managers_.size() > 1 ? " in " + managers_[k]->name() : std::string()),
              0};
    }
    if (const auto error = check(links, states[k].named())) {
      const auto result = to_result(*error);
      return {result.code, result.message, 0};
    }
    for (const auto& link : links) {
      if (!link->configured) {
        return {ResultCode::INTERNAL_ERROR,
                "nothing was reset: " + place(link->name()) +
                    " is neither active nor inactive: configure it again",
                0};
      }
      if (request.reset_time && managers_[k]->is_slow(*link)) {
        return {ResultCode::INVALID_VALUE,
                "reset_time is not possible with rw_rate of " + place(link->name()) +
                    ": the controller manager would not read it until the present time is "
                    "reached again",
                0};
      }
    }
  }
  return {};
}

Simulation::Result Simulation::reset(const dynamics_msgs::srv::ResetSimulation::Request& request,
                                     bool state) {
  if (request.reset_time && request.keep_controllers) {
    return {ResultCode::INVALID_VALUE,
            "keep_controllers and reset_time cannot be combined: controllers cannot go back in "
            "time",
            0};
  }
  std::vector<ManagerState> states;
  if (auto refused = distribute(request, states); refused.code != ResultCode::SUCCESS)
    return refused;
  if (auto refused = check_reset(request, states); refused.code != ResultCode::SUCCESS)
    return refused;
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
  Result result = reset_frozen(request, states, state);
  const std::lock_guard guard(mutex_);
  frozen_ = false;
  changed_.notify_all();
  return result;
}

/// Activates controllers, by manager. Returns those of the managers where that failed.
Simulation::Names Simulation::switch_on(const std::vector<Names>& controllers) {
  Names failed;
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    if (managers_[k]->switch_controllers(controllers[k], {})) continue;
    for (const auto& name : controllers[k])
      failed.push_back(managers_[k]->name().empty() ? name : managers_[k]->name() + "/" + name);
  }
  return failed;
}

/// Sets the states of all systems, or of none. On success `states` are those before. Otherwise
/// returns the name of the system that was not set.
std::string Simulation::exchange_states(const Links& links, States& states) {
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
  States before;
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
    const dynamics_msgs::srv::ResetSimulation::Request& request,
    const std::vector<ManagerState>& named, bool state) {
  std::vector<Names> active;
  const auto not_activated = [&] {
    const Names failed = switch_on(active);
    return failed.empty() ? std::string()
                          : "; these controllers could not be activated again: " + joined(failed);
  };
  for (const auto& manager : managers_) {
    if (request.keep_controllers) break;
    Names own = manager->active_controllers();
    if (!manager->switch_controllers({}, own)) {
      return {ResultCode::INTERNAL_ERROR,
              "nothing was reset: the controllers could not be deactivated" + not_activated(), 0};
    }
    active.push_back(std::move(own));
  }
  Links links;
  States states;
  for (std::size_t k = 0; state && k < managers_.size(); ++k) {
    for (const auto& link : managers_[k]->links()) {
      links.push_back(link);
      states.push_back(std::make_unique<SystemState>(link->state_from(named[k].named())));
    }
  }
  const std::string failed = exchange_states(links, states);
  if (!failed.empty()) {
    return {ResultCode::INTERNAL_ERROR,
            "nothing was reset: system '" + failed + "' does not respond" + not_activated(), 0};
  }
  const std::int64_t time = time_;
  if (request.reset_time) request_time(0);
  const std::string problem = not_activated();
  if (problem.empty()) return {};
  // those of other managers may be active
  for (const auto& manager : managers_)
    manager->switch_controllers({}, manager->active_controllers());
  if (request.reset_time) request_time(time);
  if (state) exchange_states(links, states);
  return {ResultCode::INTERNAL_ERROR,
          "nothing was reset: the controllers could not be activated in the new state" +
              not_activated(),
          0};
}

}  // namespace dynamics_sim
