// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/external_torque_broadcaster.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_controllers/external_torque_parameters.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <tuple>

#include "dynamics_controllers/torque_controller.hpp"
#include "settings.hpp"

namespace dynamics_controllers {
namespace {

/// The estimate continues when the payload changes.
struct ObserverEvaluator final : Evaluator {
  ObserverEvaluator(const dynamics::Model& robot, const dynamics::MomentumObserverOptions& options)
      : Evaluator(robot), observer(robot, options) {}
  void continue_from(Evaluator& before) noexcept override {
    (void)observer.try_continue_from(static_cast<ObserverEvaluator&>(before).observer);
  }
  dynamics::MomentumObserver observer;
};

}  // namespace

ExternalTorqueBroadcaster::ExternalTorqueBroadcaster() = default;
ExternalTorqueBroadcaster::~ExternalTorqueBroadcaster() = default;

controller_interface::CallbackReturn ExternalTorqueBroadcaster::on_init() {
  try {
    listener_ = std::make_shared<external_torque::ParamListener>(get_node());
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
}

controller_interface::InterfaceConfiguration
ExternalTorqueBroadcaster::command_interface_configuration() const {
  return {controller_interface::interface_configuration_type::NONE, {}};
}

controller_interface::InterfaceConfiguration
ExternalTorqueBroadcaster::state_interface_configuration() const {
  return {controller_interface::interface_configuration_type::INDIVIDUAL, robot_.state_names()};
}

controller_interface::CallbackReturn ExternalTorqueBroadcaster::on_configure(
    const rclcpp_lifecycle::State&) {
  try {
    require_finite_parameters(*get_node());
    configure();
    return CallbackReturn::SUCCESS;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    robot_.release();
    return CallbackReturn::FAILURE;
  }
}

void ExternalTorqueBroadcaster::configure() {
  params_ = std::make_unique<external_torque::Params>(listener_->get_params());
  RobotSettings settings = robot_settings(*params_);
  settings.measure_effort = true;
  settings.command_effort = false;
  settings.payload_ramp_time = 0.0;  // the observer itself is the ramp
  robot_.configure(
      *get_node(), get_robot_description(), settings, [this](const dynamics::Model& model) {
        return std::make_unique<ObserverEvaluator>(
            model,
            dynamics::MomentumObserverOptions{
                per_joint("bandwidth", params_->bandwidth, model.size(), 50.0), params_->friction});
      });
  const auto& bare = robot_.bare_model();
  frame_ = bare.end_effector();
  if (!params_->frame.empty()) {
    const auto found = bare.find_frame(params_->frame);
    if (!found) {
      throw dynamics::ArgumentError("parameter 'frame': the robot has no link '" + params_->frame +
                                    "'");
    }
    frame_ = *found;
  }
  const std::size_t n = robot_.joints().size();
  thresholds_ = per_joint("collision_thresholds", params_->collision_thresholds, n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const auto& joint = bare.coordinates()[robot_.joints()[k]];
    if (params_->collision_thresholds.empty()) thresholds_[k] = 0.1 * joint.effort;
    if (!(thresholds_[k] > 0.0)) {
      throw dynamics::ArgumentError("parameter 'collision_thresholds': joint '" + joint.name +
                                    "' needs a threshold above zero");
    }
  }
  joint_torques_.assign(n, 0.0);
  message_ = Message();
  message_.header.frame_id = bare.base_link();
  message_.joint_names = robot_.joint_names();
  message_.torques = joint_torques_;
  message_.thresholds = thresholds_;
  message_.frame_id = bare.frames()[frame_].name;
  for (const auto& name : message_.joint_names) {  // room for the longest name
    if (name.size() > message_.collision_joint.size()) message_.collision_joint = name;
  }
  publisher_ =
      get_node()->create_publisher<Message>("~/external_torques", rclcpp::SystemDefaultsQoS());
  realtime_publisher_ = std::make_unique<realtime_tools::RealtimePublisher<Message>>(publisher_);
  size_message(*realtime_publisher_, message_);
  message_.collision_joint.clear();
}

controller_interface::CallbackReturn ExternalTorqueBroadcaster::on_activate(
    const rclcpp_lifecycle::State&) {
  if (!robot_.start(state_interfaces_)) {
    RCLCPP_ERROR(get_node()->get_logger(), "not activated: %s", robot_.fault());
    return CallbackReturn::FAILURE;
  }
  auto& observer = static_cast<ObserverEvaluator&>(robot_.evaluator()).observer;
  const auto status = observer.try_reset(robot_.positions(), robot_.velocities());
  since_publication_ = 0.0;
  return status == dynamics::Status::ok ? CallbackReturn::SUCCESS : CallbackReturn::FAILURE;
}

controller_interface::CallbackReturn ExternalTorqueBroadcaster::on_deactivate(
    const rclcpp_lifecycle::State&) {
  if (*robot_.fault() != '\0')
    RCLCPP_WARN(get_node()->get_logger(), "while active: %s", robot_.fault());
  return CallbackReturn::SUCCESS;
}

controller_interface::CallbackReturn ExternalTorqueBroadcaster::on_cleanup(
    const rclcpp_lifecycle::State&) {
  realtime_publisher_.reset();
  publisher_.reset();
  robot_.release();
  return CallbackReturn::SUCCESS;
}

std::vector<hardware_interface::StateInterface::SharedPtr>
ExternalTorqueBroadcaster::on_export_state_interfaces_list() {
  handles_.clear();
  const std::string name = get_node()->get_name();
  const auto add = [&](const std::string& prefix, const std::string& interface) {
    handles_.push_back(std::make_shared<hardware_interface::StateInterface>(
        name + "/" + prefix, interface, "double", "0.0"));
  };
  for (const auto& joint : robot_.joint_names()) add(joint, "external_torque");
  for (const char* part : {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"})
    add("wrench", part);
  add("collision", "detected");
  return handles_;
}

controller_interface::return_type ExternalTorqueBroadcaster::update_reference_from_subscribers(
    const rclcpp::Time&, const rclcpp::Duration&) {
  return return_type::OK;
}

controller_interface::return_type ExternalTorqueBroadcaster::update_and_write_commands(
    const rclcpp::Time& time, const rclcpp::Duration& duration) {
  const double period = std::max(0.0, duration.seconds());
  robot_.begin_cycle(period);
  if (!robot_.read(state_interfaces_, period)) return robot_.hold(command_interfaces_, period);
  if (!(period > 0.0)) return return_type::OK;
  auto& observer = static_cast<ObserverEvaluator&>(robot_.evaluator()).observer;
  if (observer.try_update(period, robot_.positions(), robot_.velocities(), robot_.efforts()) !=
      dynamics::Status::ok) {
    robot_.report("the observer has no estimate in this state");
    return robot_.hold(command_interfaces_, period);
  }
  robot_.write(command_interfaces_, robot_.efforts());  // no commands: the state is valid
  export_values(time, period);
  return return_type::OK;
}

void ExternalTorqueBroadcaster::export_values(const rclcpp::Time& time, double period) noexcept {
  auto& observer = static_cast<ObserverEvaluator&>(robot_.evaluator()).observer;
  const auto torques = observer.external_torques();
  const auto joints = robot_.joints();
  double largest = 0.0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    joint_torques_[k] = torques[joints[k]];
    const double ratio = std::abs(joint_torques_[k]) / thresholds_[k];
    if (ratio > largest) {
      largest = ratio;
      at = k;
    }
  }
  dynamics::Wrench wrench;
  const auto axes =
      params_->wrench_axes == "frame" ? dynamics::Axes::local : dynamics::Axes::local_world_aligned;
  (void)observer.try_wrench(frame_, axes, wrench);
  std::size_t next = 0;
  const auto set = [&](double value) {
    if (next < handles_.size()) std::ignore = handles_[next]->set_value(value);
    ++next;
  };
  for (const double torque : joint_torques_) set(torque);
  for (const double f : wrench.force) set(f);
  for (const double m : wrench.moment) set(m);
  const bool collision = largest > 1.0;
  set(collision ? 1.0 : 0.0);

  since_publication_ += period;
  // the beginning and the end of a collision are published at once
  if (since_publication_ * params_->publish_rate < 1.0 && collision == message_.collision) return;
  message_.header.stamp = time;
  message_.torques = joint_torques_;
  message_.wrench.force.x = wrench.force.x();
  message_.wrench.force.y = wrench.force.y();
  message_.wrench.force.z = wrench.force.z();
  message_.wrench.torque.x = wrench.moment.x();
  message_.wrench.torque.y = wrench.moment.y();
  message_.wrench.torque.z = wrench.moment.z();
  message_.collision = collision;
  message_.collision_joint.clear();
  if (collision) message_.collision_joint.append(message_.joint_names[at]);
  if (realtime_publisher_->try_publish(message_)) since_publication_ = 0.0;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::ExternalTorqueBroadcaster,
                       controller_interface::ChainableControllerInterface)
