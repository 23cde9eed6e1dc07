// SPDX-License-Identifier: Apache-2.0
// Lifecycle, read and write of the hardware component.
#include "dynamics_sim/dynamics_system.hpp"

#include <dynamics_core/closed_loops.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>
#include <stdexcept>

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

}  // namespace

#ifdef DYNAMICS_SIM_INIT_WITH_PARAMS
DynamicsSystem::CallbackReturn DynamicsSystem::on_init(
    const hardware_interface::HardwareComponentInterfaceParams& params) {
  const auto result = SystemInterface::on_init(params);
  if (result != CallbackReturn::SUCCESS) return result;
  const auto node = node_of(*this, 0);
  return prepare({params.executor.lock().get(), node ? node->get_namespace() : ""});
}
#else
DynamicsSystem::CallbackReturn DynamicsSystem::on_init(
    const hardware_interface::HardwareInfo& info) {
  const auto result = SystemInterface::on_init(info);
  return result == CallbackReturn::SUCCESS ? prepare({}) : result;
}
#endif

/// Reads and checks the description.
DynamicsSystem::CallbackReturn DynamicsSystem::prepare(const ManagerIdentity& manager) {
  try {
    transmissions_ = read_transmissions(info_);
    for (const auto& name : unknown_parameters(info_)) {
      RCLCPP_WARN(get_logger(), "unknown parameter %s is ignored", in_quotes(name).c_str());
    }
    robot_ = SimulatedRobot::join(manager, info_);
    link_ = robot_->block_link(info_.name);
    first_ = robot_->is_first(info_.name);
    const SystemBlock& block = robot_->block(info_.name);
    joints_.clear();
    for (std::size_t i = 0; i < block.joints.size(); ++i) {
      joints_.emplace_back(block.joints[i]);
      const auto errors = read_errors(info_.joints[i].parameters, "encoder_", {1, 1},
                                      "joint " + in_quotes(block.joints[i].name));
      if (errors.any()) joints_.back().encoder.emplace(errors, 2, robot_->step());
    }
    for (const SystemSensor& sensor : block.sensors) {
      if (sensor.kind != SystemSensor::Kind::constant) continue;
      RCLCPP_WARN(
          get_logger(),
          "sensor %s is neither a force-torque sensor nor an IMU: its interfaces keep their "
          "initial values",
          in_quotes(sensor.name).c_str());
    }
    if (first_) report_notes();
    warn_of_step();
    name_extra_interfaces();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_FATAL(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    const std::string place = manager.name_space.size() > 1 ? manager.name_space + ": " : "";
    SystemRegistry::instance().report_failure(place + info_.name + ": " + error.what());
    return CallbackReturn::ERROR;
  }
}

void DynamicsSystem::report_notes() const {
  const dynamics::Plant& plant = *robot_->plant();
  std::vector<dynamics::Note> notes(plant.model().notes().begin(), plant.model().notes().end());
  if (const dynamics::Mechanism* mechanism = plant.mechanism())
    notes.insert(notes.end(), mechanism->notes().begin(), mechanism->notes().end());
  for (const auto& note : notes) {
    if (note.severity == dynamics::Note::Severity::warning) {
      RCLCPP_WARN(get_logger(), "%s %s", in_quotes(note.element).c_str(), note.message.c_str());
    }
  }
  if (robot_->simulation().implicit()) {
    RCLCPP_INFO(get_logger(), "%s is stiff: using implicit steps of %g s",
                in_quotes(info_.name).c_str(), robot_->parameters().simulation.step);
  }
}

/// A step longer than the control period makes the robot move in some cycles only.
void DynamicsSystem::warn_of_step() const {
  const std::int64_t period = link_->read_period;
  if (period == 0 || robot_->step() <= period) return;
  RCLCPP_WARN(get_logger(),
              "parameter 'step' of %s is %g s, longer than the control period of %g s: the robot "
              "moves in some periods only; use a step of at most the period",
              in_quotes(info_.name).c_str(), 1e-9 * static_cast<double>(robot_->step()),
              1e-9 * static_cast<double>(period));
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_configure(const rclcpp_lifecycle::State&) {
  try {
    {
      const auto lock = robot_->lock();
      find_handles();
      forget_claims();
    }
    robot_->configure(info_.name, [this] {  // the caller has the lock
      apply_mode_switches();
      export_states();
    });
    {
      const auto lock = robot_->lock();
      missed_ = 0;
      export_states();
    }
    services_.reset();  // after an error: a new subscription receives a latched payload again
    if (rclcpp::ok()) {
      const SystemParameters& parameters = robot_->parameters();
      services_ = std::make_unique<SystemServices>(
          node_of(*this, 0), robot_->link(),
          SystemServices::Options{info_.name, robot_->plant(), parameters.simulation,
                                  parameters.payload_topic, parameters.wrench_duration,
                                  !SystemRegistry::instance().clock_is_owned()});
    }
    configured_ = true;
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_logger(), "%s: %s", info_.name.c_str(), error.what());
    return CallbackReturn::FAILURE;
  }
}

DynamicsSystem::~DynamicsSystem() {
  services_.reset();
  if (robot_) robot_->leave(info_.name);
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_activate(const rclcpp_lifecycle::State&) {
  robot_->activate(info_.name);
  const auto lock = robot_->lock();
  find_handles();  // some versions of ros2_control create them only after on_configure
  missed_ = 0;
  export_states();
  active_ = true;
  return CallbackReturn::SUCCESS;
}

/// False if it was never initialized.
bool DynamicsSystem::stop() {
  active_ = false;
  if (robot_) robot_->deactivate(info_.name);
  return robot_ != nullptr;
}

/// It cannot be read any more.
void DynamicsSystem::end() {
  configured_ = false;
  if (stop()) robot_->end(info_.name);
}

DynamicsSystem::CallbackReturn DynamicsSystem::on_deactivate(const rclcpp_lifecycle::State&) {
  stop();  // the robot does not move until a block of it is activated again
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
  if (!configured_) return return_type::OK;
  const auto lock = robot_->try_lock();
  if (!lock.owns_lock()) return return_type::OK;  // a block changes its state: the commands stay
  apply_mode_switches();
  for (Joint& joint : joints_) {
    if (active_ && !joint.config.mimic) command(joint);
  }
  link_->writes.fetch_add(1, std::memory_order_release);
  return return_type::OK;
}

DynamicsSystem::return_type DynamicsSystem::read(const rclcpp::Time&,
                                                 const rclcpp::Duration& period) {
  if (!configured_) return return_type::OK;
  const auto lock = robot_->try_lock();
  if (!lock.owns_lock()) {
    missed_ += period.nanoseconds();
    return return_type::OK;
  }
  const bool changed = apply_mode_switches();
  const bool ok = robot_->read(*link_, changed, missed_ + period.nanoseconds());
  missed_ = 0;
  if (!ok) {
    RCLCPP_ERROR(get_logger(), "%s: simulation stopped: %s", info_.name.c_str(),
                 robot_->simulation().fault().c_str());
    active_ = false;
    return return_type::ERROR;
  }
  RCLCPP_WARN_EXPRESSION(get_logger(), robot_->take_unsolved(),
                         "%s: the search for held joints and saturated drives did not converge",
                         info_.name.c_str());
  export_states();
  link_->time.store(robot_->link()->clock()->time, std::memory_order_release);
  return return_type::OK;
}

}  // namespace dynamics_sim

PLUGINLIB_EXPORT_CLASS(dynamics_sim::DynamicsSystem, hardware_interface::SystemInterface)
