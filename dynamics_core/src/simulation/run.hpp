// SPDX-License-Identifier: Apache-2.0
#pragma once

// Run: one simulation with any scalar type: double in simulate.cpp, wider reals for the reference
// solutions in papers/.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"
#include "simulation/control_loop.hpp"
#include "simulation/joint_constraints.hpp"
#include "simulation/run_events.hpp"
#include "simulation/run_inputs.hpp"
#include "simulation/sampling.hpp"
#include "simulation/torque_law.hpp"

namespace dynamics {

/// Throws ArgumentError naming the invalid option. `mechanism`: of a robot with closed loops.
void check_options(const Model& model, const SimulationOptions& options,
                   const Mechanism* mechanism = nullptr);

/// Initial values of all coordinates. `given` has one entry per joint or per coordinate; missing
/// entries are zero. Throws ArgumentError with `name` for another size or values not finite.
std::vector<double> initial_state(const char* name, std::vector<double> given, const Plant& plant);

/// The initial state of a plant with closed loops, from the independent joints or all joints;
/// empty: the mechanism's start, at rest. Throws ArgumentError where all joints do not close the
/// loops.
struct InitialState {
  std::vector<double> q, qd;
};
InitialState closed_state(const Mechanism& mechanism, const std::vector<double>& q0,
                          const std::vector<double>& qd0);

RunSettings run_settings(const Model& model, const SimulationOptions& options);

/// Integrates `equations` under the torques of `law` in the scalar type; samples are evaluated with
/// `plant`, in double.
template <class Scalar>
class Run {
 public:
  /// `control`: the same law where it is a control loop. q0 and qd0 are state vectors.
  Run(EquationsOfMotion<Scalar>& equations, Plant& plant, TorqueLaw<Scalar>& law,
      ControlLoop* control, std::vector<double> q0, std::vector<double> qd0,
      const SimulationOptions& options, const Progress& progress)
      : plant_(&plant),
        wide_equations_(equations),
        law_(law),
        control_(control),
        options_(options),
        progress_(progress),
        q0_(std::move(q0)),
        qd0_(std::move(qd0)),
        run_(plant.model()),
        tau_(plant.joints()),
        q_(plant.size()),
        qd_(plant.size()),
        qdd_(plant.size()),
        tau_sample_(plant.joints()),
        desired_(3 * plant.joints()),
        force_(plant.size()),
        saturated_(plant.joints(), false),
        has_loops_(plant.mechanism() != nullptr) {
    // Work is integrated as an additional state unless energy is conserved.
    const bool powered = !law.is_passive() || equations.exchanges_energy() || options.limits ||
                         !options.wrenches.empty() || !options.payload_changes.empty() ||
                         !options.locks.empty() || !options.events.empty();
    layout_ = {plant.size(), plant.size() + (powered ? 1 : 0)};
  }

