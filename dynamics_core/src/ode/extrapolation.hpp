// SPDX-License-Identifier: Apache-2.0
//
// Extrapolation (`gbs`): Gragg's explicit midpoint rule extrapolated after Bulirsch and Stoer, of
// variable order and step (Hairer, Norsett, Wanner, Solving ODEs I, section II.9, the strategy of
// ODEX). Its coefficients are rational and its order increases with the precision of the scalar (18
// in double, 32 with 50 digits): suited for reference solutions in wide reals.
//
//   using Wide = boost::multiprecision::cpp_bin_float_50;
//   Options<Wide> options;
//   options.rtol = Wide("1e-35");
//   Extrapolation<Wide> integrator(system, options);
//
// Dense output: the step is repeated over the shorter interval at the same order. A sample is as
// accurate as a step and costs the evaluations of a step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "ode/adaptive.hpp"

namespace dynamics::ode {

template <class Scalar>
class Extrapolation final : public AdaptiveIntegrator<Scalar> {
  using Base = AdaptiveIntegrator<Scalar>;

 public:
  using typename Base::Real;

  Extrapolation(const System<Scalar>& system, Options<Real> options)
      : Base("gbs", static_cast<int>(2 * highest_column()), system, std::move(options)),
        columns_(highest_column()),
        row_((columns_ + 2) * system.size(), Scalar(0)),
        previous_row_(row_),
        slope_(system.size(), Scalar(0)),
        start_slope_(slope_),
        stage_slope_(slope_),
        before_(slope_),
        here_(slope_),
        work_(columns_ + 2, Real(0)),
        best_step_(columns_ + 2, Real(0)),
        work_per_unit_(columns_ + 2, Real(0)) {
    work_[0] = Real(1);
    for (std::size_t j = 1; j < work_.size(); ++j) {
      work_[j] = Real(work_[j - 1] + Real(static_cast<double>(substeps(j)) - 1));
    }
  }

  /// Largest number of rows of the extrapolation table: 9 in double, 16 with 50 digits.
  static std::size_t highest_column() {
    const int digits = std::numeric_limits<Real>::digits10;
    return static_cast<std::size_t>(std::clamp((digits + 4) / 2, 5, 16));
  }

 protected:
  void on_start() override {
    have_slope_ = false;
    this->reset_step();
    using std::log10;
    const Real exponent = Real(log10(this->rtol_));
    const double digits = -to_double(exponent);
    const auto guess = static_cast<std::size_t>(std::max(2.0, std::floor(digits * 0.6 + 1.5)));
    column_ = std::min(guess, columns_ - 1);
    rejected_ = false;
  }

  Status on_advance(const Real& limit) override {
    const auto [direction, span] = this->interval_to(limit);
    this->evaluate_unless(have_slope_, slope_);
    start_slope_ = slope_;
    if (this->step_ == Real(0)) {
      this->step_ = this->first_step(direction, span, slope_, static_cast<int>(2 * column_ - 1));
    }
    for (;;) {
      Real h = this->step_;
      const bool landing = this->lands(span, h);
      if (!landing && this->too_small(h)) {
        return last_error_finite_ ? Status::step_size_underflow : Status::not_finite;
      }
      const Real signed_h = Real(direction * h);
      const std::size_t accepted = try_step(signed_h, h);
      if (accepted == 0) {
        ++this->statistics_.rejections;
        rejected_ = true;
        continue;
      }
      const Real planned = this->step_;
      choose_next(accepted, h);
      // A step shortened only to end at the limit does not reduce the planned one.
      if (landing) this->step_ = larger(this->step_, planned);
      rejected_ = false;
      const Real t_new = landing ? limit : Real(this->time_ + signed_h);
      last_rows_ = accepted;
      copy_row(accepted, here_);
      this->accept(t_new, here_);
      this->evaluate(t_new, this->y_, slope_);
      return Status::ok;
    }
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    const Real h = Real(t - this->previous_time_);
    for (std::size_t j = 1; j <= last_rows_; ++j) {
      fill_row(j, this->previous_time_, h, this->previous_y_, start_slope_);
    }
    copy_row(last_rows_, y);
  }

 private:
  static std::size_t substeps(std::size_t j) { return 2 * j; }

  Output<Scalar> entry(std::vector<Scalar>& row, std::size_t m) {
    return {row.data() + (m - 1) * this->size(), this->size()};
  }

  template <class Target>
  void copy_row(std::size_t j, Target& target) {
    const Output<Scalar> value = entry(row_, j);
    std::copy(value.begin(), value.end(), target.begin());
  }

  /// Row j of the table: T_j1 by the midpoint rule, then Aitken-Neville in (1/n)^2.
  void fill_row(std::size_t j, const Real& t, const Real& h, Input<Scalar> y, Input<Scalar> f) {
    const std::size_t n = this->size();
    const std::size_t count = substeps(j);
    const Real width = Real(h / Real(static_cast<double>(count)));
    const Real twice = Real(Real(2) * width);
    for (std::size_t i = 0; i < n; ++i) {
      before_[i] = y[i];
      here_[i] = y[i] + width * f[i];
    }
    for (std::size_t m = 1; m < count; ++m) {
      this->evaluate(Real(t + width * Real(static_cast<double>(m))), here_, stage_slope_);
      for (std::size_t i = 0; i < n; ++i) before_[i] += twice * stage_slope_[i];
      before_.swap(here_);
    }
    row_.swap(previous_row_);
    std::copy(here_.begin(), here_.end(), entry(row_, 1).begin());
    for (std::size_t m = 2; m <= j; ++m) {
      const Real ratio =
          Real(Real(static_cast<double>(count)) / Real(static_cast<double>(substeps(j - m + 1))));
      const Real scale = Real(Real(1) / (ratio * ratio - Real(1)));
      const Output<Scalar> left = entry(row_, m - 1);
      const Output<Scalar> up = entry(previous_row_, m - 1);
      const Output<Scalar> out = entry(row_, m);
      for (std::size_t i = 0; i < n; ++i) out[i] = left[i] + scale * (left[i] - up[i]);
    }
  }

