// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/dynamics_system.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <dynamics_core/model/from_urdf.hpp>
#include <limits>
#include <optional>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace dynamics_sim {
namespace {

using Parameters = std::unordered_map<std::string, std::string>;

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

std::string quoted(const std::string& text) { return std::string("'") + text + "'"; }

double number(const std::string& text, const std::string& what) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) {
    refuse(what + " is " + quoted(text) + "; it must be a finite number");
  }
  return value;
}

Unclaimed unclaimed_from(const std::string& text, const std::string& what) {
  if (text == "free") return Unclaimed::free;
  if (text == "brake") return Unclaimed::brake;
  if (text == "hold") return Unclaimed::hold;
  refuse(what + " is " + quoted(text) + "; it must be free, brake or hold");
}

bool truth(const std::string& text, const std::string& what) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  refuse(what + " is " + quoted(text) + "; it must be true or false");
}

}  // namespace

#ifdef DYNAMICS_SIM_INIT_WITH_PARAMS
DynamicsSystem::CallbackReturn DynamicsSystem::on_init(
    const hardware_interface::HardwareComponentInterfaceParams& params) {
  const auto made = SystemInterface::on_init(params);
  return made == CallbackReturn::SUCCESS ? prepare() : made;
}
#else
DynamicsSystem::CallbackReturn DynamicsSystem::on_init(
    const hardware_interface::HardwareInfo& info) {
  const auto made = SystemInterface::on_init(info);
  return made == CallbackReturn::SUCCESS ? prepare() : made;
}
#endif

