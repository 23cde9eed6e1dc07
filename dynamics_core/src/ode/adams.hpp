// SPDX-License-Identifier: Apache-2.0
//
// Adams: Adams-Bashforth-Moulton predictor-corrector of variable step and variable order 1 to 12
// with local extrapolation, after Shampine and Gordon, Computer Solution of Ordinary Differential
// Equations (1975), in the notation of Hairer, Norsett, Wanner, Solving ODEs I, sections III.5,
// III.7. One or two evaluations per step at any order: the most efficient method for expensive,
// smooth derivatives.
//
//   Adams<double> integrator(system, options);
//   integrator.start(0.0, y0);
//   integrator.advance(1.0);
//
// For q'' = a(t, q, q') only the accelerations are interpolated, and integrated once for the rates
// and twice for the positions (Krogh, Variable order integrators for the numerical solution of
// ordinary differential equations, 1969). This halves the number of differences.
//
// The corrected state is evaluated again (PECE) only where stability requires it: where the
// derivative is sensitive to the correction. Otherwise the derivative of the predicted state is
// kept (PEC). The sensitivity is measured at least every 16 steps.
//
// The step is doubled, kept or reduced: the order can only rise during constant steps. Dense
// output: the integral of the corrector's interpolation polynomial, with the order of the step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "ode/adaptive.hpp"

namespace dynamics::ode {

template <class Scalar>
class Adams final : public AdaptiveIntegrator<Scalar> {
  using Base = AdaptiveIntegrator<Scalar>;

 public:
  using typename Base::Real;
  static constexpr std::size_t highest_order = 12;

  Adams(const System<Scalar>& system, Options<Real> options)
      : Base("abm", static_cast<int>(highest_order) + 1, system, std::move(options)),
        twice_(system.is_second_order()),
        width_(twice_ ? system.size() / 2 : system.size()),
        rates_(system.size() - width_),
        phi_((highest_order + 2) * width_, Scalar(0)),
        phi_star_(phi_),
        difference_(width_, Scalar(0)),
        f_new_(difference_),
        f_corrected_(difference_),
        predicted_(system.size(), Scalar(0)),
        y_new_(predicted_),
        inverse_tolerance_(system.size(), Real(0)),
        inverse_size_(Real(1) / Real(static_cast<double>(system.size()))) {
    std::array<Real, highest_order + 3> ratio{};
    for (std::size_t j = 1; j < ratio.size(); ++j) ratio[j] = inverse(j);
    constant_step_.fill(ratio, highest_order + 2);
    for (std::size_t k = 0; k <= highest_order; ++k) {
      doubling_[k] = k == 0 ? Real(4) : Real(doubling_[k - 1] * Real(4));
    }
  }

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
    sensitivity_ = Real(0);
    steps_since_measured_ = measuring_interval;
    this->reset_step();
  }

