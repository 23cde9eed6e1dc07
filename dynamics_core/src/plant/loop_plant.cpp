// SPDX-License-Identifier: Apache-2.0
// The plant of a mechanism with closed loops. Integrators do not know the loops: states drift off
// by the integration error. So every function projects the state first, and the simulation replaces
// the integrator's state where it has drifted by more than the tolerance (simulation/run.hpp).

#include <algorithm>
#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "loops/closed_branch.hpp"
#include "model/tree.hpp"
#include "plant/base_power.hpp"
#include "plant/joint_resistance.hpp"

namespace dynamics {
namespace {

class LoopPlant final : public Plant {
 public:
  LoopPlant(const Mechanism& mechanism, const LoopPlantOptions& options)
      : mechanism_(mechanism),
        options_(options),
        workspace_(mechanism),
        branch_(mechanism),
        q_(mechanism.tree().size()),
        qd_(q_.size()),
        qdd_(q_.size()),
        forces_(q_.size()),
        reduced_(mechanism.size()),
        torques_(mechanism.actuated().size()),
        actuated_(q_.size(), false),
        resistance_(mechanism.tree()),
        base_power_(mechanism.tree()),
        dry_(options.friction && options.dry_friction) {
    external_.friction = options.friction;
    frictionless_.friction = false;
    for (const std::size_t joint : mechanism.actuated()) actuated_[joint] = true;
    const auto& tree = mechanism.tree().tree();
    dissipates_ = options.friction && std::any_of(tree.begin(), tree.end(), [](const TreeBody& b) {
                    return b.damping > 0.0 || b.friction > 0.0;
                  });
  }

  const Model& model() const override { return mechanism_.tree(); }
  std::size_t size() const override { return q_.size(); }
  const Mechanism* mechanism() const override { return &mechanism_; }
  bool actuated(std::size_t joint) const override { return actuated_[joint]; }

  double project(MutableVector q, MutableVector qd) override {
    closed_state(q, qd);
    double distance = 0.0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double unit = model().coordinates()[i].prismatic ? mechanism_.length() : 1.0;
      distance = std::max(distance, std::abs(q_[i] - q[i]) / unit);
      distance = std::max(distance, std::abs(qd_[i] - qd[i]) / unit);
    }
    std::copy(q_.begin(), q_.end(), q.begin());
    std::copy(qd_.begin(), qd_.end(), qd.begin());
    return distance;
  }

  void accelerations(const double& t, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    closed_state(q, qd);
    if (!branch_.interpolated()) {
      accelerations_at(t, q_, qd_, tau, qdd);
      return;
    }
    std::fill(qdd.begin(), qdd.end(), 0.0);
    for (std::size_t k = 0; k < ClosedBranch::nodes; ++k) {
      accelerations_at(t, branch_.q(k), branch_.qd(k), tau, qdd_);
      for (std::size_t i = 0; i < qdd_.size(); ++i) qdd[i] += ClosedBranch::weights[k] * qdd_[i];
    }
  }

  void feedforward_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    closed_motion(q, qd, qdd);
    torques_of_motion(t, tau);
  }

