// SPDX-License-Identifier: Apache-2.0
//
// Solver: integrates over an interval, with samples at given times, events, and a callback after
// each step.
//
//   RunPlan<double> run;
//   run.end_time = 10.0;
//   run.sample_times = times;               // increasing (decreasing backwards), within the run
//   run.on_sample = record;                 // record(t, y)
//   run.events = std::span(&ground, 1);
//   Solver<double> solver(*integrator, run.events.size());
//   const Outcome<double> outcome = solver.run(0.0, y0, run);
//   if (!outcome.ok()) std::cerr << outcome.message();
//
// Samples and events are reported in order of time. A sample at the time of an event has the state
// before its action. Simultaneous events fire one after the other; a sign change caused by an
// action counts as a crossing. Each event function g is evaluated at four points per step: two
// crossings within one step are detected unless they fall into the same quarter of it (and then too
// if the event has a slope). Limit the step (max_step) if g varies faster than the solution.
// Nothing allocates during the run. At breakpoints, times known in advance at which the system or
// the state changes, a step ends and the integrator restarts; a sample there has the state before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <dynamics_core/view.hpp>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "ode/event.hpp"
#include "ode/integrator.hpp"

namespace dynamics::ode {

enum class Ending {
  reached_end,
  stopped_by_event,
  interrupted,  ///< on_step returned false
  failed,       ///< the integrator failed, see Outcome::status
  too_many_steps
};

template <class Scalar>
struct Outcome {
  using Real = RealOf<Scalar>;

  Ending ending = Ending::reached_end;
  Status status = Status::ok;
  Real time = Real(0);
  std::size_t event = 0;                               ///< the one that stopped the run
  std::shared_ptr<const std::string> integrator = {};  ///< its name; outlives the integrator

  /// The end was reached, or an event stopped the run.
  bool ok() const { return ending == Ending::reached_end || ending == Ending::stopped_by_event; }

  std::string message() const {
    const std::string at = " at t = " + format_number(time);
    std::string name = integrator ? *integrator : "run";
    switch (ending) {
      case Ending::reached_end: return name + ": reached the end" + at;
      case Ending::stopped_by_event:
        return name + ": stopped by event " + std::to_string(event) + at;
      case Ending::interrupted: return name + ": interrupted" + at;
      case Ending::too_many_steps: return name + ": more steps than allowed by max_steps" + at;
      case Ending::failed: return name + ": " + to_string(status) + at;
    }
    return name;
  }
};

template <class Scalar>
struct RunPlan {
  using Real = RealOf<Scalar>;

  Real end_time = Real(0);
  /// Required for an end time before the start.
  bool backward = false;
  ListView<Real> sample_times = {};
  FunctionRef<void(const Real&, std::span<const Scalar>)> on_sample = {};
  ListView<Event<Scalar>> events = {};
  /// The first breakpoint after t: a time at which the system changes, on which a step must end and
  /// the integrator restart. Infinity: none. Forward runs only.
  FunctionRef<Real(const Real&)> next_breakpoint = {};
  /// Called at each breakpoint before the end, after the samples and events of the step; may change
  /// the state and the system.
  FunctionRef<void(const Real&, std::span<Scalar>)> on_breakpoint = {};
  /// Called after every step with the state, which it may correct, as onto a manifold. True: it has
  /// changed the state, and the integrator restarts.
  FunctionRef<bool(const Real&, std::span<Scalar>)> correct = {};
  /// Called after every step; false ends the run.
  FunctionRef<bool(const Real&, std::span<const Scalar>)> on_step = {};
  std::uint64_t max_steps = std::numeric_limits<std::uint64_t>::max();
};

template <class Scalar>
class Solver {
 public:
  using Real = RealOf<Scalar>;

