// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics_core/rigid/energy.hpp"
#include "dynamics_core/rigid/forward_dynamics.hpp"
#include "dynamics_core/rigid/inverse_dynamics.hpp"
#include "dynamics_core/rigid/kinematics.hpp"
#include "dynamics_core/rigid/udut.hpp"
#include "dynamics_core/simulation/plant.hpp"

namespace dynamics {
namespace {

class RigidPlant final : public Plant {
 public:
  RigidPlant(const Model& model, const RigidPlantOptions& options)
      : model_(model),
        workspace_(model),
        forces_(model.size()),
        unit_(model.size()),
        dissipates_(options.friction &&
                    std::any_of(model.tree().begin(), model.tree().end(), [](const TreeBody& b) {
                      return b.damping > 0 || b.friction > 0;
                    })) {
    conditions_.friction = options.friction;
  }

  const Model& model() const override { return model_; }
  std::size_t size() const override { return model_.size(); }

  void accelerations(const double&, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    forward_dynamics(model_, workspace_, q, qd, tau, qdd, conditions_);
  }

  void motion_forces(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                     MutableVector tau) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, tau, conditions_);
  }

  void control_forces(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                      MutableVector tau) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, tau, conditions_);
  }

  bool exchanges_energy() const override { return dissipates_; }

  double power(const double&, ConstVector, ConstVector qd, ConstVector, ConstVector tau) override {
    const Power flow = dynamics::power(model_, workspace_, qd, tau);
    return flow.actuators - (conditions_.friction ? flow.friction : 0.0);
  }

  // qd (M qdd + C qd + g), for I' - 2C is skew (Saha 1999, section 4)
  double energy_rate(double, ConstVector q, ConstVector qd, ConstVector qdd) override {
    Conditions frictionless = conditions_;
    frictionless.friction = false;
    inverse_dynamics(model_, workspace_, q, qd, qdd, forces_, frictionless);
    double rate = 0.0;
    for (std::size_t i = 0; i < qd.size(); ++i) rate += forces_[i] * qd[i];
    return rate;
  }

  void impulse_response(double, ConstVector q, std::size_t joint, MutableVector jump) override {
    std::fill(unit_.begin(), unit_.end(), 0.0);
    unit_[joint] = 1.0;
    solve_inertia(model_, workspace_, q, unit_, jump);
  }

  void record(double, ConstVector q, ConstVector qd, Recording& run) override {
    const Energy now = energy(model_, workspace_, q, qd);
    run.kinetic.push_back(now.kinetic);
    run.potential.push_back(now.potential);
    run.strain.push_back(0.0);
    const Pose tip = frame_pose(model_, workspace_, q, model_.end_effector());
    const Eigen::Quaterniond turn(tip.rotation);
    const Eigen::Vector3d centre = momentum(model_, workspace_, q, qd).centre;
    for (std::size_t k = 0; k < 3; ++k) {
      run.end_effector[k].push_back(tip.translation[static_cast<Eigen::Index>(k)]);
      run.centre[k].push_back(centre[static_cast<Eigen::Index>(k)]);
    }
    for (std::size_t k = 0; k < 4; ++k)
      run.end_effector_turn[k].push_back(turn.coeffs()[static_cast<Eigen::Index>(k)]);
  }

 private:
  Model model_;
  Workspace workspace_;
  Conditions conditions_;
  std::vector<double> forces_, unit_;
  bool dissipates_;
};

}  // namespace

void Plant::impulse_response(double t, ConstVector q, std::size_t joint, MutableVector jump) {
  const std::vector<double> still(size(), 0.0);
  std::vector<double> tau(joints(), 0.0), without(size());
  accelerations(t, q, still, tau, without);
  // as large as what is there, so that little is lost in the difference
  double scale = 1.0;
  for (const double a : without) scale = std::max(scale, std::abs(a));
  tau[joint] = scale;
  accelerations(t, q, still, tau, jump);
  for (std::size_t i = 0; i < jump.size(); ++i) jump[i] = (jump[i] - without[i]) / scale;
}

std::unique_ptr<Plant> rigid_plant(const Model& model, const RigidPlantOptions& options) {
  return std::make_unique<RigidPlant>(model, options);
}

}  // namespace dynamics
