// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/dynamics_system.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/error.hpp>
#include <dynamics_core/flexible_model.hpp>
#include <dynamics_core/from_urdf.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <stdexcept>
#include <tuple>

namespace dynamics_sim {
namespace {

std::string in_quotes(const std::string& text) { return std::string("'") + text + "'"; }

/// The node of the component, if this version of ros2_control creates one.
template <class System>
auto node_of(const System& system, int) -> decltype(system.get_node()) {
  return system.get_node();
}
template <class System>
rclcpp::Node::SharedPtr node_of(const System&, long) {
  return nullptr;
}

std::unique_ptr<dynamics::Plant> make_plant(const std::string& urdf,
                                            const dynamics::ModelOptions& options) {
  dynamics::RobotDescription description = dynamics::read_urdf(urdf, "robot description");
  if (!description.constraints.empty())
    return dynamics::loop_plant(dynamics::Mechanism(std::move(description), options));
  const dynamics::Model model(std::move(description), options);
  if (!model.singular_reason().empty())
    throw dynamics::StateError("robot '" + model.name() + "'", model.singular_reason());
  if (dynamics::FlexibleModel::has_modes(model))
    return dynamics::flexible_plant(dynamics::FlexibleModel(model));
  return dynamics::rigid_plant(model);
}

std::vector<dynamics::Note> notes_of(const dynamics::Plant& plant) {
  std::vector<dynamics::Note> notes(plant.model().notes().begin(), plant.model().notes().end());
  if (const dynamics::Mechanism* mechanism = plant.mechanism())
    notes.insert(notes.end(), mechanism->notes().begin(), mechanism->notes().end());
  return notes;
}

}  // namespace

#ifdef DYNAMICS_SIM_INIT_WITH_PARAMS
DynamicsSystem::CallbackReturn DynamicsSystem::on_init(
    const hardware_interface::HardwareComponentInterfaceParams& params) {
  const auto result = SystemInterface::on_init(params);
  return result == CallbackReturn::SUCCESS ? prepare() : result;
}
#else
DynamicsSystem::CallbackReturn DynamicsSystem::on_init(
    const hardware_interface::HardwareInfo& info) {
  const auto result = SystemInterface::on_init(info);
  return result == CallbackReturn::SUCCESS ? prepare() : result;
}
#endif

/// Reads and checks the description.
DynamicsSystem::CallbackReturn DynamicsSystem::prepare() {
  try {
    parameters_ = read_parameters(info_);
    transmissions_ = read_transmissions(info_);
    for (const auto& name : parameters_.ignored) {
      RCLCPP_WARN(get_logger(), "unknown parameter %s is ignored", in_quotes(name).c_str());
    }
    for (const auto* others : {&info_.sensors, &info_.gpios}) {
      for (const auto& other : *others) {
        RCLCPP_WARN(get_logger(), "%s is not simulated", in_quotes(other.name).c_str());
      }
    }
    plant_ = make_plant(info_.original_xml, parameters_.model);
    joints_.clear();
    for (auto& joint : read_joints(info_, *plant_, parameters_)) {
      joints_.emplace_back(std::move(joint));
    }
    robot_ = std::make_unique<dynamics::RealTimeSimulation>(plant_->with_payload(std::nullopt),
                                                            parameters_.simulation);
    std::vector<SystemJoint> joints;
    for (const Joint& joint : joints_) joints.push_back(joint.config);
    initial_ = read_initial_values(info_, *robot_, joints, parameters_);
    for (const auto& note : notes_of(*plant_)) {
      if (note.severity == dynamics::Note::Severity::warning) {
        RCLCPP_WARN(get_logger(), "%s %s", in_quotes(note.element).c_str(), note.message.c_str());
      }
    }
    if (robot_->implicit()) {
      RCLCPP_INFO(get_logger(), "%s is stiff: using implicit steps of %g s",
                  in_quotes(info_.name).c_str(), parameters_.simulation.step);
    }
    step_ = std::llround(parameters_.simulation.step * 1e9);
    period_ = info_.rw_rate == 0 ? step_ : 1'000'000'000 / static_cast<std::int64_t>(info_.rw_rate);
    warn_of_step();
    link_ = std::make_shared<SystemLink>(info_.name, *robot_, initial_);
    link_->read_period = info_.rw_rate == 0 ? 0 : period_;
    extra_interfaces_.clear();
    for (std::size_t i = robot_->joints(); i < robot_->size(); ++i) {
      const std::string& name = link_->coordinates()[i];  // LINK/y1
      const auto slash = name.rfind('/');
      extra_interfaces_.emplace_back(name.substr(0, slash), name.substr(slash + 1));
      extra_interfaces_.emplace_back(name.substr(0, slash), name.substr(slash + 1) + "_velocity");
    }
    for (const char* name : {"kinetic_energy", "potential_energy", "strain_energy", "steps",
                             "evaluations", "late_steps", "unsolved"}) {
      extra_interfaces_.emplace_back(info_.name, name);
    }
    for (const SimpleReduction& one : transmissions_) {
      for (const char* name : {"position", "velocity", "effort"})
        extra_interfaces_.emplace_back(one.actuator, name);
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
  for (const auto& [prefix, name] : extra_interfaces_) {
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
    find_handles();
    forget_requests();
    hold_.assign(robot_->joints(), 0.0);
    before_ = initial_;
    robot_->reset(initial_.q, initial_.qd);
    remainder_ = 0;
    late_ = 0;
    for (Joint& joint : joints_) {
      joint.claims = joint.seen = 0;
      joint.claimed = {};
      joint.given = {};
    }
    for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
    if (!robot_->evaluate()) throw std::runtime_error(robot_->fault());
    export_states();
    services_.reset();  // after an error: a new subscription receives a latched payload again
    if (rclcpp::ok()) {
      const bool owned = SystemRegistry::instance().clock_is_owned();
      services_ = std::make_unique<SystemServices>(
          node_of(*this, 0), link_,
          SystemServices::Options{plant_, parameters_.simulation, parameters_.payload_topic,
                                  !owned});
    }
    link_->configured = true;
    link_->set_server([this] { serve(); });
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    return CallbackReturn::FAILURE;
  }
}

/// Returns to the state after loading: not paused, without payload and pending requests.
void DynamicsSystem::forget_requests() {
  link_->paused = false;
  link_->steps = 0;
  link_->payload.withdraw();
  link_->reset.withdraw();
  if (!robot_->model().payload()) return;
  robot_ = std::make_unique<dynamics::RealTimeSimulation>(
      robot_->plant().with_payload(std::nullopt), parameters_.simulation);
}

/// A step longer than the control period makes the robot move in some cycles only.
void DynamicsSystem::warn_of_step() const {
  if (info_.rw_rate == 0 || step_ <= period_) return;
  RCLCPP_WARN(get_logger(),
              "parameter 'step' of %s is %g s, longer than the control period of %g s: the robot "
              "moves in some periods only; use a step of at most the period",
              in_quotes(info_.name).c_str(), 1e-9 * static_cast<double>(step_),
              1e-9 * static_cast<double>(period_));
}

DynamicsSystem::~DynamicsSystem() {
  if (link_) link_->set_server(nullptr);
}

void DynamicsSystem::find_handles() {
  const auto is = [](const auto& handle, const std::string& prefix, const std::string& name) {
    return handle->get_prefix_name() == prefix && handle->get_interface_name() == name;
  };
  for (Joint& joint : joints_) {
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
      for (const auto& handle : joint_states_) {
        if (is(handle, joint.config.name, kind_names[kind])) joint.state_handle[kind] = handle;
      }
      if (kind == acceleration) continue;
      for (const auto& handle : joint_commands_) {
        if (is(handle, joint.config.name, kind_names[kind])) joint.command_handle[kind] = handle;
      }
    }
  }
  extra_handles_.assign(extra_interfaces_.size(), nullptr);
  for (std::size_t i = 0; i < extra_interfaces_.size(); ++i) {
    for (const auto& handle : unlisted_states_) {
      if (is(handle, extra_interfaces_[i].first, extra_interfaces_[i].second))
        extra_handles_[i] = handle;
    }
  }
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_activate(const rclcpp_lifecycle::State&) {
  find_handles();  // some versions of ros2_control create them only after on_configure
  export_states();
  remainder_ = 0;
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

/// It cannot be read any more.
void DynamicsSystem::end() {
  stop();
  if (!link_) return;
  link_->configured = false;
  link_->set_server(nullptr);
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_deactivate(const rclcpp_lifecycle::State&) {
  stop();  // the robot does not move until it is activated again
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_cleanup(const rclcpp_lifecycle::State&) {
  end();
  services_.reset();
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_shutdown(const rclcpp_lifecycle::State&) {
  end();
  services_.reset();
  return CallbackReturn::SUCCESS;
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_error(const rclcpp_lifecycle::State&) {
  end();
  return CallbackReturn::SUCCESS;  // unconfigured: configuring it again starts from the initial
                                   // state
}

DynamicsSystem::return_type DynamicsSystem::write(const rclcpp::Time&, const rclcpp::Duration&) {
  if (!robot_ || hold_.empty()) return return_type::OK;  // not configured
  apply_mode_switches();
  for (Joint& joint : joints_) {
    if (!joint.config.mimic) command(joint);
  }
  link_->writes.fetch_add(1, std::memory_order_release);
  return return_type::OK;
}

/// Applies a payload and a reset received since the last call.
void DynamicsSystem::apply_requests() noexcept {
  if (auto next = link_->payload.take()) {
    if (next->continue_from(*robot_)) robot_.swap(next);
    link_->payload.give_back(std::move(next));
    link_->payloads.fetch_add(1, std::memory_order_release);
  }
  if (link_->reset.has_pending()) apply_reset();
}

/// Gives back the state before the reset, so that the sender can return to it.
void DynamicsSystem::apply_reset() noexcept {
  auto state = link_->reset.take();
  if (!state) return;
  std::copy_n(robot_->positions().begin(), before_.q.size(), before_.q.begin());
  std::copy_n(robot_->velocities().begin(), before_.qd.size(), before_.qd.begin());
  try {
    robot_->reset(state->q, state->qd);  // was checked by the sender
    std::swap(*state, before_);
    remainder_ = 0;
    late_ = 0;
    link_->time = SystemRegistry::instance().time();
    for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
    link_->reset_refused = false;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s is not reset: %s", info_.name.c_str(), error.what());
    link_->reset_refused = true;
  }
  link_->reset.give_back(std::move(state));
  link_->resets.fetch_add(1, std::memory_order_release);
}

/// Applies requests at a time at which the hardware is not read.
void DynamicsSystem::serve() noexcept {
  apply_mode_switches();
  apply_requests();
  if (robot_->evaluate()) export_states();
}

/// Time to simulate in this cycle (ns): the period, or as given by the owner of the clock, a pause
/// or single steps.
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
  // after a delay do not catch up, which would delay the loop further
  const std::int64_t longest = std::llround(parameters_.largest_period * 1e9);
  if (period > longest) late_ += static_cast<std::uint64_t>((period - longest) / step_);
  return std::clamp<std::int64_t>(period, 0, longest);
}

bool DynamicsSystem::advance(std::int64_t nanoseconds) noexcept {
  remainder_ += nanoseconds;
  bool ok = true;
  if (remainder_ >= step_) robot_->begin(static_cast<std::size_t>(remainder_ / step_));
  for (; ok && remainder_ >= step_; remainder_ -= step_) ok = robot_->step();
  return ok && robot_->evaluate();
}

DynamicsSystem::return_type DynamicsSystem::read(const rclcpp::Time&,
                                                 const rclcpp::Duration& period) {
  if (!robot_ || hold_.empty()) return return_type::OK;  // not configured
  apply_mode_switches();
  apply_requests();
  if (!advance(time_to_simulate(period.nanoseconds()))) {
    RCLCPP_ERROR(get_logger(), "%s: simulation stopped: %s", info_.name.c_str(),
                 robot_->fault().c_str());
    stop();
    link_->reads.fetch_add(1, std::memory_order_release);
    return return_type::ERROR;
  }
  RCLCPP_WARN_EXPRESSION(get_logger(), robot_->statistics().unsolved > unsolved_,
                         "%s: the search for held joints and saturated drives did not converge",
                         info_.name.c_str());
  unsolved_ = robot_->statistics().unsolved;
  export_states();
  link_->reads.fetch_add(1, std::memory_order_release);
  return return_type::OK;
}

void DynamicsSystem::export_states() {
  for (const Joint& joint : joints_) {
    const std::size_t i = joint.config.coordinate;
    const double multiplier = joint.config.multiplier;
    const std::array<double, 4> values = {multiplier * robot_->positions()[i] + joint.config.offset,
                                          multiplier * robot_->velocities()[i],
                                          joint.config.mimic ? 0.0 : robot_->efforts()[i],
                                          multiplier * robot_->accelerations()[i]};
    for (std::size_t kind = 0; kind < values.size(); ++kind) {
      if (joint.state_handle[kind]) std::ignore = joint.state_handle[kind]->set_value(values[kind]);
    }
  }
  std::size_t next = 0;
  const auto export_value = [&](double value) {
    if (extra_handles_[next]) std::ignore = extra_handles_[next]->set_value(value);
    ++next;
  };
  for (std::size_t i = robot_->joints(); i < robot_->size(); ++i) {
    export_value(robot_->positions()[i]);
    export_value(robot_->velocities()[i]);
  }
  const dynamics::PlantEnergy energy = robot_->energy();
  export_value(energy.kinetic);
  export_value(energy.potential);
  export_value(energy.strain);
  export_value(static_cast<double>(robot_->statistics().steps));
  export_value(static_cast<double>(robot_->statistics().evaluations));
  export_value(static_cast<double>(late_));
  export_value(static_cast<double>(robot_->statistics().unsolved));
  for (const SimpleReduction& one : transmissions_) {
    const SystemJoint& joint = joints_[one.joint].config;
    const std::size_t i = joint.coordinate;
    const double q = joint.multiplier * robot_->positions()[i] + joint.offset;
    export_value(one.reduction * (q - one.offset));
    export_value(one.reduction * joint.multiplier * robot_->velocities()[i]);
    export_value(joint.mimic ? 0.0 : robot_->efforts()[i] / one.reduction);
  }
}

}  // namespace dynamics_sim

PLUGINLIB_EXPORT_CLASS(dynamics_sim::DynamicsSystem, hardware_interface::SystemInterface)
