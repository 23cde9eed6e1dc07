// SPDX-License-Identifier: Apache-2.0
//
// Rosenbrock2: the linearly implicit method ROS2 (Verwer, Spee, Blom, Hundsdorfer, SIAM J. Sci.
// Comput. 20, 1999) at constant step:
//
//   y_1 = y_0 + 3/2 h k_1 + 1/2 h k_2
//   (1 - gamma h J) k_1 = f(t_0, y_0)
//   (1 - gamma h J) k_2 = f(t_0 + h, y_0 + h k_1) - 2 k_1
//
// Two evaluations and one decomposition per step, no iteration. Order 2 for any matrix J, L-stable
// for the Jacobian: an approximation that has the stiff terms only is enough (see
// System::ImplicitSolver). Without one the Jacobian is the user's or by differences.
//
//   Rosenbrock2<double> integrator(system, options);
//   integrator.step(t, 0.001, y);
#pragma once

#include <utility>
#include <vector>

#include "ode/fixed_step.hpp"
#include "ode/jacobian.hpp"
#include "ode/small_lu.hpp"

namespace dynamics::ode {

template <class Scalar>
class Rosenbrock2 final : public HermiteFixedStep<Scalar> {
 public:
  using typename Integrator<Scalar>::Real;

  /// The smaller L-stable gamma, 1 - 1/sqrt(2), has the smaller error. With the larger one a
  /// decaying component does not change its sign.
  enum class Gamma { smaller, larger };

  Rosenbrock2(const System<Scalar>& system, Options<Real> options, Gamma gamma = Gamma::smaller)
      : HermiteFixedStep<Scalar>("rosenbrock2", 2, system, std::move(options)),
        k1_(system.size(), Scalar(0)),
        k2_(system.size(), Scalar(0)),
        point_(system.size(), Scalar(0)),
        jacobian_(system.has_implicit_solver() ? 0 : system.size()),
        lu_(system.has_implicit_solver() ? 0 : system.size()) {
    const Real half_root = root(Real(0.5));
    gamma_ = gamma == Gamma::larger ? Real(Real(1) + half_root) : Real(Real(1) - half_root);
  }

  Status step(const Real& t, const Real& h, Output<Scalar> y) override {
    const std::size_t n = this->size();
    this->evaluate(t, y, k1_);
    if (!decompose(t, y, Real(gamma_ * h))) return Status::not_converged;
    solve(k1_);
    for (std::size_t i = 0; i < n; ++i) point_[i] = y[i] + h * k1_[i];
    this->evaluate(Real(t + h), point_, k2_);
    for (std::size_t i = 0; i < n; ++i) k2_[i] = k2_[i] - Real(2) * k1_[i];
    solve(k2_);
    const Real first = Real(Real(1.5) * h), second = Real(Real(0.5) * h);
    for (std::size_t i = 0; i < n; ++i) y[i] += first * k1_[i] + second * k2_[i];
    return Status::ok;
  }

 private:
  bool decompose(const Real& t, Input<Scalar> y, const Real& c) {
    ++this->statistics_.decompositions;
    if (this->system_.has_implicit_solver())
      return this->system_.implicit_solver().prepare(t, y, c);
    jacobian_.fill(this->system_, t, y, k1_, this->statistics_);
    const std::size_t n = this->size();
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        const Scalar unit = row == column ? Scalar(1) : Scalar(0);
        lu_(row, column) = unit - c * jacobian_.entry(row, column);
      }
    }
    return lu_.decompose();
  }

  void solve(std::vector<Scalar>& r) {
    ++this->statistics_.linear_solves;
    if (this->system_.has_implicit_solver()) {
      this->system_.implicit_solver().solve(r);
    } else {
      lu_.solve(r);
    }
  }

  Real gamma_;
  std::vector<Scalar> k1_;
  std::vector<Scalar> k2_;
  std::vector<Scalar> point_;
  JacobianWorkspace<Scalar> jacobian_;
  SmallLu<Scalar> lu_;
};

}  // namespace dynamics::ode
