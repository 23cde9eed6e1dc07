// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/flexible/flexible_plant.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics_core/flexible/flexible_dynamics.hpp"
#include "dynamics_core/rigid/inverse_dynamics.hpp"

namespace dynamics {
namespace {

constexpr std::size_t places = 9;  // along a beam, for drawing it

class FlexiblePlant final : public Plant {
 public:
  FlexiblePlant(const FlexibleModel& model, const FlexiblePlantOptions& options)
      : model_(model),
        options_(options),
        workspace_(model),
        rigid_workspace_(model.rigid()),
        forces_(model.size()),
        amplitudes_(model.amplitude_count()) {
    conditions_.friction = options.friction;
    for (const flexible::ElasticBody& body : model.tree()) {
      const bool rubs = body.damping > 0.0 || body.friction > 0.0;
      exchanges_ = exchanges_ || (options.friction && rubs) || !body.beam.damping.empty();
    }
  }

  const Model& model() const override { return model_.rigid(); }
  std::size_t size() const override { return model_.size(); }

  void accelerations(const double&, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    if (options_.cholesky) {
      forward_dynamics_cholesky(model_, workspace_, q, qd, tau, qdd, options_.friction);
    } else {
      forward_dynamics(model_, workspace_, q, qd, tau, qdd, options_.friction);
    }
  }

  void motion_forces(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                     MutableVector tau) override {
    inverse_dynamics(model_.rigid(), rigid_workspace_, q, qd, qdd, tau, conditions_);
  }

  void control_forces(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                      MutableVector tau) override {
    joint_torques(model_, workspace_, q, qd, qdd, tau, amplitudes_, options_.friction);
  }

  bool exchanges_energy() const override { return exchanges_; }

  double power(const double&, ConstVector, ConstVector qd, ConstVector, ConstVector tau) override {
    const FlexiblePower flow = dynamics::power(model_, workspace_, qd, tau);
    return flow.actuators - flow.damping - (options_.friction ? flow.friction : 0.0);
  }

  // qd (M qdd + bias), damping taken off: the rate of the energy, by another way than the forces
  double energy_rate(double, ConstVector q, ConstVector qd, ConstVector qdd) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, forces_, false);
    double rate = 0.0;
    for (std::size_t i = 0; i < qd.size(); ++i) rate += forces_[i] * qd[i];
    std::fill(forces_.begin(), forces_.end(), 0.0);
    const ConstVector still(forces_.data(), model_.joint_count());
    return rate - dynamics::power(model_, workspace_, qd, still).damping;
  }

  std::unique_ptr<Plant> without_payload() const override {
    if (!model_.rigid().payload()) return nullptr;
    const FlexibleModel bare(model_.rigid().without_payload(), model_.options());
    return std::make_unique<FlexiblePlant>(bare, options_);
  }

  void describe(Recording& run) const override {
    for (const std::string& name : model_.amplitude_names()) {
      run.amplitude_names.push_back(name.substr(2));  // the file adds e_ itself
    }
    run.amplitudes.resize(model_.amplitude_count());
    run.amplitude_rates.resize(model_.amplitude_count());
    for (const FlexibleLink& link : model_.links()) {
      run.tip_names.push_back(link.name + "_y");
      run.tip_names.push_back(link.name + "_z");
      Deflection bent{link.name, {}, {}, {}};
      for (std::size_t k = 0; k < places; ++k) {
        bent.x.push_back(static_cast<double>(k) / static_cast<double>(places - 1));
      }
      if (link.modes_y > 0) bent.y.resize(places);
      if (link.modes_z > 0) bent.z.resize(places);
      run.deflections.push_back(std::move(bent));
    }
    run.tips.resize(run.tip_names.size());
  }

  void record(double, ConstVector q, ConstVector qd, Recording& run) override {
    const FlexibleEnergy now = energy(model_, workspace_, q, qd);
    run.kinetic.push_back(now.kinetic);
    run.potential.push_back(now.potential);
    run.strain.push_back(now.strain);
    const Pose tip = frame_pose(model_, workspace_, q, model_.rigid().end_effector());
    const Eigen::Quaterniond turn(tip.rotation);
    const Eigen::Vector3d centre = mass_centre(model_, workspace_, q);
    for (std::size_t k = 0; k < 3; ++k) {
      run.end_effector[k].push_back(tip.translation[static_cast<Eigen::Index>(k)]);
      run.centre[k].push_back(centre[static_cast<Eigen::Index>(k)]);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      run.end_effector_turn[k].push_back(turn.coeffs()[static_cast<Eigen::Index>(k)]);
    }
    const std::size_t joints = model_.joint_count();
    for (std::size_t i = 0; i < model_.amplitude_count(); ++i) {
      run.amplitudes[i].push_back(q[joints + i]);
      run.amplitude_rates[i].push_back(qd[joints + i]);
    }
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      const double length = model_.links()[i].length;
      const Eigen::Vector3d end = deflection(model_, q, i, length);
      run.tips[2 * i].push_back(end.y());
      run.tips[2 * i + 1].push_back(end.z());
      Deflection& bent = run.deflections[i];
      for (std::size_t k = 0; k < places; ++k) {
        const Eigen::Vector3d u = deflection(model_, q, i, bent.x[k] * length);
        if (!bent.y.empty()) bent.y[k].push_back(u.y());
        if (!bent.z.empty()) bent.z[k].push_back(u.z());
      }
    }
  }

 private:
  FlexibleModel model_;
  FlexiblePlantOptions options_;
  FlexibleWorkspace workspace_;
  Workspace rigid_workspace_;
  Conditions conditions_;
  std::vector<double> forces_, amplitudes_;
  bool exchanges_ = false;
};

}  // namespace

std::unique_ptr<Plant> flexible_plant(const FlexibleModel& model,
                                      const FlexiblePlantOptions& options) {
  return std::make_unique<FlexiblePlant>(model, options);
}

}  // namespace dynamics