  explicit Solver(Integrator<Scalar>& integrator, std::size_t max_events = 0)
      : integrator_(integrator),
        point_(integrator.size(), Scalar(0)),
        signs_(max_events, 0),
        values_(max_events, Real(0)),
        values_before_(max_events, Real(0)),
        slopes_(max_events, Real(0)),
        slopes_before_(max_events, Real(0)) {}

  /// Throws ArgumentError for an invalid plan. Numerical failures are reported in the
  /// outcome.
  Outcome<Scalar> run(const Real& start_time, Input<Scalar> y0, const RunPlan<Scalar>& plan) {
    check(start_time, plan);
    run_ = &plan;
    forward_ = !(plan.end_time < start_time);
    next_sample_ = 0;
    integrator_.start(start_time, y0);
    for (auto& known : signs_) known = 0;
    reset_signs(start_time, y0, no_event);
    emit_samples(start_time);
    std::uint64_t steps = 0;
    Outcome<Scalar> outcome;
    outcome.integrator = integrator_.shared_name();
    while (integrator_.time() != plan.end_time) {
      if (steps++ >= plan.max_steps) return finish(outcome, Ending::too_many_steps);
      const Real limit = next_limit();
      outcome.status = integrator_.advance(limit);
      if (outcome.status != Status::ok) return finish(outcome, Ending::failed);
      if (process_step(outcome)) return finish(outcome, Ending::stopped_by_event);
      if (integrator_.time() == limit && limit != plan.end_time) pass_breakpoint(limit);
      if (plan.correct) correct_state();
      if (plan.on_step && !plan.on_step(integrator_.time(), integrator_.state())) {
        return finish(outcome, Ending::interrupted);
      }
    }
    return finish(outcome, Ending::reached_end);
  }

 private:
  static constexpr std::size_t no_event = std::numeric_limits<std::size_t>::max();
  static constexpr int quarters = 4;

  Outcome<Scalar>& finish(Outcome<Scalar>& outcome, Ending ending) const {
    outcome.ending = ending;
    outcome.time = integrator_.time();
    return outcome;
  }

  void check(const Real& start_time, const RunPlan<Scalar>& plan) const {
    if (!finite(start_time) || !finite(plan.end_time)) {
      throw ArgumentError("start and end time must be finite");
    }
    if (plan.end_time < start_time && !plan.backward) {
      throw ArgumentError("end time is " + format_number(plan.end_time) +
                          ": it must not lie before the start time " + format_number(start_time) +
                          " (negative duration) unless the run is backward");
    }
    if (plan.end_time > start_time && plan.backward) {
      throw ArgumentError("end time is " + format_number(plan.end_time) +
                          ": a backward run must end before its start time " +
                          format_number(start_time));
    }
    if (plan.events.size() > signs_.size()) {
      throw ArgumentError("run has " + std::to_string(plan.events.size()) +
                          " events: the solver was made for at most " +
                          std::to_string(signs_.size()));
    }
    const auto ordered = [&plan](const Real& a, const Real& b) {
      return plan.backward ? !(a < b) : !(b < a);
    };
    Real last = start_time;
    for (std::size_t i = 0; i < plan.sample_times.size(); ++i) {
      const Real& t = plan.sample_times[i];
      if (!(ordered(last, t) && ordered(t, plan.end_time))) {
        throw ArgumentError("sample time " + std::to_string(i) + " is " + format_number(t) +
                            ": sample times must be in order and within the run");
      }
      last = t;
    }
  }

  /// The next breakpoint, or the end.
  Real next_limit() const {
    if (!run_->next_breakpoint) return run_->end_time;
    return smaller(run_->next_breakpoint(integrator_.time()), run_->end_time);
  }

  void pass_breakpoint(const Real& t) {
    integrator_.interpolate(t, point_);
    run_->on_breakpoint(t, point_);
    integrator_.restart(t, point_);
    reset_signs(t, integrator_.state(), no_event);
  }

