// SPDX-License-Identifier: Apache-2.0
//
// Adams: Adams-Bashforth-Moulton predictor-corrector (PECE) of variable step and variable order 1
// to 12 with local extrapolation, after Shampine and Gordon, Computer Solution of Ordinary
// Differential Equations (1975), in the notation of Hairer, Norsett, Wanner, Solving ODEs I,
// sections III.5, III.7. Two evaluations a step, whatever the order: the cheapest where the
// derivative is expensive and smooth.
//
//   Adams<double> integrator(system, options);
//   integrator.start(0.0, y0);
//   integrator.advance(1.0);
//
// The step is doubled, kept, or reduced, since constant steps let the order rise. Dense output: the
// integral of the corrector's own interpolation polynomial, of the order of the step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <dynamics_core/simulation/adaptive.hpp>
#include <utility>
#include <vector>

namespace dynamics::ode {

template <class Scalar>
class Adams final : public AdaptiveIntegrator<Scalar> {
  using Base = AdaptiveIntegrator<Scalar>;

 public:
  using typename Base::Input;
  using typename Base::Output;
  using typename Base::Real;
  static constexpr std::size_t highest_order = 12;

  Adams(const System<Scalar>& system, Options<Real> options)
      : Base("abm", static_cast<int>(highest_order) + 1, system, std::move(options)),
        phi_((highest_order + 2) * system.size(), Scalar(0)),
        phi_star_(phi_),
        predicted_(system.size(), Scalar(0)),
        y_new_(predicted_),
        f_new_(predicted_),
        difference_(predicted_) {}

  /// Order of the predictor in the last step.
  std::size_t current_order() const { return order_; }

 protected:
  void on_start() override {
    order_ = 1;
    last_order_ = 1;
    valid_ = 0;
    constant_steps_ = 0;
    last_step_ = Real(0);
    starting_ = true;
    this->step_ = Real(0);
  }

  Status on_advance(const Real& limit) override {
    const Real direction = limit < this->time_ ? Real(-1) : Real(1);
    const Real span = absolute(Real(limit - this->time_));
    if (valid_ > 0 && last_step_ * direction < Real(0)) on_start();  // turned round
    if (valid_ == 0) {
      this->evaluate(this->time_, this->y_, phi(0));
      times_[0] = this->time_;
      valid_ = 1;
    }
    if (this->step_ == Real(0)) this->step_ = this->first_step(direction, span, phi(0), 1);

    for (int failures = 0;;) {
      Real h = this->step_;
      const bool landing = this->lands(span, h);
      // Two equal steps to the limit rather than one and a sliver.
      if (!landing && h * Real(2) > span) h = Real(span / Real(2));
      if (!landing && this->too_small(h)) {
        return last_error_finite_ ? Status::step_size_underflow : Status::not_finite;
      }
      const Real signed_h = Real(direction * h);
      const Real t_new = landing ? limit : Real(this->time_ + signed_h);
      predict(t_new, signed_h);
      this->evaluate(t_new, predicted_, f_new_);
      const Errors errors = estimate(signed_h);
      last_error_finite_ = finite(errors.here);

      std::size_t order = order_;
      if (order_ == 2 && errors.below * Real(2) <= errors.here) order = 1;
      if (order_ > 2 && larger(errors.below, errors.far_below) <= errors.here) order = order_ - 1;

      if (errors.here <= Real(1)) {
        correct(t_new, signed_h);
        choose_next(order, h, signed_h, errors);
        return Status::ok;
      }
      ++this->statistics_.rejections;
      ++failures;
      starting_ = false;
      Real factor = Real(0.5);
      if (!last_error_finite_) factor = Real(0.1);
      if (failures > 3 && last_error_finite_ && errors.here > Real(2)) {
        factor = root(Real(Real(0.5) / errors.here));
      }
      order_ = failures >= 3 ? 1 : order;
      this->step_ = Real(h * factor);
    }
  }

  void on_interpolate(const Real& t, Output y) override {
    const Real offset = Real(t - this->time_);
    const std::size_t terms = last_order_ + 1;
    std::array<Real, highest_order + 2> w{};
    for (std::size_t q = 0; q < terms; ++q) w[q] = Real(Real(1) / Real(static_cast<double>(q + 1)));
    std::copy(this->y_.begin(), this->y_.end(), y.begin());
    Real previous_gap(0);
    for (std::size_t j = 0; j < terms; ++j) {
      if (j > 0) {
        // Repeated integrals of the Newton basis, from one node to the next.
        const Real gap = Real(times_[0] - times_[j]);
        const Real gamma = Real((offset + previous_gap) / gap);
        const Real eta = Real(offset / gap);
        for (std::size_t q = 0; q + j < terms; ++q) w[q] = Real(gamma * w[q] - eta * w[q + 1]);
        previous_gap = gap;
      }
      const Real weight = Real(offset * w[0]);
      const Input p = phi(j);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += weight * p[i];
    }
  }

 private:
  /// Estimated errors of this step at the order used, one below and two below.
  struct Errors {
    Real here;
    Real below;
    Real far_below;
  };

  Output phi(std::size_t j) { return {phi_.data() + j * this->size(), this->size()}; }
  Input phi(std::size_t j) const { return {phi_.data() + j * this->size(), this->size()}; }
  Output phi_star(std::size_t j) { return {phi_star_.data() + j * this->size(), this->size()}; }

