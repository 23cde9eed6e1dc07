// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/dynamics_system.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/from_urdf.hpp>
#include <limits>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <stdexcept>
#include <tuple>

namespace dynamics_sim {
namespace {

std::string in_quotes(const std::string& text) { return std::string("'") + text + "'"; }

/// The component's own node, where ros2_control makes one.
template <class System>
auto node_of(const System& system, int) -> decltype(system.get_node()) {
  return system.get_node();
}
template <class System>
rclcpp::Node::SharedPtr node_of(const System&, long) {
  return nullptr;
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
    parameters_ = read_parameters(info_);
    for (const auto& name : parameters_.ignored) {
      RCLCPP_WARN(get_logger(), "there is no parameter %s: ignored", in_quotes(name).c_str());
    }
    for (const auto* others : {&info_.sensors, &info_.gpios}) {
      for (const auto& other : *others) {
        RCLCPP_WARN(get_logger(), "%s is not simulated", in_quotes(other.name).c_str());
      }
    }
    model_ = dynamics::model_from_urdf(info_.original_xml, parameters_.model, "robot description");
    joints_.clear();
    for (auto& joint : read_joints(info_, *model_, parameters_)) {
      joints_.emplace_back(std::move(joint));
    }
    arm_ = std::make_unique<Arm>(*model_, parameters_.arm);
    std::vector<SystemJoint> joints;
    for (const Joint& joint : joints_) joints.push_back(joint.what);
    initial_ = read_initial_values(info_, *arm_, joints, parameters_);
    for (const auto& note : model_->notes()) {
      if (note.severity == dynamics::Note::Severity::warning) {
        RCLCPP_WARN(get_logger(), "%s %s", in_quotes(note.element).c_str(), note.message.c_str());
      }
    }
    if (arm_->implicit()) {
      RCLCPP_INFO(get_logger(), "%s is stiff: it is simulated by implicit steps of %g s",
                  in_quotes(info_.name).c_str(), parameters_.arm.step);
    }
    step_ = std::llround(parameters_.arm.step * 1e9);
    period_ = info_.rw_rate == 0 ? step_ : 1'000'000'000 / static_cast<std::int64_t>(info_.rw_rate);
    link_ = std::make_shared<SystemLink>(info_.name, *arm_, initial_);
    further_.clear();
    for (std::size_t i = arm_->joints(); i < arm_->size(); ++i) {
      const std::string& name = link_->coordinates()[i];  // LINK/y1
      const auto slash = name.rfind('/');
      further_.emplace_back(name.substr(0, slash), name.substr(slash + 1));
      further_.emplace_back(name.substr(0, slash), name.substr(slash + 1) + "_velocity");
    }
    for (const char* name : {"kinetic_energy", "potential_energy", "strain_energy", "steps",
                             "evaluations", "late_steps"}) {
      further_.emplace_back(info_.name, name);
    }
    SystemRegistry::instance().add(link_);
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_FATAL(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    SystemRegistry::instance().report_failure(info_.name + ": " + error.what());
    return CallbackReturn::ERROR;
  }
}

std::vector<hardware_interface::InterfaceDescription>
DynamicsSystem::export_unlisted_state_interface_descriptions() {
  std::vector<hardware_interface::InterfaceDescription> descriptions;
  for (const auto& [prefix, name] : further_) {
    hardware_interface::InterfaceInfo interface;
    interface.name = name;
    interface.data_type = "double";
    interface.size = 1;
    interface.enable_limits = false;
    descriptions.emplace_back(prefix, interface);
  }
  return descriptions;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_configure(const rclcpp_lifecycle::State&) {
  try {
    take_handles();
    hold_.assign(arm_->joints(), 0.0);
    arm_->reset(initial_.q, initial_.qd);
    carry_ = 0;
    late_ = 0;
    for (Joint& joint : joints_) {
      joint.wanted = joint.seen = 0;
      joint.claimed = {};
      joint.given = {};
    }
    for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
    if (!arm_->evaluate()) throw std::runtime_error(arm_->fault());
    export_states();
    if (!services_ && rclcpp::ok()) {
      const bool owned = SystemRegistry::instance().clock_is_owned();
      services_ = std::make_unique<SystemServices>(
          node_of(*this, 0), link_,
          SystemServices::Options{*model_, parameters_.arm, parameters_.payload_topic, !owned});
    }
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    return CallbackReturn::FAILURE;
  }
}

void DynamicsSystem::take_handles() {
  const auto is = [](const auto& handle, const std::string& prefix, const std::string& name) {
    return handle->get_prefix_name() == prefix && handle->get_interface_name() == name;
  };
  for (Joint& joint : joints_) {
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
      for (const auto& handle : joint_states_) {
        if (is(handle, joint.what.name, kind_names[kind])) joint.state_handle[kind] = handle;
      }
      if (kind == acceleration) continue;
      for (const auto& handle : joint_commands_) {
        if (is(handle, joint.what.name, kind_names[kind])) joint.command_handle[kind] = handle;
      }
    }
  }
  further_handles_.assign(further_.size(), nullptr);
  for (std::size_t i = 0; i < further_.size(); ++i) {
    for (const auto& handle : unlisted_states_) {
      if (is(handle, further_[i].first, further_[i].second)) further_handles_[i] = handle;
    }
  }
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_activate(const rclcpp_lifecycle::State&) {
  take_handles();  // some versions of ros2_control make them only after on_configure
  export_states();
  carry_ = 0;
  auto& registry = SystemRegistry::instance();
  link_->time = registry.time();
  link_->every_cycle = !info_.is_async;
  active_ = true;
  link_->active = true;
  return CallbackReturn::SUCCESS;
}

void DynamicsSystem::stop() {
  active_ = false;
  if (link_) link_->active = false;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_deactivate(const rclcpp_lifecycle::State&) {
  stop();  // the robot stands until it is activated again
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_cleanup(const rclcpp_lifecycle::State&) {
  stop();
  services_.reset();
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_shutdown(const rclcpp_lifecycle::State&) {
  stop();
  services_.reset();
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_error(const rclcpp_lifecycle::State&) {
  stop();
  return CallbackReturn::SUCCESS;  // unconfigured: configuring again starts from the beginning
}

/// A joint without a controller, from here on.
void DynamicsSystem::release(std::size_t coordinate) {
  hold_[coordinate] = arm_->positions()[coordinate];
  Command& command = arm_->commands()[coordinate];
  switch (parameters_.unclaimed[coordinate]) {
    case Unclaimed::free: command = Command::effort(0.0); break;
    case Unclaimed::brake: command = Command::velocity(0.0); break;
    case Unclaimed::hold: command = Command::position(hold_[coordinate]); break;
  }
}

DynamicsSystem::return_type DynamicsSystem::prepare_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  const auto ours = [&](const std::string& name) {  // the joint it belongs to, by its exact name
    return std::find_if(joints_.begin(), joints_.end(), [&](const Joint& joint) {
      const std::string& own = joint.what.name;
      return name.size() > own.size() && name[own.size()] == '/' &&
             name.compare(0, own.size(), own) == 0;
    });
  };
  for (const auto* names : {&start, &stop}) {
    for (const auto& name : *names) {
      const auto joint = ours(name);
      if (joint == joints_.end()) continue;  // another system's
      if (std::find(joint->what.commands.begin(), joint->what.commands.end(), name) ==
          joint->what.commands.end()) {
        RCLCPP_ERROR(get_logger(), "there is no command interface %s", in_quotes(name).c_str());
        return return_type::ERROR;
      }
    }
  }
  for (const Joint& joint : joints_) {
    std::array<bool, 3> claimed = {joint.wants(0), joint.wants(1), joint.wants(2)};
    for (std::size_t kind = 0; kind < 3; ++kind) {
      if (joint.what.commands[kind].empty()) continue;
      if (std::find(stop.begin(), stop.end(), joint.what.commands[kind]) != stop.end()) {
        claimed[kind] = false;
      }
      if (std::find(start.begin(), start.end(), joint.what.commands[kind]) != start.end()) {
        claimed[kind] = true;
      }
    }
    if (claimed[effort] && (claimed[position] || claimed[velocity])) {
      RCLCPP_ERROR(get_logger(),
                   "joint %s cannot be commanded by effort and by position or velocity at once",
                   in_quotes(joint.what.name).c_str());
      return return_type::ERROR;
    }
  }
  return return_type::OK;
}

DynamicsSystem::return_type DynamicsSystem::perform_command_mode_switch(
    const std::vector<std::string>& start, const std::vector<std::string>& stop) {
  for (Joint& joint : joints_) {
    std::uint32_t wanted = joint.wanted.load();
    bool changed = false;
    for (std::size_t kind = 0; kind < 3; ++kind) {
      if (joint.what.commands[kind].empty()) continue;
      if (std::find(stop.begin(), stop.end(), joint.what.commands[kind]) != stop.end()) {
        wanted &= ~(1U << kind);
        changed = true;
      }
      if (std::find(start.begin(), start.end(), joint.what.commands[kind]) != start.end()) {
        wanted |= 1U << kind;
        // what an earlier controller left there is not this one's command
        if (joint.command_handle[kind]) {
          std::ignore =
              joint.command_handle[kind]->set_value(std::numeric_limits<double>::quiet_NaN());
        }
        changed = true;
      }
    }
    if (changed) joint.wanted = wanted + 8;
  }
  return return_type::OK;
}

/// In the loop. As without a controller until the first command comes.
void DynamicsSystem::take_switches() {
  for (Joint& joint : joints_) {
    const std::uint32_t wanted = joint.wanted.load();
    if (wanted == joint.seen) continue;
    joint.seen = wanted;
    for (std::size_t kind = 0; kind < 3; ++kind) joint.claimed[kind] = ((wanted >> kind) & 1U) != 0;
    joint.given = {};
    release(joint.what.coordinate);
  }
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
  Command& target = arm_->commands()[joint.what.coordinate];
  const double rate =
      joint.claimed[velocity] && joint.given[velocity] ? joint.value[velocity] : 0.0;
  if (joint.claimed[effort]) {
    if (joint.given[effort]) target = Command::effort(joint.value[effort]);
  } else if (joint.claimed[position]) {
    if (joint.given[position]) {
      target = joint.claimed[velocity] ? Command::position(joint.value[position], rate)
                                       : Command::position(joint.value[position]);
    }
  } else if (joint.claimed[velocity]) {
    if (joint.given[velocity]) target = Command::velocity(rate);
  }
}

DynamicsSystem::return_type DynamicsSystem::write(const rclcpp::Time&, const rclcpp::Duration&) {
  if (!arm_ || hold_.empty()) return return_type::OK;  // not configured
  take_switches();
  for (Joint& joint : joints_) {
    if (!joint.what.mimic) command(joint);
  }
  link_->writes.fetch_add(1, std::memory_order_release);
  return return_type::OK;
}

/// Another payload, a reset: what came since the last time.
void DynamicsSystem::take_requests() noexcept {
  if (auto next = link_->payload.take()) {
    if (next->take(*arm_)) arm_.swap(next);
    link_->payload.give_back(std::move(next));
    link_->payloads.fetch_add(1, std::memory_order_release);
  }
  if (auto state = link_->reset.take()) {
    try {
      arm_->reset(state->q, state->qd);  // was checked before it was sent
    } catch (const std::exception& error) {
      RCLCPP_ERROR(get_logger(), "%s is not reset: %s", info_.name.c_str(), error.what());
    }
    link_->reset.give_back(std::move(state));
    carry_ = 0;
    late_ = 0;
    link_->time = SystemRegistry::instance().time();
    for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
    link_->resets.fetch_add(1, std::memory_order_release);
  }
}

/// How much: the period, or what the owner of the clock, a pause, or single steps make of it (ns).
std::int64_t DynamicsSystem::time_to_simulate(std::int64_t period) noexcept {
  const auto& registry = SystemRegistry::instance();
  if (registry.clock_is_owned()) {
    const std::int64_t now = registry.time();
    const std::int64_t passed = now - link_->time.exchange(now, std::memory_order_acq_rel);
    return active_ ? std::max<std::int64_t>(passed, 0) : 0;
  }
  if (!active_) return 0;
  if (link_->paused) {
    std::uint64_t left = link_->steps.load();
    const bool one = left > 0 && link_->steps.compare_exchange_strong(left, left - 1);
    return one ? period_ : 0;
  }
  // a loop that was held up must not be held up further by making up for it
  const std::int64_t longest = std::llround(parameters_.largest_period * 1e9);
  if (period > longest) late_ += static_cast<std::uint64_t>((period - longest) / step_);
  return std::clamp<std::int64_t>(period, 0, longest);
}

bool DynamicsSystem::advance(std::int64_t nanoseconds) noexcept {
  carry_ += nanoseconds;
  bool well = true;
  if (carry_ >= step_) arm_->begin(static_cast<std::size_t>(carry_ / step_));
  for (; well && carry_ >= step_; carry_ -= step_) well = arm_->step();
  return well && arm_->evaluate();
}

DynamicsSystem::return_type DynamicsSystem::read(const rclcpp::Time&,
                                                 const rclcpp::Duration& period) {
  if (!arm_ || hold_.empty()) return return_type::OK;  // not configured
  take_switches();
  take_requests();
  if (!advance(time_to_simulate(period.nanoseconds()))) {
    RCLCPP_ERROR(get_logger(), "%s stops: %s", info_.name.c_str(), arm_->fault().c_str());
    stop();
    link_->reads.fetch_add(1, std::memory_order_release);
    return return_type::ERROR;
  }
  export_states();
  link_->reads.fetch_add(1, std::memory_order_release);
  return return_type::OK;
}

void DynamicsSystem::export_states() {
  for (const Joint& joint : joints_) {
    const std::size_t i = joint.what.coordinate;
    const double multiplier = joint.what.multiplier;
    const std::array<double, 4> values = {
        multiplier * arm_->positions()[i] + joint.what.offset, multiplier * arm_->velocities()[i],
        joint.what.mimic ? 0.0 : arm_->efforts()[i], multiplier * arm_->accelerations()[i]};
    for (std::size_t kind = 0; kind < values.size(); ++kind) {
      if (joint.state_handle[kind]) std::ignore = joint.state_handle[kind]->set_value(values[kind]);
    }
  }
  std::size_t next = 0;
  const auto give = [&](double value) {
    if (further_handles_[next]) std::ignore = further_handles_[next]->set_value(value);
    ++next;
  };
  for (std::size_t i = arm_->joints(); i < arm_->size(); ++i) {
    give(arm_->positions()[i]);
    give(arm_->velocities()[i]);
  }
  const ArmEnergy energy = arm_->energy();
  give(energy.kinetic);
  give(energy.potential);
  give(energy.strain);
  give(static_cast<double>(arm_->statistics().steps));
  give(static_cast<double>(arm_->statistics().evaluations));
  give(static_cast<double>(late_));
}

}  // namespace dynamics_sim

PLUGINLIB_EXPORT_CLASS(dynamics_sim::DynamicsSystem, hardware_interface::SystemInterface)
