// SPDX-License-Identifier: Apache-2.0
#pragma once

// Run: one simulation with any scalar type: double in simulate.cpp, wider reals for the reference
// solutions in papers/.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"
#include "simulation/actuation.hpp"
#include "simulation/joint_constraints.hpp"
#include "simulation/run_events.hpp"
#include "simulation/sampling.hpp"

namespace dynamics {

/// Throws ArgumentError naming the invalid option.
void check_options(const Model& model, const SimulationOptions& options);

/// Initial values of all coordinates. `given` has one entry per joint or per coordinate; missing
/// entries are zero. Throws ArgumentError with `name` for another size or values not finite.
std::vector<double> initial_state(const char* name, std::vector<double> given, const Plant& plant);

RunSettings run_settings(const Model& model, const SimulationOptions& options);

/// Integrates `equations` in the scalar type; samples are evaluated with `plant`, in double.
template <class Scalar>
class Run {
 public:
  Run(EquationsOfMotion<Scalar>& equations, Plant& plant, const SimulationOptions& options,
      const Progress& progress)
      : plant_(&plant),
        controller_model_(equations),
        options_(options),
        progress_(progress),
        q0_(initial_state("q0", options.q0.empty() ? default_start(plant.model()) : options.q0,
                          plant)),
        qd0_(initial_state("qd0", options.qd0, plant)),
        actuation_(plant.model(), options, q0_),
        run_(plant.model()),
        tau_(plant.joints()),
        q_(plant.size()),
        qd_(plant.size()),
        qdd_(plant.size()),
        tau_sample_(plant.joints()),
        desired_(3 * plant.joints()),
        force_(plant.joints()),
        saturated_(plant.joints(), false) {
    // Work is integrated as an additional state unless energy is conserved.
    const bool powered = options.scenario != Scenario::free_fall || equations.exchanges_energy() ||
                         options.limits || options.drop_payload || !options.events.empty();
    layout_ = {plant.size(), plant.size() + (powered ? 1 : 0)};
  }

  Recording run() {
    const std::vector<double> times = sample_times(options_.duration, options_.sample);
    run_.settings = run_settings(plant_->model(), options_);
    plant_->describe(run_);
    if (options_.trajectory) run_.desired.resize(plant_->joints());

    // with the given dry friction; force_ becomes the sum of the forces that can do work
    [[maybe_unused]] const auto free = [this](const Scalar& t, Input q, Input qd, Input friction,
                                              Output qdd) {
      actuation_.torques(controller_model_, t, q, qd, tau_);
      for (std::size_t i = 0; i < tau_.size(); ++i) force_[i] = tau_[i] + friction[i];
      equations().accelerations(t, q, qd, force_, qdd);
    };
    [[maybe_unused]] std::optional<JointConstraints> constraints;
    [[maybe_unused]] std::optional<RunEvents> events;
    if constexpr (is_double) {
      if (options_.limits || has_dry_friction()) {
        constraints.emplace(*plant_, options_.limits, options_.restitution, free);
        constraints_ = &*constraints;
      }
      events.emplace(plant_, options_, layout_, constraints_, run_);
    }
    const auto acceleration = [&](const Scalar& t, Input q_all, Input qd_all, Output out) {
      const std::size_t n = layout_.coordinates;
      const Input q = q_all.first(n), qd = qd_all.first(n);
      accelerations(t, q, qd, out.first(n));
      if (layout_.has_work()) out[n] = equations().power(t, q, qd, out.first(n), force_);
    };
    const auto system = ode::System<Scalar>::second_order(layout_.half, acceleration);
    const auto integrator = ode::make_integrator<Scalar>(options_.integrator, system, numerics());

    std::vector<Scalar> y0(2 * layout_.half, Scalar(0.0)), scalar_times(times.begin(), times.end());
    if constexpr (is_double) {
      if (constraints_ != nullptr) constraints_->start(0.0, q0_, qd0_);
    }
    std::copy(q0_.begin(), q0_.end(), y0.begin());
    std::copy(qd0_.begin(), qd0_.end(), y0.begin() + static_cast<std::ptrdiff_t>(layout_.half));
    if (options_.q0.empty()) log_default_start();
    run_.settings.q0 = q0_;
    run_.settings.qd0 = qd0_;

    const auto on_sample = [this](const Scalar& t, Input y) { sample(t, y); };
    const auto on_step = [this](const Scalar& t, Input) {
      return !progress_ || progress_(static_cast<double>(t));
    };
    ode::RunPlan<Scalar> plan;
    plan.end_time = Scalar(options_.duration);
    plan.sample_times = scalar_times;
    plan.on_sample = on_sample;
    plan.on_step = on_step;
    if constexpr (is_double) plan.events = events->events();
    ode::Solver<Scalar> solver(*integrator, plan.events.size());

    const auto start = std::chrono::steady_clock::now();
    const auto outcome = solver.run(Scalar(0.0), y0, plan);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    if (outcome.ending == ode::Ending::stopped_by_event &&
        static_cast<double>(outcome.time) > run_.t.back()) {
      sample(outcome.time, integrator->state());
    }
    const ode::Statistics& done = integrator->statistics();
    run_.statistics = {.steps = done.steps,
                       .rejected = done.rejections,
                       .evaluations = done.evaluations,
                       .wall_seconds = wall.count(),
                       .energy_drift = 0.0,
                       .completed = outcome.ok(),
                       .ending = outcome.ok() ? "" : outcome.message()};
    finish_energies(run_);
    return std::move(run_);
  }