  Status on_advance(const Real& limit) override {
    const auto [direction, span] = this->interval_to(limit);
    if (valid_ > 0 && last_step_ * direction < Real(0)) on_start();  // direction reversed
    if (valid_ == 0) {
      this->evaluate(this->time_, this->y_, y_new_);
      for (std::size_t i = 0; i < width_; ++i) phi_[i] = y_new_[rates_ + i];
      times_[0] = this->time_;
      valid_ = 1;
      this->step_ = this->first_step(direction, span, y_new_, 1);
    }

    for (int failures = 0;;) {
      Real h = this->step_;
      const bool landing = this->lands(span, h);
      // Two equal steps to the limit rather than a long and a very short one.
      if (!landing && h * Real(2) > span) h = Real(span / Real(2));
      if (!landing && this->too_small(h)) {
        return last_error_finite_ ? Status::step_size_underflow : Status::not_finite;
      }
      const Real signed_h = Real(direction * h);
      const Real t_new = landing ? limit : Real(this->time_ + signed_h);
      predict(t_new, signed_h);
      derivative(t_new, predicted_, f_new_);
      const Errors errors = estimate(signed_h);
      last_error_finite_ = finite(errors.current);

      std::size_t order = order_;
      if (order_ == 2 && errors.lower * Real(4) <= errors.current) order = 1;
      if (order_ > 2 && larger(errors.lower, errors.two_lower) <= errors.current)
        order = order_ - 1;

      if (errors.current <= Real(1)) {
        correct(t_new, signed_h);
        choose_next(order, h, signed_h, errors);
        return Status::ok;
      }
      ++this->statistics_.rejections;
      ++failures;
      starting_ = false;
      steps_since_measured_ = measuring_interval;
      Real factor = Real(0.5);
      if (!last_error_finite_) factor = Real(0.1);
      if (failures > 3 && last_error_finite_ && errors.current > Real(4)) {
        factor = root(Real(Real(0.5) / root(errors.current)));
      }
      order_ = failures >= 3 ? 1 : order;
      this->step_ = Real(h * factor);
    }
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    const Real offset = Real(t - this->time_);
    const std::size_t terms = last_order_ + 1;
    std::array<Real, highest_order + 3> w{};
    for (std::size_t q = 0; q <= terms; ++q) w[q] = inverse(q + 1);
    std::copy(this->y_.begin(), this->y_.end(), y.begin());
    const Output<Scalar> integral = y.last(width_);
    if (twice_) {
      for (std::size_t i = 0; i < width_; ++i) y[i] += offset * integral[i];
    }
    Real previous_gap(0);
    for (std::size_t j = 0; j < terms; ++j) {
      if (j > 0) {
        // Repeated integrals of the Newton basis, from one node to the next.
        const Real gap = Real(times_[0] - times_[j]);
        const Real gamma = Real((offset + previous_gap) / gap);
        const Real eta = Real(offset / gap);
        for (std::size_t q = 0; q + j <= terms; ++q) w[q] = Real(gamma * w[q] - eta * w[q + 1]);
        previous_gap = gap;
      }
      const Scalar* p = phi_.data() + j * width_;
      const Real once = Real(offset * w[0]);
      for (std::size_t i = 0; i < width_; ++i) integral[i] += once * p[i];
      if (!twice_) continue;
      const Real again = Real(offset * (offset * w[1]));
      for (std::size_t i = 0; i < width_; ++i) y[i] += again * p[i];
    }
  }

 private:
  /// Threshold of h |change of f| / |change of y| above which the second evaluation pays. Typical
  /// values: 0.2 to 2 for a damped motion whose step is limited by stability, 0.01 to 0.1 for an
  /// arm in free fall.
  static constexpr double high_sensitivity = 0.15;
  /// Steps without a second evaluation before the sensitivity is measured again.
  static constexpr std::size_t measuring_interval = 16;

  /// Squares of the estimated errors of this step at the current order, one lower and two lower.
  struct Errors {
    Real current;
    Real lower;
    Real two_lower;
  };

  /// Sums of squares of a difference, weighted with the tolerances of its first and second
  /// integral.
  struct Sums {
    Real once = Real(0);
    Real twice = Real(0);
    void add(const Real& size, const Real& inverse_once, const Real& inverse_twice) {
      const Real a = Real(size * inverse_once), b = Real(size * inverse_twice);
      once += a * a;
      twice += b * b;
    }
  };

  /// HNW I, Eqs. III.5.9 and III.5.10: integrals of the basis over the step, once (g_j) and twice.
  struct Coefficients {
    std::array<Real, highest_order + 3> once{};
    std::array<Real, highest_order + 3> twice{};

    /// Fills the first `count` from ratio_j = h / (t_new - t_(n - j + 1)), diagonal by diagonal.
    void fill(const std::array<Real, highest_order + 3>& ratio, std::size_t count) {
      std::array<Real, highest_order + 3> c{};
      for (std::size_t q = 0; q <= count; ++q) {
        Real value = inverse(q + 1);
        for (std::size_t j = 0; j < q; ++j) {
          const Real next = Real(c[j] - ratio[j + 1] * value);
          c[j] = value;
          value = next;
        }
        if (q < count) once[q] = c[q] = value;
        if (q > 0) twice[q - 1] = c[q - 1];
      }
    }
  };

