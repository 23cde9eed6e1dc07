// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <type_traits>

#include "actuation.hpp"
#include "dynamics_core/simulation/plant.hpp"
#include "dynamics_core/simulation/wide_integrators.hpp"
#include "joint_stops.hpp"
#include "run_events.hpp"
#include "sampling.hpp"

namespace dynamics {
namespace {

struct NamedScenario {
  const char* name;
  Scenario scenario;
};
constexpr NamedScenario scenarios[] = {{"free-fall", Scenario::free_fall},
                                       {"forced", Scenario::forced},
                                       {"hold", Scenario::hold},
                                       {"computed-torque", Scenario::computed_torque}};

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
  if (options.step && *options.step > 0.0 && options.duration / *options.step > 1e12) {
    throw ArgumentError(fmt::format("a step of {} s is more than 1e12 steps of {} s", *options.step,
                                    options.duration));
  }
  if (!(options.restitution >= 0.0 && options.restitution <= 1.0)) {
    throw ArgumentError(
        fmt::format("restitution is {}; it must be from 0 to 1", options.restitution));
  }
  if (options.drop_payload &&
      !(*options.drop_payload > 0.0 && *options.drop_payload < options.duration)) {
    throw ArgumentError(fmt::format("drop_payload is {} s; it must lie within the {} s of the run",
                                    *options.drop_payload, options.duration));
  }
  for (const SimulationEvent& event : options.events) {
    if (!event.function) throw ArgumentError(fmt::format("event '{}' has no function", event.name));
  }
}

RunSettings settings_of(const Model& model, const SimulationOptions& options) {
  RunSettings settings;
  settings.robot = model.name();
  settings.source = model.description().source;
  settings.scenario = to_string(options.scenario);
  settings.integrator = options.integrator;
  settings.rtol = options.rtol;
  settings.atol = options.atol.value_or(options.rtol);
  settings.step = options.step;
  settings.duration = options.duration;
  settings.sample = options.sample;
  settings.friction = options.friction;
  settings.precision = to_string(options.precision);
  settings.bandwidth = options.bandwidth;
  settings.limits = options.limits;
  settings.restitution = options.restitution;
  settings.payload = model.payload();
  settings.drop_payload = options.drop_payload;
  return settings;
}

/// A run over reals of any kind; the plant, in double, is what samples are taken from.
template <class Scalar>
class Run {
 public:
  Run(EquationsOfMotion<Scalar>& equations, Plant& plant, const SimulationOptions& options,
      const Progress& progress)
      : plant_(&plant),
        controlled_(equations),
        options_(options),
        progress_(progress),
        q0_(initial("q0", options.q0, plant)),
        qd0_(initial("qd0", options.qd0, plant)),
        actuation_(plant.model(), options, q0_),
        run_(plant.model()),
        tau_(plant.joints()),
        q_(plant.size()),
        qd_(plant.size()),
        qdd_(plant.size()),
        tau_sample_(plant.joints()),
        desired_(3 * plant.joints()),
        saturated_(plant.joints(), false) {
    // Where power flows, its integral rides along as the velocity of one coordinate more.
    const bool powered = options.scenario != Scenario::free_fall || equations.exchanges_energy() ||
                         options.limits || options.drop_payload || !options.events.empty();
    layout_ = {plant.size(), plant.size() + (powered ? 1 : 0)};
  }

