// SPDX-License-Identifier: Apache-2.0
#include "sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/maximum.hpp"
#include "dynamics_core/simulation/simulate.hpp"

namespace dynamics {

void require_positive(const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("{} is {}; it must be a number above zero", name, value));
  }
}

std::vector<double> sample_times(double duration, double sample) {
  require_positive("sample", sample);
  const double whole = std::floor(duration / sample * (1.0 + 1e-12));
  if (whole > 1e8) {
    throw ArgumentError(
        fmt::format("a sample every {} s of {} s is more than 1e8 samples", sample, duration));
  }
  std::vector<double> times;
  const auto count = static_cast<std::size_t>(whole);
  for (std::size_t i = 0; i <= count; ++i)
    times.push_back(std::min(duration, static_cast<double>(i) * sample));
  if (duration - times.back() > 1e-9 * sample) {
    times.push_back(duration);
  } else {
    times.back() = duration;
  }
  return times;
}

void record_sample(Recording& run, Plant& plant, double t, std::span<const double> q,
                   std::span<const double> qd, std::span<const double> qdd,
                   std::span<const double> tau) {
  run.t.push_back(t);
  double power_in = 0.0;
  for (std::size_t i = 0; i < plant.joints(); ++i) {
    run.q[i].push_back(q[i]);
    run.qd[i].push_back(qd[i]);
    run.qdd[i].push_back(qdd[i]);
    run.tau[i].push_back(tau[i]);
    power_in += tau[i] * qd[i];
  }
  run.power.push_back(power_in);
  plant.record(t, q, qd, run);
}

void finish_energies(Recording& run) {
  double peak = 0.0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    // where hardly anything moves, round-off of what is stored is not to look large
    constexpr double hardly = 1e-6;
    peak = max_propagating_nan(peak, run.kinetic[i]);
    peak = max_propagating_nan(peak, hardly * std::abs(run.potential[i] + run.strain[i]));
  }
  run.energy_drift.assign(run.size(), 0.0);
  if (peak == 0.0) return;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double gain = (run.kinetic[i] - run.kinetic[0]) + (run.potential[i] - run.potential[0]) +
                        (run.strain[i] - run.strain[0]);
    run.energy_drift[i] = (gain - run.work[i]) / peak;
  }
  run.statistics.energy_drift = max_abs(run.energy_drift);
}

Recording torques_along(const Model& model, const Motion& motion, double duration, double sample,
                        bool friction) {
  require_positive("duration", duration);
  if (motion.size() != model.size()) {
    throw ArgumentError(fmt::format("the desired motion has {} joints; '{}' has {}", motion.size(),
                                    model.name(), model.size()));
  }
  Recording run(model);
  run.settings.robot = model.name();
  run.settings.source = model.description().source;
  run.settings.scenario = "inverse";
  run.settings.integrator = "none";
  run.settings.duration = duration;
  run.settings.sample = sample;
  run.settings.friction = friction;
  const auto plant = rigid_plant(model, {.friction = friction});
  std::vector<double> q(model.size()), qd(q), qdd(q), tau(q);
  for (const double t : sample_times(duration, sample)) {
    motion.at(t, q, qd, qdd);
    plant->motion_forces(t, q, qd, qdd, tau);
    record_sample(run, *plant, t, q, qd, qdd, tau);
    // what the motion's energy gained is what the actuators (less friction) have done
    run.work.push_back(run.kinetic.back() - run.kinetic[0] + run.potential.back() -
                       run.potential[0]);
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    run.settings.q0.push_back(run.q[i].front());
    run.settings.qd0.push_back(run.qd[i].front());
  }
  finish_energies(run);
  return run;
}

}  // namespace dynamics