  static Real inverse(std::size_t n) {
    static const std::array<Real, highest_order + 5> values = [] {
      std::array<Real, highest_order + 5> all{};
      for (std::size_t i = 1; i < all.size(); ++i)
        all[i] = Real(Real(1) / Real(static_cast<double>(i)));
      return all;
    }();
    return values[n];
  }

  void derivative(const Real& t, Input<Scalar> y, Output<Scalar> f) {
    if (!twice_) {
      this->evaluate(t, y, f);
      return;
    }
    ++this->statistics_.evaluations;
    this->system_.acceleration(t, y.first(width_), y.last(width_), f);
  }

  /// Calls work(count, i) for blocks i .. i + count - 1. count is a compile-time constant, so that
  /// the inner loops vectorize.
  template <class Work>
  void each_block(Work&& work) const {
    std::size_t i = 0;
    for (; i + 4 <= width_; i += 4) work(std::integral_constant<std::size_t, 4>{}, i);
    for (; i + 2 <= width_; i += 2) work(std::integral_constant<std::size_t, 2>{}, i);
    if (i < width_) work(std::integral_constant<std::size_t, 1>{}, i);
  }

  /// HNW I, Eqs. III.5.5 to III.5.10: phi*_j = beta_j phi_j, g_j, the predicted state, and the sum
  /// of phi*_j, the predicted derivative.
  void predict(const Real& t_new, const Real& h) {
    const std::size_t stars = std::min(valid_, order_ + 1);
    if (h == last_step_ && constant_steps_ >= order_) {
      g_ = &constant_step_;
      star_ = phi_.data();
    } else {
      const std::size_t known = std::min(valid_ + 1, order_ + 2);
      std::array<Real, highest_order + 3> ratio{};
      for (std::size_t j = 1; j < known; ++j) ratio[j] = Real(h / (t_new - times_[j - 1]));
      variable_step_.fill(ratio, known);
      std::array<Real, highest_order + 2> beta{};
      beta[0] = Real(1);
      for (std::size_t j = 1; j < stars; ++j) {
        beta[j] = Real((t_new - times_[j - 1]) / (times_[0] - times_[j]));
      }
      for (std::size_t j = 1; j < stars; ++j) beta[j] *= beta[j - 1];
      g_ = &variable_step_;
      star_ = phi_star_.data();
      each_block([&](auto constant, std::size_t at) {
        constexpr std::size_t count = decltype(constant)::value;
        const Scalar* from = phi_.data() + at;
        Scalar* to = phi_star_.data() + at;
        for (std::size_t j = 0; j < stars; ++j, from += width_, to += width_) {
          Scalar scaled[count];
          for (std::size_t i = 0; i < count; ++i) scaled[i] = beta[j] * from[i];
          for (std::size_t i = 0; i < count; ++i) to[i] = scaled[i];
        }
      });
    }
    if (twice_) {
      integrate<true>(h);
    } else {
      integrate<false>(h);
    }
  }

