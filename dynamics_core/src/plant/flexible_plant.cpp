// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "flexible/tree.hpp"
#include "plant/joint_resistance.hpp"

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
        torques_(model.size()),
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

  void hybrid_dynamics(double, ConstVector q, ConstVector qd, ConstVector joint_qdd,
                       ConstVector forces, MutableVector qdd, MutableVector tau) override {
    const std::size_t joints = model_.joint_count();
    const std::size_t amplitudes = model_.amplitude_count();
    joint_torques(model_, workspace_, q, qd, joint_qdd, tau,
                  MutableVector(qdd.data() + joints, amplitudes), options_.friction && !dry_,
                  ConstVector(forces.data() + joints, amplitudes));
    if (dry_) resistance_.add_damping(qd, tau);
    for (std::size_t i = 0; i < joints; ++i) tau[i] -= forces[i];
    if (qdd.data() != joint_qdd.data()) std::copy(joint_qdd.begin(), joint_qdd.end(), qdd.begin());
  }

  void inertia_matrix(double, ConstVector q, Eigen::Ref<Eigen::MatrixXd> M) override {
    dynamics::inertia_matrix(model_, workspace_, q, M);
  }

  void bias_forces(double, ConstVector q, ConstVector qd, MutableVector bias) override {
    dynamics::bias_forces(model_, workspace_, q, qd, bias, options_.friction && !dry_);
    if (dry_) resistance_.add_damping(qd, bias);
  }

  void linear_forces(Eigen::Ref<Eigen::MatrixXd> D, Eigen::Ref<Eigen::MatrixXd> K) const override {
    damping_matrix(model_, D);
    stiffness_matrix(model_, K);
    if (options_.friction) resistance_.add_damping(D);
  }

  double dry_friction(std::size_t joint) const override {
    return dry_ ? resistance_.friction[joint] : 0.0;
  }

  std::unique_ptr<Plant> with_payload(const std::optional<Payload>& payload) const override {
    const Model& rigid = model_.rigid();
    const FlexibleModel changed(payload ? rigid.with_payload(*payload) : rigid.without_payload(),
                                model_.options());
    return std::make_unique<FlexiblePlant>(changed, options_);
  }

  PlantEnergy energy(double, ConstVector q, ConstVector qd) override {
    const FlexibleEnergy energies = dynamics::energy(model_, workspace_, q, qd);
    return {energies.kinetic, energies.potential, energies.strain};
  }

  Pose frame_pose(double, ConstVector q, std::size_t frame) override {
    return dynamics::frame_pose(model_, workspace_, q, frame);
  }

  Eigen::Vector3d center_of_mass(double, ConstVector q, ConstVector) override {
    return dynamics::center_of_mass(model_, workspace_, q);
  }

  void add_wrenches(double, ConstVector q, std::span<const LinkWrench> wrenches,
                    MutableVector forces) override {
    wrenches_to_joint_torques(model_, workspace_, q, wrenches, forces_);
    for (std::size_t i = 0; i < forces_.size(); ++i) forces[i] += forces_[i];
  }

  void add_wrench_at_mass_center(double, ConstVector q, std::size_t frame, const Wrench& wrench,
                                 MutableVector forces) override {
    const LinkWrench given{frame, wrench, Axes::local_world_aligned};
    wrenches_to_joint_torques(model_, workspace_, q, {&given, 1}, forces_,
                              WrenchPoint::mass_center);
    for (std::size_t i = 0; i < forces_.size(); ++i) forces[i] += forces_[i];
  }

  std::vector<std::string> amplitude_names() const override {
    std::vector<std::string> names;
    for (const std::string& name : model_.amplitude_names())
      names.push_back(name.substr(2));  // without the prefix e_, which the writers add
    return names;
  }

  std::vector<BeamShapes> beams() const override {
    std::vector<BeamShapes> shapes;
    for (std::size_t i = 0; i < model_.links().size(); ++i)
      shapes.push_back(beam_shapes(model_, i));
    return shapes;
  }

  Eigen::Vector3d tip_deflection(ConstVector q, std::size_t beam) override {
    return deflection(model_, q, beam, model_.links()[beam].length);
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
