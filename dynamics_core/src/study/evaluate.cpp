// SPDX-License-Identifier: Apache-2.0
#include "study/evaluate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics::study {
namespace {

std::unique_ptr<Plant> plant_of(const Plan& plan, const Model& model, const CaseSetup& setup) {
  const bool friction = setup.options.friction;
  if (setup.mechanism) return loop_plant(*setup.mechanism, {.friction = friction});
  if (!plan.task.rigid && FlexibleModel::has_modes(model))
    return flexible_plant(FlexibleModel(model), {.friction = friction});
  return rigid_plant(model, {.friction = friction});
}

Recording simulated(const Plan& plan, const Model& model, const CaseSetup& setup, bool short_run) {
  const auto plant = plant_of(plan, model, setup);
  SimulationOptions options = setup.options;
  if (plan.task.cycloid) {
    const auto start = options.q0.empty() ? default_start(model) : options.q0;
    options.trajectory = forced_trajectory(*plan.task.cycloid, start);
  }
  const Progress stop = [](double) { return false; };
  const Progress progress = short_run ? stop : Progress();
  if (plan.task.controller.empty()) return simulate(*plant, options, progress);
  ControllerOptions controller_options = plan.task.controller_options;
  controller_options.gains = setup.gains;
  const auto controller = make_controller(plan.task.controller, controller_options);
  return simulate(*plant, *controller, options, progress);
}

/// The numbers of one state, by name.
class State {
 public:
  explicit State(CaseSamples& samples) : samples_(samples) {}
  void add(const std::string& name, double value) {
    samples_.names.push_back(name);
    samples_.state.push_back({value});
  }
  void add(const std::string& prefix, const Model& model, const Eigen::VectorXd& values) {
    for (std::size_t i = 0; i < model.size(); ++i)
      add(prefix + model.coordinates()[i].name, values[static_cast<Eigen::Index>(i)]);
  }

 private:
  CaseSamples& samples_;
};

CaseSamples terms(const Model& model, const SimulationOptions& options) {
  const auto n = static_cast<Eigen::Index>(model.size());
  Workspace workspace(model);
  const std::vector<double>&q = options.q0, &qd = options.qd0;
  Eigen::MatrixXd M(n, n);
  Eigen::VectorXd gravity(n), moving(n);
  inertia_matrix(model, workspace, q, M);
  gravity_forces(model, workspace, q, gravity);
  ExternalInputs external;
  external.friction = options.friction;
  bias_forces(model, workspace, q, qd, moving, external);
  Kinematics kinematics(model);
  forward_kinematics(model, kinematics, q);
  const Eigen::Vector3d tip = frame_pose(model, kinematics, model.end_effector()).translation;
  const Energy energies = energy(model, workspace, q, qd);
  CaseSamples samples;
  State state(samples);
  state.add("inertia_", model, M.diagonal());
  state.add("gravity_", model, gravity);
  state.add("bias_", model, moving);
  state.add("kinetic", energies.kinetic);
  state.add("potential", energies.potential);
  const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(M);
  state.add("condition", n == 0 ? 1.0 : eigenvalues[n - 1] / eigenvalues[0]);
  state.add("end_effector_x", tip.x());
  state.add("end_effector_y", tip.y());
  state.add("end_effector_z", tip.z());
  return samples;
}

CaseSamples frequencies(const Plan& plan, const Model& model, const SimulationOptions& options) {
  const FlexibleModel flexible(model);
  std::vector<double> q = options.q0;
  q.resize(flexible.size(), 0.0);
  const NaturalModes modes = natural_modes(flexible, q, plan.task.joints);
  CaseSamples samples;
  State state(samples);
  for (Eigen::Index i = 0; i < modes.frequencies.size(); ++i)
    state.add(fmt::format("frequency_{}", i + 1), modes.frequencies[i] / (2.0 * std::numbers::pi));
  return samples;
}

}  // namespace

CaseSamples evaluate(const Plan& plan, const Nominal& nominal, const CaseSetup& setup,
                     bool short_run) {
  const Model& model = setup.mechanism ? setup.mechanism->tree()
                       : setup.model   ? *setup.model
                                       : nominal.model;
  const SimulationOptions& options = setup.options;
  CaseSamples samples;
  switch (plan.task.kind) {
    case RunKind::terms: return terms(model, options);
    case RunKind::natural_frequencies: return frequencies(plan, model, options);
    case RunKind::inverse: {
      std::shared_ptr<const Trajectory> motion = options.trajectory;
      if (plan.task.cycloid) motion = forced_trajectory(*plan.task.cycloid, options.q0);
      samples.recording =
          torques_along(model, *motion, options.duration, options.sample, options.friction);
      return samples;
    }
    case RunKind::simulate: break;
  }
  samples.recording = simulated(plan, model, setup, short_run);
  const RunStatistics& statistics = samples.recording->statistics;
  if (!short_run && !statistics.completed)
    throw StateError(fmt::format("the run ended early, at t = {:g} s: {}",
                                 samples.recording->t.empty() ? 0.0 : samples.recording->t.back(),
                                 statistics.ending));
  return samples;
}

std::vector<NamedColumn> columns_of(const CaseSamples& samples) {
  std::vector<NamedColumn> columns;
  if (samples.recording) {
    columns = named_columns(*samples.recording);
    columns.push_back({"energy_drift", &samples.recording->energy_drift});
    // inverse dynamics records no energy drift
    std::erase_if(columns, [&](const NamedColumn& column) {
      return column.values->size() != samples.recording->size();
    });
    return columns;
  }
  for (std::size_t i = 0; i < samples.names.size(); ++i)
    columns.push_back({samples.names[i], &samples.state[i]});
  return columns;
}

}  // namespace dynamics::study
