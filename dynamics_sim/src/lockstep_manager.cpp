// SPDX-License-Identifier: Apache-2.0
#include "lockstep_manager.hpp"

#include <rcl/time.h>

#include <algorithm>
#include <controller_manager_msgs/srv/switch_controller.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "dynamics_sim/dynamics_system.hpp"

namespace dynamics_sim {
namespace {

using std::chrono::milliseconds;

/// What the hardware receives from its controller manager.
const void* identity(const std::shared_ptr<rclcpp::Executor>& executor) {
#ifdef DYNAMICS_SIM_INIT_WITH_PARAMS
  return executor.get();
#else
  static_cast<void>(executor);
  return nullptr;
#endif
}

}  // namespace

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

LockstepManager::LockstepManager(std::shared_ptr<ControllerManager> manager,
                                 const std::shared_ptr<rclcpp::Executor>& executor,
                                 std::string name)
    : manager_(std::move(manager)),
      name_(std::move(name)),
      period_(1'000'000'000 / static_cast<std::int64_t>(manager_->get_update_rate())),
      clock_(SystemRegistry::instance().clock(identity(executor))) {}

std::vector<std::string> LockstepManager::active_controllers() const {
  std::vector<std::string> names;
  for (const auto& controller : manager_->get_loaded_controllers()) {
    if (controller.c->get_lifecycle_state().id() ==
        lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
      names.push_back(controller.info.name);
    }
  }
  return names;
}

std::vector<std::string> LockstepManager::missing_controllers() const {
  const auto active = active_controllers();
  std::vector<std::string> missing;
  for (const auto& name : awaited_) {
    if (std::find(active.begin(), active.end(), name) == active.end()) missing.push_back(name);
  }
  return missing;
}

bool LockstepManager::switch_controllers(const std::vector<std::string>& on,
                                         const std::vector<std::string>& off) {
  using Strictness = controller_manager_msgs::srv::SwitchController::Request;
  if (on.empty() && off.empty()) return true;
  return manager_->switch_controller(on, off, Strictness::STRICT, false,
                                     rclcpp::Duration::from_seconds(10.0)) ==
         controller_interface::return_type::OK;
}

bool LockstepManager::is_slow(const SystemLink& link) const {
  return std::all_of(link.blocks().begin(), link.blocks().end(),
                     [&](const auto& block) { return is_slow(*block); });
}

void LockstepManager::description_received() {
  description_time_ = Clock::now().time_since_epoch().count();
}

std::optional<std::string> LockstepManager::failure() const {
  if (manager_->is_resource_manager_initialized()) return std::nullopt;
  const Clock::rep received = description_time_;
  if (received == 0) return std::nullopt;
  if (Clock::now() - Clock::time_point{Clock::duration(received)} < std::chrono::seconds(20))
    return std::nullopt;
  return (name_.empty() ? "" : name_ + ": ") +
         "the hardware of the robot description could not be loaded: see the messages above";
}

/// A stamp of zero means "unset" in ROS, so zero is one nanosecond.
rclcpp::Time LockstepManager::stamp() const {
  return rclcpp::Time(std::max<std::int64_t>(time_, 1), RCL_ROS_TIME);
}

/// Sets the clock of the manager directly, so that controllers are updated with exactly this time;
/// other nodes follow /clock.
void LockstepManager::set_time(std::int64_t time) {
  time_ = time - time % period_;
  clock_->time = time_;
  const auto clock = manager_->get_clock();
  const std::lock_guard guard(clock->get_clock_mutex());
  if (rcl_set_ros_time_override(clock->get_clock_handle(), stamp().nanoseconds()) != RCL_RET_OK) {
    throw std::runtime_error("the controller manager's clock cannot be set");
  }
}

bool LockstepManager::is_active() {
  blocks_.clear();
  for (const auto& link : links())
    blocks_.insert(blocks_.end(), link->blocks().begin(), link->blocks().end());
  return std::all_of(blocks_.begin(), blocks_.end(),
                     [](const auto& one) { return one->active.load(); });
}

/// The manager skips hardware that is locked by another thread: repeat until all blocks have
/// reached this time. It also skips hardware with a lower rate (rw_rate), until its own period has
/// passed; repeat only if that is overdue.
void LockstepManager::read() {
  const auto end = Clock::now() + milliseconds(500);
  for (;;) {
    manager_->read(stamp(), duration());
    const bool done = std::all_of(blocks_.begin(), blocks_.end(), [&](const auto& block) {
      if (!block->active || !block->every_cycle) return true;
      if (!is_slow(*block)) return block->time == time_;
      return time_ - block->time <= block->read_period + period_ / 2;
    });
    if (done || Clock::now() > end || !rclcpp::ok()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void LockstepManager::write() {
  writes_.clear();
  for (const auto& block : blocks_) writes_.push_back(block->writes);
  const auto end = Clock::now() + milliseconds(500);
  for (;;) {
    manager_->write(stamp(), duration());
    bool done = true;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      done = done && (!blocks_[i]->active || !blocks_[i]->every_cycle || is_slow(*blocks_[i]) ||
                      blocks_[i]->writes != writes_[i]);
    }
    if (done || Clock::now() > end || !rclcpp::ok()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void LockstepManager::cycle(std::int64_t time) {
  set_time(time);
  read();
  manager_->update(stamp(), duration());
  write();
}

/// True if the hardware is completely loaded. The manager reports it as initialized while it is
/// still loading, and recreates it if that fails.
bool LockstepManager::loaded() {
  if (!manager_->is_resource_manager_initialized()) {
    loading_since_ = {};
    return false;
  }
  const auto all = links();
  if (std::any_of(all.begin(), all.end(), [](const auto& link) { return !!link->active; })) {
    return true;
  }
  if (loading_since_ == Clock::time_point()) loading_since_ = Clock::now();
  return Clock::now() - loading_since_ > std::chrono::seconds(1);
}

void LockstepManager::hold() {
  if (!loaded()) return;
  read();
  for (const auto& link : links()) {
    const bool requested = link->reset.has_pending() || link->payload.has_pending();
    if (requested && is_slow(*link)) link->serve();
  }
  manager_->update(stamp(), duration());
}

}  // namespace dynamics_sim
