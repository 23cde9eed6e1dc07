// SPDX-License-Identifier: Apache-2.0
#include "papers/formulations/formulation_plant.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dynamics::formulations {
namespace {

class FormulationPlant final : public Plant {
 public:
  FormulationPlant(ForwardDynamics forward_dynamics, std::unique_ptr<Plant> rigid)
      : forward_dynamics_(std::move(forward_dynamics)),
        rigid_(std::move(rigid)),
        damping_(Eigen::Index(rigid_->size()), Eigen::Index(rigid_->size())) {
    Eigen::MatrixXd stiffness = damping_;
    rigid_->linear_forces(damping_, stiffness);
  }

  const Model& model() const override { return rigid_->model(); }
  std::size_t size() const override { return rigid_->size(); }

  /// Damping is added here; the simulator adds dry friction.
  void accelerations(const double& t, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    Eigen::VectorXd driving =
        Eigen::Map<const Eigen::VectorXd>(tau.data(), Eigen::Index(tau.size()));
    driving -= damping_ * Eigen::Map<const Eigen::VectorXd>(qd.data(), Eigen::Index(qd.size()));
    ExternalInputs external;
    external.friction = false;
    external.base = rigid_->base_motion(t);
    const Eigen::VectorXd result = forward_dynamics_(model(), q, qd, driving, external);
    std::copy(result.begin(), result.end(), qdd.begin());
  }

  void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    rigid_->feedforward_torques(t, q, qd, qdd, tau);
  }
  void computed_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    rigid_->computed_torques(t, q, qd, qdd, tau);
  }
  bool exchanges_energy() const override { return rigid_->exchanges_energy(); }
  double power(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
               ConstVector tau) override {
    return rigid_->power(t, q, qd, qdd, tau);
  }
  double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) override {
    return rigid_->energy_rate(t, q, qd, qdd);
  }
  std::optional<BaseMotion> base_motion(double t) const override { return rigid_->base_motion(t); }
  PlantEnergy energy(double t, ConstVector q, ConstVector qd) override {
    return rigid_->energy(t, q, qd);
  }
  Pose frame_pose(double t, ConstVector q, std::size_t frame) override {
    return rigid_->frame_pose(t, q, frame);
  }
  Eigen::Vector3d center_of_mass(double t, ConstVector q, ConstVector qd) override {
    return rigid_->center_of_mass(t, q, qd);
  }
  void add_wrenches(double t, ConstVector q, std::span<const LinkWrench> wrenches,
                    MutableVector forces) override {
    rigid_->add_wrenches(t, q, wrenches, forces);
  }
  void linear_forces(Eigen::Ref<Eigen::MatrixXd> D, Eigen::Ref<Eigen::MatrixXd> K) const override {
    rigid_->linear_forces(D, K);
  }
  double dry_friction(std::size_t joint) const override { return rigid_->dry_friction(joint); }

  std::unique_ptr<Plant> with_payload(const std::optional<Payload>& payload) const override {
    return std::make_unique<FormulationPlant>(forward_dynamics_, rigid_->with_payload(payload));
  }

 private:
  ForwardDynamics forward_dynamics_;
  std::unique_ptr<Plant> rigid_;
  Eigen::MatrixXd damping_;
};

}  // namespace

std::unique_ptr<Plant> plant_with(ForwardDynamics forward_dynamics, const Model& model,
                                  const RigidPlantOptions& options) {
  // smooth Coulomb friction is not linear in qd: the simulator adds the dry friction instead
  if (options.friction && !options.dry_friction) {
    throw ArgumentError("plants of formulations support dry friction or none, not smooth friction");
  }
  return std::make_unique<FormulationPlant>(std::move(forward_dynamics),
                                            rigid_plant(model, options));
}

std::unique_ptr<Plant> formulation_plant(const Model& model, const Formulation& formulation,
                                         const RigidPlantOptions& options) {
  const std::string reason = not_covered(formulation, Task::forward, model);
  if (!reason.empty()) {
    throw ArgumentError(fmt::format("formulation {} {}", formulation.name, reason));
  }
  return plant_with(
      [formulation](const Model& robot, ConstVector q, ConstVector qd, ConstVector tau,
                    const ExternalInputs& external) {
        return forward_dynamics(formulation, robot, q, qd, tau, external);
      },
      model, options);
}

const Formulation& find_forward(std::string_view name) {
  std::string names;
  bool inverse_only = false;
  for (const Formulation& formulation : all()) {
    if (formulation.name == name) {
      if (formulation.forward) return formulation;
      inverse_only = true;
    }
    if (formulation.forward) names.append(names.empty() ? "" : ", ").append(formulation.name);
  }
  throw ArgumentError(fmt::format("{} '{}'{}: it must be one of {}",
                                  inverse_only ? "algorithm" : "unknown algorithm", name,
                                  inverse_only ? " has no forward dynamics" : "", names));
}

}  // namespace dynamics::formulations