  /// HNW I, Eqs. III.5.5 to III.5.10: phi*_j = beta_j phi_j, g_j, and the predicted state.
  void predict(const Real& t_new, const Real& h) {
    const std::size_t n = this->size();
    const std::size_t stars = std::min(valid_, order_ + 1);
    Real beta(1);
    for (std::size_t j = 0; j < stars; ++j) {
      if (j > 0) beta *= Real((t_new - times_[j - 1]) / (times_[0] - times_[j]));
      const Input from = std::as_const(*this).phi(j);
      const Output to = phi_star(j);
      for (std::size_t i = 0; i < n; ++i) to[i] = beta * from[i];
    }
    coefficients(t_new, h);
    std::copy(this->y_.begin(), this->y_.end(), predicted_.begin());
    for (std::size_t j = order_; j-- > 0;) {
      const Real weight = Real(h * g_[j]);
      const Output p = phi_star(j);
      for (std::size_t i = 0; i < n; ++i) predicted_[i] += weight * p[i];
    }
  }

  /// g_0 .. g_(order + 1) as far as the known nodes reach.
  void coefficients(const Real& t_new, const Real& h) {
    const std::size_t count = std::min(valid_ + 1, order_ + 2);
    std::array<Real, highest_order + 3> c{};
    for (std::size_t q = 0; q < count; ++q) c[q] = Real(Real(1) / Real(static_cast<double>(q + 1)));
    g_[0] = c[0];
    for (std::size_t j = 1; j < count; ++j) {
      const Real ratio = Real(h / (t_new - times_[j - 1]));
      for (std::size_t q = 0; q + j < count; ++q) c[q] = Real(c[q] - c[q + 1] * ratio);
      g_[j] = c[0];
    }
  }

  Errors estimate(const Real& h) {
    const std::size_t n = this->size();
    Errors errors{Real(0), Real(0), Real(0)};
    difference_ = f_new_;
    const Real length = absolute(h);
    for (std::size_t j = 1; j <= order_; ++j) {
      const Output p = phi_star(j - 1);
      for (std::size_t i = 0; i < n; ++i) difference_[i] = difference_[i] - p[i];
      if (j + 2 < order_) continue;
      const Real weight = Real(length * absolute(Real(g_[j] - g_[j - 1])));
      const Real size = Real(weight * this->error_norm(difference_, this->y_, predicted_));
      if (j == order_) errors.here = size;
      if (j + 1 == order_) errors.below = size;
      if (j + 2 == order_) errors.far_below = size;
    }
    return errors;  // difference_ is now phi_order of the predicted derivative
  }

  void correct(const Real& t_new, const Real& h) {
    const std::size_t n = this->size();
    const Real weight = Real(h * g_[order_]);
    for (std::size_t i = 0; i < n; ++i) y_new_[i] = predicted_[i] + weight * difference_[i];
    this->evaluate(t_new, y_new_, f_new_);
    const std::size_t stars = std::min(valid_, order_ + 1);
    std::copy(f_new_.begin(), f_new_.end(), phi(0).begin());
    for (std::size_t j = 0; j < stars; ++j) {
      const Input same = std::as_const(*this).phi(j);
      const Output old = phi_star(j);
      const Output next = phi(j + 1);
      for (std::size_t i = 0; i < n; ++i) next[i] = same[i] - old[i];
    }
    valid_ = std::min(stars + 1, highest_order + 2);
    for (std::size_t j = times_.size() - 1; j > 0; --j) times_[j] = times_[j - 1];
    times_[0] = t_new;
    this->accept(t_new, y_new_);
  }

  /// Order and step of the next step (Shampine and Gordon 1975, chapter 7).
  void choose_next(std::size_t order, const Real& h, const Real& signed_h, const Errors& errors) {
    const Real change = Real(absolute(Real(signed_h - last_step_)) / h);
    constant_steps_ = change < Real(1e-8) ? constant_steps_ + 1 : 1;
    last_step_ = signed_h;
    last_order_ = order_;
    Real error = errors.here;
    const bool lowered = order + 1 == order_;
    if (lowered || order_ == highest_order) starting_ = false;
    if (starting_) {
      ++order_;
      this->step_ = Real(h * Real(2));
      return;
    }
    if (lowered) {
      order_ = order;
      error = errors.below;
    } else if (constant_steps_ > order_ && valid_ > order_ + 1 && order_ < highest_order) {
      const Real weight = Real(h * absolute(Real(g_[order_ + 1] - g_[order_])));
      const Real above = Real(weight * this->error_norm(phi(order_ + 1), this->y_, this->y_));
      if (order_ > 1 && errors.below <= smaller(error, above)) {
        --order_;
        error = errors.below;
      } else if (order_ == 1 ? above * Real(2) < error : above < error) {
        ++order_;
        error = above;
      }
    }
    const Real exponent = Real(static_cast<double>(order_ + 1));
    if (error * power(Real(2), exponent) <= Real(0.5)) {
      this->step_ = Real(h * Real(2));
    } else if (error <= Real(0.5)) {
      this->step_ = h;
    } else {
      const Real ratio = power(Real(Real(0.5) / error), Real(Real(1) / exponent));
      this->step_ = Real(h * clamped(ratio, Real(0.5), Real(0.9)));
    }
  }

  std::vector<Scalar> phi_;       // modified divided differences at the present time
  std::vector<Scalar> phi_star_;  // the same, scaled to the step being tried
  std::vector<Scalar> predicted_;
  std::vector<Scalar> y_new_;
  std::vector<Scalar> f_new_;
  std::vector<Scalar> difference_;
  std::array<Real, highest_order + 3> g_{};
  std::array<Real, highest_order + 3> times_{};  // t_n, t_(n-1), ...
  std::size_t order_ = 1;
  std::size_t last_order_ = 1;
  std::size_t valid_ = 0;  // number of phi_j known
  std::size_t constant_steps_ = 0;
  Real last_step_ = Real(0);
  bool starting_ = true;
  bool last_error_finite_ = true;
};

}  // namespace dynamics::ode
