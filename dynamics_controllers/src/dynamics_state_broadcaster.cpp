// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/dynamics_state_broadcaster.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <dynamics_controllers/dynamics_state_parameters.hpp>
#include <dynamics_core/energy.hpp>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/kinematics.hpp>
#include <initializer_list>
#include <pluginlib/class_list_macros.hpp>

#include "settings.hpp"

namespace dynamics_controllers {
namespace {

void size(dynamics_msgs::msg::Matrix& message, const Eigen::MatrixXd& matrix) {
  message.rows = static_cast<std::uint32_t>(matrix.rows());
  message.columns = static_cast<std::uint32_t>(matrix.cols());
  message.data.assign(static_cast<std::size_t>(matrix.size()), 0.0);
}

void copy(const Eigen::MatrixXd& matrix, dynamics_msgs::msg::Matrix& message) noexcept {
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      message.data.data(), matrix.rows(), matrix.cols()) = matrix;
}

}  // namespace

struct DynamicsStateBroadcaster::Memory final : Evaluator {
  Memory(const dynamics::Model& robot, const std::string& frame_name)
      : Evaluator(robot), frame(robot.frame(frame_name)) {}
  std::size_t frame;
};

DynamicsStateBroadcaster::DynamicsStateBroadcaster() = default;
DynamicsStateBroadcaster::~DynamicsStateBroadcaster() = default;

void DynamicsStateBroadcaster::declare_parameters() {
  listener_ = std::make_shared<dynamics_state::ParamListener>(get_node());
}

void DynamicsStateBroadcaster::set_up(const ParameterValues& values) {
  params_ = std::make_unique<dynamics_state::Params>(listener_->get_params());
  RobotSettings settings = robot_settings(*params_);
  settings.command_effort = false;
  settings.payload_ramp_time = 0.0;
  robot().configure(*get_node(), get_robot_description(), settings);
  frame_name_ = frame_name(robot().bare_model(), params_->frame);
  change(values);
  const std::size_t n = robot().size();
  const auto size_n = static_cast<Eigen::Index>(n);
  M_.setZero(size_n, size_n);
  C_.setZero(size_n, size_n);
  J_.setZero(6, size_n);
  message_ = Message();
  message_.header.frame_id = robot().bare_model().base_link();
  message_.joint_names = robot().bare_model().coordinate_names();
  message_.frame_id = frame_name_;
  for (auto* const list :
       {&message_.positions, &message_.velocities, &message_.gravity, &message_.friction})
    list->assign(n, 0.0);
  size(message_.inertia, M_);
  size(message_.coriolis, C_);
  size(message_.jacobian, J_);
  publisher_ =
      get_node()->create_publisher<Message>("~/dynamics_terms", rclcpp::SystemDefaultsQoS());
  realtime_publisher_ = std::make_unique<realtime_tools::RealtimePublisher<Message>>(publisher_);
  size_message(*realtime_publisher_, message_);
  robot().open(*get_node(), [this](const dynamics::Model& model) {
    return std::make_unique<Memory>(model, frame_name_);
  });
}

void DynamicsStateBroadcaster::check(const ParameterValues&) const {}

void DynamicsStateBroadcaster::change(const ParameterValues& values) {
  publish_rate_ = values.number("publish_rate");
}

void DynamicsStateBroadcaster::begin() { since_publication_ = 0.0; }

void DynamicsStateBroadcaster::release() {
  realtime_publisher_.reset();
  publisher_.reset();
}

dynamics::Status DynamicsStateBroadcaster::fill() noexcept {
  auto& memory = static_cast<Memory&>(robot().evaluator());
  const auto& model = memory.model;
  auto& workspace = memory.workspace;
  const auto q = robot().positions(), qd = robot().velocities();
  dynamics::Pose pose;
  dynamics::Energy energy;
  for (const auto status : {dynamics::try_inertia_matrix(model, workspace, q, M_),
                            dynamics::try_coriolis_matrix(model, workspace, q, qd, C_),
                            dynamics::try_gravity_forces(model, workspace, q, message_.gravity),
                            dynamics::try_friction_forces(model, workspace, qd, message_.friction),
                            dynamics::try_jacobian(model, workspace, q, memory.frame,
                                                   dynamics::Axes::local_world_aligned, J_),
                            dynamics::try_frame_pose(model, workspace, q, memory.frame, pose),
                            dynamics::try_energy(model, workspace, q, qd, energy)}) {
    if (status != dynamics::Status::ok) return status;
  }
  std::copy(q.begin(), q.end(), message_.positions.begin());
  std::copy(qd.begin(), qd.end(), message_.velocities.begin());
  copy(M_, message_.inertia);
  copy(C_, message_.coriolis);
  // messages have the linear part first
  J_.topRows<3>().swap(J_.bottomRows<3>());
  copy(J_, message_.jacobian);
  message_.pose.position.x = pose.translation.x();
  message_.pose.position.y = pose.translation.y();
  message_.pose.position.z = pose.translation.z();
  const Eigen::Quaterniond orientation(pose.rotation);
  message_.pose.orientation.x = orientation.x();
  message_.pose.orientation.y = orientation.y();
  message_.pose.orientation.z = orientation.z();
  message_.pose.orientation.w = orientation.w();
  message_.kinetic_energy = energy.kinetic;
  message_.potential_energy = energy.potential;
  return dynamics::Status::ok;
}

controller_interface::return_type DynamicsStateBroadcaster::update(
    const rclcpp::Time& time, const rclcpp::Duration& duration) {
  const double period = std::max(0.0, duration.seconds());
  robot().begin_cycle(period);
  if (!robot().read(state_interfaces_, period)) return robot().hold(command_interfaces_, period);
  robot().accept();
  since_publication_ += period;
  if (since_publication_ * publish_rate_ < 1.0) return return_type::OK;
  if (fill() != dynamics::Status::ok) {
    robot().report("the terms cannot be computed in this state");
    return return_type::OK;
  }
  message_.header.stamp = time;
  if (realtime_publisher_->try_publish(message_)) since_publication_ = 0.0;
  return return_type::OK;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::DynamicsStateBroadcaster,
                       controller_interface::ControllerInterface)
