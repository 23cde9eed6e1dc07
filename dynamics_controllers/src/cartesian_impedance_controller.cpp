// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/cartesian_impedance_controller.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <dynamics_controllers/cartesian_impedance_parameters.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "settings.hpp"

namespace dynamics_controllers {
namespace {

Eigen::Vector3d to_vector(const auto& v) { return {v.x, v.y, v.z}; }

Eigen::Vector3d rotation_vector(const Eigen::Matrix3d& rotation) {
  const Eigen::AngleAxisd turn(rotation);
  return turn.angle() * turn.axis();
}

}  // namespace

struct CartesianImpedanceController::Memory final : Evaluator {
  Memory(const dynamics::Model& robot, const dynamics::OperationalSpaceOptions& options,
         double bandwidth, double damping_ratio)
      : Evaluator(robot),
        law(robot, options),
        stiffness(bandwidth * bandwidth),
        damping(2.0 * damping_ratio * bandwidth),
        acceleration(robot.size(), 0.0) {}
  dynamics::OperationalSpaceLaw law;
  double stiffness, damping;  // accelerations of the posture per error (1/s^2, 1/s)
  std::vector<double> acceleration;
};

CartesianImpedanceController::CartesianImpedanceController() = default;
CartesianImpedanceController::~CartesianImpedanceController() = default;

void CartesianImpedanceController::declare_parameters() {
  listener_ = std::make_shared<cartesian_impedance::ParamListener>(get_node());
}

TorqueController::Settings CartesianImpedanceController::read_settings() {
  params_ = std::make_unique<cartesian_impedance::Params>(listener_->get_params());
  return {robot_settings(*params_), params_->blend_time, params_->limit_efforts};
}

std::unique_ptr<Evaluator> CartesianImpedanceController::make_evaluator(
    const dynamics::Model& model) const {
  return std::make_unique<Memory>(model, options_, posture_bandwidth_, posture_damping_ratio_);
}

void CartesianImpedanceController::check(const ParameterValues& values) const {
  const std::size_t entries = values.numbers("stiffness").size();
  if (entries == 1 || entries == 2 || entries == 6) return;
  throw dynamics::ArgumentError(
      "parameter 'stiffness' has " + std::to_string(entries) +
      " entries; 1 (translational), 2 (translational, rotational) or 6 (angular first) are needed");
}

void CartesianImpedanceController::change(const ParameterValues& values) {
  rebuild([&] { read_gains(values); });
  read_limits(values);
}

void CartesianImpedanceController::read_gains(const ParameterValues& values) {
  options_.stiffness = values.numbers("stiffness");
  options_.damping = values.number("damping_ratio");
  posture_bandwidth_ = values.number("posture.bandwidth");
  posture_damping_ratio_ = values.number("posture.damping_ratio");
}

void CartesianImpedanceController::read_limits(const ParameterValues& values) {
  max_linear_velocity_ = values.number("max_linear_velocity");
  max_angular_velocity_ = values.number("max_angular_velocity");
  max_posture_velocity_ = values.number("posture.max_velocity");
  wrench_timeout_ = values.number("wrench_timeout");
}

TorqueController::Names CartesianImpedanceController::reference_names() const {
  Names names = {{"pose", "position.x"},    {"pose", "position.y"},    {"pose", "position.z"},
                 {"pose", "orientation.x"}, {"pose", "orientation.y"}, {"pose", "orientation.z"},
                 {"pose", "orientation.w"}, {"wrench", "force.x"},     {"wrench", "force.y"},
                 {"wrench", "force.z"},     {"wrench", "torque.x"},    {"wrench", "torque.y"},
                 {"wrench", "torque.z"}};
  for (const auto& joint : robot().joint_names()) names.emplace_back(joint, "position");
  return names;
}

TorqueController::Names CartesianImpedanceController::state_names() const {
  return {{"error", "position.x"}, {"error", "position.y"}, {"error", "position.z"},
          {"error", "rotation.x"}, {"error", "rotation.y"}, {"error", "rotation.z"}};
}

void CartesianImpedanceController::prepare(const ParameterValues& values) {
  frame_name_ = frame_name(robot().bare_model(), params_->frame);
  options_.frame = frame_name_;
  options_.axes = params_->stiffness_axes == "frame" ? dynamics::Axes::local
                                                     : dynamics::Axes::local_world_aligned;
  check(values);
  read_gains(values);
  read_limits(values);
  const std::size_t n = robot().joints().size();
  posture_goal_.assign(n, 0.0);
  posture_.assign(n, 0.0);
  postures_.reset(posture_);
  auto& node = *get_node();
  const auto refuse = [this](const std::exception& error) {
    RCLCPP_ERROR(get_node()->get_logger(), "reference refused: %s", error.what());
  };
  const auto taking = [this, refuse](const auto& message) {
    try {
      take(*message);
    } catch (const std::exception& error) {
      refuse(error);
    }
  };
  const rclcpp::SystemDefaultsQoS qos;
  pose_subscription_ = node.create_subscription<PoseStamped>(
      "~/pose", qos, [taking](const PoseStamped::ConstSharedPtr& message) { taking(message); });
  wrench_subscription_ = node.create_subscription<WrenchStamped>(
      "~/wrench", qos, [taking](const WrenchStamped::ConstSharedPtr& message) { taking(message); });
  posture_subscription_ = node.create_subscription<JointState>(
      "~/posture", qos, [taking](const JointState::ConstSharedPtr& message) { taking(message); });
}

void CartesianImpedanceController::release() {
  pose_subscription_.reset();
  wrench_subscription_.reset();
  posture_subscription_.reset();
}

void CartesianImpedanceController::start() {
  auto& law = static_cast<Memory&>(robot().evaluator()).law;
  goal_ = measured_ = law.pose(robot().positions());
  target_ = dynamics::FrameTarget();
  target_.pose = goal_;
  wrench_ = WrenchInput();
  wrench_age_ = 0.0;
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k)
    posture_[k] = posture_goal_[k] = robot().positions()[joints[k]];
  // what was received before is old
  poses_.refresh();
  wrenches_.refresh();
  postures_.refresh();
}

