// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/gravity_compensation_controller.hpp"

#include <cmath>
#include <dynamics_controllers/gravity_compensation_parameters.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <tuple>
#include <utility>

#include "settings.hpp"

namespace dynamics_controllers {

struct GravityCompensationController::Memory final : Evaluator {
  Memory(const dynamics::Model& robot, Gains given)
      : Evaluator(robot), gains(std::move(given)), friction(robot.size(), 0.0) {}
  Gains gains;
  std::vector<double> friction;
};

GravityCompensationController::GravityCompensationController() = default;
GravityCompensationController::~GravityCompensationController() = default;

void GravityCompensationController::declare_parameters() {
  listener_ = std::make_shared<gravity_compensation::ParamListener>(get_node());
}

TorqueController::Settings GravityCompensationController::read_settings() {
  return {robot_settings(listener_->get_params()), listener_->get_params().blend_time,
          listener_->get_params().limit_efforts};
}

GravityCompensationController::Gains GravityCompensationController::gains_from(
    const ParameterValues& values) const {
  return {per_joint("damping", values.numbers("damping"), robot().joints().size(), 0.0),
          values.number("friction_compensation")};
}

void GravityCompensationController::prepare(const ParameterValues& values) {
  gains_ = gains_from(values);
}

void GravityCompensationController::check(const ParameterValues& values) const {
  std::ignore = gains_from(values);
}

void GravityCompensationController::change(const ParameterValues& values) {
  rebuild([&] { gains_ = gains_from(values); });
}

std::unique_ptr<Evaluator> GravityCompensationController::make_evaluator(
    const dynamics::Model& model) const {
  return std::make_unique<Memory>(model, gains_);
}

TorqueController::Names GravityCompensationController::reference_names() const {
  Names names;
  for (const auto& joint : robot().joint_names()) names.emplace_back(joint, "effort");
  return names;
}

dynamics::Status GravityCompensationController::torques(Evaluator& evaluator,
                                                        std::span<double> tau) noexcept {
  auto& memory = static_cast<Memory&>(evaluator);
  const auto& model = memory.model;
  const auto qd = robot().velocities();
  auto status = dynamics::try_gravity_forces(model, memory.workspace, robot().positions(), tau);
  const double share = memory.gains.friction_share;
  if (status == dynamics::Status::ok && share > 0.0)
    status = dynamics::try_friction_forces(model, memory.workspace, qd, memory.friction);
  if (status != dynamics::Status::ok) return status;
  const auto joints = robot().joints();
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::size_t i = joints[k];
    tau[i] += share * memory.friction[i] - memory.gains.damping[k] * qd[i];
    if (std::isfinite(references()[k])) tau[i] += references()[k];
  }
  return status;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::GravityCompensationController,
                       controller_interface::ChainableControllerInterface)
