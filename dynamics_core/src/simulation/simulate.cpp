// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dynamics_core/simulation/make_integrator.hpp"
#include "dynamics_core/simulation/plant.hpp"
#include "dynamics_core/simulation/solve.hpp"

namespace dynamics {
namespace {

using Span = std::span<double>;
using ConstSpan = std::span<const double>;

struct NamedScenario {
  const char* name;
  Scenario scenario;
};
constexpr NamedScenario scenarios[] = {{"free-fall", Scenario::free_fall},
                                       {"forced", Scenario::forced},
                                       {"hold", Scenario::hold},
                                       {"computed-torque", Scenario::computed_torque}};

void require_positive(const char* name, double value) {
  if (!(value > 0.0) || !std::isfinite(value)) {
    throw ArgumentError(fmt::format("{} is {}; it must be a number above zero", name, value));
  }
}

/// 0, sample, 2 sample, ..., the end included.
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

/// The joint forces of a scenario.
class Actuation {
 public:
  Actuation(Plant& plant, const SimulationOptions& options, ConstSpan q0)
      : plant_(plant),
        options_(options),
        hold_(q0.begin(), q0.begin() + static_cast<std::ptrdiff_t>(plant.joints())),
        q_(plant.joints()),
        qd_(plant.joints()),
        qdd_(plant.joints()) {}

  void forces(double t, ConstSpan q, ConstSpan qd, Span tau) {
    switch (options_.scenario) {
      case Scenario::free_fall: std::fill(tau.begin(), tau.end(), 0.0); return;
      case Scenario::forced:
        options_.motion->at(t, q_, qd_, qdd_);
        plant_.motion_forces(t, q_, qd_, qdd_, tau);
        return;
      case Scenario::computed_torque: options_.motion->at(t, q_, qd_, qdd_); break;
      case Scenario::hold:
        q_ = hold_;
        std::fill(qd_.begin(), qd_.end(), 0.0);
        std::fill(qdd_.begin(), qdd_.end(), 0.0);
        break;
    }
    // critically damped error dynamics
    const double w = options_.bandwidth;
    for (std::size_t i = 0; i < qdd_.size(); ++i) {
      qdd_[i] += w * w * (q_[i] - q[i]) + 2.0 * w * (qd_[i] - qd[i]);
    }
    plant_.control_forces(t, q, qd, qdd_, tau);
  }

 private:
  Plant& plant_;
  const SimulationOptions& options_;
  std::vector<double> hold_, q_, qd_, qdd_;
};

/// One sample of everything that a recording has columns for, except work and drift.
void record(Recording& run, Plant& plant, double t, ConstSpan q, ConstSpan qd, ConstSpan qdd,
            ConstSpan tau) {
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
  for (const double kinetic : run.kinetic) peak = std::max(peak, kinetic);
  run.energy_drift.assign(run.size(), 0.0);
  if (!(peak > 0.0)) return;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double gain = (run.kinetic[i] - run.kinetic[0]) + (run.potential[i] - run.potential[0]) +
                        (run.strain[i] - run.strain[0]);
    run.energy_drift[i] = (gain - run.work[i]) / peak;
    run.statistics.energy_drift =
        std::max(run.statistics.energy_drift, std::abs(run.energy_drift[i]));
  }
}

/// Joints, or joints and what comes after them; what is not given is zero.
std::vector<double> initial(const char* name, std::vector<double> given, const Plant& plant) {
  const std::size_t joints = plant.joints(), size = plant.size();
  if (!given.empty() && given.size() != joints && given.size() != size) {
    const std::string further =
        size > joints ? fmt::format(", or {} with the amplitudes", size) : std::string();
    throw ArgumentError(
        fmt::format("{} has {} entries; {} are needed{}", name, given.size(), joints, further));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!std::isfinite(given[i])) throw ArgumentError(fmt::format("{}[{}] is not finite", name, i));
  }
  given.resize(size, 0.0);
  return given;
}

void check(const Model& model, const SimulationOptions& options) {
  if (model.size() == 0)
    throw ArgumentError("'" + model.name() + "' has no moving joint to simulate");
  require_positive("duration", options.duration);
  require_positive("bandwidth", options.bandwidth);
  const bool follows =
      options.scenario == Scenario::forced || options.scenario == Scenario::computed_torque;
  if (follows && !options.motion) {
    throw ArgumentError(
        fmt::format("scenario {} needs a desired motion", to_string(options.scenario)));
  }
  if (follows && options.motion->size() != model.size()) {
    throw ArgumentError(fmt::format("the desired motion has {} joints; '{}' has {}",
                                    options.motion->size(), model.name(), model.size()));
  }
  if (ode::find_integrator(options.integrator).fixed_step && !options.step) {
    throw ArgumentError(
        fmt::format("integrator {} has a fixed step: give step", options.integrator));
  }
}

}  // namespace

