// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "model/tree.hpp"
#include "simulation/joint_resistance.hpp"

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
        wrenches_(model.body_count()),
        dissipates_(options.friction &&
                    std::any_of(model.tree().begin(), model.tree().end(), [](const TreeBody& b) {
                      return b.damping > 0 || b.friction > 0;
                    })) {
    conditions_.friction = options.friction;
  }

  const Model& model() const override { return model_; }
  std::size_t size() const override { return model_.size(); }

  void accelerations(const double& t, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    if (!dry_) {
      forward_dynamics(model_, workspace_, q, qd, tau, qdd, at(t));
      return;
    }
    ExternalInputs frictionless = at(t);
    frictionless.friction = false;
    const ConstVector driving = resistance_.without_damping(qd, tau, forces_);
    forward_dynamics(model_, workspace_, q, qd, driving, qdd, frictionless);
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
    ExternalInputs frictionless = at(t);
    frictionless.friction = false;
    inverse_dynamics(model_, workspace_, q, qd, qdd, forces_, frictionless);
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

  double dry_friction(std::size_t joint) const override {
    return dry_ ? resistance_.friction[joint] : 0.0;
  }

  std::unique_ptr<Plant> without_payload() const override {
    if (!model_.payload()) return nullptr;
    return rigid_plant(model_.without_payload(), options_);
  }

  void record(double t, ConstVector q, ConstVector qd, Recording& run) override {
    const auto& base = at(t).base;
    const Energy energies = energy(model_, workspace_, q, qd, base);
    run.kinetic.push_back(energies.kinetic);
    run.potential.push_back(energies.potential);
    run.strain.push_back(0.0);
    const Pose tip = frame_pose(model_, workspace_, q, model_.end_effector(), base);
    const Eigen::Quaterniond orientation(tip.rotation);
    const Eigen::Vector3d center_of_mass = momentum(model_, workspace_, q, qd, base).center;
    for (std::size_t k = 0; k < 3; ++k) {
      run.end_effector[k].push_back(tip.translation[static_cast<Eigen::Index>(k)]);
      run.center_of_mass[k].push_back(center_of_mass[static_cast<Eigen::Index>(k)]);
    }
    for (std::size_t k = 0; k < 4; ++k)
      run.end_effector_orientation[k].push_back(orientation.coeffs()[static_cast<Eigen::Index>(k)]);
  }

 private:
  const ExternalInputs& at(double t) {
    if (options_.base) conditions_.base = options_.base->at(t);
    return conditions_;
  }

  /// Power of the moving base: its wrench on the root bodies times its velocity.
  double base_power(double t, ConstVector q, ConstVector qd, ConstVector qdd) {
    if (!options_.base) return 0.0;
    inverse_dynamics(model_, workspace_, q, qd, qdd, forces_, wrenches_, at(t));
    const BaseMotion& base = *conditions_.base;
    double sum = 0.0;
    for (std::size_t i = 0; i < wrenches_.size(); ++i) {
      const TreeBody& joint = model_.tree()[i];
      if (joint.parent >= 0) continue;
      const Body& body = model_.bodies()[i];
      // pose of the body in the base frame (see TreeBody)
      const double position = body.multiplier * q[body.coordinate] + body.offset;
      Eigen::Matrix3d rz_beta, rx_alpha;
      rz_beta << joint.cos_beta, -joint.sin_beta, 0, joint.sin_beta, joint.cos_beta, 0, 0, 0, 1;
      rx_alpha << 1, 0, 0, 0, joint.cos_alpha, -joint.sin_alpha, 0, joint.sin_alpha,
          joint.cos_alpha;
      const double angle = joint.offset + (joint.prismatic ? 0.0 : position);
      const Eigen::Matrix3d axes =
          rz_beta * rx_alpha *
          Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
      Eigen::Vector3d origin(joint.position[0], joint.position[1], joint.position[2]);
      if (joint.prismatic) origin += axes.col(2) * position;
      // to world axes; wrenches are in the axes of the link's frame if the body has one
      const Eigen::Matrix3d from_body = base.pose.rotation * axes;
      const Eigen::Matrix3d from_wrench =
          body.link.empty() ? from_body : Eigen::Matrix3d(from_body * body.axes.transpose());
      const Eigen::Vector3d arm = base.pose.rotation * origin;
      const Eigen::Vector3d velocity = base.velocity.linear + base.velocity.angular.cross(arm);
      sum += (from_wrench * wrenches_[i].force).dot(velocity) +
             (from_wrench * wrenches_[i].moment).dot(base.velocity.angular);
    }
    return sum;
  }

  RigidPlantOptions options_;
  Model model_;
  Workspace workspace_;
  ExternalInputs conditions_;
  std::vector<double> forces_, unit_;
  JointResistance resistance_;
  InertiaFactor factor_;
  bool dry_;
  std::vector<Wrench> wrenches_;
  bool dissipates_;
};

}  // namespace

void Plant::impulse_response(double t, ConstVector q, std::size_t joint,
                             MutableVector velocity_change) {
  const std::vector<double> zero(size(), 0.0);
  std::vector<double> tau(joints(), 0.0), reference(size());
  accelerations(t, q, zero, tau, reference);
  // scaled to the accelerations present, which limits the cancellation
  double scale = 1.0;
  for (const double a : reference) scale = std::max(scale, std::abs(a));
  tau[joint] = scale;
  accelerations(t, q, zero, tau, velocity_change);
  for (std::size_t i = 0; i < velocity_change.size(); ++i)
    velocity_change[i] = (velocity_change[i] - reference[i]) / scale;
}

void Plant::impulse_responses(double t, ConstVector q, std::span<const std::size_t> joints,
                              Eigen::Ref<Eigen::MatrixXd> velocity_changes) {
  for (std::size_t k = 0; k < joints.size(); ++k)
    impulse_response(t, q, joints[k], velocity_changes.col(static_cast<Eigen::Index>(k)));
}

std::unique_ptr<Plant> rigid_plant(const Model& model, const RigidPlantOptions& options) {
  return std::make_unique<RigidPlant>(model, options);
}

}  // namespace dynamics
