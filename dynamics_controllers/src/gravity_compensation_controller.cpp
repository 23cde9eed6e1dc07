// SPDX-License-Identifier: Apache-2.0
#include "dynamics_controllers/gravity_compensation_controller.hpp"

#include <cmath>
#include <dynamics_controllers/gravity_compensation_parameters.hpp>
#include <pluginlib/class_list_macros.hpp>

#include "settings.hpp"

namespace dynamics_controllers {

GravityCompensationController::GravityCompensationController() = default;
GravityCompensationController::~GravityCompensationController() = default;

void GravityCompensationController::declare_parameters() {
  listener_ = std::make_shared<gravity_compensation::ParamListener>(get_node());
}

TorqueController::Settings GravityCompensationController::read_settings() {
  return {robot_settings(listener_->get_params()), listener_->get_params().blend_time,
          listener_->get_params().limit_efforts};
}

void GravityCompensationController::prepare() {
  const auto params = listener_->get_params();
  damping_ = per_joint("damping", params.damping, robot().joints().size(), 0.0);
  friction_share_ = params.friction_compensation;
  friction_.assign(robot().size(), 0.0);
}

TorqueController::Names GravityCompensationController::reference_names() const {
  Names names;
  for (const auto& joint : robot().joint_names()) names.emplace_back(joint, "effort");
  return names;
}

dynamics::Status GravityCompensationController::torques(Evaluator& evaluator,
                                                        std::span<double> tau) noexcept {
  const auto& model = evaluator.model;
  auto status = dynamics::try_gravity_forces(model, evaluator.workspace, robot().positions(), tau);
  if (status != dynamics::Status::ok) return status;
  if (friction_share_ > 0.0) {
    status =
        dynamics::try_friction_forces(model, evaluator.workspace, robot().velocities(), friction_);
    if (status != dynamics::Status::ok) return status;
  }
  for (std::size_t k = 0; k < damping_.size(); ++k) {
    const std::size_t i = robot().joints()[k];
    tau[i] += friction_share_ * friction_[i] - damping_[k] * robot().velocities()[i];
    if (std::isfinite(references()[k])) tau[i] += references()[k];
  }
  return status;
}

}  // namespace dynamics_controllers

PLUGINLIB_EXPORT_CLASS(dynamics_controllers::GravityCompensationController,
                       controller_interface::ChainableControllerInterface)
