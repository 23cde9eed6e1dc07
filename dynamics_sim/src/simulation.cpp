// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <rcl/time.h>

#include <algorithm>
#include <lifecycle_msgs/msg/state.hpp>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace dynamics_sim {
namespace {

using std::chrono::milliseconds;

constexpr const char* speed_error = "parameter 'speed' must be a number from 0 to 1000000";

std::optional<double> speed_from(const rclcpp::ParameterValue& value) {
  double speed = -1.0;
  if (value.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE) {
    speed = value.get<double>();
  } else if (value.get_type() == rclcpp::ParameterType::PARAMETER_INTEGER) {
    speed = static_cast<double>(value.get<std::int64_t>());
  }
  return speed >= 0.0 && speed <= 1e6 ? std::optional(speed) : std::nullopt;
}

}  // namespace

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& name : names) all.append(all.empty() ? "" : ", ").append(name);
  return all;
}

Simulation::Simulation(std::shared_ptr<controller_manager::ControllerManager> manager,
                       rclcpp::Node::SharedPtr node)
    : manager_(std::move(manager)),
      node_(std::move(node)),
      period_(1'000'000'000 / static_cast<std::int64_t>(manager_->get_update_rate())) {
  read_parameters();
  set_time(0);
}

std::shared_ptr<Simulation> Simulation::create(
    std::shared_ptr<controller_manager::ControllerManager> manager, rclcpp::Node::SharedPtr node) {
  std::shared_ptr<Simulation> simulation(new Simulation(std::move(manager), std::move(node)));
  simulation->listen();
  return simulation;
}

void Simulation::listen() {
  const std::weak_ptr<Simulation> weak = weak_from_this();
  factor_ = node_->create_publisher<std_msgs::msg::Float64>("~/real_time_factor", 1);
  description_ = node_->create_subscription<std_msgs::msg::String>(
      "robot_description", rclcpp::QoS(1).transient_local(), [weak](const std_msgs::msg::String&) {
        if (const auto self = weak.lock())
          self->description_time_ = Clock::now().time_since_epoch().count();
      });
  timer_ = node_->create_wall_timer(milliseconds(20), [weak] {
    if (const auto self = weak.lock()) self->check_controllers();
  });
  using Parameters = std::vector<rclcpp::Parameter>;
  // checks only: a later callback may reject the same parameters
  check_parameters_ = node_->add_on_set_parameters_callback([](const Parameters& parameters) {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = std::all_of(parameters.begin(), parameters.end(), [](const auto& one) {
      return one.get_name() != "speed" || speed_from(one.get_parameter_value());
    });
    if (!result.successful) result.reason = speed_error;
    return result;
  });
  set_parameters_ = node_->add_post_set_parameters_callback([weak](const Parameters& parameters) {
    const auto self = weak.lock();
    if (!self) return;
    for (const auto& one : parameters) {
      const auto speed = speed_from(one.get_parameter_value());
      if (one.get_name() == "speed" && speed) self->speed_ = *speed;
    }
  });
}

void Simulation::read_parameters() {
  // Also accepts parameters of the controller manager's section of a file. Dynamic typing: speed
  // may be an integer, and an empty list has no type.
  const auto declare = [&](const std::string& name, const rclcpp::ParameterValue& fallback,
                           const std::string& text) {
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.description = text;
    descriptor.read_only = name != "speed";
    descriptor.dynamic_typing = true;
    rclcpp::Parameter given;
    const bool known = manager_->get_parameter(name, given);
    return node_->declare_parameter(name, known ? given.get_parameter_value() : fallback,
                                    descriptor);
  };
  const auto boolean = [&](const std::string& name, bool fallback, const std::string& text) {
    const auto value = declare(name, rclcpp::ParameterValue(fallback), text);
    if (value.get_type() != rclcpp::ParameterType::PARAMETER_BOOL) {
      throw std::invalid_argument("parameter '" + name + "' must be true or false");
    }
    return value.get<bool>();
  };
  const auto speed = speed_from(declare("speed", rclcpp::ParameterValue(1.0),
                                        "multiple of real time; 0: as fast as possible"));
  if (!speed) throw std::invalid_argument(speed_error);
  speed_ = *speed;
  paused_ = boolean("start_paused", false, "pause when the controllers are active");
  const auto awaited =
      declare("wait_for_controllers", rclcpp::ParameterValue(std::vector<std::string>()),
              "time stays at zero until these controllers are active");
  if (awaited.get_type() == rclcpp::ParameterType::PARAMETER_STRING_ARRAY) {
    awaited_ = awaited.get<std::vector<std::string>>();
    std::erase(awaited_, "");
  } else if (awaited.get_type() == rclcpp::ParameterType::PARAMETER_STRING) {
    throw std::invalid_argument("parameter 'wait_for_controllers' must be a list of names");
  }
  if (boolean("publish_clock", true, "publish the time on /clock")) {
    clock_ = node_->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
  }
}

