// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "model/tree.hpp"
#include "plant/base_power.hpp"
#include "plant/joint_resistance.hpp"

namespace dynamics {
namespace {

class RigidPlant final : public Plant {
 public:
  RigidPlant(const Model& model, const RigidPlantOptions& options)
      : options_(options),
        model_(model),
        workspace_(model),
        forces_(model.size()),
        unit_(model.size()),
        resistance_(model),
        factor_(model),
        dry_(options.friction && options.dry_friction),
        base_power_(model),
        dissipates_(options.friction &&
                    std::any_of(model.tree().begin(), model.tree().end(), [](const TreeBody& b) {
                      return b.damping > 0 || b.friction > 0;
                    })) {
    conditions_.friction = options.friction;
    frictionless_.friction = false;
  }

  const Model& model() const override { return model_; }
  std::size_t size() const override { return model_.size(); }

  void accelerations(const double& t, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    if (!dry_) {
      forward_dynamics(model_, workspace_, q, qd, tau, qdd, at(t));
      return;
    }
    const ConstVector driving = resistance_.without_damping(qd, tau, forces_);
    forward_dynamics(model_, workspace_, q, qd, driving, qdd, frictionless_at(t));
  }

  void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, tau, at(t));
  }

  void computed_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, tau, at(t));
  }

  bool exchanges_energy() const override { return dissipates_ || options_.base; }

  double power(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
               ConstVector tau) override {
    const Power power = dynamics::power(model_, workspace_, qd, tau);
    const double dissipated = dry_                ? resistance_.damping_power(qd)
                              : options_.friction ? power.friction
                                                  : 0.0;
    return power.actuators - dissipated + base_power(t, q, qd, qdd);
  }

  // qd^T (M qdd + C qd + g), since M' - 2C is skew-symmetric (Saha 1999, section 4), plus the power
  // of the base
  double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, forces_, frictionless_at(t));
    double rate = base_power(t, q, qd, qdd);
    for (std::size_t i = 0; i < qd.size(); ++i) rate += forces_[i] * qd[i];
    return rate;
  }

  void impulse_response(double, ConstVector q, std::size_t joint,
                        MutableVector velocity_change) override {
    std::fill(unit_.begin(), unit_.end(), 0.0);
    unit_[joint] = 1.0;
    solve_inertia(model_, workspace_, q, unit_, velocity_change);
  }

  void impulse_responses(double, ConstVector q, std::span<const std::size_t> joints,
                         Eigen::Ref<Eigen::MatrixXd> velocity_changes) override {
    decompose_inertia(model_, factor_, q);
    velocity_changes.setZero();
    for (std::size_t k = 0; k < joints.size(); ++k)
      velocity_changes(static_cast<Eigen::Index>(joints[k]), static_cast<Eigen::Index>(k)) = 1.0;
    solve_inertia(model_, factor_, velocity_changes, velocity_changes);
  }

  void hybrid_dynamics(double t, ConstVector q, ConstVector qd, ConstVector joint_qdd,
                       ConstVector forces, MutableVector qdd, MutableVector tau) override {
    inverse_dynamics(model_, workspace_, q, qd, joint_qdd, tau, dry_ ? frictionless_at(t) : at(t));
    if (dry_) resistance_.add_damping(qd, tau);
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] -= forces[i];
    if (qdd.data() != joint_qdd.data()) std::copy(joint_qdd.begin(), joint_qdd.end(), qdd.begin());
  }

  void inertia_matrix(double, ConstVector q, Eigen::Ref<Eigen::MatrixXd> M) override {
    dynamics::inertia_matrix(model_, workspace_, q, M);
  }

  void bias_forces(double t, ConstVector q, ConstVector qd, MutableVector bias) override {
    std::fill(unit_.begin(), unit_.end(), 0.0);
    hybrid_dynamics(t, q, qd, unit_, unit_, unit_, bias);
  }

  void linear_forces(Eigen::Ref<Eigen::MatrixXd> D, Eigen::Ref<Eigen::MatrixXd> K) const override {
    D.setZero();
    K.setZero();
    if (options_.friction) resistance_.add_damping(D);
  }

  double dry_friction(std::size_t joint) const override {
    return dry_ ? resistance_.friction[joint] : 0.0;
  }

  std::unique_ptr<Plant> with_payload(const std::optional<Payload>& payload) const override {
    return rigid_plant(payload ? model_.with_payload(*payload) : model_.without_payload(),
                       options_);
  }

  std::optional<BaseMotion> base_motion(double t) const override {
    if (!options_.base) return std::nullopt;
    return options_.base->at(t);
  }

  PlantEnergy energy(double t, ConstVector q, ConstVector qd) override {
    const Energy energies = dynamics::energy(model_, workspace_, q, qd, at(t).base);
    return {energies.kinetic, energies.potential, 0.0};
  }

  Pose frame_pose(double t, ConstVector q, std::size_t frame) override {
    return dynamics::frame_pose(model_, workspace_, q, frame, at(t).base);
  }

  Eigen::Vector3d center_of_mass(double t, ConstVector q, ConstVector qd) override {
    return momentum(model_, workspace_, q, qd, at(t).base).center;
  }

  void add_wrenches(double t, ConstVector q, std::span<const LinkWrench> wrenches,
                    MutableVector forces) override {
    wrenches_to_joint_torques(model_, workspace_, q, wrenches, unit_, at(t).base);
    for (std::size_t i = 0; i < unit_.size(); ++i) forces[i] += unit_[i];
  }

 private:
  const ExternalInputs& at(double t) {
    if (options_.base) conditions_.base = options_.base->at(t);
    return conditions_;
  }

  const ExternalInputs& frictionless_at(double t) {
    if (options_.base) frictionless_.base = options_.base->at(t);
    return frictionless_;
  }

  double base_power(double t, ConstVector q, ConstVector qd, ConstVector qdd) {
    return options_.base ? base_power_(model_, workspace_, q, qd, qdd, at(t)) : 0.0;
  }

  RigidPlantOptions options_;
  Model model_;
  Workspace workspace_;
  ExternalInputs conditions_, frictionless_;
  std::vector<double> forces_, unit_;
  JointResistance resistance_;
  InertiaFactor factor_;
  bool dry_;
  BasePower base_power_;
  bool dissipates_;
};

}  // namespace

std::unique_ptr<Plant> rigid_plant(const Model& model, const RigidPlantOptions& options) {
  return std::make_unique<RigidPlant>(model, options);
}

}  // namespace dynamics
