// SPDX-License-Identifier: Apache-2.0
#include "papers/wide/wide_simulate.hpp"

#include <fmt/format.h>

#include "papers/wide/scenario_law.hpp"
#include "papers/wide/wide_integrators.hpp"
#include "simulation/run.hpp"
#include "trajectory/closed_form_trajectories.hpp"
#include "trajectory/knot_trajectory.hpp"

namespace dynamics {

/// The trajectories of this library are evaluated with 32 digits, as an open-loop run cannot be
/// more accurate than its reference. Other trajectories are evaluated in double.
template <>
void evaluate_trajectory<DoubleDouble>(const Trajectory& trajectory, const DoubleDouble& t,
                                       std::span<DoubleDouble> q, std::span<DoubleDouble> qd,
                                       std::span<DoubleDouble> qdd) {
  if (const auto* cycloid = dynamic_cast<const CycloidTrajectory*>(&trajectory)) {
    cycloid->evaluate(t, q, qd, qdd);
    return;
  }
  if (const auto* paper = dynamic_cast<const MohanSahaTrajectory*>(&trajectory)) {
    paper->evaluate(t, q, qd, qdd);
    return;
  }
  if (const auto* knots = dynamic_cast<const KnotTrajectory*>(&trajectory)) {
    knots->evaluate(t, q, qd, qdd);
    return;
  }
  const std::size_t n = trajectory.size();
  std::vector<double> values(3 * n);
  const std::span<double> all(values);
  trajectory.at(static_cast<double>(t), all.first(n), all.subspan(n, n), all.last(n));
  for (std::size_t i = 0; i < n; ++i) {
    q[i] = values[i];
    qd[i] = values[n + i];
    qdd[i] = values[2 * n + i];
  }
}

Recording simulate_double_double(const Model& model, const SimulationOptions& options,
                                 const Progress& progress) {
  check_options(model, options);
  const char* reason =
      options.limits            ? "limits"
      : options.base            ? "a moving base"
      : !options.events.empty() ? "events"
      : !options.wrenches.empty() || !options.payload_changes.empty() || !options.locks.empty()
          ? "pushes, payload changes and locked joints"
      : options.sampling.period > 0.0 ? "sampled controllers"
                                      : nullptr;
  if (reason != nullptr) {
    throw ArgumentError(
        fmt::format("precision double-double does not support {}: use double", reason));
  }
  const RigidPlantOptions rigid{.friction = options.friction, .dry_friction = false};
  const auto plant = rigid_plant(model, rigid);
  const auto equations = wide_rigid_equations(model, rigid);
  auto q0 = initial_state("q0", options.q0.empty() ? default_start(model) : options.q0, *plant);
  auto qd0 = initial_state("qd0", options.qd0, *plant);
  ScenarioLaw<DoubleDouble> law(*equations, options, q0);
  Recording run = Run<DoubleDouble>(*equations, *plant, law, nullptr, std::move(q0), std::move(qd0),
                                    options, progress)
                      .run();
  run.settings.precision = "double-double";
  return run;
}

}  // namespace dynamics
