// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics_core/flexible_dynamics.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "dynamics_core/plant.hpp"
#include "flexible/tree.hpp"
#include "simulation/joint_resistance.hpp"

namespace dynamics {
namespace {

/// Stations along a beam at which the recording tabulates its shapes: every joint on it, and so
/// many that quintic interpolation of value, slope and curvature is accurate to 1e-7 of the
/// amplitude.
std::vector<double> beam_stations(const FlexibleModel& model, const FlexibleLink& link) {
  const std::size_t segments = 8 * std::max(link.modes_y, link.modes_z);
  std::vector<double> x;
  for (std::size_t k = 0; k <= segments; ++k)
    x.push_back(link.length * static_cast<double>(k) / static_cast<double>(segments));
  for (const JointDescription& joint : model.rigid().description().joints) {
    const double at = joint.origin.translation.x();
    if (joint.parent != link.name || at < 0.0 || at > link.length) continue;
    // interpolation between nearly coincident stations is ill-conditioned
    const bool present = std::any_of(x.begin(), x.end(), [&](double station) {
      return std::abs(station - at) < 1e-6 * link.length;
    });
    if (!present) x.push_back(at);
  }
  std::sort(x.begin(), x.end());
  return x;
}

BeamShapes beam_shapes(const FlexibleModel& model, std::size_t index) {
  const FlexibleLink& link = model.links()[index];
  const std::size_t m = link.modes();
  BeamShapes shapes{link.name,    link.first - model.joint_count(),
                    link.modes_y, beam_stations(model, link),
                    {},           {}};
  shapes.modes.resize(m);
  for (std::size_t j = 0; j < m; ++j) {
    const auto mode = static_cast<int>(j < link.modes_y ? j : j - link.modes_y);
    for (const double x : shapes.x) {
      const BeamShape shape = model.basis(index).at(mode, x, link.length);
      shapes.modes[j].value.push_back(shape.value);
      shapes.modes[j].slope.push_back(shape.slope);
      shapes.modes[j].curvature.push_back(shape.curvature);
    }
  }
  if (!model.tree()[link.body].beam.stiffening) return shapes;
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t k = j; k < (j < link.modes_y ? link.modes_y : m); ++k)
      shapes.shortening.push_back({j, k, {}});
  }
  for (const double x : shapes.x) {
    const BeamSection at = cross_section(model, index, x);
    for (BeamShapes::Shortening& pair : shapes.shortening)
      pair.value.push_back(at.deflects ? at.shortening[pair.j * m + pair.k] : 0.0);
  }
  return shapes;
}

class FlexiblePlant final : public Plant {
 public:
  FlexiblePlant(const FlexibleModel& model, const FlexiblePlantOptions& options)
      : model_(model),
        options_(options),
        workspace_(model),
        rigid_workspace_(model.rigid()),
        forces_(model.size()),
        resistance_(model.rigid()),
        torques_(model.joint_count()),
        dry_(options.friction && options.dry_friction),
        amplitude_qdd_(model.amplitude_count()) {
    conditions_.friction = options.friction;
    for (const flexible::ElasticBody& body : model.tree()) {
      const bool has_friction = body.damping > 0.0 || body.friction > 0.0;
      exchanges_energy_ =
          exchanges_energy_ || (options.friction && has_friction) || !body.beam.damping.empty();
    }
  }

  const Model& model() const override { return model_.rigid(); }
  std::size_t size() const override { return model_.size(); }

  void accelerations(const double&, ConstVector q, ConstVector qd, ConstVector tau,
                     MutableVector qdd) override {
    if (dry_) tau = resistance_.without_damping(qd, tau, torques_);
    const bool smooth_friction = options_.friction && !dry_;
    if (options_.cholesky) {
      forward_dynamics_cholesky(model_, workspace_, q, qd, tau, qdd, smooth_friction);
    } else {
      forward_dynamics(model_, workspace_, q, qd, tau, qdd, smooth_friction);
    }
  }

