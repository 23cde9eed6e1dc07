// SPDX-License-Identifier: Apache-2.0
// The laws of the controllers of joint references.
#include <cmath>
#include <dynamics_core/inertia_matrix.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <utility>

#include "dynamics_controllers/joint_reference_controller.hpp"

namespace dynamics_controllers {
namespace {

constexpr double default_bandwidth = 10.0;  // rad/s

/// Throws for gains that are given twice.
void check_gains(const ParameterValues& values) {
  const auto given = [&](const char* name) {
    return !values.numbers(std::string("gains.") + name).empty();
  };
  const auto exclude = [&](const char* first, const char* second) {
    if (!given(first) || !given(second)) return;
    throw dynamics::ArgumentError(std::string("parameters 'gains.") + first + "' and 'gains." +
                                  second + "' exclude each other");
  };
  exclude("kp", "bandwidth");
  exclude("kd", "bandwidth");
  exclude("kd", "damping_ratio");
  if (!given("kp") && given("kd"))
    throw dynamics::ArgumentError("parameter 'gains.kd' is given without 'gains.kp'");
}

}  // namespace

/// With the accelerations and the inertia matrix.
struct JointReferenceController::Memory final : Evaluator {
  Memory(const dynamics::Model& robot, Gains given)
      : Evaluator(robot),
        gains(std::move(given)),
        M(static_cast<Eigen::Index>(robot.size()), static_cast<Eigen::Index>(robot.size())),
        qdd(robot.size(), 0.0),
        rate(robot.size(), 0.0),
        friction(robot.size(), 0.0) {}

  /// Inverse dynamics of the measured state and qdd. Friction is that of the reference velocities:
  /// that of the measured ones would be a positive feedback.
  dynamics::Status inverse_dynamics(const RobotInLoop& robot, std::span<const double> qd_ref,
                                    std::span<double> tau) noexcept {
    dynamics::ExternalInputs external;
    external.friction = false;
    auto status = dynamics::try_inverse_dynamics(model, workspace, robot.positions(),
                                                 robot.velocities(), qdd, tau, external);
    if (!gains.friction || status != dynamics::Status::ok) return status;
    const auto joints = robot.joints();
    for (std::size_t k = 0; k < joints.size(); ++k) rate[joints[k]] = qd_ref[k];
    status = dynamics::try_friction_forces(model, workspace, rate, friction);
    if (status != dynamics::Status::ok) return status;
    for (const std::size_t i : joints) tau[i] += friction[i];
    return status;
  }

  Gains gains;
  Eigen::MatrixXd M;
  std::vector<double> qdd, rate, friction;
};

std::unique_ptr<Evaluator> JointReferenceController::make_evaluator(
    const dynamics::Model& model) const {
  return std::make_unique<Memory>(model, gains_);
}

/// Gains for joints with this inertia.
JointReferenceController::Gains JointReferenceController::gains_for(
    const ParameterValues& values, std::span<const double> inertia) {
  check_gains(values);
  const std::size_t n = inertia.size();
  const auto numbers = [&](const char* name, double fallback) {
    return per_joint(name, values.numbers(name), n, fallback);
  };
  const auto bandwidth = numbers("gains.bandwidth", default_bandwidth);
  const bool from_bandwidth = values.numbers("gains.kp").empty();
  Gains gains;
  gains.damping_ratio = numbers("gains.damping_ratio", 1.0);
  gains.kp = numbers("gains.kp", 0.0);
  gains.kd = numbers("gains.kd", 0.0);
  gains.damping_from_ratio = values.numbers("gains.kd").empty();
  gains.friction = values.flag("friction");
  for (std::size_t k = 0; k < n; ++k) {
    if (from_bandwidth) gains.kp[k] = bandwidth[k] * bandwidth[k] * inertia[k];
    if (gains.damping_from_ratio)
      gains.kd[k] = 2.0 * gains.damping_ratio[k] * std::sqrt(gains.kp[k]);
  }
  return gains;
}

JointReferenceController::Gains ComputedTorqueController::gains_from(
    const ParameterValues& values, std::span<const double> inertia) const {
  return gains_for(values, std::vector<double>(inertia.size(), 1.0));
}

dynamics::Status ComputedTorqueController::torques(Evaluator& evaluator,
                                                   std::span<double> tau) noexcept {
  auto& memory = static_cast<Memory&>(evaluator);
  const Gains& gains = memory.gains;
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k)
    memory.qdd[joints[k]] = qdd_ref_[k] + gains.kp[k] * error_[k] + gains.kd[k] * error_rate_[k];
  const auto status = memory.inverse_dynamics(robot(), qd_ref_, tau);
  if (status == dynamics::Status::ok) add_effort_references(tau);
  return status;
}

JointReferenceController::Gains JointImpedanceController::gains_from(
    const ParameterValues& values, std::span<const double> inertia) const {
  return gains_for(values, inertia);
}

dynamics::Status JointImpedanceController::torques(Evaluator& evaluator,
                                                   std::span<double> tau) noexcept {
  auto& memory = static_cast<Memory&>(evaluator);
  const Gains& gains = memory.gains;
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) memory.qdd[joints[k]] = qdd_ref_[k];
  auto status = memory.inverse_dynamics(robot(), qd_ref_, tau);
  if (status == dynamics::Status::ok && gains.damping_from_ratio) {
    status =
        dynamics::try_inertia_matrix(memory.model, memory.workspace, robot().positions(), memory.M);
  }
  if (status != dynamics::Status::ok) return status;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(joints[k]);
    // the damping ratio holds in every pose
    const double unit = gains.damping_from_ratio ? std::sqrt(memory.M(i, i)) : 1.0;
    tau[joints[k]] += gains.kp[k] * error_[k] + gains.kd[k] * unit * error_rate_[k];
  }
  add_effort_references(tau);
  return status;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::ComputedTorqueController,
                       controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(dynamics_controllers::JointImpedanceController,
                       controller_interface::ChainableControllerInterface)