Scenario scenario_from_name(std::string_view name) {
  std::string list;
  for (const NamedScenario& known : scenarios) {
    if (name == known.name) return known.scenario;
    list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  throw ArgumentError(fmt::format("unknown scenario '{}': it must be one of {}", name, list));
}

const char* to_string(Scenario scenario) {
  for (const NamedScenario& known : scenarios) {
    if (scenario == known.scenario) return known.name;
  }
  return "unknown";
}

Recording simulate(const Model& model, const SimulationOptions& options, const Progress& progress) {
  const auto plant = rigid_plant(model, {.friction = options.friction});
  return simulate(*plant, options, progress);
}

Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress) {
  const Model& model = plant.model();
  check(model, options);
  const std::size_t joints = plant.joints(), n = plant.size();
  const auto q0 = initial("q0", options.q0, plant), qd0 = initial("qd0", options.qd0, plant);
  const std::vector<double> times = sample_times(options.duration, options.sample);

  Recording run(model);
  run.settings = {.robot = model.name(),
                  .source = model.description().source,
                  .command = "",
                  .scenario = to_string(options.scenario),
                  .integrator = options.integrator,
                  .rtol = options.rtol,
                  .atol = options.atol.value_or(options.rtol),
                  .step = options.step,
                  .duration = options.duration,
                  .sample = options.sample,
                  .q0 = q0,
                  .qd0 = qd0,
                  .friction = options.friction};
  plant.describe(run);

  // Where power flows, its integral rides along as the velocity of one coordinate more.
  Actuation actuation(plant, options, q0);
  const bool powered = options.scenario != Scenario::free_fall || plant.exchanges_energy();
  const std::size_t size = powered ? n + 1 : n;
  std::vector<double> tau(joints), qdd(n);
  const auto acceleration = [&](const double& t, ConstSpan q, ConstSpan qd, Span out) {
    actuation.forces(t, q.first(n), qd.first(n), tau);
    plant.accelerations(t, q.first(n), qd.first(n), tau, out.first(n));
    if (powered) out[n] = plant.power(t, q.first(n), qd.first(n), out.first(n), tau);
  };
  const auto system = ode::System<double>::second_order(size, acceleration);

  ode::Options<double> numerics;
  numerics.rtol = options.rtol;
  numerics.atol = options.atol;
  numerics.step = options.step;
  numerics.fixed_step =
      options.step.has_value() && ode::find_integrator(options.integrator).constant_ok;
  const auto integrator = ode::make_integrator<double>(options.integrator, system, numerics);

  std::vector<double> q_desired(joints), qd_desired(joints), qdd_desired(joints);
  const auto on_sample = [&](const double& t, ConstSpan y) {
    const ConstSpan q = y.first(n), qd = y.subspan(size, n);
    actuation.forces(t, q, qd, tau);
    plant.accelerations(t, q, qd, tau, qdd);
    record(run, plant, t, q, qd, qdd, tau);
    run.work.push_back(powered ? y[size + n] : 0.0);
    run.power_balance.push_back(plant.energy_rate(t, q, qd, qdd) - plant.power(t, q, qd, qdd, tau));
    if (options.motion) {
      options.motion->at(t, q_desired, qd_desired, qdd_desired);
      for (std::size_t i = 0; i < joints; ++i) run.desired[i].push_back(q_desired[i]);
    }
  };
  if (options.motion) run.desired.resize(joints);
  const auto on_step = [&](const double& t, ConstSpan) { return !progress || progress(t); };

  std::vector<double> y0(2 * size, 0.0);
  std::copy(q0.begin(), q0.end(), y0.begin());
  std::copy(qd0.begin(), qd0.end(), y0.begin() + static_cast<std::ptrdiff_t>(size));
  ode::RunPlan<double> plan;
  plan.end_time = options.duration;
  plan.sample_times = times;
  plan.on_sample = on_sample;
  plan.on_step = on_step;
  ode::Solver<double> solver(*integrator);

  const auto start = std::chrono::steady_clock::now();
  const auto outcome = solver.run(0.0, y0, plan);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const ode::Statistics& done = integrator->statistics();
  run.statistics = {.steps = done.steps,
                    .rejected = done.rejections,
                    .evaluations = done.evaluations,
                    .wall_seconds = wall.count(),
                    .energy_drift = 0.0,
                    .completed = outcome.ok(),
                    .ending = outcome.ok() ? "" : outcome.message()};
  finish_energies(run);
  return run;
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
    record(run, *plant, t, q, qd, qdd, tau);
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