  template <bool twice>
  void integrate(const Real& h) {
    std::array<Real, highest_order> once_weight{}, twice_weight{};
    for (std::size_t j = 0; j < order_; ++j) {
      once_weight[j] = Real(h * g_->once[j]);
      if constexpr (twice) twice_weight[j] = Real(h * (h * g_->twice[j]));
    }
    const Scalar* y = this->y_.data();
    each_block([&](auto constant, std::size_t at) {
      constexpr std::size_t count = decltype(constant)::value;
      Scalar all[count], first[count], second[count];
      for (std::size_t i = 0; i < count; ++i) all[i] = first[i] = second[i] = Scalar(0);
      const Scalar* star = star_ + at;
      for (std::size_t j = 0; j < order_; ++j, star += width_) {
        const Real once = once_weight[j];
        for (std::size_t i = 0; i < count; ++i) all[i] += star[i];
        for (std::size_t i = 0; i < count; ++i) first[i] += once * star[i];
        if constexpr (twice) {
          const Real again = twice_weight[j];
          for (std::size_t i = 0; i < count; ++i) second[i] += again * star[i];
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        const Scalar& rate = y[rates_ + at + i];
        difference_[at + i] = all[i];
        predicted_[rates_ + at + i] = rate + first[i];
        if constexpr (twice) predicted_[at + i] = y[at + i] + (h * rate + second[i]);
      }
    });
  }

  /// Mean square of the contribution of the term of order j.
  Real mean_square(const Real& h, std::size_t j, const Sums& sums) const {
    const Real once = Real(h * (g_->once[j] - g_->once[j - 1]));
    Real total = Real(once * once * sums.once);
    if (twice_) {
      const Real twice = Real(h * (h * (g_->twice[j] - g_->twice[j - 1])));
      total += twice * twice * sums.twice;
    }
    return Real(total * inverse_size_);
  }

  Errors estimate(const Real& h) {
    for (std::size_t i = 0; i < this->size(); ++i) {
      const Real size = larger(magnitude(this->y_[i]), magnitude(predicted_[i]));
      inverse_tolerance_[i] = Real(Real(1) / this->tolerance(i, size));
    }
    const Scalar* last = star_ + (order_ - 1) * width_;
    const Scalar* before = order_ > 1 ? last - width_ : last;
    Sums current, lower, two_lower;
    for (std::size_t i = 0; i < width_; ++i) {
      const Scalar difference = f_new_[i] - difference_[i];
      const Scalar difference_lower = difference + last[i];
      const Scalar difference_two_lower = difference_lower + before[i];
      const Real once = inverse_tolerance_[rates_ + i], twice = inverse_tolerance_[i];
      difference_[i] = difference;
      current.add(magnitude(difference), once, twice);
      lower.add(magnitude(difference_lower), once, twice);
      two_lower.add(magnitude(difference_two_lower), once, twice);
    }
    Errors errors{mean_square(h, order_, current), Real(0), Real(0)};
    if (order_ > 1) errors.lower = mean_square(h, order_ - 1, lower);
    if (order_ > 2) errors.two_lower = mean_square(h, order_ - 2, two_lower);
    return errors;  // difference_ is now phi_order of the predicted derivative
  }

  void correct(const Real& t_new, const Real& h) {
    const Real once = Real(h * g_->once[order_]);
    for (std::size_t i = 0; i < width_; ++i) {
      y_new_[rates_ + i] = predicted_[rates_ + i] + once * difference_[i];
    }
    if (twice_) {
      const Real twice = Real(h * (h * g_->twice[order_]));
      for (std::size_t i = 0; i < width_; ++i) {
        y_new_[i] = predicted_[i] + twice * difference_[i];
      }
    }
    if (needs_evaluation(h)) {
      derivative(t_new, y_new_, f_corrected_);
      measure_sensitivity();
      f_new_.swap(f_corrected_);
    }
    const std::size_t stars = std::min(valid_, order_ + 1);
    each_block([&](auto constant, std::size_t at) {
      constexpr std::size_t count = decltype(constant)::value;
      Scalar now[count], old[count];
      Scalar* to = phi_.data() + at;
      const Scalar* star = star_ + at;  // may alias `to`
      for (std::size_t i = 0; i < count; ++i) now[i] = f_new_[at + i];
      for (std::size_t j = 0; j < stars; ++j, to += width_, star += width_) {
        for (std::size_t i = 0; i < count; ++i) old[i] = star[i];
        for (std::size_t i = 0; i < count; ++i) to[i] = now[i];
        for (std::size_t i = 0; i < count; ++i) now[i] = now[i] - old[i];
      }
      for (std::size_t i = 0; i < count; ++i) to[i] = now[i];
    });
    valid_ = stars + 1;
    for (std::size_t j = times_.size() - 1; j > 0; --j) times_[j] = times_[j - 1];
    times_[0] = t_new;
    this->accept(t_new, y_new_);
  }

  bool needs_evaluation(const Real& h) {
    if (steps_since_measured_ >= measuring_interval ||
        absolute(h) * sensitivity_ > Real(high_sensitivity))
      return true;
    ++steps_since_measured_;
    return false;
  }

  /// Sensitivity |change of f| / |change of y| from the corrector step.
  void measure_sensitivity() {
    steps_since_measured_ = 0;
    Real f_change(0), y_change(0);
    for (std::size_t i = 0; i < width_; ++i) {
      const Real w = inverse_tolerance_[rates_ + i];
      const Real a = Real(magnitude(Scalar(f_corrected_[i] - f_new_[i])) * w);
      const Real b = Real(magnitude(Scalar(y_new_[rates_ + i] - predicted_[rates_ + i])) * w);
      f_change += a * a;
      y_change += b * b;
    }
    sensitivity_ = y_change > Real(0) ? root(Real(f_change / y_change)) : Real(0);
  }

  /// Order and step of the next step (Shampine and Gordon 1975, chapter 7).
  void choose_next(std::size_t order, const Real& h, const Real& signed_h, const Errors& errors) {
    constant_steps_ = signed_h == last_step_ ? constant_steps_ + 1 : 1;
    last_step_ = signed_h;
    last_order_ = order_;
    Real error = errors.current;
    const bool lowered = order + 1 == order_;
    if (lowered || order_ == highest_order) starting_ = false;
    if (starting_) {
      ++order_;
      this->step_ = Real(h * Real(2));
      return;
    }
    if (lowered) {
      order_ = order;
      error = errors.lower;
    } else if (constant_steps_ > order_ && valid_ > order_ + 1 && order_ < highest_order) {
      const Scalar* p = phi_.data() + (order_ + 1) * width_;
      Sums sums;
      for (std::size_t i = 0; i < width_; ++i) {
        sums.add(magnitude(p[i]), inverse_tolerance_[rates_ + i], inverse_tolerance_[i]);
      }
      const Real above = mean_square(h, order_ + 1, sums);
      if (order_ > 1 && errors.lower <= smaller(error, above)) {
        --order_;
        error = errors.lower;
      } else if (order_ == 1 ? above * Real(4) < error : above < error) {
        ++order_;
        error = above;
      }
    }
    if (error * doubling_[order_] <= Real(0.25)) {
      this->step_ = Real(h * Real(2));
    } else if (error <= Real(0.25)) {
      this->step_ = h;
    } else {
      const Real exponent = Real(Real(0.5) * inverse(order_ + 1));  // error is a square
      const Real ratio = power(Real(Real(0.25) / error), exponent);
      this->step_ = Real(h * clamped(ratio, Real(0.5), Real(0.9)));
    }
  }

  bool twice_;               // q'' = a: accelerations are interpolated and integrated twice
  std::size_t width_;        // number of interpolated components
  std::size_t rates_;        // index in the state of the components whose derivatives these are
  std::vector<Scalar> phi_;  // modified divided differences at the current time
  std::vector<Scalar> phi_star_;  // the same, scaled to the attempted step
  const Scalar* star_ = nullptr;  // phi_star_, or phi_ if all scales are 1
  std::vector<Scalar> difference_;
  std::vector<Scalar> f_new_;
  std::vector<Scalar> f_corrected_;
  std::vector<Scalar> predicted_;
  std::vector<Scalar> y_new_;
  std::vector<Real> inverse_tolerance_;
  Real inverse_size_;
  Coefficients constant_step_;  // for constant steps
  Coefficients variable_step_;  // for this step
  const Coefficients* g_ = &constant_step_;
  std::array<Real, highest_order + 1> doubling_{};  // by order: factor of a squared error when the
                                                    // step is doubled
  std::array<Real, highest_order + 3> times_{};     // t_n, t_(n-1), ...
  std::size_t order_ = 1;
  std::size_t last_order_ = 1;
  std::size_t valid_ = 0;                 // number of known phi_j
  std::size_t constant_steps_ = 0;        // consecutive steps of the same size
  std::size_t steps_since_measured_ = 0;  // steps since the sensitivity was measured
  Real sensitivity_ = Real(0);            // |change of f| / |change of y|
  Real last_step_ = Real(0);
  bool starting_ = true;
  bool last_error_finite_ = true;
};

}  // namespace dynamics::ode