void CartesianImpedanceController::take(const PoseStamped& message) {
  const auto& base = robot().bare_model().base_link();
  if (!message.header.frame_id.empty() && message.header.frame_id != base) {
    throw dynamics::ArgumentError("~/pose: header.frame_id is '" + message.header.frame_id +
                                  "'; it must be '" + base + "' or empty");
  }
  const auto& q = message.pose.orientation;
  Eigen::Quaterniond orientation(q.w, q.x, q.y, q.z);
  const Eigen::Vector3d position = to_vector(message.pose.position);
  if (!position.allFinite() || !(std::abs(orientation.norm() - 1.0) < 0.01)) {
    throw dynamics::ArgumentError(
        "~/pose: the position must be finite and the orientation a unit quaternion");
  }
  orientation.normalize();
  poses_.back() = {orientation.toRotationMatrix(), position};
  poses_.publish();
}

void CartesianImpedanceController::take(const WrenchStamped& message) {
  const auto& bare = robot().bare_model();
  const std::string& given = message.header.frame_id;
  WrenchInput input{{to_vector(message.wrench.torque), to_vector(message.wrench.force)},
                    given == frame_name_};
  if (!given.empty() && given != bare.base_link() && given != frame_name_) {
    throw dynamics::ArgumentError("~/wrench: header.frame_id is '" + given + "'; it must be '" +
                                  bare.base_link() + "', '" + frame_name_ + "' or empty");
  }
  if (!input.wrench.moment.allFinite() || !input.wrench.force.allFinite())
    throw dynamics::ArgumentError("~/wrench: it is not finite");
  wrenches_.back() = input;
  wrenches_.publish();
}

void CartesianImpedanceController::take(const JointState& message) {
  const auto& names = robot().joint_names();
  if (message.name.size() != message.position.size())
    throw dynamics::ArgumentError("~/posture: name and position have different sizes");
  // NaN: stays
  std::vector<double> posture(names.size(), std::nan(""));
  for (std::size_t k = 0; k < message.name.size(); ++k) {
    const auto found = std::find(names.begin(), names.end(), message.name[k]);
    if (found == names.end()) {
      throw dynamics::ArgumentError("~/posture: '" + message.name[k] +
                                    "' is no joint of this controller");
    }
    posture[static_cast<std::size_t>(found - names.begin())] = message.position[k];
  }
  postures_.back() = posture;
  postures_.publish();
}

void CartesianImpedanceController::read_topics(double period) noexcept {
  if (poses_.refresh()) goal_ = poses_.front();
  wrench_age_ += period;
  if (wrenches_.refresh()) {
    wrench_ = wrenches_.front();
    wrench_age_ = 0.0;
  }
  const double timeout = wrench_timeout_;
  if (timeout > 0.0 && wrench_age_ > timeout) wrench_ = WrenchInput();
  if (postures_.refresh()) {
    for (std::size_t k = 0; k < posture_goal_.size(); ++k) {
      const double x = postures_.front()[k];
      if (std::isfinite(x)) posture_goal_[k] = x;
    }
  }
}

