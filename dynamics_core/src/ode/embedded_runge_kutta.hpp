// SPDX-License-Identifier: Apache-2.0
//
// EmbeddedRungeKutta: error-controlled explicit Runge-Kutta over any tableau with an error
// estimate: rkf45, dverk, dopri5, dop853. Step control as in Hairer's codes: proportional-integral
// with the tableau's beta; DOP853 blends its estimates of orders 5 and 3.
//
//   EmbeddedRungeKutta<double> integrator(dop853_tableau<double>(), system, options);
//   integrator.start(0.0, y0);
//   integrator.advance(1.0);
#pragma once

#include <utility>
#include <vector>

#include "ode/adaptive.hpp"
#include "ode/runge_kutta.hpp"

namespace dynamics::ode {

template <class Scalar>
class EmbeddedRungeKutta final : public AdaptiveIntegrator<Scalar> {
  using Base = AdaptiveIntegrator<Scalar>;

 public:
  using typename Base::Real;

  EmbeddedRungeKutta(Tableau<Real> tableau, const System<Scalar>& system, Options<Real> options)
      : Base(tableau.name, tableau.order, system, std::move(options)),
        engine_(std::move(tableau), system.size()),
        y_new_(system.size(), Scalar(0)),
        difference_(system.size(), Scalar(0)) {
    const auto& t = engine_.tableau();
    const Real expected = Real(Real(1) / Real(t.estimate_order + 1));
    beta_ = t.beta;
    alpha_ = Real(expected - t.beta * Real(3) / Real(4));
  }

  /// |h| times an estimate of the spectral radius of df/dy, directly after an accepted step, from
  /// the last stage and the end of the step (HW II, Eq. IV.2.18). The last stage must be at the end
  /// of the step, as that of dopri5 and dop853.
  Real scaled_spectral_radius() const {
    const Input<Scalar> last = engine_.stage(engine_.tableau().stages - 1);
    const Input<Scalar> end = engine_.stage(engine_.tableau().stages);
    Real numerator(0), denominator(0);
    for (std::size_t i = 0; i < last.size(); ++i) {
      const Real df = magnitude(Scalar(end[i] - last[i]));
      const Real dy = magnitude(Scalar(this->y_[i] - engine_.last_point()[i]));
      numerator += df * df;
      denominator += dy * dy;
    }
    if (!(denominator > Real(0))) return Real(0);
    return Real(absolute(Real(this->time_ - this->previous_time_)) *
                root(Real(numerator / denominator)));
  }

 protected:
  void on_start() override {
    have_end_ = false;
    this->reset_step();
    error_old_ = Real(1e-4);
    dense_ready_ = false;
  }

  Status on_advance(const Real& limit) override {
    const auto& tableau = engine_.tableau();
    const auto f = [this](const Real& t, Input<Scalar> y, Output<Scalar> dydt) {
      this->evaluate(t, y, dydt);
    };
    const auto [direction, span] = this->interval_to(limit);

    if (have_end_) {
      std::copy(engine_.end().begin(), engine_.end().end(), engine_.stage(0).begin());
    } else {
      f(this->time_, this->y_, engine_.stage(0));
    }
    have_end_ = false;
    dense_ready_ = false;
    if (this->step_ == Real(0)) {
      this->step_ = this->first_step(direction, span, engine_.stage(0), tableau.estimate_order);
    }

    bool rejected = false;
    for (;;) {
      Real h = this->step_;
      const bool landing = this->lands(span, h);
      if (!landing && this->too_small(h)) {
        keep_stage_zero();
        return last_error_finite_ ? Status::step_size_underflow : Status::not_finite;
      }
      const Real signed_h = Real(direction * h);
      const Real t_new = landing ? limit : Real(this->time_ + signed_h);
      engine_.stages(f, this->time_, signed_h, this->y_);
      engine_.solution(signed_h, this->y_, y_new_);
      if (tableau.estimate_needs_end()) f(t_new, y_new_, engine_.end());
      const Real error = estimate(signed_h);
      last_error_finite_ = finite(error);
      if (!last_error_finite_) {
        ++this->statistics_.rejections;
        rejected = true;
        this->step_ = Real(h / Real(10));
        continue;
      }
      const Real safety = Real(0.9);
      const Real raw = power(error, alpha_);
      if (error <= Real(1)) {
        Real divisor = Real(raw / power(error_old_, beta_) / safety);
        divisor = clamped(divisor, Real(Real(1) / tableau.grow), Real(Real(1) / tableau.shrink));
        Real proposal = Real(h / divisor);
        if (rejected) proposal = smaller(proposal, h);
        // A step shortened only to end at the limit does not reduce the planned one.
        this->step_ = landing ? larger(proposal, this->step_) : proposal;
        error_old_ = larger(error, Real(1e-4));
        if (!tableau.estimate_needs_end()) f(t_new, y_new_, engine_.end());
        have_end_ = true;
        this->accept(t_new, y_new_);
        return Status::ok;
      }
      ++this->statistics_.rejections;
      rejected = true;
      this->step_ = Real(h / smaller(Real(Real(1) / tableau.shrink), Real(raw / safety)));
    }
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    const Real h = Real(this->time_ - this->previous_time_);
    if (!dense_ready_) {
      engine_.prepare_dense([this](const Real& at, Input<Scalar> point,
                                   Output<Scalar> dydt) { this->evaluate(at, point, dydt); },
                            this->previous_time_, h, this->previous_y_, this->y_);
      dense_ready_ = true;
    }
    engine_.dense(Real((t - this->previous_time_) / h), this->previous_y_, this->y_, y);
  }

 private:
  /// Norm of the error estimate, relative to the tolerance.
  Real estimate(const Real& h) {
    const auto& tableau = engine_.tableau();
    engine_.sum(tableau.error, h, difference_);
    const Real high = this->error_norm(difference_, this->y_, y_new_);
    if (tableau.error_low.empty()) return high;
    // HNW I, Eq. II.10.17: err = err5 err5 / sqrt(err5^2 + 0.01 err3^2)
    engine_.sum(tableau.error_low, h, difference_);
    const Real low = this->error_norm(difference_, this->y_, y_new_);
    const Real blend = root(Real(high * high + low * low / Real(100)));
    return blend > Real(0) || !finite(blend) ? Real(high * high / blend) : Real(0);
  }

  /// After a failure the next call starts from the same state and reuses f there.
  void keep_stage_zero() {
    std::copy(engine_.stage(0).begin(), engine_.stage(0).end(), engine_.end().begin());
    have_end_ = true;
  }

  RungeKutta<Scalar> engine_;
  std::vector<Scalar> y_new_;
  std::vector<Scalar> difference_;
  Real alpha_;
  Real beta_;
  Real error_old_ = Real(1e-4);
  bool have_end_ = false;
  bool dense_ready_ = false;
  bool last_error_finite_ = true;
};

}  // namespace dynamics::ode
