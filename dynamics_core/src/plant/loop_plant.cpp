// SPDX-License-Identifier: Apache-2.0
// The plant of a mechanism with closed loops. Integrators do not know the loops: states drift off
// by the integration error. So every function projects the state first, and the simulation replaces
// the integrator's state where it has drifted by more than the tolerance (simulation/run.hpp).

#include <algorithm>
#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "model/tree.hpp"

namespace dynamics {
namespace {

class LoopPlant final : public Plant {
 public:
  LoopPlant(const Mechanism& mechanism, const LoopPlantOptions& options)
      : mechanism_(mechanism),
        options_(options),
        workspace_(mechanism),
        q_(mechanism.tree().size()),
        qd_(q_.size()),
        qdd_(q_.size()),
        forces_(q_.size()),
        reduced_(mechanism.size()),
        torques_(mechanism.actuated().size()),
        actuated_(q_.size(), false) {
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

  void accelerations(const double&, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    closed_state(q, qd);
    forward_dynamics(mechanism_, workspace_, q_, qd_, tau, qdd, external_);
  }

  void feedforward_torques(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    closed_motion(q, qd, qdd);
    torques_of_motion(tau);
  }

  void computed_torques(const double& t, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    feedforward_torques(t, q, qd, qdd, tau);
  }

  bool exchanges_energy() const override { return dissipates_; }

  double power(const double&, ConstVector q, ConstVector qd, ConstVector,
               ConstVector tau) override {
    closed_state(q, qd);
    const Power power = dynamics::power(model(), tree_workspace(workspace_), qd_, tau);
    return power.actuators - (options_.friction ? power.friction : 0.0);
  }

  double energy_rate(double, ConstVector q, ConstVector qd, ConstVector qdd) override {
    closed_state(q, qd);
    inverse_dynamics(model(), tree_workspace(workspace_), q_, qd_, qdd, forces_, frictionless_);
    double rate = 0.0;
    for (std::size_t i = 0; i < qd_.size(); ++i) rate += forces_[i] * qd_[i];
    return rate;
  }

  PlantEnergy energy(double, ConstVector q, ConstVector qd) override {
    closed_state(q, qd);
    const Energy energies = dynamics::energy(mechanism_, workspace_, q_, qd_);
    return {energies.kinetic, energies.potential, 0.0};
  }

  Pose frame_pose(double, ConstVector q, std::size_t frame) override {
    return dynamics::frame_pose(model(), tree_workspace(workspace_), q, frame);
  }

  Eigen::Vector3d center_of_mass(double, ConstVector q, ConstVector qd) override {
    return momentum(model(), tree_workspace(workspace_), q, qd).center;
  }

  void add_wrenches(double, ConstVector q, std::span<const LinkWrench> wrenches,
                    MutableVector forces) override {
    wrenches_to_joint_torques(model(), tree_workspace(workspace_), q, wrenches, forces_);
    for (std::size_t i = 0; i < forces_.size(); ++i) forces[i] += forces_[i];
  }

  /// The bias forces of the tree.
  void bias_forces(double, ConstVector q, ConstVector qd, MutableVector bias) override {
    closed_state(q, qd);
    dynamics::bias_forces(model(), tree_workspace(workspace_), q_, qd_, bias, external_);
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
    project_on_loops(mechanism_, workspace_, q_, qd_);
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

  void torques_of_motion(MutableVector tau) {
    inverse_dynamics(mechanism_, workspace_, q_, qd_, qdd_, reduced_, external_);
    actuator_torques(mechanism_, workspace_, q_, reduced_, torques_);
    std::fill(tau.begin(), tau.end(), 0.0);
    for (std::size_t i = 0; i < torques_.size(); ++i) tau[mechanism_.actuated()[i]] = torques_[i];
  }

  Mechanism mechanism_;
  LoopPlantOptions options_;
  MechanismWorkspace workspace_;
  ExternalInputs external_, frictionless_;
  std::vector<double> q_, qd_, qdd_, forces_, reduced_, torques_;
  std::vector<bool> actuated_;
  bool dissipates_ = false;
};

}  // namespace

std::unique_ptr<Plant> loop_plant(const Mechanism& mechanism, const LoopPlantOptions& options) {
  return std::make_unique<LoopPlant>(mechanism, options);
}

}  // namespace dynamics