  void correct_state() {
    const Real t = integrator_.time();
    const Input<Scalar> state = integrator_.state();
    for (std::size_t i = 0; i < point_.size(); ++i) point_[i] = state[i];
    if (!run_->correct(t, point_)) return;
    integrator_.restart(t, point_);
    reset_signs(t, integrator_.state(), no_event);
  }

  bool reached(const Real& t, const Real& limit) const {
    return forward_ ? !(limit < t) : !(t < limit);
  }

  void emit_samples(const Real& up_to) {
    const auto times = run_->sample_times;
    for (; next_sample_ < times.size() && reached(times[next_sample_], up_to); ++next_sample_) {
      if (!run_->on_sample) continue;
      integrator_.interpolate(times[next_sample_], point_);
      run_->on_sample(times[next_sample_], Input<Scalar>(point_));
    }
  }

  static int sign(const Real& x) { return x > Real(0) ? 1 : x < Real(0) ? -1 : 0; }

  Real event_value(std::size_t i, const Real& t) {
    integrator_.interpolate(t, point_);
    return run_->events[i].function(t, Input<Scalar>(point_));
  }

  Real event_slope(std::size_t i, const Real& t) {
    integrator_.interpolate(t, point_);
    return run_->events[i].slope(t, Input<Scalar>(point_));
  }

  /// Resets the signs after a restart. `fired` is the event that has just fired; its sign is
  /// determined shortly after the start. An event that crosses at the same instant keeps its old
  /// sign and fires next.
  void reset_signs(const Real& t, Input<Scalar> y, std::size_t fired) {
    for (std::size_t i = 0; i < run_->events.size(); ++i) {
      values_before_[i] = run_->events[i].function(t, y);
      const bool indefinite = i == fired && !run_->events[i].definite;
      if (indefinite) {
        signs_[i] = 0;
      } else if (i == fired || !counts(run_->events[i].crossing, signs_[i], values_before_[i])) {
        signs_[i] = sign(values_before_[i]);
      }
    }
  }

  /// Reports samples and events of the last step. Returns true if an event ends the run.
  bool process_step(Outcome<Scalar>& outcome) {
    Real from = integrator_.previous_time();
    const Real to = integrator_.time();
    initialize_signs(from, to);
    for (;;) {
      Real at = to;
      const std::size_t first = first_crossing(from, to, at);
      if (first == no_event) {
        emit_samples(to);
        return false;
      }
      emit_samples(at);
      integrator_.count_event();
      signs_[first] = -signs_[first];
      const Event<Scalar>& event = run_->events[first];
      EventAction action = event.terminal ? EventAction::stop : EventAction::proceed;
      integrator_.interpolate(at, point_);
      if (event.action) {
        const EventAction requested = event.action(at, point_);
        if (!event.terminal || requested == EventAction::stop) action = requested;
      }
      if (action == EventAction::proceed) {
        from = at;
        update_values(from, first);
        continue;
      }
      integrator_.restart(at, point_);
      outcome.event = first;
      if (action == EventAction::stop) return true;
      reset_signs(at, integrator_.state(), first);
      return false;
    }
  }

  /// Gives events that start at zero the sign after 1e-6 of the step.
  void initialize_signs(const Real& from, const Real& to) {
    const Real soon = Real(from + (to - from) * Real(1e-6));
    for (std::size_t i = 0; i < run_->events.size(); ++i) {
      if (signs_[i] != 0) continue;
      const Real t = soon == from ? to : soon;
      values_before_[i] = event_value(i, t);
      signs_[i] = sign(values_before_[i]);
    }
  }

  /// Updates values and signs at t, where `fired` has crossed. Sign changes in the direction that
  /// an event ignores only update its sign.
  void update_values(const Real& t, std::size_t fired) {
    for (std::size_t i = 0; i < run_->events.size(); ++i) {
      values_before_[i] = event_value(i, t);
      const int now = sign(values_before_[i]);
      if (i == fired || now == 0) continue;
      if (!counts(run_->events[i].crossing, signs_[i], values_before_[i])) signs_[i] = now;
    }
  }

