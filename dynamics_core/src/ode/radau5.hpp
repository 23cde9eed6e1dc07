// SPDX-License-Identifier: Apache-2.0
//
// Radau5: the three-stage Radau IIA method, order 5, L-stable, for stiff systems (flexible links,
// stiff springs): simplified Newton on a real and a complex system of the size of the state, error
// estimate of order 3, predictive step control (Hairer, Wanner, Solving ODEs II, section IV.8).
//
//   auto system = System<double>::first_order(2, van_der_pol).with_jacobian(jacobian);
//   Radau5<double> integrator(system, options);     // without a Jacobian: forward differences
//   integrator.start(0.0, y0);
//   integrator.advance(1.0);
//
// As in Hairer's code the tolerances are mapped by rtol -> 0.1 rtol^(2/3), since the estimate is of
// lower order than the solution; where stiffness reduces the order, the error follows the mapped
// tolerance. Dense output: the collocation polynomial, of order 3, whose error follows the mapped
// tolerance as well. With Radau5Tolerance::dense_output the tolerances are not mapped.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "ode/adaptive.hpp"
#include "ode/jacobian.hpp"
#include "ode/radau5_coefficients.hpp"
#include "ode/small_lu.hpp"

namespace dynamics::ode {

/// What has the error of the tolerance: the solution at the ends of the steps, or also between
/// them.
enum class Radau5Tolerance { solution, dense_output };

template <class Scalar>
class Radau5 final : public AdaptiveIntegrator<Scalar> {
  using Base = AdaptiveIntegrator<Scalar>;

 public:
  using typename Base::Real;
  static constexpr int max_iterations = 7;

  Radau5(const System<Scalar>& system, Options<Real> options,
         Radau5Tolerance tolerance_of = Radau5Tolerance::solution)
      : Base("radau5", 5, system, std::move(options)),
        jacobian_(system.size()),
        real_lu_(system.size()),
        complex_lu_(system.size()),
        slope_(system.size(), Scalar(0)),
        y_new_(slope_),
        point_(slope_),
        error_(slope_),
        weights_(system.size(), Real(1)),
        complex_rhs_(system.size()) {
    for (std::size_t s = 0; s < 3; ++s) {
      z_[s] = w_[s] = f_[s] = last_z_[s] = slope_;
    }
    // the Newton iteration ends above round-off
    const Real mapped = tolerance_of == Radau5Tolerance::solution
                            ? Real(Real(0.1) * power(this->rtol_, Real(Real(2) / Real(3))))
                            : larger(this->rtol_, Real(Real(1e3) * epsilon<Real>()));
    for (auto& atol : this->atol_) atol *= Real(mapped / this->rtol_);
    this->rtol_ = mapped;
    newton_tolerance_ =
        larger(Real(Real(10) * epsilon<Real>() / mapped), smaller(Real(0.03), root(mapped)));
  }

  /// |h| times an estimate of the spectral radius of df/dy, after an accepted step.
  Real scaled_spectral_radius() const { return Real(accepted_h_ * spectral_radius_); }

 protected:
  void on_start() override {
    have_slope_ = false;
    jacobian_current_ = false;
    decomposed_ = false;
    first_ = true;
    this->reset_step();
    last_h_ = Real(0);
    convergence_ = Real(1);
    faccon_ = Real(1);
    rejected_ = false;
  }

