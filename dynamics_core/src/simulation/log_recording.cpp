// SPDX-License-Identifier: Apache-2.0
// A log of joints as a run: energies, end effector, and torques by inverse dynamics.

#include <fmt/format.h>

#include <algorithm>

#include "dynamics_core/error.hpp"
#include "dynamics_core/simulate.hpp"
#include "simulation/sampling.hpp"

namespace dynamics {
namespace {

/// Derivative at sample k of the parabola through it and its neighbors; one-sided at the ends.
double slope(const std::vector<double>& t, const std::vector<std::vector<double>>& values,
             std::size_t k, std::size_t joint) {
  if (t.size() == 1) return 0.0;
  const auto between = [&](std::size_t a, std::size_t b) {
    return (values[b][joint] - values[a][joint]) / (t[b] - t[a]);
  };
  if (k == 0) return between(0, 1);
  if (k + 1 == t.size()) return between(k - 1, k);
  const double before = t[k] - t[k - 1], after = t[k + 1] - t[k];
  return (after * between(k - 1, k) + before * between(k, k + 1)) / (before + after);
}

}  // namespace

Recording torques_along(const Model& model, const JointLog& log, LogTorques torques,
                        Friction friction) {
  const bool measured = torques == LogTorques::measured;
  if (measured && log.tau.size() != log.t.size())
    throw ArgumentError("the log has no efforts of all joints");
  const auto plant = rigid_plant(model, {.friction = friction, .dry_friction = false});
  const auto motion = knot_trajectory(log.motion());
  if (motion->size() != model.size()) {
    throw ArgumentError(fmt::format("the log has {} joints; '{}' has {}", motion->size(),
                                    model.name(), model.size()));
  }
  Recording run(model);
  run.settings.robot = model.name();
  run.settings.source = log.topic;
  run.settings.scenario = measured ? "log" : "inverse";
  run.settings.controller = measured ? "measured" : "inverse dynamics";
  run.settings.integrator = "none";
  run.settings.duration = log.t.back();
  run.settings.sample = log.t.size() > 1 ? log.t[1] : 0.0;
  run.settings.friction = friction;
  std::vector<double> q(model.size()), qd(q), qdd(q), tau(q);
  for (std::size_t k = 0; k < log.t.size(); ++k) {
    motion->at(log.t[k], q, qd, qdd);
    // the trajectory through measured velocities has jumps in qdd
    for (std::size_t i = 0; log.qdd.empty() && !log.qd.empty() && i < q.size(); ++i)
      qdd[i] = slope(log.t, log.qd, k, i);
    if (measured) {
      tau = log.tau[k];
    } else {
      plant->feedforward_torques(log.t[k], q, qd, qdd, tau);
    }
    record_sample(run, *plant, log.t[k], q, qd, qdd, tau);
    // trapezoidal rule
    run.work.push_back(k == 0 ? 0.0
                              : run.work.back() + 0.5 * (run.power[k - 1] + run.power[k]) *
                                                      (log.t[k] - log.t[k - 1]));
  }
  finish_motion(run);
  return run;
}

}  // namespace dynamics
