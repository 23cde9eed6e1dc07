// SPDX-License-Identifier: Apache-2.0
//
// FixedStepIntegrator: methods with a constant step, and FixedRungeKutta, the explicit Runge-Kutta
// ones among them (rk4, and any embedded pair without its error control).
//
//   auto integrator = make_fixed_step_integrator<double>("rk4", system, options);
//   integrator->step(t, 0.001, y);    // real time: y is advanced in place, no allocation
//
// `step` is stateless: it may be called with any t, h and y. Its work is bounded.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/error.hpp"
#include "ode/bootstrap.hpp"
#include "ode/integrator.hpp"
#include "ode/runge_kutta.hpp"

namespace dynamics::ode {

template <class Scalar>
class FixedStepIntegrator : public Integrator<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;

  bool is_adaptive() const override { return false; }

  /// Advances y from t to t + h in place. y is unchanged unless `ok` is returned.
  [[nodiscard]] virtual Status step(const Real& t, const Real& h, Output<Scalar> y) = 0;

 protected:
  FixedStepIntegrator(std::string name, int order, const System<Scalar>& system,
                      Options<Real> options)
      : Integrator<Scalar>(std::move(name), order, system, std::move(options)),
        y_new_(system.size(), Scalar(0)),
        origin_(0) {
    if (!this->options_.step) {
      throw ArgumentError("step is not set: " + this->name() +
                          " is a fixed-step method and needs one, for instance 0.001");
    }
  }

  void on_start() override {
    origin_ = this->time_;
    count_ = 0;
  }

  /// Steps to origin + n step, so that rounding errors of the time do not accumulate, and to the
  /// limit.
  Status on_advance(const Real& limit) override {
    const Real& width = *this->options_.step;
    const auto [direction, span] = this->interval_to(limit);
    const bool landing = span <= width * Real(1 + 1e-9);
    const double next = static_cast<double>(count_ + 1);
    const Real t_new = landing ? limit : Real(origin_ + direction * width * Real(next));
    y_new_ = this->y_;
    const Status status = step(this->time_, Real(t_new - this->time_), y_new_);
    if (status != Status::ok) return status;
    bool all_finite = true;
    for (const auto& value : y_new_) all_finite = all_finite && finite(magnitude(value));
    if (!all_finite) return Status::not_finite;
    this->accept(t_new, y_new_);
    if (landing) {
      origin_ = limit;
      count_ = 0;
    } else {
      ++count_;
    }
    return Status::ok;
  }

 private:
  std::vector<Scalar> y_new_;
  Real origin_;
  std::uint64_t count_ = 0;
};

/// Dense output of the low-order fixed-step methods: cubic Hermite from the derivatives at both
/// ends, O(h^4), above the order of the method.
template <class Scalar>
class HermiteFixedStep : public FixedStepIntegrator<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;

 protected:
  HermiteFixedStep(std::string name, int order, const System<Scalar>& system, Options<Real> options,
                   int degree = 3)
      : FixedStepIntegrator<Scalar>(std::move(name), order, system, std::move(options)),
        bootstrap_(system.size(), degree),
        start_slope_(system.size(), Scalar(0)),
        end_slope_(system.size(), Scalar(0)),
        prepared_for_(0) {}

  void on_start() override {
    FixedStepIntegrator<Scalar>::on_start();
    prepared_ = false;
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    const Real h = Real(this->time_ - this->previous_time_);
    if (!prepared_ || prepared_for_ != this->time_) {
      const auto f = [this](const Real& at, Input<Scalar> point, Output<Scalar> dydt) {
        this->evaluate(at, point, dydt);
      };
      f(this->previous_time_, this->previous_y_, start_slope_);
      f(this->time_, this->y_, end_slope_);
      bootstrap_.prepare(f, this->previous_time_, h, this->previous_y_, start_slope_, this->y_,
                         end_slope_);
      prepared_ = true;
      prepared_for_ = this->time_;
    }
    bootstrap_.value(Real((t - this->previous_time_) / h), this->previous_y_, this->y_, y);
  }

 private:
  Bootstrap<Scalar> bootstrap_;
  std::vector<Scalar> start_slope_;
  std::vector<Scalar> end_slope_;
  Real prepared_for_;
  bool prepared_ = false;
};

template <class Scalar>
class FixedRungeKutta final : public FixedStepIntegrator<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;

  FixedRungeKutta(Tableau<Real> tableau, const System<Scalar>& system, Options<Real> options)
      : FixedStepIntegrator<Scalar>(tableau.name, tableau.order, system, std::move(options)),
        engine_(std::move(tableau), system.size()) {}

  Status step(const Real& t, const Real& h, Output<Scalar> y) override {
    const auto f = [this](const Real& at, Input<Scalar> point, Output<Scalar> dydt) {
      this->evaluate(at, point, dydt);
    };
    dense_ready_ = false;
    stages_current_ = false;
    f(t, y, engine_.stage(0));
    engine_.stages(f, t, h, y);
    engine_.add_solution(h, y);
    return Status::ok;
  }

 protected:
  Status on_advance(const Real& limit) override {
    const Status status = FixedStepIntegrator<Scalar>::on_advance(limit);
    stages_current_ = status == Status::ok;
    return status;
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    const Real h = Real(this->time_ - this->previous_time_);
    if (!dense_ready_) {
      const auto f = [this](const Real& at, Input<Scalar> point, Output<Scalar> dydt) {
        this->evaluate(at, point, dydt);
      };
      if (!stages_current_) {  // `step` has been called in between
        f(this->previous_time_, this->previous_y_, engine_.stage(0));
        engine_.stages(f, this->previous_time_, h, this->previous_y_);
        stages_current_ = true;
      }
      f(this->time_, this->y_, engine_.end());
      engine_.prepare_dense(f, this->previous_time_, h, this->previous_y_, this->y_);
      dense_ready_ = true;
    }
    engine_.dense(Real((t - this->previous_time_) / h), this->previous_y_, this->y_, y);
  }

 private:
  RungeKutta<Scalar> engine_;
  bool stages_current_ = false;  // the engine holds the stages of the last accepted step
  bool dense_ready_ = false;
};

}  // namespace dynamics::ode
