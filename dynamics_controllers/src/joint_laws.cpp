// SPDX-License-Identifier: Apache-2.0
// The laws of the controllers of joint references.
#include <cmath>
#include <dynamics_controllers/joint_reference_parameters.hpp>
#include <dynamics_core/inertia_matrix.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "dynamics_controllers/joint_reference_controller.hpp"

namespace dynamics_controllers {
namespace {

constexpr double default_bandwidth = 10.0;  // rad/s

/// With the accelerations and the inertia matrix.
struct JointEvaluator final : Evaluator {
  explicit JointEvaluator(const dynamics::Model& robot)
      : Evaluator(robot),
        M(static_cast<Eigen::Index>(robot.size()), static_cast<Eigen::Index>(robot.size())),
        qdd(robot.size(), 0.0),
        rate(robot.size(), 0.0),
        friction(robot.size(), 0.0) {}
  Eigen::MatrixXd M;
  std::vector<double> qdd, rate, friction;
};

/// Inverse dynamics of the measured state and evaluator.qdd. Friction is that of the reference
/// velocities: that of the measured ones would be a positive feedback.
dynamics::Status inverse_dynamics(JointEvaluator& evaluator, const RobotInLoop& robot,
                                  std::span<const double> qd_ref, bool friction,
                                  std::span<double> tau) noexcept {
  const auto& model = evaluator.model;
  dynamics::ExternalInputs external;
  external.friction = false;
  auto status = dynamics::try_inverse_dynamics(model, evaluator.workspace, robot.positions(),
                                               robot.velocities(), evaluator.qdd, tau, external);
  if (!friction || status != dynamics::Status::ok) return status;
  const auto joints = robot.joints();
  for (std::size_t k = 0; k < joints.size(); ++k) evaluator.rate[joints[k]] = qd_ref[k];
  status =
      dynamics::try_friction_forces(model, evaluator.workspace, evaluator.rate, evaluator.friction);
  if (status != dynamics::Status::ok) return status;
  for (const std::size_t i : joints) tau[i] += evaluator.friction[i];
  return status;
}

/// Throws for gains that are given twice.
void check(const joint_reference::Params::Gains& gains) {
  const auto refuse = [](bool twice, const char* first, const char* second) {
    if (!twice) return;
    throw dynamics::ArgumentError(std::string("parameters 'gains.") + first + "' and 'gains." +
                                  second + "' exclude each other");
  };
  refuse(!gains.kp.empty() && !gains.bandwidth.empty(), "kp", "bandwidth");
  refuse(!gains.kd.empty() && !gains.bandwidth.empty(), "kd", "bandwidth");
  refuse(!gains.kd.empty() && !gains.damping_ratio.empty(), "kd", "damping_ratio");
  if (gains.kp.empty() && !gains.kd.empty())
    throw dynamics::ArgumentError("parameter 'gains.kd' is given without 'gains.kp'");
}

}  // namespace

std::unique_ptr<Evaluator> ComputedTorqueController::make_evaluator(
    const dynamics::Model& model) const {
  return std::make_unique<JointEvaluator>(model);
}

void ComputedTorqueController::set_gains(const joint_reference::Params& params,
                                         std::span<const double> m_ii) {
  const auto& gains = params.gains;
  check(gains);
  const std::size_t n = m_ii.size();
  const auto bandwidth = per_joint("gains.bandwidth", gains.bandwidth, n, default_bandwidth);
  damping_ratio_ = per_joint("gains.damping_ratio", gains.damping_ratio, n, 1.0);
  kp_ = per_joint("gains.kp", gains.kp, n, 0.0);
  kd_ = per_joint("gains.kd", gains.kd, n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    if (gains.kp.empty()) kp_[k] = bandwidth[k] * bandwidth[k];
    if (gains.kd.empty()) kd_[k] = 2.0 * damping_ratio_[k] * std::sqrt(kp_[k]);
  }
}

dynamics::Status ComputedTorqueController::torques(Evaluator& evaluator,
                                                   std::span<double> tau) noexcept {
  auto& memory = static_cast<JointEvaluator&>(evaluator);
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k)
    memory.qdd[joints[k]] = qdd_ref_[k] + kp_[k] * error_[k] + kd_[k] * error_rate_[k];
  const auto status = inverse_dynamics(memory, robot(), qd_ref_, friction_, tau);
  if (status == dynamics::Status::ok) add_effort_references(tau);
  return status;
}

std::unique_ptr<Evaluator> JointImpedanceController::make_evaluator(
    const dynamics::Model& model) const {
  return std::make_unique<JointEvaluator>(model);
}

void JointImpedanceController::set_gains(const joint_reference::Params& params,
                                         std::span<const double> m_ii) {
  const auto& gains = params.gains;
  check(gains);
  const std::size_t n = m_ii.size();
  const auto bandwidth = per_joint("gains.bandwidth", gains.bandwidth, n, default_bandwidth);
  damping_ratio_ = per_joint("gains.damping_ratio", gains.damping_ratio, n, 1.0);
  kp_ = per_joint("gains.kp", gains.kp, n, 0.0);
  kd_ = per_joint("gains.kd", gains.kd, n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    if (gains.kp.empty()) kp_[k] = bandwidth[k] * bandwidth[k] * m_ii[k];
  }
  damping_from_ratio_ = gains.kd.empty();
}

dynamics::Status JointImpedanceController::torques(Evaluator& evaluator,
                                                   std::span<double> tau) noexcept {
  auto& memory = static_cast<JointEvaluator&>(evaluator);
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) memory.qdd[joints[k]] = qdd_ref_[k];
  auto status = inverse_dynamics(memory, robot(), qd_ref_, friction_, tau);
  if (status == dynamics::Status::ok && damping_from_ratio_) {
    status = dynamics::try_inertia_matrix(evaluator.model, evaluator.workspace, robot().positions(),
                                          memory.M);
  }
  if (status != dynamics::Status::ok) return status;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(joints[k]);
    const double kd =
        damping_from_ratio_ ? 2.0 * damping_ratio_[k] * std::sqrt(kp_[k] * memory.M(i, i)) : kd_[k];
    tau[joints[k]] += kp_[k] * error_[k] + kd * error_rate_[k];
  }
  add_effort_references(tau);
  return status;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::ComputedTorqueController,
                       controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(dynamics_controllers::JointImpedanceController,
                       controller_interface::ChainableControllerInterface)