/// Sets the clock of the manager directly, so that controllers are updated with exactly this time;
/// other nodes follow /clock. A stamp of zero means "unset" in ROS, so zero is published as one
/// nanosecond.
void Simulation::set_time(std::int64_t nanoseconds) {
  time_ = nanoseconds;
  published_time_ = std::max<std::int64_t>(nanoseconds, 1);
  SystemRegistry::instance().set_time(nanoseconds);
  const auto clock = manager_->get_clock();
  const std::lock_guard guard(clock->get_clock_mutex());
  if (rcl_set_ros_time_override(clock->get_clock_handle(), published_time_) != RCL_RET_OK) {
    throw std::runtime_error("the controller manager's clock cannot be set");
  }
}

rclcpp::Time Simulation::stamp() const { return rclcpp::Time(published_time_, RCL_ROS_TIME); }

void Simulation::publish_clock() {
  if (!clock_) return;
  published_ = Clock::now();
  rosgraph_msgs::msg::Clock message;
  message.clock = stamp();
  clock_->publish(message);
}

/// Once per second: simulated time per real time since the last message.
void Simulation::publish_factor() {
  const auto now = Clock::now();
  const std::chrono::duration<double, std::nano> passed = now - measured_since_;
  if (passed < std::chrono::seconds(1)) return;
  if (measured_since_ != Clock::time_point() && time_ >= measured_from_) {
    std_msgs::msg::Float64 message;
    message.data = static_cast<double>(time_ - measured_from_) / passed.count();
    factor_->publish(message);
  }
  measured_since_ = now;
  measured_from_ = time_;
}

/// True if the robot cannot be simulated.
bool Simulation::failed() {
  if (const auto failure = SystemRegistry::instance().failure()) {
    RCLCPP_FATAL(node_->get_logger(), "the robot cannot be simulated: %s", failure->c_str());
    return true;
  }
  if (manager_->is_resource_manager_initialized()) return false;
  const Clock::duration::rep received = description_time_;
  if (received == 0) return false;
  if (Clock::now() - Clock::time_point{Clock::duration(received)} < std::chrono::seconds(20))
    return false;
  RCLCPP_FATAL(node_->get_logger(),
               "the hardware of the robot description could not be loaded: see the messages above");
  return true;
}

std::vector<std::string> Simulation::active_controllers() const {
  std::vector<std::string> names;
  for (const auto& controller : manager_->get_loaded_controllers()) {
    if (controller.c->get_lifecycle_state().id() ==
        lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE) {
      names.push_back(controller.info.name);
    }
  }
  return names;
}

/// Called in a thread of the executor: the manager locks its list while it waits for the loop to
/// switch to a new one.
void Simulation::check_controllers() {
  {
    const std::lock_guard guard(mutex_);
    if (started_) return;
  }
  const std::unique_lock job(job_, std::try_to_lock);
  if (!job.owns_lock() || !manager_->is_resource_manager_initialized()) return;
  const auto active = active_controllers();
  std::vector<std::string> missing;
  for (const auto& name : awaited_) {
    if (std::find(active.begin(), active.end(), name) == active.end()) missing.push_back(name);
  }
  if (!missing.empty() && Clock::now() - last_report_ > std::chrono::seconds(10)) {
    last_report_ = Clock::now();
    RCLCPP_INFO(node_->get_logger(), "waiting for these controllers to become active: %s",
                joined(missing).c_str());
  }
  const std::lock_guard guard(mutex_);
  ready_ = missing.empty();
}

/// True if the simulated time can start.
bool Simulation::ready() {
  links_ = SystemRegistry::instance().systems();
  blocks_.clear();
  for (const auto& link : links_)
    blocks_.insert(blocks_.end(), link->blocks().begin(), link->blocks().end());
  if (!std::all_of(blocks_.begin(), blocks_.end(), [](const auto& one) { return !!one->active; })) {
    return false;
  }
  const std::lock_guard guard(mutex_);
  return ready_;
}

