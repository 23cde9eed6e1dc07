// SPDX-License-Identifier: Apache-2.0
//
// RungeKutta: the explicit Runge-Kutta engine over a tableau, shared by the fixed-step and the
// error-controlled integrators: stages, solution, error estimates, dense output.
//
//   RungeKutta<double> engine(make_tableau<double>("dopri5"), size);
//   evaluate(t, y, engine.stage(0));
//   engine.stages(evaluate, t, h, y);
//   engine.solution(h, y, y1);
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ode/bootstrap.hpp"
#include "ode/tableau.hpp"

namespace dynamics::ode {

template <class Scalar>
class RungeKutta {
 public:
  using Real = RealOf<Scalar>;

  RungeKutta(Tableau<Real> tableau, std::size_t size)
      : tableau_(std::move(tableau)),
        size_(size),
        k_(tableau_.all_stages() * size, Scalar(0)),
        point_(size, Scalar(0)) {
    if (tableau_.dense.empty()) {
      bootstrap_.emplace(size, tableau_.interpolant_degree);
    } else {
      coefficients_.resize((4 + tableau_.dense.size()) * size, Scalar(0));
    }
  }

  const Tableau<Real>& tableau() const { return tableau_; }
  Output<Scalar> stage(std::size_t i) { return {k_.data() + i * size_, size_}; }
  Input<Scalar> stage(std::size_t i) const { return {k_.data() + i * size_, size_}; }
  /// The argument of the stage that was evaluated last.
  Input<Scalar> last_point() const { return point_; }
  /// f(t + h, y1), once evaluated.
  Output<Scalar> end() { return stage(tableau_.stages); }

  /// Stages 1 to stages - 1; stage 0 must be f(t, y).
  template <class Evaluate>
  void stages(Evaluate&& evaluate, const Real& t, const Real& h, Input<Scalar> y) {
    for (std::size_t i = 1; i < tableau_.stages; ++i) one_stage(evaluate, i, t, h, y);
  }

  void solution(const Real& h, Input<Scalar> y, Output<Scalar> y1) const {
    combine(tableau_.b, h, y, y1);
  }
  /// The same in place.
  void add_solution(const Real& h, Output<Scalar> y) const { add(tableau_.b, h, y); }

  /// h sum_i e_i k_i
  void sum(const std::vector<Term<Real>>& row, const Real& h, Output<Scalar> out) const {
    for (auto& value : out) value = Scalar(0);
    add(row, h, out);
  }

  /// Prepares dense(). end() must have been evaluated, and the stages must be those of the step
  /// from t0 to t0 + h.
  template <class Evaluate>
  void prepare_dense(Evaluate&& evaluate, const Real& t0, const Real& h, Input<Scalar> y0,
                     Input<Scalar> y1) {
    if (bootstrap_) {
      bootstrap_->prepare(evaluate, t0, h, y0, stage(0), y1, end());
      return;
    }
    for (std::size_t i = tableau_.stages + 1; i < tableau_.all_stages(); ++i) {
      one_stage(evaluate, i, t0, h, y0);
    }
    const Input<Scalar> f0 = stage(0);
    const Input<Scalar> f1 = end();
    for (std::size_t i = 0; i < size_; ++i) {
      const Scalar rise = y1[i] - y0[i];
      const Scalar curvature = h * f0[i] - rise;
      coefficient(0)[i] = y0[i];
      coefficient(1)[i] = rise;
      coefficient(2)[i] = curvature;
      coefficient(3)[i] = rise - h * f1[i] - curvature;
    }
    for (std::size_t r = 0; r < tableau_.dense.size(); ++r) {
      sum(tableau_.dense[r], h, coefficient(4 + r));
    }
  }

  /// After prepare_dense, at t0 + theta h. Hairer's form: y0 + s(c1 + u(c2 + s(c3 + u(c4 + ...))))
  /// with s = theta and u = 1 - theta.
  void dense(const Real& theta, Input<Scalar> y0, Input<Scalar> y1, Output<Scalar> y) const {
    if (bootstrap_) {
      bootstrap_->value(theta, y0, y1, y);
      return;
    }
    const Real rest = Real(Real(1) - theta);
    const std::size_t last = 3 + tableau_.dense.size();
    for (std::size_t i = 0; i < size_; ++i) {
      Scalar value = coefficients_[last * size_ + i];
      for (std::size_t r = last; r-- > 0;) {
        value = coefficients_[r * size_ + i] + value * (r % 2 == 0 ? theta : rest);
      }
      y[i] = value;
    }
  }

 private:
  template <class Evaluate>
  void one_stage(Evaluate& evaluate, std::size_t i, const Real& t, const Real& h, Input<Scalar> y) {
    combine(tableau_.row(i), h, y, point_);
    evaluate(Real(t + tableau_.c[i] * h), Input<Scalar>(point_), stage(i));
  }

  void combine(const std::vector<Term<Real>>& row, const Real& h, Input<Scalar> y,
               Output<Scalar> out) const {
    if (row.size() == 1) {  // without a pass that copies
      const Real weight = Real(h * row[0].weight);
      const Scalar* k = k_.data() + row[0].stage * size_;
      for (std::size_t i = 0; i < size_; ++i) out[i] = y[i] + weight * k[i];
      return;
    }
    for (std::size_t i = 0; i < size_; ++i) out[i] = y[i];
    add(row, h, out);
  }

  void add(const std::vector<Term<Real>>& row, const Real& h, Output<Scalar> out) const {
    for (const auto& term : row) {
      const Real weight = Real(h * term.weight);
      const Scalar* k = k_.data() + term.stage * size_;
      for (std::size_t i = 0; i < size_; ++i) out[i] += weight * k[i];
    }
  }

  Output<Scalar> coefficient(std::size_t r) { return {coefficients_.data() + r * size_, size_}; }

  Tableau<Real> tableau_;
  std::size_t size_;
  std::vector<Scalar> k_;
  std::vector<Scalar> point_;
  std::vector<Scalar> coefficients_;
  std::optional<Bootstrap<Scalar>> bootstrap_;
};

}  // namespace dynamics::ode