  void computed_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    feedforward_torques(t, q, qd, qdd, tau);
  }

  bool exchanges_energy() const override { return dissipates_ || options_.base; }

  double power(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
               ConstVector tau) override {
    closed_state(q, qd);
    const Power power = dynamics::power(model(), tree_workspace(workspace_), qd_, tau);
    const double dissipated = dry_                ? resistance_.damping_power(qd_)
                              : options_.friction ? power.friction
                                                  : 0.0;
    return power.actuators - dissipated + base_power(t, qdd);
  }

  double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) override {
    closed_state(q, qd);
    inverse_dynamics(model(), tree_workspace(workspace_), q_, qd_, qdd, forces_,
                     frictionless_at(t));
    double rate = base_power(t, qdd);
    for (std::size_t i = 0; i < qd_.size(); ++i) rate += forces_[i] * qd_[i];
    return rate;
  }

  PlantEnergy energy(double t, ConstVector q, ConstVector qd) override {
    closed_state(q, qd);
    const Energy energies =
        dynamics::energy(model(), tree_workspace(workspace_), q_, qd_, at(t).base);
    return {energies.kinetic, energies.potential, 0.0};
  }

  std::optional<BaseMotion> base_motion(double t) const override {
    if (!options_.base) return std::nullopt;
    return options_.base->at(t);
  }

  Pose frame_pose(double t, ConstVector q, std::size_t frame) override {
    return dynamics::frame_pose(model(), tree_workspace(workspace_), q, frame, at(t).base);
  }

  Eigen::Vector3d center_of_mass(double t, ConstVector q, ConstVector qd) override {
    return momentum(model(), tree_workspace(workspace_), q, qd, at(t).base).center;
  }

  void add_wrenches(double t, ConstVector q, std::span<const LinkWrench> wrenches,
                    MutableVector forces) override {
    wrenches_to_joint_torques(model(), tree_workspace(workspace_), q, wrenches, forces_,
                              at(t).base);
    for (std::size_t i = 0; i < forces_.size(); ++i) forces[i] += forces_[i];
  }

  /// N (N^T M N)^-1 N^T e_joint.
  void impulse_response(double, ConstVector q, std::size_t joint,
                        MutableVector velocity_change) override {
    closed_position(q);
    std::fill(forces_.begin(), forces_.end(), 0.0);
    forces_[joint] = 1.0;
    const auto n = static_cast<Eigen::Index>(forces_.size());
    Eigen::Map<Eigen::MatrixXd> column(forces_.data(), n, 1);
    solve_inertia(mechanism_, workspace_, q_, column, column);
    std::copy(forces_.begin(), forces_.end(), velocity_change.begin());
  }

  void impulse_responses(double, ConstVector q, std::span<const std::size_t> joints,
                         Eigen::Ref<Eigen::MatrixXd> velocity_changes) override {
    closed_position(q);
    velocity_changes.setZero();
    for (std::size_t k = 0; k < joints.size(); ++k)
      velocity_changes(static_cast<Eigen::Index>(joints[k]), static_cast<Eigen::Index>(k)) = 1.0;
    solve_inertia(mechanism_, workspace_, q_, velocity_changes, velocity_changes);
  }

  /// The bias forces of the tree.
  void bias_forces(double t, ConstVector q, ConstVector qd, MutableVector bias) override {
    closed_state(q, qd);
    const ExternalInputs& external = dry_ ? frictionless_at(t) : at(t);
    dynamics::bias_forces(model(), tree_workspace(workspace_), q_, qd_, bias, external);
    if (dry_) resistance_.add_damping(qd_, bias);
  }

  double dry_friction(std::size_t joint) const override {
    return dry_ ? resistance_.friction[joint] : 0.0;
  }

  /// The inertia matrix of the tree.
  void inertia_matrix(double, ConstVector q, Eigen::Ref<Eigen::MatrixXd> M) override {
    dynamics::inertia_matrix(model(), tree_workspace(workspace_), q, M);
  }

  std::unique_ptr<Plant> with_payload(const std::optional<Payload>& payload) const override {
    return loop_plant(payload ? mechanism_.with_payload(*payload) : mechanism_.without_payload(),
                      options_);
  }

 private:
  /// q_ and qd_: the nearest state that closes the loops.
  void closed_state(ConstVector q, ConstVector qd) {
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(qd.begin(), qd.end(), qd_.begin());
    branch_.project(workspace_, q_, qd_);
  }

  /// In a state that closes the loops.
  void accelerations_at(double t, ConstVector q, ConstVector qd, ConstVector tau,
                        MutableVector qdd) {
    if (!dry_) {
      forward_dynamics(mechanism_, workspace_, q, qd, tau, qdd, at(t));
      return;
    }
    const ConstVector driving = resistance_.without_damping(qd, tau, forces_);
    forward_dynamics(mechanism_, workspace_, q, qd, driving, qdd, frictionless_at(t));
  }

  void closed_position(ConstVector q) {
    std::copy(q.begin(), q.end(), q_.begin());
    project_on_loops(mechanism_, workspace_, q_);
  }

  const ExternalInputs& at(double t) {
    if (options_.base) external_.base = options_.base->at(t);
    return external_;
  }

  const ExternalInputs& frictionless_at(double t) {
    if (options_.base) frictionless_.base = options_.base->at(t);
    return frictionless_;
  }

  /// In the state q_, qd_.
  double base_power(double t, ConstVector qdd) {
    if (!options_.base) return 0.0;
    return base_power_(model(), tree_workspace(workspace_), q_, qd_, qdd, at(t));
  }

  /// q_, qd_ and qdd_ with the given motion of the independent joints.
  void closed_motion(ConstVector q, ConstVector qd, ConstVector qdd) {
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(qd.begin(), qd.end(), qd_.begin());
    std::copy(qdd.begin(), qdd.end(), qdd_.begin());
    close_loops(mechanism_, workspace_, q_);
    close_velocities(mechanism_, workspace_, q_, qd_);
    close_accelerations(mechanism_, workspace_, q_, qd_, qdd_);
  }

  void torques_of_motion(double t, MutableVector tau) {
    inverse_dynamics(mechanism_, workspace_, q_, qd_, qdd_, reduced_, at(t));
    actuator_torques(mechanism_, workspace_, q_, reduced_, torques_);
    std::fill(tau.begin(), tau.end(), 0.0);
    for (std::size_t i = 0; i < torques_.size(); ++i) tau[mechanism_.actuated()[i]] = torques_[i];
  }

  Mechanism mechanism_;
  LoopPlantOptions options_;
  MechanismWorkspace workspace_;
  ClosedBranch branch_;
  ExternalInputs external_, frictionless_;
  std::vector<double> q_, qd_, qdd_, forces_, reduced_, torques_;
  std::vector<bool> actuated_;
  JointResistance resistance_;
  BasePower base_power_;
  bool dry_;
  bool dissipates_ = false;
};

}  // namespace

std::unique_ptr<Plant> loop_plant(const Mechanism& mechanism, const LoopPlantOptions& options) {
  return std::make_unique<LoopPlant>(mechanism, options);
}

}  // namespace dynamics