/// The manager skips hardware that is locked by another thread: repeat until all blocks have
/// reached this time. It also skips hardware with a lower rate (rw_rate), until its own period has
/// passed; repeat only if that is overdue.
void Simulation::read() {
  const auto end = Clock::now() + milliseconds(500);
  for (;;) {
    manager_->read(stamp(), rclcpp::Duration(std::chrono::nanoseconds(period_)));
    const bool done = std::all_of(blocks_.begin(), blocks_.end(), [&](const auto& block) {
      if (!block->active || !block->every_cycle) return true;
      if (!is_slow(*block)) return block->time == time_;
      return time_ - block->time <= block->read_period + period_ / 2;
    });
    if (done || Clock::now() > end || !rclcpp::ok()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Simulation::write() {
  writes_.clear();
  for (const auto& block : blocks_) writes_.push_back(block->writes);
  const auto end = Clock::now() + milliseconds(500);
  for (;;) {
    manager_->write(stamp(), rclcpp::Duration(std::chrono::nanoseconds(period_)));
    bool done = true;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      done = done && (!blocks_[i]->active || !blocks_[i]->every_cycle || is_slow(*blocks_[i]) ||
                      blocks_[i]->writes != writes_[i]);
    }
    if (done || Clock::now() > end || !rclcpp::ok()) return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// True if the hardware is completely loaded. The manager reports it as initialized while it is
/// still loading, and recreates it if that fails.
bool Simulation::loaded() {
  if (!manager_->is_resource_manager_initialized()) {
    loading_since_ = {};
    return false;
  }
  const auto links = SystemRegistry::instance().systems();
  if (std::any_of(links.begin(), links.end(), [](const auto& link) { return !!link->active; })) {
    return true;
  }
  if (loading_since_ == Clock::time_point()) loading_since_ = Clock::now();
  return Clock::now() - loading_since_ > std::chrono::seconds(1);
}

/// One cycle without advancing the time: controllers and payloads can change; commands are not
/// written.
void Simulation::hold_time() {
  if (Clock::now() - published_ > milliseconds(100)) publish_clock();
  if (loaded()) {
    read();
    for (const auto& link : SystemRegistry::instance().systems()) {
      const bool requested = link->reset.has_pending() || link->payload.has_pending();
      if (requested && is_slow(*link)) link->serve();
    }
    manager_->update(stamp(), rclcpp::Duration(std::chrono::nanoseconds(period_)));
  }
  anchor_speed_ = -1.0;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, milliseconds(5));
}

void Simulation::cycle() {
  // publish at most 1000 times per second
  const double speed = speed_;
  const bool fast = speed == 0.0 || speed > 1.0;
  if (!fast || Clock::now() - published_ >= milliseconds(1)) publish_clock();
  read();
  manager_->update(stamp(), rclcpp::Duration(std::chrono::nanoseconds(period_)));
  write();
}

void Simulation::pace() {
  const auto now = Clock::now();
  const double speed = speed_;
  if (speed == 0.0) {
    if (now - last_yield_ > milliseconds(5)) {  // let other threads get the locks of the manager
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      last_yield_ = Clock::now();
    }
    return;
  }
  const auto due = anchor_ + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double, std::nano>(
                                     static_cast<double>(time_ - anchor_time_) / speed));
  if (speed != anchor_speed_ || now - due > milliseconds(100)) {  // do not catch up
    anchor_ = now;
    anchor_time_ = time_;
    anchor_speed_ = speed;
    return;
  }
  std::this_thread::sleep_until(due);
}

int Simulation::run() {
  try {
    bool first_cycle_done = false;
    while (rclcpp::ok()) {
      if (failed()) {
        code_ = 1;
        break;
      }
      process_requests();
      publish_factor();
      bool started = false, frozen = false, go = false;
      {
        const std::lock_guard guard(mutex_);
        frozen = frozen_;
        started = started_;
        go = !paused_ || steps_ > 0;
      }
      if (frozen) {
        hold_time();
        continue;
      }
      if (!started) {
        first_cycle_done = false;
        if (!ready()) {
          hold_time();
          continue;
        }
        const std::lock_guard guard(mutex_);
        started_ = true;
      }
      if (!first_cycle_done) {  // time zero: first commands, no motion
        first_cycle_done = true;
        cycle();
        RCLCPP_INFO(node_->get_logger(), "simulation started");
        continue;
      }
      if (!go) {
        hold_time();
        continue;
      }
      set_time(time_ + period_);
      cycle();
      {
        const std::lock_guard guard(mutex_);
        if (paused_ && steps_ > 0 && --steps_ == 0) {
          publish_clock();
          changed_.notify_all();
        }
        if (paused_) continue;
      }
      pace();
    }
  } catch (const std::exception& error) {
    RCLCPP_FATAL(node_->get_logger(), "simulation ended: %s", error.what());
    code_ = 1;
  }
  {
    const std::lock_guard guard(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  return code_;
}

/// Applies requests of services in the loop.
void Simulation::process_requests() {
  std::unique_lock lock(mutex_);
  if (frozen_ && !is_frozen_) {
    is_frozen_ = true;
    changed_.notify_all();
  }
  if (requested_time_) {
    started_ = ready_ = *requested_time_ != 0;
    set_time(*requested_time_);
    requested_time_.reset();
    published_ = {};
    changed_.notify_all();
  }
}

Simulation::State Simulation::state() const {
  const std::lock_guard guard(mutex_);
  if (!started_) return State::waiting;
  return paused_ ? State::paused : State::running;
}

void Simulation::pause(bool paused) {
  const std::lock_guard guard(mutex_);
  paused_ = paused;
  steps_ = 0;
  changed_.notify_all();
}

void Simulation::quit() { rclcpp::shutdown(nullptr, "quit requested"); }

}  // namespace dynamics_sim