  Recording go() {
    const std::vector<double> times = sample_times(options_.duration, options_.sample);
    run_.settings = settings_of(plant_->model(), options_);
    plant_->describe(run_);
    if (options_.motion) run_.desired.resize(plant_->joints());

    const auto free = [this](const Scalar& t, Input q, Input qd, Output qdd) {
      actuation_.forces(controlled_, t, q, qd, tau_);
      equations().accelerations(t, q, qd, tau_, qdd);
    };
    [[maybe_unused]] std::optional<JointStops> stops;
    [[maybe_unused]] std::optional<RunEvents> events;
    if constexpr (is_double) {
      if (options_.limits) {
        stops.emplace(*plant_, options_.restitution, free);
        stops_ = &*stops;
      }
      events.emplace(plant_, options_, layout_, stops_, run_);
    }
    const auto acceleration = [&](const Scalar& t, Input q_all, Input qd_all, Output out) {
      const std::size_t n = layout_.coordinates;
      const Input q = q_all.first(n), qd = qd_all.first(n);
      free(t, q, qd, out.first(n));
      if constexpr (is_double) {
        if (stops_ != nullptr) stops_->hold(t, q, out.first(n));
      }
      if (layout_.has_work()) out[n] = equations().power(t, q, qd, out.first(n), tau_);
    };
    const auto system = ode::System<Scalar>::second_order(layout_.half, acceleration);
    const auto integrator = ode::make_integrator<Scalar>(options_.integrator, system, numerics());

    std::vector<Scalar> y0(2 * layout_.half, Scalar(0.0)), wide_times(times.begin(), times.end());
    if constexpr (is_double) {
      if (stops_ != nullptr) stops_->start(0.0, q0_, qd0_);
    }
    std::copy(q0_.begin(), q0_.end(), y0.begin());
    std::copy(qd0_.begin(), qd0_.end(), y0.begin() + static_cast<std::ptrdiff_t>(layout_.half));
    run_.settings.q0 = q0_;
    run_.settings.qd0 = qd0_;

    const auto on_sample = [this](const Scalar& t, Input y) { sample(t, y); };
    const auto on_step = [this](const Scalar& t, Input) {
      return !progress_ || progress_(static_cast<double>(t));
    };
    ode::RunPlan<Scalar> plan;
    plan.end_time = Scalar(options_.duration);
    plan.sample_times = wide_times;
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

  /// In double the plant itself: it may be another one after a payload was dropped.
  EquationsOfMotion<Scalar>& equations() {
    if constexpr (is_double) {
      return *plant_;
    } else {
      return controlled_;
    }
  }

  ode::Options<Scalar> numerics() const {
    ode::Options<Scalar> numerics;
    numerics.rtol = Scalar(options_.rtol);
    if (options_.atol) numerics.atol = Scalar(*options_.atol);
    if (options_.step) numerics.step = Scalar(*options_.step);
    numerics.fixed_step =
        options_.step.has_value() && ode::find_integrator(options_.integrator).constant_ok;
    return numerics;
  }

  void sample(const Scalar& wide_t, Input y) {
    const auto t = static_cast<double>(wide_t);
    const Input wide_q = layout_.q(y), wide_qd = layout_.qd(y);
    actuation_.forces(controlled_, wide_t, wide_q, wide_qd, tau_);
    for (std::size_t i = 0; i < q_.size(); ++i) {
      q_[i] = static_cast<double>(wide_q[i]);
      qd_[i] = static_cast<double>(wide_qd[i]);
    }
    for (std::size_t i = 0; i < tau_.size(); ++i) tau_sample_[i] = static_cast<double>(tau_[i]);
    plant_->accelerations(t, q_, qd_, tau_sample_, qdd_);
    if (stops_ != nullptr) stops_->hold(t, q_, qdd_);
    record_sample(run_, *plant_, t, q_, qd_, qdd_, tau_sample_);
    run_.work.push_back(layout_.has_work() ? static_cast<double>(y[layout_.work()]) : 0.0);
    run_.power_balance.push_back(plant_->energy_rate(t, q_, qd_, qdd_) -
                                 plant_->power(t, q_, qd_, qdd_, tau_sample_));
    if (options_.limits) note_saturation(t);
    if (!options_.motion) return;
    const std::size_t joints = tau_.size();
    const std::span<double> all(desired_);
    options_.motion->at(t, all.first(joints), all.subspan(joints, joints), all.last(joints));
    for (std::size_t i = 0; i < joints; ++i) run_.desired[i].push_back(desired_[i]);
  }

  void note_saturation(double t) {
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
  EquationsOfMotion<Scalar>& controlled_;  ///< what the actuators' model is, payload and all
  const SimulationOptions& options_;
  const Progress& progress_;
  std::vector<double> q0_, qd0_;
  Actuation<Scalar> actuation_;
  Recording run_;
  StateLayout layout_{};
  JointStops* stops_ = nullptr;
  std::vector<Scalar> tau_;
  std::vector<double> q_, qd_, qdd_, tau_sample_, desired_;
  std::vector<bool> saturated_;
};

/// Wider reals serve the papers' runs; what goes beyond them is refused.
void check_wide(const SimulationOptions& options) {
  const char* reason = options.limits            ? "limits"
                       : options.base            ? "a moving base"
                       : options.drop_payload    ? "a dropped payload"
                       : !options.events.empty() ? "events"
                                                 : nullptr;
  if (reason != nullptr) {
    throw ArgumentError(
        fmt::format("precision double-double does not go with {}: use double", reason));
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

Precision precision_from_name(std::string_view name) {
  for (const auto precision : {Precision::standard, Precision::double_double}) {
    if (name == to_string(precision)) return precision;
  }
  throw ArgumentError(
      fmt::format("unknown precision '{}': it must be one of double, double-double", name));
}

const char* to_string(Precision precision) {
  return precision == Precision::standard ? "double" : "double-double";
}

Recording simulate(const Model& model, const SimulationOptions& options, const Progress& progress) {
  check(model, options);
  const RigidPlantOptions rigid{.friction = options.friction, .base = options.base};
  const auto plant = rigid_plant(model, rigid);
  if (options.precision == Precision::standard) return simulate(*plant, options, progress);
  check_wide(options);
  const auto equations = wide_rigid_equations(model, rigid);
  return Run<DoubleDouble>(*equations, *plant, options, progress).go();
}

Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress) {
  check(plant.model(), options);
  if (options.precision != Precision::standard) {
    throw ArgumentError("precision double-double goes with a model only: use double");
  }
  return Run<double>(plant, plant, options, progress).go();
}

}  // namespace dynamics