  /// Slopes of the events that have them, in the state point_.
  void evaluate_slopes(const Real& t, std::vector<Real>& slopes) {
    for (std::size_t i = 0; i < run_->events.size(); ++i) {
      if (run_->events[i].slope) slopes[i] = run_->events[i].slope(t, Input<Scalar>(point_));
    }
  }

  /// The earliest event within (from, to], and its time.
  std::size_t first_crossing(const Real& from, const Real& to, Real& at) {
    const std::size_t count = run_->events.size();
    if (count == 0) return no_event;
    const Real start = integrator_.previous_time();
    Real left = from;
    integrator_.interpolate(left, point_);
    evaluate_slopes(left, slopes_before_);
    for (int quarter = 1; quarter <= quarters; ++quarter) {
      const Real right =
          quarter == quarters ? to : Real(start + (to - start) * Real(quarter) / Real(quarters));
      if (reached(right, left)) continue;
      std::size_t first = no_event;
      integrator_.interpolate(right, point_);
      for (std::size_t i = 0; i < count; ++i) values_[i] = run_->events[i].function(right, point_);
      evaluate_slopes(right, slopes_);
      for (std::size_t i = 0; i < count; ++i) {
        if (signs_[i] == 0) signs_[i] = sign(values_[i]);
        Real after = right;
        if (!changed(i) && !dips_below_zero(i, left, right, after)) continue;
        if (!counts(run_->events[i].crossing, signs_[i], values_[i])) continue;
        const Real t = locate(i, left, after);
        if (first == no_event || !reached(at, t)) {
          first = i;
          at = t;
        }
      }
      if (first != no_event) return first;
      for (std::size_t i = 0; i < count; ++i) {
        if (sign(values_[i]) != 0) signs_[i] = sign(values_[i]);
        values_before_[i] = values_[i];
      }
      slopes_before_.swap(slopes_);
      left = right;
    }
    return no_event;
  }

  /// Whether event i is positive at both ends with a minimum below zero between, by its slope. Then
  /// `minimum` is the time of the minimum, and values_[i] its value.
  bool dips_below_zero(std::size_t i, const Real& left, const Real& right, Real& minimum) {
    const Event<Scalar>& event = run_->events[i];
    if (!event.slope || signs_[i] <= 0 || event.crossing == Crossing::rising) return false;
    const Real at_left = slopes_before_[i], at_right = slopes_[i];
    if (!(at_left < Real(0) && at_right > Real(0))) return false;
    const Real t = locate_crossing([&](const Real& time) { return event_slope(i, time); }, left,
                                   right, at_left, at_right);
    const Real value = event_value(i, t);
    if (!(value < Real(0))) return false;
    minimum = t;
    values_[i] = value;
    return true;
  }

  bool changed(std::size_t i) const { return signs_[i] != 0 && sign(values_[i]) != signs_[i]; }

  Real locate(std::size_t i, const Real& left, const Real& right) {
    // If g is zero at the left end (it has just crossed), use only its sign.
    const Real before = sign(values_before_[i]) == signs_[i]
                            ? values_before_[i]
                            : Real(Real(signs_[i]) * std::numeric_limits<Real>::min());
    return locate_crossing([&](const Real& t) { return event_value(i, t); }, left, right, before,
                           values_[i]);
  }

  Integrator<Scalar>& integrator_;
  const RunPlan<Scalar>* run_ = nullptr;
  std::vector<Scalar> point_;
  std::vector<int> signs_;  // of each g since its last crossing; 0: not yet known
  std::vector<Real> values_;
  std::vector<Real> values_before_;
  std::vector<Real> slopes_;
  std::vector<Real> slopes_before_;
  std::size_t next_sample_ = 0;
  bool forward_ = true;
};

extern template class Solver<double>;

}  // namespace dynamics::ode
