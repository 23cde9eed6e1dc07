// SPDX-License-Identifier: Apache-2.0
//
// Integrator: one numerical method applied to one System. It advances step by step and interpolates
// within the last step. Sampling and events are in solve.hpp.
//
//   auto integrator = make_integrator<double>("dop853", system, options);
//   integrator->start(0.0, y0);
//   while (integrator->time() < 10.0) {
//     if (integrator->advance(10.0) != Status::ok) break;        // one step, never past 10
//     integrator->interpolate(t_within_the_step, y);             // dense output
//   }
//
// After construction nothing allocates, and nothing throws except the system's callables and
// `start` (ArgumentError for a state of the wrong size). Identical calls give bitwise
// identical results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/error.hpp"
#include "ode/options.hpp"
#include "ode/scalar.hpp"
#include "ode/system.hpp"

namespace dynamics::ode {

template <class Scalar>
class Integrator {
 public:
  using Real = RealOf<Scalar>;

  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  const std::string& name() const { return *name_; }
  /// The name, shared so that it can outlive the integrator.
  const std::shared_ptr<const std::string>& shared_name() const { return name_; }
  /// The method of the last step: name() unless the integrator switches between methods.
  virtual const std::string& method() const { return name(); }
  /// Order of the propagated solution; for variable-order methods the highest order.
  int order() const { return order_; }
  virtual bool is_adaptive() const { return true; }
  std::size_t size() const { return system_.size(); }
  const Options<Real>& options() const { return options_; }

  /// Sets the state and resets the method, except the statistics.
  void start(const Real& t, Input<Scalar> y) {
    set_state(t, y);
    on_start();
  }

  /// Continues a run behind a jump of the state or of its derivatives: like start(), but the first
  /// step is at most the one that was planned, and an integrator that switches keeps its method.
  void restart(const Real& t, Input<Scalar> y) {
    set_state(t, y);
    on_restart();
  }

  /// Takes one accepted step towards `limit` (forward or backward in time), ending exactly on it if
  /// it is within reach. On failure time and state remain those of the last accepted step.
  [[nodiscard]] Status advance(const Real& limit) {
    if (limit == time_) return Status::ok;
    const Status status = on_advance(limit);
    if (status == Status::ok) ++statistics_.steps;
    return status;
  }

  /// The solution at t between previous_time() and time(), after a successful `advance`.
  void interpolate(const Real& t, Output<Scalar> y) {
    if (t == time_) {
      std::copy(y_.begin(), y_.end(), y.begin());
    } else if (t == previous_time_) {
      std::copy(previous_y_.begin(), previous_y_.end(), y.begin());
    } else {
      on_interpolate(t, y);
    }
  }

  const Real& time() const { return time_; }
  const Real& previous_time() const { return previous_time_; }
  Input<Scalar> state() const { return y_; }
  Input<Scalar> previous_state() const { return previous_y_; }
  const Statistics& statistics() const { return statistics_; }
  void count_event() { ++statistics_.events; }

 protected:
  Integrator(std::string name, int order, const System<Scalar>& system, Options<Real> options)
      : system_(system),
        options_(std::move(options)),
        time_(0),
        previous_time_(0),
        y_(system.size(), Scalar(0)),
        previous_y_(system.size(), Scalar(0)),
        name_(std::make_shared<const std::string>(std::move(name))),
        order_(order) {
    check_options(options_, system.size());
  }

  virtual void on_start() = 0;
  virtual void on_restart() { on_start(); }
  virtual Status on_advance(const Real& limit) = 0;
  virtual void on_interpolate(const Real& t, Output<Scalar> y) = 0;

  void evaluate(const Real& t, Input<Scalar> y, Output<Scalar> dydt) {
    ++statistics_.evaluations;
    system_.derivative(t, y, dydt);
  }

  /// The interval from the current time to `limit`: its sign and its length.
  struct Interval {
    Real direction;
    Real span;
  };
  Interval interval_to(const Real& limit) const {
    return {limit < time_ ? Real(-1) : Real(1), absolute(Real(limit - time_))};
  }

  /// Makes `y_new` the current state at time t and the current state the previous one.
  void accept(const Real& t, std::vector<Scalar>& y_new) {
    previous_time_ = time_;
    time_ = t;
    previous_y_.swap(y_);
    y_.swap(y_new);
  }

  System<Scalar> system_;
  Options<Real> options_;
  Statistics statistics_;
  Real time_;
  Real previous_time_;
  std::vector<Scalar> y_;
  std::vector<Scalar> previous_y_;

 private:
  void set_state(const Real& t, Input<Scalar> y) {
    if (y.size() != size()) {
      throw ArgumentError("state has " + std::to_string(y.size()) + " components: the system has " +
                          std::to_string(size()));
    }
    time_ = t;
    previous_time_ = t;
    std::copy(y.begin(), y.end(), y_.begin());
    std::copy(y.begin(), y.end(), previous_y_.begin());
  }

  std::shared_ptr<const std::string> name_;
  int order_;
};

}  // namespace dynamics::ode