  Recording run() {
    const std::vector<double> times = sample_times(options_.duration, options_.sample);
    run_.settings = run_settings(plant_->model(), options_);
    prepare_columns(run_, *plant_);
    if (reference() != nullptr) {
      run_.desired.resize(plant_->joints());
      run_.desired_rates.resize(plant_->joints());
    }

    // with the given dry friction; force_ becomes the sum of the forces that can do work
    [[maybe_unused]] const auto free = [this](const Scalar& t, Input q, Input qd, Input friction,
                                              Output qdd) {
      compute_forces(t, q, qd);
      for (std::size_t i = 0; i < tau_.size(); ++i) force_[i] += friction[i];
      equations().accelerations(t, q, qd, force_, qdd);
    };
    // the same times M, by recursion: M times the accelerations would lose what acts on light links
    [[maybe_unused]] const auto net_forces = [this](const Scalar& t, Input q, Input qd,
                                                    Input friction, Output h) {
      compute_forces(t, q, qd);
      for (std::size_t i = 0; i < tau_.size(); ++i) force_[i] += friction[i];
      if constexpr (is_double) {
        plant_->bias_forces(t, q, qd, h);
        for (double& force : h) force = -force;
        for (std::size_t i = 0; i < force_.size(); ++i) h[i] += force_[i];
      }
    };
    [[maybe_unused]] std::optional<JointConstraints> constraints;
    [[maybe_unused]] std::optional<RunEvents> events;
    [[maybe_unused]] std::optional<RunInputs> inputs;
    if constexpr (is_double) {
      if (options_.limits || !options_.locks.empty() || has_dry_friction()) {
        constraints.emplace(*plant_, options_.limits, options_.restitution, free,
                            JointConstraints::Drives{nullptr, net_forces, {}});
        constraints_ = &*constraints;
      }
      events.emplace(plant_, options_, layout_, constraints_, run_);
      inputs.emplace(plant_, options_, layout_, constraints_, *events, run_);
      inputs_ = &*inputs;
      if (control_ != nullptr) {
        for (const double t : control_->jumps()) inputs_->schedule().add(t, options_.duration);
        control_->set_interval_end(inputs_->schedule().next());
      }
    }
    const auto acceleration = [&](const Scalar& t, Input q_all, Input qd_all, Output out) {
      const std::size_t n = layout_.coordinates;
      const Input q = q_all.first(n), qd = qd_all.first(n);
      if constexpr (is_double) {
        // a trial step has diverged: the integrator shortens it
        if (!all_finite(q) || !all_finite(qd)) {
          std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
          return;
        }
      }
      if constexpr (is_double) {
        if (has_loops_ && !loop_accelerations(t, q, qd, out)) return;
      }
      if (!is_double || !has_loops_) accelerations(t, q, qd, out.first(n));
      if (layout_.has_work()) out[n] = equations().power(t, q, qd, out.first(n), force_);
    };
    const auto system = ode::System<Scalar>::second_order(layout_.half, acceleration);
    const auto integrator = ode::make_integrator<Scalar>(options_.integrator, system, numerics());

    methods_.push_back(integrator->method());
    std::vector<Scalar> y0(2 * layout_.half, Scalar(0.0)), scalar_times(times.begin(), times.end());
    if constexpr (is_double) {
      if (constraints_ != nullptr) constraints_->start(0.0, q0_, qd0_);
    }
    std::copy(q0_.begin(), q0_.end(), y0.begin());
    std::copy(qd0_.begin(), qd0_.end(), y0.begin() + static_cast<std::ptrdiff_t>(layout_.half));
    if (options_.q0.empty() && !has_loops_) log_default_start();
    run_.settings.q0 = q0_;
    run_.settings.qd0 = qd0_;

    const auto on_sample = [this](const Scalar& t, Input y) { sample(t, y); };
    const auto on_step = [&](const Scalar& t, Input) {
      log_method(static_cast<double>(t), integrator->method());
      return !progress_ || progress_(static_cast<double>(t));
    };
    ode::RunPlan<Scalar> plan;
    plan.end_time = Scalar(options_.duration);
    plan.sample_times = scalar_times;
    plan.on_sample = on_sample;
    plan.on_step = on_step;
    const auto next_breakpoint = [this](const Scalar&) { return Scalar(next_jump()); };
    const auto on_breakpoint = [this](const Scalar& t, Output y) { pass_jump(t, y); };
    const auto correct = [this](const Scalar& t, Output y) { return project(t, y); };
    if constexpr (is_double) {
      plan.events = events->events();
      plan.next_breakpoint = next_breakpoint;
      plan.on_breakpoint = on_breakpoint;
      if (has_loops_) plan.correct = correct;
    }
    ode::Solver<Scalar> solver(*integrator, plan.events.size());

    const auto start = std::chrono::steady_clock::now();
    ode::Outcome<Scalar> outcome;
    try {
      outcome = solver.run(Scalar(0.0), y0, plan);
    } catch (const StateError& error) {
      // a position that loops cannot pass ends the run, as a step that fails
      if (!has_loops_ || run_.t.empty()) throw;
      outcome.ending = ode::Ending::failed;
      outcome.status = ode::Status::not_finite;
      outcome.time = integrator->time();
      loop_problem_ = std::string(": ") + error.what();
    }
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
                       .ending = outcome.ok() ? "" : outcome.message() + loop_problem_};
    run_.settings.integrator = fmt::format("{}", fmt::join(methods_, ", "));
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
      return wide_equations_;
    }
  }

  /// The reference whose positions are recorded; null if there is none.
  const Trajectory* reference() const {
    if (control_ != nullptr) return control_->recorded_reference();
    return options_.trajectory.get();
  }

  /// The next time at which torques or inputs jump.
  double next_jump() const {
    if constexpr (is_double) {
      const double scheduled = inputs_->schedule().next();
      return control_ != nullptr ? std::min(scheduled, control_->next()) : scheduled;
    } else {
      return std::numeric_limits<double>::infinity();
    }
  }

  void pass_jump([[maybe_unused]] const Scalar& t, [[maybe_unused]] Output y) {
    if constexpr (is_double) {
      inputs_->schedule().pass(t, y);
      if (control_ != nullptr) {
        control_->set_interval_end(inputs_->schedule().next());
        control_->pass(t, layout_.q(y), layout_.qd(y));
      }
      if (constraints_ != nullptr) constraints_->update(t, layout_.q(y), layout_.qd(y));
    }
  }

  /// Sets tau_ to the torques of the actuators and force_ to them and those of the wrenches.
  void compute_forces(const Scalar& t, Input q, Input qd) {
    law_.torques(t, q, qd, tau_);
    std::fill(std::copy(tau_.begin(), tau_.end(), force_.begin()), force_.end(), Scalar(0.0));
    if constexpr (is_double) {
      if (inputs_->has_wrenches()) inputs_->add_wrenches(t, q, force_);
    }
  }

  static bool all_finite(Input values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  }

  bool has_dry_friction() const {
    for (std::size_t i = 0; i < plant_->joints(); ++i) {
      if (plant_->dry_friction(i) > 0.0) return true;
    }
    return false;
  }

  /// Moves q_ and qd_ onto the loops. Returns how far.
  double project_state(double t) {
    const double drift = plant_->project(q_, qd_);
    if (constraints_ != nullptr && constraints_->restore_held(t, q_, qd_)) plant_->project(q_, qd_);
    return drift;
  }

  /// Replaces a state that has drifted off the loops by more than the tolerance.
  bool project([[maybe_unused]] const Scalar& t, [[maybe_unused]] Output y) {
    if constexpr (is_double) {
      std::copy_n(layout_.q(y).begin(), q_.size(), q_.begin());
      std::copy_n(layout_.qd(y).begin(), qd_.size(), qd_.begin());
      const double drift = project_state(t);
      if (!(drift > std::max(1e-12, options_.rtol))) return false;
      std::copy(q_.begin(), q_.end(), layout_.q(y).begin());
      std::copy(qd_.begin(), qd_.end(), layout_.qd(y).begin());
    }
    return true;
  }

  /// The same for a mechanism. A trial step may leave the loops or end in a singular position: the
  /// integrator then shortens it. False: `out` is NaN.
  bool loop_accelerations(const Scalar& t, Input q, Input qd, Output out) {
    try {
      accelerations(t, q, qd, out.first(layout_.coordinates));
      loop_problem_.clear();
      return true;
    } catch (const StateError& error) {
      loop_problem_ = std::string(": ") + error.what();
      std::fill(out.begin(), out.end(), std::numeric_limits<Scalar>::quiet_NaN());
      return false;
    }
  }

  /// Accelerations under torques, wrenches and constraints; sets tau_ and force_.
  void accelerations(const Scalar& t, Input q, Input qd, Output qdd) {
    if constexpr (is_double) {
      if (constraints_ != nullptr) {
        constraints_->accelerations(t, q, qd, qdd);
        return;
      }
    }
    compute_forces(t, q, qd);
    equations().accelerations(t, q, qd, force_, qdd);
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
    law_.torques(wide_t, wide_q, wide_qd, tau_);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      q_[i] = static_cast<double>(wide_q[i]);
      qd_[i] = static_cast<double>(wide_qd[i]);
    }
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_sample_[i] = static_cast<double>(tau_[i]);
    if constexpr (is_double) {
      if (has_loops_) project_state(t);
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
    if (reference() == nullptr) return;
    const std::size_t joints = tau_.size();
    const std::span<double> all(desired_);
    reference()->at(t, all.first(joints), all.subspan(joints, joints), all.last(joints));
    for (std::size_t i = 0; i < joints; ++i) {
      run_.desired[i].push_back(desired_[i]);
      run_.desired_rates[i].push_back(desired_[joints + i]);
    }
  }

  /// Logs the first step of each integrator after another one.
  void log_method(double t, const std::string& method) {
    if (std::find(methods_.begin(), methods_.end(), method) != methods_.end()) return;
    run_.events.push_back({t, fmt::format("the equations are stiff: integrated by {} instead of {}",
                                          method, methods_.back())});
    methods_.push_back(method);
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
  EquationsOfMotion<Scalar>& wide_equations_;  ///< with scalars other than double
  TorqueLaw<Scalar>& law_;
  ControlLoop* control_;
  const SimulationOptions& options_;
  const Progress& progress_;
  std::vector<double> q0_, qd0_;
  Recording run_;
  StateLayout layout_{};
  JointConstraints* constraints_ = nullptr;
  RunInputs* inputs_ = nullptr;  ///< with double
  std::vector<Scalar> tau_;
  std::vector<double> q_, qd_, qdd_, tau_sample_, force_sample_, desired_;
  /// Joint torques, wrenches and dry friction of sliding joints; one entry per coordinate.
  std::vector<Scalar> force_;
  std::vector<std::string> methods_;  ///< integrators so far
  std::vector<bool> saturated_;
  bool has_loops_;
  std::string loop_problem_;  ///< of the last trial step of a mechanism
};

}  // namespace dynamics