/// Everything that can be wrong with the description is said here, before anything moves.
DynamicsSystem::CallbackReturn DynamicsSystem::prepare() {
  try {
    read_parameters();
    arm_ = std::make_unique<Arm>(
        dynamics::model_from_urdf(info_.original_xml, model_options_, "robot description"),
        options_);
    read_joints();
    read_initial_values();
    for (const auto& note : arm_->model().notes()) {
      if (note.severity == dynamics::Note::Severity::warning) {
        RCLCPP_WARN(get_logger(), "%s %s", quoted(note.element).c_str(), note.message.c_str());
      }
    }
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_FATAL(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    return CallbackReturn::ERROR;
  }
}

void DynamicsSystem::read_parameters() {
  double largest_period = 0.1;
  for (const auto& [name, text] : info_.hardware_parameters) {
    const std::string what = "parameter " + quoted(name);
    if (name == "step") {
      options_.step = number(text, what);
    } else if (name == "bandwidth") {
      options_.bandwidth = number(text, what);
    } else if (name == "limits") {
      options_.limits = truth(text, what);
    } else if (name == "unclaimed") {
      unclaimed_ = unclaimed_from(text, what);
    } else if (name == "largest_period") {
      largest_period = number(text, what);
    } else if (name == "friction_velocity") {
      model_options_.friction_velocity = number(text, what);
    } else if (name == "gravity") {
      std::istringstream words(text);
      std::vector<double> values;
      for (std::string word; words >> word;) values.push_back(number(word, what));
      if (values.size() != 3) refuse(what + " is " + quoted(text) + "; it must be three numbers");
      model_options_.gravity = Eigen::Vector3d::Map(values.data());
    } else {
      RCLCPP_WARN(get_logger(),
                  "%s is none of step, bandwidth, limits, unclaimed, gravity, "
                  "largest_period, friction_velocity: ignored",
                  what.c_str());
    }
  }
  if (!(options_.step >= 1e-6 && options_.step <= 1.0)) {
    refuse("parameter 'step' is " + std::to_string(options_.step) +
           " s; it must be from 0.000001 to 1");
  }
  // whole nanoseconds, so that no time is lost or won over the years
  step_ = std::llround(options_.step * 1e9);
  options_.step = 1e-9 * static_cast<double>(step_);
  if (!(largest_period >= options_.step && largest_period <= 3600.0)) {
    refuse("parameter 'largest_period' is " + std::to_string(largest_period) +
           " s; it must be at least the step and at most 3600");
  }
  largest_period_ = std::llround(largest_period * 1e9);
}

void DynamicsSystem::read_joints() {
  const dynamics::Model& model = arm_->model();
  unclaimed_of_.assign(model.size(), unclaimed_);
  for (const auto& info : info_.joints) {
    const auto bodies = model.bodies();
    const auto body = std::find_if(bodies.begin(), bodies.end(),
                                   [&](const auto& one) { return one.joint == info.name; });
    if (body == bodies.end()) {
      refuse("joint " + quoted(info.name) + " is not in the robot, or does not move");
    }
    Joint joint;
    joint.name = info.name;
    joint.coordinate = body->coordinate;
    joint.multiplier = body->multiplier;
    joint.offset = body->offset;
    joint.mimic = model.is_mimic(static_cast<std::size_t>(body - bodies.begin()));
    for (const auto& interface : info.command_interfaces) {
      const auto kind = std::find(kind_names.begin(), kind_names.begin() + 3, interface.name);
      if (kind == kind_names.begin() + 3) {
        refuse("joint " + quoted(info.name) + " has a command interface " + quoted(interface.name) +
               "; there are position, velocity and effort");
      }
      if (joint.mimic) {
        refuse("joint " + quoted(info.name) + " mimics another and takes no commands");
      }
      joint.commands[static_cast<std::size_t>(kind - kind_names.begin())] =
          info.name + "/" + interface.name;
    }
    for (const auto& interface : info.state_interfaces) {
      if (std::find(kind_names.begin(), kind_names.end(), interface.name) == kind_names.end()) {
        refuse("joint " + quoted(info.name) + " has a state interface " + quoted(interface.name) +
               "; there are position, velocity, effort and acceleration");
      }
    }
    if (const auto given = info.parameters.find("unclaimed"); given != info.parameters.end()) {
      unclaimed_of_[joint.coordinate] =
          unclaimed_from(given->second, "parameter 'unclaimed' of joint " + quoted(info.name));
    }
    joints_.push_back(std::move(joint));
  }
  for (const auto* others : {&info_.sensors, &info_.gpios}) {
    for (const auto& other : *others) {
      RCLCPP_WARN(get_logger(), "%s is not simulated", quoted(other.name).c_str());
    }
  }
}

/// The start: initial_value of the state interfaces position and velocity, else of the command
/// interfaces of that name, else zero or the stop next to it.
void DynamicsSystem::read_initial_values() {
  const dynamics::Model& model = arm_->model();
  initial_q_.assign(model.size(), 0.0);
  initial_qd_.assign(model.size(), 0.0);
  if (options_.limits) {
    for (std::size_t i = 0; i < model.size(); ++i) {
      initial_q_[i] = std::clamp(0.0, model.coordinates()[i].lower, model.coordinates()[i].upper);
    }
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const auto& info = info_.joints[j];
    const auto initial = [&](Kind kind) -> std::optional<double> {
      for (const auto* interfaces : {&info.state_interfaces, &info.command_interfaces}) {
        for (const auto& interface : *interfaces) {
          if (interface.name != kind_names[kind] || interface.initial_value.empty()) continue;
          return number(interface.initial_value,
                        "initial_value of " + quoted(joint.name + "/" + interface.name));
        }
      }
      return std::nullopt;
    };
    if (joint.mimic) continue;  // starts where its master does
    if (const auto q = initial(position)) {
      const auto& limits = model.coordinates()[joint.coordinate];
      if (options_.limits && (*q < limits.lower || *q > limits.upper)) {
        refuse("joint " + quoted(joint.name) + " starts at " + std::to_string(*q) +
               ", beyond its stops " + std::to_string(limits.lower) + " and " +
               std::to_string(limits.upper));
      }
      initial_q_[joint.coordinate] = *q;
    }
    if (const auto qd = initial(velocity)) initial_qd_[joint.coordinate] = *qd;
  }
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_configure(const rclcpp_lifecycle::State&) {
  try {
    take_handles();
    hold_.assign(arm_->model().size(), 0.0);
    arm_->reset(initial_q_, initial_qd_);
    carry_ = 0;
    for (Joint& joint : joints_) {
      joint.claimed = {};
      joint.given = {};
    }
    for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
    if (!arm_->evaluate()) refuse(arm_->fault());
    export_states();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    return CallbackReturn::FAILURE;
  }
}

void DynamicsSystem::take_handles() {
  for (Joint& joint : joints_) {
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
      for (const auto& handle : joint_states_) {
        if (handle->get_prefix_name() == joint.name &&
            handle->get_interface_name() == kind_names[kind]) {
          joint.state_handle[kind] = handle;
        }
      }
      for (const auto& handle : joint_commands_) {
        if (handle->get_prefix_name() == joint.name &&
            handle->get_interface_name() == kind_names[kind]) {
          joint.command_handle[kind] = handle;
        }
      }
    }
  }
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_activate(const rclcpp_lifecycle::State&) {
  take_handles();  // some versions of ros2_control make them only after on_configure
  export_states();
  carry_ = 0;
  active_ = true;
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_deactivate(const rclcpp_lifecycle::State&) {
  active_ = false;  // the robot stands until it is activated again
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_error(const rclcpp_lifecycle::State&) {
  active_ = false;
  return CallbackReturn::SUCCESS;  // unconfigured: configuring again starts from the beginning
}

/// A coordinate without a controller, from here on.
void DynamicsSystem::release(std::size_t coordinate) {
  hold_[coordinate] = arm_->positions()[coordinate];
  Command& command = arm_->commands()[coordinate];
  switch (unclaimed_of_[coordinate]) {
    case Unclaimed::free: command = Command::effort(0.0); break;
    case Unclaimed::brake: command = Command::velocity(0.0); break;
    case Unclaimed::hold: command = Command::position(hold_[coordinate]); break;
  }
}

DynamicsSystem::return_type DynamicsSystem::prepare_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  const auto ours = [&](const std::string& name) {  // the joint it belongs to, by its exact name
    return std::find_if(joints_.begin(), joints_.end(), [&](const Joint& joint) {
      return name.size() > joint.name.size() && name[joint.name.size()] == '/' &&
             name.compare(0, joint.name.size(), joint.name) == 0;
    });
  };
  for (const auto* names : {&start, &stop}) {
    for (const auto& name : *names) {
      const auto joint = ours(name);
      if (joint == joints_.end()) continue;  // another system's
      if (std::find(joint->commands.begin(), joint->commands.end(), name) ==
          joint->commands.end()) {
        RCLCPP_ERROR(get_logger(), "there is no command interface %s", quoted(name).c_str());
        return return_type::ERROR;
      }
    }
  }
  for (const Joint& joint : joints_) {
    std::array<bool, 3> claimed = joint.claimed;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      if (joint.commands[kind].empty()) continue;
      if (std::find(stop.begin(), stop.end(), joint.commands[kind]) != stop.end()) {
        claimed[kind] = false;
      }
      if (std::find(start.begin(), start.end(), joint.commands[kind]) != start.end()) {
        claimed[kind] = true;
      }
    }
    if (claimed[effort] && (claimed[position] || claimed[velocity])) {
      RCLCPP_ERROR(get_logger(),
                   "joint %s cannot be commanded by effort and by position or velocity at once",
                   quoted(joint.name).c_str());
      return return_type::ERROR;
    }
  }
  return return_type::OK;
}

DynamicsSystem::return_type DynamicsSystem::perform_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  for (Joint& joint : joints_) {
    bool changed = false;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      if (joint.commands[kind].empty()) continue;
      if (std::find(stop.begin(), stop.end(), joint.commands[kind]) != stop.end()) {
        joint.claimed[kind] = false;
        changed = true;
      }
      if (std::find(start.begin(), start.end(), joint.commands[kind]) != start.end()) {
        joint.claimed[kind] = true;
        joint.given[kind] = false;
        // what an earlier controller left there is not this one's command
        if (joint.command_handle[kind]) {
          std::ignore =
              joint.command_handle[kind]->set_value(std::numeric_limits<double>::quiet_NaN());
        }
        changed = true;
      }
    }
    // as without a controller until the first command comes
    if (changed) release(joint.coordinate);
  }
  return return_type::OK;
}