  void feedforward_torques(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                           MutableVector tau) override {
    inverse_dynamics(model_.rigid(), rigid_workspace_, q, qd, qdd, tau, conditions_);
  }

  void computed_torques(const double&, ConstVector q, ConstVector qd, ConstVector qdd,
                        MutableVector tau) override {
    joint_torques(model_, workspace_, q, qd, qdd, tau, amplitude_qdd_, options_.friction);
  }

  bool exchanges_energy() const override { return exchanges_energy_; }

  double power(const double&, ConstVector, ConstVector qd, ConstVector, ConstVector tau) override {
    const FlexiblePower power = dynamics::power(model_, workspace_, qd, tau);
    const double dissipated = dry_                ? resistance_.damping_power(qd)
                              : options_.friction ? power.friction
                                                  : 0.0;
    return power.actuators - power.damping - dissipated;
  }

  // qd^T (M qdd + bias) minus the power of damping
  double energy_rate(double, ConstVector q, ConstVector qd, ConstVector qdd) override {
    inverse_dynamics(model_, workspace_, q, qd, qdd, forces_, false);
    double rate = 0.0;
    for (std::size_t i = 0; i < qd.size(); ++i) rate += forces_[i] * qd[i];
    std::fill(forces_.begin(), forces_.end(), 0.0);
    const ConstVector zero_torques(forces_.data(), model_.joint_count());
    return rate - dynamics::power(model_, workspace_, qd, zero_torques).damping;
  }

  double dry_friction(std::size_t joint) const override {
    return dry_ ? resistance_.friction[joint] : 0.0;
  }

  std::unique_ptr<Plant> without_payload() const override {
    if (!model_.rigid().payload()) return nullptr;
    const FlexibleModel without_load(model_.rigid().without_payload(), model_.options());
    return std::make_unique<FlexiblePlant>(without_load, options_);
  }

  void describe(Recording& run) const override {
    for (const std::string& name : model_.amplitude_names()) {
      run.amplitude_names.push_back(
          name.substr(2));  // without the prefix e_, which the writers add
    }
    run.amplitudes.resize(model_.amplitude_count());
    run.amplitude_rates.resize(model_.amplitude_count());
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      run.tip_names.push_back(model_.links()[i].name + "_y");
      run.tip_names.push_back(model_.links()[i].name + "_z");
      run.beams.push_back(beam_shapes(model_, i));
    }
    run.tips.resize(run.tip_names.size());
  }

  void record(double, ConstVector q, ConstVector qd, Recording& run) override {
    const FlexibleEnergy energies = energy(model_, workspace_, q, qd);
    run.kinetic.push_back(energies.kinetic);
    run.potential.push_back(energies.potential);
    run.strain.push_back(energies.strain);
    const Pose tip = frame_pose(model_, workspace_, q, model_.rigid().end_effector());
    const Eigen::Quaterniond orientation(tip.rotation);
    const Eigen::Vector3d com = center_of_mass(model_, workspace_, q);
    for (std::size_t k = 0; k < 3; ++k) {
      run.end_effector[k].push_back(tip.translation[static_cast<Eigen::Index>(k)]);
      run.center_of_mass[k].push_back(com[static_cast<Eigen::Index>(k)]);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      run.end_effector_orientation[k].push_back(orientation.coeffs()[static_cast<Eigen::Index>(k)]);
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
    }
  }

 private:
  FlexibleModel model_;
  FlexiblePlantOptions options_;
  FlexibleWorkspace workspace_;
  Workspace rigid_workspace_;
  ExternalInputs conditions_;
  std::vector<double> forces_;
  JointResistance resistance_;
  std::vector<double> torques_;
  bool dry_;
  std::vector<double> amplitude_qdd_;
  bool exchanges_energy_ = false;
};

}  // namespace

std::unique_ptr<Plant> flexible_plant(const FlexibleModel& model,
                                      const FlexiblePlantOptions& options) {
  return std::make_unique<FlexiblePlant>(model, options);
}

}  // namespace dynamics
