// SPDX-License-Identifier: Apache-2.0
//
// GaussLegendre: the Gauss collocation methods with 1, 2 and 3 stages: implicit midpoint (order 2),
// gauss4 and gauss6, at constant step. They are symmetric, conserve every quadratic invariant, and
// are symplectic for canonical equations: in long runs of conservative mechanical systems the
// energy error stays bounded (Hairer, Lubich, Wanner, Geometric Numerical Integration, chapters IV,
// V, VI and XI; with a configuration-dependent mass matrix and the state [q; q'] by reversibility).
//
//   GaussLegendre<double> integrator(1, system, options);     // implicit midpoint
//   if (integrator.step(t, 0.001, y) == Status::not_converged) { /* the step is too large */ }
//
// The stage equations are solved to round-off (HLW section VIII.6): by fixed-point iteration, and
// where that is slow or diverges by simplified Newton. At most `max_iterations` of each are done.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ode/fixed_step.hpp"
#include "ode/jacobian.hpp"
#include "ode/small_lu.hpp"

namespace dynamics::ode {

template <class Scalar>
class GaussLegendre final : public HermiteFixedStep<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;
  static constexpr int max_iterations = 60;

  GaussLegendre(std::size_t stages, const System<Scalar>& system, Options<Real> options)
      : HermiteFixedStep<Scalar>(method_name(stages), 2 * static_cast<int>(stages), system,
                                 std::move(options),
                                 stages == 1   ? 3
                                 : stages == 2 ? 4
                                               : 6),
        stages_(stages),
        z_(stages * system.size(), Scalar(0)),
        z_new_(z_),
        k_(z_),
        point_(system.size(), Scalar(0)),
        jacobian_(system.size()),
        lu_(stages * system.size()) {
    fill_coefficients();
  }

  static std::string method_name(std::size_t stages) {
    return stages == 1 ? "implicit_midpoint" : stages == 2 ? "gauss4" : "gauss6";
  }

  Status step(const Real& t, const Real& h, Output<Scalar> y) override {
    Status status = fixed_point(t, h, y);
    if (status == Status::not_converged) status = newton(t, h, y);
    if (status != Status::ok) return status;
    const std::size_t n = this->size();
    for (std::size_t s = 0; s < stages_; ++s) {
      const Real weight = Real(h * b_[s]);
      for (std::size_t i = 0; i < n; ++i) y[i] += weight * k_[s * n + i];
    }
    return Status::ok;
  }

 private:
  void fill_coefficients() {
    const Real one(1);
    if (stages_ == 1) {
      c_ = {Real(one / Real(2))};
      b_ = {one};
      a_ = {Real(one / Real(2))};
    } else if (stages_ == 2) {
      const Real r = Real(root(Real(3)) / Real(6));
      const Real half = Real(one / Real(2));
      const Real quarter = Real(one / Real(4));
      c_ = {Real(half - r), Real(half + r)};
      b_ = {half, half};
      a_ = {quarter, Real(quarter - r), Real(quarter + r), quarter};
    } else {
      const Real r = root(Real(15));
      c_ = {Real(one / Real(2) - r / Real(10)), Real(one / Real(2)),
            Real(one / Real(2) + r / Real(10))};
      b_ = {Real(Real(5) / Real(18)), Real(Real(4) / Real(9)), Real(Real(5) / Real(18))};
      const Real p = Real(Real(5) / Real(36));
      const Real q = Real(Real(2) / Real(9));
      a_ = {p, Real(q - r / Real(15)), Real(p - r / Real(30)), Real(p + r / Real(24)),
            q, Real(p - r / Real(24)), Real(p + r / Real(30)), Real(q + r / Real(15)),
            p};
    }
  }

  /// k_s = f(t + c_s h, y + z_s)
  void evaluate_stages(const Real& t, const Real& h, Input<Scalar> y) {
    const std::size_t n = this->size();
    for (std::size_t s = 0; s < stages_; ++s) {
      for (std::size_t i = 0; i < n; ++i) point_[i] = y[i] + z_[s * n + i];
      this->evaluate(Real(t + c_[s] * h), point_, Output<Scalar>(k_).subspan(s * n, n));
    }
  }

