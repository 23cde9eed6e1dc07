// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/external_torque_broadcaster.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_controllers/external_torque_parameters.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <tuple>
#include <utility>

#include "settings.hpp"

namespace dynamics_controllers {

struct ExternalTorqueBroadcaster::Memory final : Evaluator {
  Memory(const dynamics::Model& robot, Tuning given, const std::string& frame_name)
      : Evaluator(robot),
        observer(robot, given.observer),
        thresholds(std::move(given.thresholds)),
        frame(robot.frame(frame_name)) {}
  /// The estimate continues.
  void continue_from(Evaluator& replaced) noexcept override {
    (void)observer.try_continue_from(static_cast<Memory&>(replaced).observer);
  }
  dynamics::MomentumObserver observer;
  std::vector<double> thresholds;
  std::size_t frame;
};

ExternalTorqueBroadcaster::ExternalTorqueBroadcaster() = default;
ExternalTorqueBroadcaster::~ExternalTorqueBroadcaster() = default;

void ExternalTorqueBroadcaster::declare_parameters() {
  listener_ = std::make_shared<external_torque::ParamListener>(get_node());
}

ExternalTorqueBroadcaster::Tuning ExternalTorqueBroadcaster::tuning_from(
    const ParameterValues& values) const {
  const auto& bare = robot().bare_model();
  const std::size_t n = robot().joints().size();
  const auto given = values.numbers("collision_thresholds");
  Tuning result;
  result.observer.bandwidth =
      per_joint("bandwidth", values.numbers("bandwidth"), bare.size(), 50.0);
  result.observer.friction = values.flag("friction");
  result.thresholds = per_joint("collision_thresholds", given, n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    const auto& joint = bare.coordinates()[robot().joints()[k]];
    if (given.empty()) result.thresholds[k] = 0.1 * joint.effort;
    if (result.thresholds[k] > 0.0) continue;
    throw dynamics::ArgumentError("parameter 'collision_thresholds': joint '" + joint.name +
                                  "' needs a threshold above zero");
  }
  return result;
}

void ExternalTorqueBroadcaster::check(const ParameterValues& values) const {
  std::ignore = tuning_from(values);
}

void ExternalTorqueBroadcaster::change(const ParameterValues& values) {
  robot().rebuild(0.0, [&] { tuning_ = tuning_from(values); });
  publish_rate_ = values.number("publish_rate");
}

void ExternalTorqueBroadcaster::set_up(const ParameterValues& values) {
  params_ = std::make_unique<external_torque::Params>(listener_->get_params());
  RobotSettings settings = robot_settings(*params_);
  settings.measure_effort = true;
  settings.command_effort = false;
  settings.payload_ramp_time = 0.0;  // the observer itself is the ramp
  robot().configure(*get_node(), get_robot_description(), settings);
  frame_name_ = frame_name(robot().bare_model(), params_->frame);
  tuning_ = tuning_from(values);
  publish_rate_ = values.number("publish_rate");
  joint_torques_.assign(robot().joints().size(), 0.0);
  message_ = Message();
  message_.header.frame_id = robot().bare_model().base_link();
  message_.joint_names = robot().joint_names();
  message_.torques = joint_torques_;
  message_.thresholds = tuning_.thresholds;
  message_.frame_id = frame_name_;
  for (const auto& name : message_.joint_names) {  // room for the longest name
    if (name.size() > message_.collision_joint.size()) message_.collision_joint = name;
  }
  publisher_ =
      get_node()->create_publisher<Message>("~/external_torques", rclcpp::SystemDefaultsQoS());
  realtime_publisher_ = std::make_unique<realtime_tools::RealtimePublisher<Message>>(publisher_);
  size_message(*realtime_publisher_, message_);
  message_.collision_joint.clear();
  robot().open(*get_node(), [this](const dynamics::Model& model) {
    return std::make_unique<Memory>(model, tuning_, frame_name_);
  });
}

void ExternalTorqueBroadcaster::begin() {
  auto& observer = static_cast<Memory&>(robot().evaluator()).observer;
  observer.reset(robot().positions(), robot().velocities());
  since_update_ = since_publication_ = 0.0;
  published_collision_ = false;
}

void ExternalTorqueBroadcaster::release() {
  realtime_publisher_.reset();
  publisher_.reset();
}

std::vector<hardware_interface::StateInterface::SharedPtr>
ExternalTorqueBroadcaster::on_export_state_interfaces_list() {
  handles_.clear();
  const std::string name = get_node()->get_name();
  const auto add = [&](const std::string& prefix, const std::string& interface) {
    handles_.push_back(std::make_shared<hardware_interface::StateInterface>(
        name + "/" + prefix, interface, "double", "0.0"));
  };
  for (const auto& joint : robot().joint_names()) add(joint, "external_torque");
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
  robot().begin_cycle(period);
  since_update_ += period;
  if (!robot().read(state_interfaces_, period)) return robot().hold(command_interfaces_, period);
  if (!(since_update_ > 0.0)) return return_type::OK;
  auto& observer = static_cast<Memory&>(robot().evaluator()).observer;
  if (observer.try_update(since_update_, robot().positions(), robot().velocities(),
                          robot().efforts()) != dynamics::Status::ok) {
    robot().report("the observer has no estimate in this state");
    return robot().hold(command_interfaces_, period);
  }
  since_update_ = 0.0;
  robot().accept();
  export_values(time, period);
  return return_type::OK;
}

void ExternalTorqueBroadcaster::export_values(const rclcpp::Time& time, double period) noexcept {
  auto& memory = static_cast<Memory&>(robot().evaluator());
  const auto torques = memory.observer.external_torques();
  const auto joints = robot().joints();
  double largest = 0.0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    joint_torques_[k] = torques[joints[k]];
    const double ratio = std::abs(joint_torques_[k]) / memory.thresholds[k];
    if (ratio > largest) {
      largest = ratio;
      at = k;
    }
  }
  dynamics::Wrench wrench;
  const auto axes =
      params_->wrench_axes == "frame" ? dynamics::Axes::local : dynamics::Axes::local_world_aligned;
  (void)memory.observer.try_wrench(memory.frame, axes, wrench);
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
  if (since_publication_ * publish_rate_ < 1.0 && collision == published_collision_) return;
  message_.header.stamp = time;
  message_.torques = joint_torques_;
  message_.thresholds = memory.thresholds;
  message_.wrench.force.x = wrench.force.x();
  message_.wrench.force.y = wrench.force.y();
  message_.wrench.force.z = wrench.force.z();
  message_.wrench.torque.x = wrench.moment.x();
  message_.wrench.torque.y = wrench.moment.y();
  message_.wrench.torque.z = wrench.moment.z();
  message_.collision = collision;
  message_.collision_joint.clear();
  if (collision) message_.collision_joint.append(message_.joint_names[at]);
  if (!realtime_publisher_->try_publish(message_)) return;  // again in the next cycle
  since_publication_ = 0.0;
  published_collision_ = collision;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::ExternalTorqueBroadcaster,
                       controller_interface::ChainableControllerInterface)