  Status on_advance(const Real& limit) override {
    const auto [direction, span] = this->interval_to(limit);
    this->evaluate_unless(have_slope_, slope_);
    if (this->step_ == Real(0)) this->step_ = this->first_step(direction, span, slope_, 3);
    for (std::size_t i = 0; i < this->size(); ++i) {
      weights_[i] = this->tolerance(i, magnitude(this->y_[i]));
    }
    bool finite_so_far = true;
    for (;;) {
      Real h = this->step_;
      const bool landing = this->lands(span, h);
      if (!landing && this->too_small(h)) {
        return finite_so_far ? Status::step_size_underflow : Status::not_finite;
      }
      const Real signed_h = Real(direction * h);
      const Real t_new = landing ? limit : Real(this->time_ + signed_h);
      if (!prepare(signed_h)) {
        fail(h, Real(0.5));
        continue;
      }
      predict_stages(signed_h);
      const int iterations = newton(signed_h, finite_so_far);
      if (iterations == 0) {
        fail(h, suggested_cut_);
        continue;
      }
      const Real error = estimate(signed_h, finite_so_far);
      const Real safety(0.9);
      const Real cautious = smaller(safety, Real(safety * Real(1 + 2 * max_iterations) /
                                                 Real(iterations + 2 * max_iterations)));
      const Real quarter(0.25);
      Real divisor = clamped(Real(power(error, quarter) / cautious), Real(0.125), Real(5));
      // NaN fails this comparison, too.
      if (error < Real(1)) {
        if (!first_) {  // predictive controller of Gustafsson (HW II, Eq. IV.8.25)
          const Real ratio = Real(accepted_h_ / h *
                                  power(Real(error * error / accepted_error_), quarter) / safety);
          divisor = larger(divisor, clamped(ratio, Real(0.125), Real(5)));
        }
        accepted_h_ = h;
        accepted_error_ = larger(Real(0.01), error);
        finish(t_new, signed_h, Real(h / divisor), landing);
        return Status::ok;
      }
      ++this->statistics_.rejections;
      rejected_ = true;
      this->step_ = finite(error) ? Real(first_ ? h / Real(10) : h / divisor) : Real(h / Real(10));
      decomposed_ = false;
    }
  }

  void on_interpolate(const Real& t, Output<Scalar> y) override {
    const Real theta = Real((t - this->previous_time_) / (this->time_ - this->previous_time_));
    std::copy(this->previous_y_.begin(), this->previous_y_.end(), y.begin());
    for (std::size_t s = 0; s < 3; ++s) {
      const Real weight = radau_.interpolation_weight(s, theta);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += weight * last_z_[s][i];
    }
  }

 private:
  void fail(const Real& h, const Real& cut) {
    ++this->statistics_.rejections;
    rejected_ = true;
    this->step_ = Real(h * cut);
    decomposed_ = false;
    // The cause may be an outdated Jacobian.
    if (!jacobian_fresh_) jacobian_current_ = false;
  }

