// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveIntegrator: base of all error-controlled methods: the weighted error norm, the first step
// (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd ed., section II.4),
// landing on the limit, and the smallest step.
//
//   // in a method: |error| <= 1 is within tolerance
//   const Real error = this->error_norm(difference, y_old, y_new);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ode/integrator.hpp"

namespace dynamics::ode {

template <class Scalar>
class AdaptiveIntegrator : public Integrator<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;

  /// Proposed next step, unsigned; zero before the first.
  const Real& next_step() const { return step_; }

 protected:
  AdaptiveIntegrator(std::string name, int order, const System<Scalar>& system,
                     Options<Real> options)
      : Integrator<Scalar>(std::move(name), order, system, std::move(options)),
        step_(0),
        rtol_(this->options_.rtol),
        atol_(system.size(), this->options_.atol.value_or(this->options_.rtol)),
        trial_y_(system.size(), Scalar(0)),
        trial_f_(system.size(), Scalar(0)) {
    if (!this->options_.atol_each.empty()) atol_ = this->options_.atol_each;
  }

  void on_restart() override {
    const Real planned = step_;
    this->on_start();
    planned_step_ = planned;
  }

  /// For on_start(): no step is planned.
  void reset_step() { step_ = planned_step_ = Real(0); }

  /// The derivative at the current time, evaluated unless it is `known`.
  void evaluate_unless(bool& known, std::vector<Scalar>& slope) {
    if (!known) this->evaluate(this->time_, this->y_, slope);
    known = true;
  }

  Real tolerance(std::size_t i, const Real& size) const { return Real(atol_[i] + rtol_ * size); }

  /// Root mean square of v_i / (atol_i + rtol max(|a_i|, |b_i|)).
  Real error_norm(Input<Scalar> v, Input<Scalar> a, Input<Scalar> b) const {
    Real sum(0);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Real weight = tolerance(i, larger(magnitude(a[i]), magnitude(b[i])));
      const Real ratio = Real(magnitude(v[i]) / weight);
      sum += ratio * ratio;
    }
    return root(Real(sum / Real(static_cast<double>(v.size()))));
  }

  /// Initial step, unsigned, for a method whose error estimate is O(h^(estimate_order + 1)).
  Real first_step(const Real& direction, const Real& span, Input<Scalar> f, int estimate_order) {
    if (this->options_.step) return smaller(*this->options_.step, largest_step(span));
    const Input<Scalar> y = this->y_;
    const Real size_y = error_norm(y, y, y);
    const Real size_f = error_norm(f, y, y);
    const Real tiny = Real(1e-6);
    Real guess =
        (size_y < Real(1e-5) || size_f < Real(1e-5)) ? tiny : Real(size_y / size_f / Real(100));
    guess = smaller(guess, largest_step(span));
    const Real h = direction * guess;
    for (std::size_t i = 0; i < y.size(); ++i) trial_y_[i] = y[i] + h * f[i];
    this->evaluate(Real(this->time_ + h), trial_y_, trial_f_);
    for (std::size_t i = 0; i < y.size(); ++i) trial_f_[i] = trial_f_[i] - f[i];
    const Real curvature = Real(error_norm(trial_f_, y, y) / guess);
    const Real largest = larger(size_f, curvature);
    const Real exponent = Real(Real(1) / Real(estimate_order + 1));
    Real better = larger(tiny, Real(guess * Real(1e-3)));
    if (largest > Real(1e-15) && finite(largest)) {
      better = power(Real(Real(1) / (Real(100) * largest)), exponent);
    }
    better = smaller(Real(Real(100) * guess), better);
    if (planned_step_ > Real(0)) better = smaller(better, planned_step_);
    return smaller(better, largest_step(span));
  }

  Real largest_step(const Real& span) const {
    return this->options_.max_step ? smaller(*this->options_.max_step, span) : span;
  }

  /// Shortens the step, or lengthens it by at most 1 %, to end exactly at the limit. Returns
  /// whether it does.
  bool lands(const Real& span, Real& h) const {
    if (this->options_.max_step) h = smaller(h, *this->options_.max_step);
    if (h * Real(1.01) < span) return false;
    h = span;
    return true;
  }

  /// Whether the step is below round-off of the time or below min_step.
  bool too_small(const Real& h) const {
    if (this->options_.min_step && h < *this->options_.min_step) return true;
    return h <= Real(4) * epsilon<Real>() * absolute(this->time_) ||
           h < std::numeric_limits<Real>::min();
  }

  Real step_;                    ///< proposal for the next step, unsigned
  Real planned_step_ = Real(0);  ///< before a restart; zero: none
  Real rtol_;
  std::vector<Real> atol_;

 private:
  std::vector<Scalar> trial_y_;
  std::vector<Scalar> trial_f_;
};

}  // namespace dynamics::ode