  /// Fills row j of the table. Returns its error relative to the tolerance and sets its optimal
  /// step and work per unit step.
  Real row_error(std::size_t j, const Real& signed_h, const Real& h) {
    fill_row(j, this->time_, signed_h, this->y_, slope_);
    if (j < 2) return std::numeric_limits<Real>::max();
    const Output<Scalar> best = entry(row_, j);
    const Output<Scalar> second = entry(row_, j - 1);
    for (std::size_t i = 0; i < this->size(); ++i) stage_slope_[i] = best[i] - second[i];
    const Real error = this->error_norm(stage_slope_, this->y_, best);
    if (!finite(error)) return error;
    const Real exponent = Real(Real(1) / Real(static_cast<double>(2 * j - 1)));
    const Real least = power(Real(0.02), exponent);
    const Real floor_error = larger(error, Real(epsilon<Real>() * epsilon<Real>()));
    const Real divisor = Real(power(Real(floor_error / Real(0.65)), exponent) / Real(0.94));
    best_step_[j] = Real(h / clamped(divisor, least, Real(Real(4) / least)));
    work_per_unit_[j] = Real(work_[j] / best_step_[j]);
    return error;
  }

  /// Returns the row at which the step converged, or 0 if rejected; then step_ and column_ are
  /// updated.
  std::size_t try_step(const Real& signed_h, const Real& h) {
    const auto count = [](std::size_t j) { return Real(static_cast<double>(substeps(j))); };
    Real previous = std::numeric_limits<Real>::max();
    for (std::size_t j = 1; j <= std::min(column_ + 1, columns_); ++j) {
      const Real error = row_error(j, signed_h, h);
      last_error_finite_ = finite(error);
      if (!last_error_finite_ || (j > 2 && error >= previous && error > Real(1))) {
        this->step_ = Real(h * (last_error_finite_ ? Real(0.5) : Real(0.1)));
        return 0;
      }
      previous = error;
      if (j < 2 || j + 1 < column_) continue;
      if (error <= Real(1)) return j;
      // Convergence monitor (HNW I, Eqs. II.9.29 and II.9.31): no convergence to be expected.
      Real bound = Real(1);
      if (j + 1 == column_)
        bound = Real(count(column_ + 1) * count(column_) / (count(1) * count(1)));
      if (j == column_) bound = Real(count(column_ + 1) / count(1));
      if (j > column_ || error > bound * bound) return reject(j);
    }
    return reject(std::min(column_ + 1, columns_));
  }

  std::size_t reject(std::size_t reached) {
    column_ = std::min(column_, reached);
    if (column_ > 2 && work_per_unit_[column_ - 1] < work_per_unit_[column_] * Real(0.8)) --column_;
    column_ = std::max<std::size_t>(column_, 2);
    this->step_ = best_step_[column_];
    return 0;
  }

  void choose_next(std::size_t accepted, const Real& h) {
    std::size_t next = accepted;
    const auto cheaper = [&](std::size_t a, std::size_t b, double factor) {
      return work_per_unit_[a] < work_per_unit_[b] * Real(factor);
    };
    if (accepted == 2) {
      next = std::min<std::size_t>(3, columns_ - 1);
    } else if (accepted <= column_) {
      if (cheaper(accepted - 1, accepted, 0.8)) next = accepted - 1;
      if (cheaper(accepted, accepted - 1, 0.9)) next = std::min(accepted + 1, columns_ - 1);
    } else {
      next = accepted - 1;
      if (accepted > 3 && cheaper(accepted - 2, accepted - 1, 0.8)) next = accepted - 2;
      if (cheaper(accepted, next, 0.9)) next = std::min(accepted, columns_ - 1);
    }
    if (rejected_) {
      column_ = std::max<std::size_t>(2, std::min(next, accepted));
      this->step_ = smaller(h, best_step_[column_]);
      return;
    }
    if (next <= accepted) {
      this->step_ = best_step_[next];
    } else {
      this->step_ = Real(best_step_[accepted] * work_[next] / work_[accepted]);
    }
    column_ = std::max<std::size_t>(2, next);
  }

  std::size_t columns_;
  std::vector<Scalar> row_;  // T_j1 .. T_jj
  std::vector<Scalar> previous_row_;
  std::vector<Scalar> slope_;        // f at the current time
  std::vector<Scalar> start_slope_;  // f at the start of the last step
  std::vector<Scalar> stage_slope_;
  std::vector<Scalar> before_;
  std::vector<Scalar> here_;
  std::vector<Real> work_;  // evaluations up to row j
  std::vector<Real> best_step_;
  std::vector<Real> work_per_unit_;
  std::size_t column_ = 2;  // row at which convergence is expected
  std::size_t last_rows_ = 0;
  bool have_slope_ = false;
  bool rejected_ = false;
  bool last_error_finite_ = true;
};

}  // namespace dynamics::ode
