// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <algorithm>
#include <limits>
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

Simulation::Simulation(Managers managers, rclcpp::Node::SharedPtr node)
    : managers_(std::move(managers)),
      node_(std::move(node)),
      period_(std::numeric_limits<std::int64_t>::max()) {
  for (const auto& manager : managers_) period_ = std::min(period_, manager->period());
  read_parameters();
  set_time(0);
}

std::shared_ptr<Simulation> Simulation::create(Managers managers, rclcpp::Node::SharedPtr node) {
  std::shared_ptr<Simulation> simulation(new Simulation(std::move(managers), std::move(node)));
  simulation->listen();
  return simulation;
}

void Simulation::listen() {
  const std::weak_ptr<Simulation> weak = weak_from_this();
  factor_ = node_->create_publisher<std_msgs::msg::Float64>("~/real_time_factor", 1);
  for (const auto& manager : managers_) {
    const std::weak_ptr<LockstepManager> one = manager;
    descriptions_.push_back(node_->create_subscription<std_msgs::msg::String>(
        manager->manager().get_node_topics_interface()->resolve_topic_name("robot_description"),
        rclcpp::QoS(1).transient_local(), [one](const std_msgs::msg::String&) {
          if (const auto self = one.lock()) self->description_received();
        }));
  }
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
  // Also accepts parameters of the section of a controller manager in a file. Dynamic typing: speed
  // may be an integer, and an empty list has no type.
  const auto declare = [&](const std::string& name, const rclcpp::ParameterValue& fallback,
                           const std::string& text) {
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.description = text;
    descriptor.read_only = name != "speed";
    descriptor.dynamic_typing = true;
    rclcpp::Parameter given;
    const auto has = [&](const auto& one) { return one->manager().get_parameter(name, given); };
    const bool of_all = managers_.size() == 1 || name != "wait_for_controllers";
    const bool known = of_all && std::any_of(managers_.begin(), managers_.end(), has);
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
  const auto names = [](const rclcpp::ParameterValue& value) {
    if (value.get_type() == rclcpp::ParameterType::PARAMETER_STRING)
      throw std::invalid_argument("parameter 'wait_for_controllers' must be a list of names");
    if (value.get_type() != rclcpp::ParameterType::PARAMETER_STRING_ARRAY) return Names();
    auto list = value.get<Names>();
    std::erase(list, "");
    return list;
  };
  const auto awaited = names(declare("wait_for_controllers", rclcpp::ParameterValue(Names()),
                                     "time stays at zero until these controllers are active"));
  for (const auto& manager : managers_) {  // those of its own section, or the others
    rclcpp::Parameter own;
    manager->await(manager->manager().get_parameter("wait_for_controllers", own)
                       ? names(own.get_parameter_value())
                       : awaited);
  }
  if (boolean("publish_clock", true, "publish the time on /clock")) {
    clock_ = node_->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
  }
}

void Simulation::set_time(std::int64_t nanoseconds) {
  time_ = nanoseconds;
  for (const auto& manager : managers_) manager->set_time(nanoseconds);
}

void Simulation::publish_clock() {
  if (!clock_) return;
  published_ = Clock::now();
  rosgraph_msgs::msg::Clock message;
  message.clock = rclcpp::Time(time(), RCL_ROS_TIME);
  clock_->publish(message);
}

/// Once per second: simulated time per real time since the last message.
void Simulation::publish_factor() {
  const auto now = Clock::now();
  const std::chrono::duration<double, std::nano> passed = now - measured_since_;
  if (passed < std::chrono::seconds(1)) return;
  const std::int64_t time = time_;
  if (measured_since_ != Clock::time_point() && time >= measured_from_) {
    std_msgs::msg::Float64 message;
    message.data = static_cast<double>(time - measured_from_) / passed.count();
    factor_->publish(message);
  }
  measured_since_ = now;
  measured_from_ = time_;
}

/// True if a robot cannot be simulated.
bool Simulation::failed() {
  if (const auto failure = SystemRegistry::instance().failure()) {
    RCLCPP_FATAL(node_->get_logger(), "the robot cannot be simulated: %s", failure->c_str());
    return true;
  }
  for (const auto& manager : managers_) {
    if (const auto failure = manager->failure()) {
      RCLCPP_FATAL(node_->get_logger(), "%s", failure->c_str());
      return true;
    }
  }
  return false;
}

/// Called in a thread of the executor: the manager locks its list while it waits for the loop to
/// switch to a new one.
void Simulation::check_controllers() {
  {
    const std::lock_guard guard(mutex_);
    if (started_) return;
  }
  const std::unique_lock job(job_, std::try_to_lock);
  if (!job.owns_lock()) return;
  Names missing;
  for (const auto& manager : managers_) {
    if (!manager->manager().is_resource_manager_initialized()) return;
    for (const auto& name : manager->missing_controllers())
      missing.push_back(manager->name().empty() ? name : manager->name() + "/" + name);
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
  bool active = true;
  for (const auto& manager : managers_) active = manager->is_active() && active;
  const std::lock_guard guard(mutex_);
  return active && ready_;
}

/// One cycle of each manager without advancing the time.
void Simulation::hold_time() {
  if (Clock::now() - published_ > milliseconds(100)) publish_clock();
  for (const auto& manager : managers_) manager->hold();
  anchor_speed_ = -1.0;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, milliseconds(5));
}

std::int64_t Simulation::next_time() const {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (const auto& manager : managers_) next = std::min(next, manager->next(time_));
  return next;
}

/// The cycles of the managers that are due at this time. True if the fastest one is.
bool Simulation::cycle(std::int64_t time) {
  time_ = time;
  // publish at most 1000 times per second
  const double speed = speed_;
  const bool fast = speed == 0.0 || speed > 1.0;
  if (!fast || Clock::now() - published_ >= milliseconds(1)) publish_clock();
  for (const auto& manager : managers_) {
    if (manager->is_due(time)) manager->cycle(time);
  }
  return time % period_ == 0;
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
        cycle(time_);
        RCLCPP_INFO(node_->get_logger(), "simulation started");
        continue;
      }
      if (!go) {
        hold_time();
        continue;
      }
      const bool step_done = cycle(next_time());
      {
        const std::lock_guard guard(mutex_);
        if (paused_ && steps_ > 0 && step_done) {
          ++steps_done_;
          if (--steps_ == 0) {
            publish_clock();
            changed_.notify_all();
          }
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