  /// Jacobian and LU of gamma/h - J and (alpha - i beta)/h - J, where they are outdated.
  bool prepare(const Real& h) {
    if (!jacobian_current_) {
      jacobian_.fill(this->system_, this->time_, this->y_, slope_, this->statistics_);
      spectral_radius_ = jacobian_.spectral_radius();
      jacobian_current_ = true;
      jacobian_fresh_ = true;
      decomposed_ = false;
    }
    if (decomposed_ && decomposed_h_ == h) return true;
    const std::size_t n = this->size();
    const Real g = Real(radau_.gamma / h);
    const Real re = Real(radau_.alpha / h);
    const Real im = Real(-radau_.beta / h);
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) {
        const Scalar minus = -jacobian_.entry(r, c);
        real_lu_(r, c) = r == c ? Scalar(minus + g) : minus;
        complex_lu_(r, c) = r == c ? Complex<Scalar>{Scalar(minus + re), Scalar(im)}
                                   : Complex<Scalar>{minus, Scalar(0)};
      }
    }
    this->statistics_.decompositions += 2;
    decomposed_ = real_lu_.decompose() && complex_lu_.decompose();
    decomposed_h_ = h;
    return decomposed_;
  }

  /// Starting values: the last collocation polynomial, extrapolated.
  void predict_stages(const Real& h) {
    const std::size_t n = this->size();
    for (std::size_t s = 0; s < 3; ++s) {
      for (auto& value : z_[s]) value = Scalar(0);
    }
    if (last_h_ != Real(0)) {
      for (std::size_t s = 0; s < 3; ++s) {
        const Real theta = Real(Real(1) + radau_.c[s] * h / last_h_);
        for (std::size_t j = 0; j < 3; ++j) {
          Real weight = radau_.interpolation_weight(j, theta);
          if (j == 2) weight -= Real(1);
          for (std::size_t i = 0; i < n; ++i) z_[s][i] += weight * last_z_[j][i];
        }
      }
    }
    transform(radau_.t_inverse, z_, w_);
  }

  void transform(const typename Radau5Coefficients<Real>::Matrix& m,
                 const std::array<std::vector<Scalar>, 3>& from,
                 std::array<std::vector<Scalar>, 3>& to) const {
    for (std::size_t i = 0; i < this->size(); ++i) {
      for (std::size_t s = 0; s < 3; ++s) {
        to[s][i] = m[s][0] * from[0][i] + m[s][1] * from[1][i] + m[s][2] * from[2][i];
      }
    }
  }

  /// Returns the number of iterations, or 0 if it does not converge; then suggested_cut_ is set.
  int newton(const Real& h, bool& finite_so_far) {
    const std::size_t n = this->size();
    suggested_cut_ = Real(0.5);
    faccon_ = power(larger(faccon_, epsilon<Real>()), Real(0.8));
    convergence_ = Real(0.001);
    Real last_size(1);
    Real last_quotient(1);
    const Real g = Real(radau_.gamma / h);
    const Real re = Real(radau_.alpha / h);
    const Real im = Real(radau_.beta / h);
    for (int iteration = 1; iteration <= max_iterations; ++iteration) {
      ++this->statistics_.iterations;
      for (std::size_t s = 0; s < 3; ++s) {
        for (std::size_t i = 0; i < n; ++i) point_[i] = this->y_[i] + z_[s][i];
        this->evaluate(Real(this->time_ + radau_.c[s] * h), point_, f_[s]);
      }
      transform(radau_.t_inverse, f_, z_);
      for (std::size_t i = 0; i < n; ++i) {
        z_[0][i] = z_[0][i] - g * w_[0][i];
        complex_rhs_[i] = {Scalar(z_[1][i] - re * w_[1][i] - im * w_[2][i]),
                           Scalar(z_[2][i] + im * w_[1][i] - re * w_[2][i])};
      }
      this->statistics_.linear_solves += 2;
      real_lu_.solve(z_[0]);
      complex_lu_.solve(complex_rhs_);
      Real size(0);
      for (std::size_t i = 0; i < n; ++i) {
        const std::array<Scalar, 3> step{z_[0][i], complex_rhs_[i].re, complex_rhs_[i].im};
        for (std::size_t s = 0; s < 3; ++s) {
          const Real ratio = Real(magnitude(step[s]) / weights_[i]);
          size += ratio * ratio;
          w_[s][i] += step[s];
        }
      }
      size = root(Real(size / Real(static_cast<double>(3 * n))));
      if (!finite(size)) {
        finite_so_far = false;
        suggested_cut_ = Real(0.1);
        return 0;
      }
      finite_so_far = true;
      transform(radau_.t, w_, z_);
      if (iteration > 1) {
        const Real quotient = Real(size / last_size);
        convergence_ = iteration == 2 ? quotient : root(Real(quotient * last_quotient));
        last_quotient = quotient;
        if (convergence_ >= Real(0.99)) return 0;
        faccon_ = Real(convergence_ / (Real(1) - convergence_));
        const int left = max_iterations - 1 - iteration;
        Real expected = Real(faccon_ * size / newton_tolerance_);
        for (int i = 0; i < left; ++i) expected *= convergence_;
        if (left >= 0 && expected >= Real(1) && faccon_ * size > newton_tolerance_) {
          // HW II, p. 121: estimate of the step that would just converge.
          const Real bounded = clamped(expected, Real(1e-4), Real(20));
          suggested_cut_ = Real(Real(0.8) * power(bounded, Real(Real(-1) / Real(4 + left))));
          suggested_cut_ = smaller(suggested_cut_, Real(0.8));
          return 0;
        }
      }
      last_size = larger(size, epsilon<Real>());
      if (faccon_ * size <= newton_tolerance_) return iteration;
    }
    return 0;
  }

  Real norm(Input<Scalar> v) const {
    Real sum(0);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const Real ratio = Real(magnitude(v[i]) / weights_[i]);
      sum += ratio * ratio;
    }
    return larger(root(Real(sum / Real(static_cast<double>(v.size())))), Real(1e-10));
  }

  /// (gamma/h - J)^-1 (f(t, y) + sum e_s z_s / h), filtered once more after a failure.
  Real estimate(const Real& h, bool& finite_so_far) {
    const std::size_t n = this->size();
    const auto weighted = [&](std::size_t i) {
      return Scalar(
          (radau_.error[0] * z_[0][i] + radau_.error[1] * z_[1][i] + radau_.error[2] * z_[2][i]) /
          h);
    };
    for (std::size_t i = 0; i < n; ++i) error_[i] = slope_[i] + weighted(i);
    ++this->statistics_.linear_solves;
    real_lu_.solve(error_);
    Real error = norm(error_);
    if (!(error < Real(1)) && (first_ || rejected_)) {
      for (std::size_t i = 0; i < n; ++i) point_[i] = this->y_[i] + error_[i];
      this->evaluate(this->time_, point_, error_);
      for (std::size_t i = 0; i < n; ++i) error_[i] += weighted(i);
      ++this->statistics_.linear_solves;
      real_lu_.solve(error_);
      error = norm(error_);
    }
    finite_so_far = finite(error);
    return error;
  }

  void finish(const Real& t_new, const Real& h, Real proposal, bool landing) {
    const std::size_t n = this->size();
    for (std::size_t i = 0; i < n; ++i) y_new_[i] = this->y_[i] + z_[2][i];
    std::swap(last_z_, z_);
    last_h_ = h;
    const Real length = absolute(h);
    const Real planned = this->step_;
    this->accept(t_new, y_new_);
    this->evaluate(t_new, this->y_, slope_);
    if (rejected_) proposal = smaller(proposal, length);
    first_ = false;
    rejected_ = false;
    jacobian_fresh_ = false;
    jacobian_current_ = convergence_ <= Real(0.001);
    const Real ratio = Real(proposal / length);
    // Keep step and decomposition if a change would gain little.
    if (jacobian_current_ && ratio >= Real(1) && ratio <= Real(1.2)) proposal = length;
    this->step_ = landing ? larger(proposal, planned) : proposal;
    if (!jacobian_current_) decomposed_ = false;
  }

  Radau5Coefficients<Real> radau_;
  JacobianWorkspace<Scalar> jacobian_;
  SmallLu<Scalar> real_lu_;
  SmallLu<Complex<Scalar>> complex_lu_;
  std::array<std::vector<Scalar>, 3> z_;  // stages minus state
  std::array<std::vector<Scalar>, 3> w_;  // T^-1 z
  std::array<std::vector<Scalar>, 3> f_;
  std::array<std::vector<Scalar>, 3> last_z_;
  std::vector<Scalar> slope_;
  std::vector<Scalar> y_new_;
  std::vector<Scalar> point_;
  std::vector<Scalar> error_;
  std::vector<Real> weights_;
  std::vector<Complex<Scalar>> complex_rhs_;
  Real spectral_radius_ = Real(0);
  Real newton_tolerance_ = Real(0);
  Real convergence_ = Real(1);  // observed rate of the Newton iteration
  Real faccon_ = Real(1);
  Real suggested_cut_ = Real(0.5);
  Real decomposed_h_ = Real(0);
  Real last_h_ = Real(0);
  Real accepted_h_ = Real(0);
  Real accepted_error_ = Real(0.01);
  bool have_slope_ = false;
  bool jacobian_current_ = false;
  bool jacobian_fresh_ = false;  // evaluated at the current state
  bool decomposed_ = false;
  bool first_ = true;
  bool rejected_ = false;
};

}  // namespace dynamics::ode