void CartesianImpedanceController::read_references() noexcept {
  const auto given = references();
  const auto read = [&](std::size_t first, Eigen::Vector3d& values) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::isfinite(given[first + k])) values[static_cast<Eigen::Index>(k)] = given[first + k];
    }
  };
  read(0, goal_.translation);
  const Eigen::Quaterniond orientation(given[6], given[3], given[4], given[5]);
  if (std::abs(orientation.norm() - 1.0) < 0.01)
    goal_.rotation = orientation.normalized().toRotationMatrix();
  read(7, wrench_.wrench.force);
  read(10, wrench_.wrench.moment);
  wrench_.local = false;
  for (std::size_t k = 0; k < posture_goal_.size(); ++k) {
    if (std::isfinite(given[13 + k])) posture_goal_[k] = given[13 + k];
  }
}

/// Moves the reference towards the goal within the limits of the velocity. The law gets the
/// velocity while a limit acts.
void CartesianImpedanceController::move_reference(double period) noexcept {
  target_.velocity = dynamics::Twist();
  if (!(period > 0.0)) return;
  const Eigen::Vector3d way = goal_.translation - target_.pose.translation;
  const double longest = max_linear_velocity_ * period;
  if (way.norm() > longest) {
    const Eigen::Vector3d step = way * (longest / way.norm());
    target_.pose.translation += step;
    target_.velocity.linear = step / period;
  } else {
    target_.pose.translation = goal_.translation;
  }
  const Eigen::AngleAxisd turn(Eigen::Matrix3d(goal_.rotation * target_.pose.rotation.transpose()));
  const double widest = max_angular_velocity_ * period;
  if (turn.angle() > widest) {
    const Eigen::AngleAxisd step(widest, turn.axis());
    Eigen::Quaterniond next(Eigen::Matrix3d(step * target_.pose.rotation));
    target_.pose.rotation = next.normalized().toRotationMatrix();
    target_.velocity.angular = turn.axis() * (widest / period);
  } else {
    target_.pose.rotation = goal_.rotation;
  }
  const double farthest = max_posture_velocity_ * period;
  for (std::size_t k = 0; k < posture_.size(); ++k)
    posture_[k] += std::clamp(posture_goal_[k] - posture_[k], -farthest, farthest);
}

void CartesianImpedanceController::refer(const rclcpp::Time&, double period) noexcept {
  if (is_in_chained_mode()) {
    read_references();
  } else {
    read_topics(period);
  }
  move_reference(period);
  auto& law = static_cast<Memory&>(robot().evaluator()).law;
  (void)law.try_pose(robot().positions(), measured_);
  target_.wrench = wrench_.wrench;
  if (wrench_.local) {
    target_.wrench.moment = measured_.rotation * wrench_.wrench.moment;
    target_.wrench.force = measured_.rotation * wrench_.wrench.force;
  }
}

dynamics::Status CartesianImpedanceController::torques(Evaluator& evaluator,
                                                       std::span<double> tau) noexcept {
  auto& memory = static_cast<Memory&>(evaluator);
  const auto q = robot().positions(), qd = robot().velocities();
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::size_t i = joints[k];
    memory.acceleration[i] = memory.stiffness * (posture_[k] - q[i]) - memory.damping * qd[i];
  }
  dynamics::ExternalInputs external;
  external.friction = false;
  const auto status = dynamics::try_inverse_dynamics(memory.model, memory.workspace, q, qd,
                                                     memory.acceleration, tau, external);
  if (status != dynamics::Status::ok) return status;
  return memory.law.try_add_torques(q, qd, target_, memory.acceleration, tau);
}

void CartesianImpedanceController::finish(const rclcpp::Time&, double) noexcept {
  const Eigen::Vector3d position = target_.pose.translation - measured_.translation;
  const Eigen::Vector3d rotation =
      rotation_vector(target_.pose.rotation * measured_.rotation.transpose());
  for (std::size_t k = 0; k < 3; ++k) {
    set_state(k, position[static_cast<Eigen::Index>(k)]);
    set_state(3 + k, rotation[static_cast<Eigen::Index>(k)]);
  }
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::CartesianImpedanceController,
                       controller_interface::ChainableControllerInterface)