  /// z_new = h A k, and the largest change of z relative to the size of the state.
  Real update(const Real& h, Input<Scalar> y) {
    const std::size_t n = this->size();
    Real change(0);
    for (std::size_t s = 0; s < stages_; ++s) {
      for (std::size_t i = 0; i < n; ++i) {
        Scalar sum(0);
        for (std::size_t j = 0; j < stages_; ++j) sum += a_[s * stages_ + j] * k_[j * n + i];
        z_new_[s * n + i] = h * sum;
        change = accumulate(change, Scalar(z_new_[s * n + i] - z_[s * n + i]), y[i]);
      }
    }
    return change;
  }

  Real accumulate(const Real& change, const Scalar& difference, const Scalar& y) const {
    const Real ratio = Real(magnitude(difference) / (Real(1) + magnitude(y)));
    // propagates NaN
    return ratio <= change ? change : ratio;
  }

  /// Whether the iteration has converged to round-off: the change is below it, or no longer
  /// decreases close to it.
  static bool converged(const Real& change, const Real& previous) {
    if (change <= epsilon<Real>() / Real(2)) return true;
    return change <= Real(100) * epsilon<Real>() && change >= previous;
  }

  Status fixed_point(const Real& t, const Real& h, Input<Scalar> y) {
    const std::size_t n = this->size();
    for (auto& value : z_) value = Scalar(0);
    // Euler predictor: one evaluation that saves an iteration.
    this->evaluate(t, y, Output<Scalar>(k_).first(n));
    for (std::size_t s = stages_; s-- > 0;) {
      for (std::size_t i = 0; i < n; ++i) z_[s * n + i] = h * c_[s] * k_[i];
    }
    Real previous = std::numeric_limits<Real>::max();
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      ++this->statistics_.iterations;
      evaluate_stages(t, h, y);
      const Real change = update(h, y);
      if (!finite(change)) return Status::not_converged;
      z_.swap(z_new_);
      if (converged(change, previous)) return Status::ok;
      if (iteration > 3 && change > previous / Real(2) && change > Real(1e-6)) break;
      previous = change;
    }
    return Status::not_converged;
  }

  /// Simplified Newton on z - h (A x I) f(y + z) = 0 with the Jacobian at the start of the step.
  Status newton(const Real& t, const Real& h, Input<Scalar> y) {
    const std::size_t n = this->size();
    this->evaluate(t, y, Output<Scalar>(k_).first(n));
    jacobian_.fill(this->system_, t, y, Input<Scalar>(k_).first(n), this->statistics_);
    for (std::size_t s = 0; s < stages_; ++s) {
      for (std::size_t j = 0; j < stages_; ++j) {
        const Real weight = Real(h * a_[s * stages_ + j]);
        for (std::size_t r = 0; r < n; ++r) {
          for (std::size_t c = 0; c < n; ++c) {
            const Scalar unit = s == j && r == c ? Scalar(1) : Scalar(0);
            lu_(s * n + r, j * n + c) = unit - weight * jacobian_.entry(r, c);
          }
        }
      }
    }
    ++this->statistics_.decompositions;
    if (!lu_.decompose()) return Status::not_converged;
    for (auto& value : z_) value = Scalar(0);
    Real previous = std::numeric_limits<Real>::max();
    for (int iteration = 0; iteration < max_iterations; ++iteration) {
      ++this->statistics_.iterations;
      ++this->statistics_.linear_solves;
      evaluate_stages(t, h, y);
      update(h, y);
      for (std::size_t i = 0; i < z_.size(); ++i) z_new_[i] = z_new_[i] - z_[i];
      lu_.solve(z_new_);
      Real change(0);
      for (std::size_t i = 0; i < z_.size(); ++i) {
        change = accumulate(change, z_new_[i], y[i % n]);
        z_[i] += z_new_[i];
      }
      if (!finite(change)) return Status::not_converged;
      if (converged(change, previous)) {
        evaluate_stages(t, h, y);
        return Status::ok;
      }
      if (iteration > 5 && change > previous * Real(2)) break;
      previous = change;
    }
    return Status::not_converged;
  }

  std::size_t stages_;
  std::vector<Real> c_;
  std::vector<Real> b_;
  std::vector<Real> a_;
  std::vector<Scalar> z_;
  std::vector<Scalar> z_new_;
  std::vector<Scalar> k_;
  std::vector<Scalar> point_;
  JacobianWorkspace<Scalar> jacobian_;
  SmallLu<Scalar> lu_;
};

}  // namespace dynamics::ode