 private:
  static constexpr bool is_double = std::is_same_v<Scalar, double>;
  using Input = std::span<const Scalar>;
  using Output = std::span<Scalar>;

  /// With double the current plant, which changes when the payload is dropped.
  EquationsOfMotion<Scalar>& equations() {
    if constexpr (is_double) {
      return *plant_;
    } else {
      return controller_model_;
    }
  }

  bool has_dry_friction() const {
    for (std::size_t i = 0; i < plant_->joints(); ++i) {
      if (plant_->dry_friction(i) > 0.0) return true;
    }
    return false;
  }

  /// Accelerations under the torques of the scenario and the constraints; sets tau_ and force_.
  void accelerations(const Scalar& t, Input q, Input qd, Output qdd) {
    if constexpr (is_double) {
      if (constraints_ != nullptr) {
        constraints_->accelerations(t, q, qd, qdd);
        return;
      }
    }
    actuation_.torques(controller_model_, t, q, qd, tau_);
    std::copy(tau_.begin(), tau_.end(), force_.begin());
    equations().accelerations(t, q, qd, tau_, qdd);
  }

  ode::Options<Scalar> numerics() const {
    ode::Options<Scalar> numerics;
    numerics.rtol = Scalar(options_.rtol);
    if (options_.atol) numerics.atol = Scalar(*options_.atol);
    if (options_.step) numerics.step = Scalar(*options_.step);
    numerics.fixed_step =
        options_.step.has_value() && ode::find_integrator(options_.integrator).constant_step;
    return numerics;
  }

  void sample(const Scalar& wide_t, Input y) {
    const auto t = static_cast<double>(wide_t);
    const Input wide_q = layout_.q(y), wide_qd = layout_.qd(y);
    actuation_.torques(controller_model_, wide_t, wide_q, wide_qd, tau_);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      q_[i] = static_cast<double>(wide_q[i]);
      qd_[i] = static_cast<double>(wide_qd[i]);
    }
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_sample_[i] = static_cast<double>(tau_[i]);
    if constexpr (is_double) {
      accelerations(t, q_, qd_, qdd_);
      force_sample_ = force_;
    } else {
      plant_->accelerations(t, q_, qd_, tau_sample_, qdd_);
      force_sample_ = tau_sample_;
    }
    record_sample(run_, *plant_, t, q_, qd_, qdd_, tau_sample_);
    run_.work.push_back(layout_.has_work() ? static_cast<double>(y[layout_.work()]) : 0.0);
    run_.power_balance.push_back(plant_->energy_rate(t, q_, qd_, qdd_) -
                                 plant_->power(t, q_, qd_, qdd_, force_sample_));
    if (options_.limits) log_saturation(t);
    if (!options_.trajectory) return;
    const std::size_t joints = tau_.size();
    const std::span<double> all(desired_);
    options_.trajectory->at(t, all.first(joints), all.subspan(joints, joints), all.last(joints));
    for (std::size_t i = 0; i < joints; ++i) run_.desired[i].push_back(desired_[i]);
  }

  void log_default_start() {
    for (std::size_t i = 0; i < plant_->joints(); ++i) {
      const Coordinate& joint = plant_->model().coordinates()[i];
      if (q0_[i] == 0.0) continue;
      run_.events.push_back({0.0, fmt::format("{} starts at {:.6g} {}, the position within its "
                                              "limits that is nearest to zero",
                                              joint.name, q0_[i], joint.prismatic ? "m" : "rad")});
    }
  }

  void log_saturation(double t) {
    for (std::size_t i = 0; i < tau_sample_.size(); ++i) {
      const Coordinate& joint = plant_->model().coordinates()[i];
      const bool now = std::abs(tau_sample_[i]) >= joint.effort;
      if (now && !saturated_[i]) {
        run_.events.push_back({t, fmt::format("{} is at its effort limit of {:.6g} {}", joint.name,
                                              joint.effort, joint.prismatic ? "N" : "N m")});
      }
      saturated_[i] = now;
    }
  }

  Plant* plant_;
  EquationsOfMotion<Scalar>& controller_model_;  ///< the controller's model, always with payload
  const SimulationOptions& options_;
  const Progress& progress_;
  std::vector<double> q0_, qd0_;
  Actuation<Scalar> actuation_;
  Recording run_;
  StateLayout layout_{};
  JointConstraints* constraints_ = nullptr;
  std::vector<Scalar> tau_;
  std::vector<double> q_, qd_, qdd_, tau_sample_, force_sample_, desired_;
  std::vector<Scalar> force_;  ///< joint torques and dry friction of sliding joints
  std::vector<bool> saturated_;
};

}  // namespace dynamics