/// The joint's commands; one that is not finite leaves what was before.
void DynamicsSystem::command(Joint& joint) {
  for (std::size_t kind = 0; kind < 3; ++kind) {
    if (!joint.claimed[kind] || !joint.command_handle[kind]) continue;
    const auto value = joint.command_handle[kind]->get_optional();
    if (value && std::isfinite(*value)) {
      joint.value[kind] = *value;
      joint.given[kind] = true;
    }
  }
  Command& target = arm_->commands()[joint.coordinate];
  const double rate =
      joint.claimed[velocity] && joint.given[velocity] ? joint.value[velocity] : 0.0;
  if (joint.claimed[effort]) {
    if (joint.given[effort]) target = Command::effort(joint.value[effort]);
  } else if (joint.claimed[position]) {
    if (joint.given[position]) target = Command::position(joint.value[position], rate);
  } else if (joint.claimed[velocity]) {
    if (joint.given[velocity]) target = Command::velocity(rate);
  }
}

DynamicsSystem::return_type DynamicsSystem::write(const rclcpp::Time&, const rclcpp::Duration&) {
  for (Joint& joint : joints_) {
    if (!joint.mimic) command(joint);
  }
  return return_type::OK;
}

DynamicsSystem::return_type DynamicsSystem::read(const rclcpp::Time&,
                                                 const rclcpp::Duration& period) {
  if (!active_) return return_type::OK;
  // a loop that was held up must not be held up further by making up for it
  carry_ += std::clamp<std::int64_t>(period.nanoseconds(), 0, largest_period_);
  bool well = true;
  for (; well && carry_ >= step_; carry_ -= step_) well = arm_->step();
  if (!well || !arm_->evaluate()) {
    RCLCPP_ERROR(get_logger(), "%s stops: %s", info_.name.c_str(), arm_->fault().c_str());
    return return_type::ERROR;
  }
  export_states();
  return return_type::OK;
}

void DynamicsSystem::export_states() {
  for (const Joint& joint : joints_) {
    const std::size_t i = joint.coordinate;
    const std::array<double, 4> values = {joint.multiplier * arm_->positions()[i] + joint.offset,
                                          joint.multiplier * arm_->velocities()[i],
                                          joint.mimic ? 0.0 : arm_->efforts()[i],
                                          joint.multiplier * arm_->accelerations()[i]};
    for (std::size_t kind = 0; kind < values.size(); ++kind) {
      if (joint.state_handle[kind]) std::ignore = joint.state_handle[kind]->set_value(values[kind]);
    }
  }
}

}  // namespace dynamics_sim

PLUGINLIB_EXPORT_CLASS(dynamics_sim::DynamicsSystem, hardware_interface::SystemInterface)
