// SPDX-License-Identifier: Apache-2.0
//
// Bootstrap: dense output for one-step methods without an interpolant, from the values and
// derivatives at both ends of the step (Enright, Jackson, Norsett, Thomsen, ACM TOMS 12, 1986).
//
// The cubic Hermite polynomial is in error by O(h^4). The derivative f evaluated on it is in error
// by O(h^4), too, but is multiplied by h: the quartic through it is in error by O(h^5), and so on,
// one degree per round. Degree 4 costs 1 evaluation, degree 5 costs 3, degree 6 costs 6, only in
// steps that are sampled.
//
//   Bootstrap<double> dense(size, 5);
//   dense.prepare(evaluate, t0, h, y0, f0, y1, f1);   // 3 calls of evaluate(t, y, dydt)
//   dense.value(0.5, y0, y1, y_middle);               // error O(h^6)
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/error.hpp"
#include "ode/scalar.hpp"

namespace dynamics::ode {

template <class Scalar>
class Bootstrap {
 public:
  using Real = RealOf<Scalar>;
  static constexpr int lowest = 3;
  static constexpr int highest = 6;

  Bootstrap(std::size_t size, int degree)
      : size_(size), degree_(degree), slopes_(size * slots, Scalar(0)) {
    if (degree < lowest || degree > highest) {
      throw ArgumentError("interpolant degree is " + std::to_string(degree) +
                          ": it must be 3, 4, 5 or 6");
    }
    point_.resize(size, Scalar(0));
    for (int d = lowest; d <= degree; ++d) levels_.push_back(Level(d));
  }

  int degree() const { return degree_; }

  template <class Evaluate>
  void prepare(Evaluate&& evaluate, const Real& t0, const Real& h, std::span<const Scalar> y0,
               std::span<const Scalar> f0, std::span<const Scalar> y1, std::span<const Scalar> f1) {
    step_ = h;
    const auto first = slope(0);
    const auto second = slope(1);
    for (std::size_t i = 0; i < size_; ++i) {
      first[i] = f0[i];
      second[i] = f1[i];
    }
    for (std::size_t k = 1; k < levels_.size(); ++k) {
      // Evaluate all new derivatives on the previous polynomial before any of them replaces an old
      // one: they are stored after those in use and moved to the front afterwards.
      const std::size_t used = levels_[k - 1].nodes.size();
      const std::size_t count = levels_[k].nodes.size() - 2;
      for (std::size_t j = 0; j < count; ++j) {
        const Real& theta = levels_[k].nodes[2 + j];
        polynomial(levels_[k - 1], theta, y0, y1, point_);
        evaluate(Real(t0 + theta * h), std::span<const Scalar>(point_), slope(used + j));
      }
      for (std::size_t j = 0; j < count; ++j) {
        const auto from = slope(used + j);
        const auto to = slope(2 + j);
        for (std::size_t i = 0; i < size_; ++i) to[i] = from[i];
      }
    }
  }

  /// The interpolant at t0 + theta h. prepare() must have been called.
  void value(const Real& theta, std::span<const Scalar> y0, std::span<const Scalar> y1,
             std::span<Scalar> y) const {
    polynomial(levels_.back(), theta, y0, y1, y);
  }

 private:
  /// y(theta) = y0 + (y1 - y0) B(theta) + h sum_i f_i W_i(theta), with W_i' = 1 at node i alone,
  /// W_i(0) = W_i(1) = 0, B' = 0 at all nodes, B(0) = 0, B(1) = 1. Monomial coefficients.
  struct Level {
    explicit Level(int polynomial_degree) {
      nodes = {Real(0), Real(1)};
      // Chosen for small error constants; a symmetric odd set would make the problem singular.
      if (polynomial_degree == 4) nodes.push_back(constant<Real>("3/4"));
      if (polynomial_degree == 5) {
        nodes.push_back(constant<Real>("3/20"));
        nodes.push_back(constant<Real>("17/20"));
      }
      if (polynomial_degree == 6) {
        nodes.push_back(constant<Real>("3/20"));
        nodes.push_back(constant<Real>("3/4"));
        nodes.push_back(constant<Real>("17/20"));
      }
      const std::size_t n = nodes.size() + 1;
      std::vector<Real> matrix(n * 2 * n, Real(0));
      for (std::size_t row = 0; row < n; ++row) {
        Real monomial(1);
        for (std::size_t j = 0; j < n; ++j) {
          matrix[row * 2 * n + j] =
              row < nodes.size() ? Real(Real(static_cast<double>(j + 1)) * monomial) : Real(1);
          if (row < nodes.size()) monomial *= nodes[row];
        }
        matrix[row * 2 * n + n + row] = Real(1);
      }
      invert(matrix, n);
      weights.resize(n * n, Real(0));
      for (std::size_t condition = 0; condition < n; ++condition) {
        for (std::size_t j = 0; j < n; ++j) {
          weights[condition * n + j] = matrix[j * 2 * n + n + condition];
        }
      }
    }

    static void invert(std::vector<Real>& m, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        for (std::size_t r = i + 1; r < n; ++r) {
          if (absolute(m[r * 2 * n + i]) > absolute(m[pivot * 2 * n + i])) pivot = r;
        }
        for (std::size_t j = 0; j < 2 * n; ++j) std::swap(m[i * 2 * n + j], m[pivot * 2 * n + j]);
        const Real scale = m[i * 2 * n + i];
        for (std::size_t j = 0; j < 2 * n; ++j) m[i * 2 * n + j] /= scale;
        for (std::size_t r = 0; r < n; ++r) {
          if (r == i) continue;
          const Real factor = m[r * 2 * n + i];
          for (std::size_t j = 0; j < 2 * n; ++j) m[r * 2 * n + j] -= factor * m[i * 2 * n + j];
        }
      }
    }

    Real weight(std::size_t condition, const Real& theta) const {
      const std::size_t n = nodes.size() + 1;
      Real sum(0);
      for (std::size_t j = n; j-- > 0;) sum = Real((sum + weights[condition * n + j]) * theta);
      return sum;
    }

    std::vector<Real> nodes;    ///< where derivatives are used: 0, 1, then the interior ones
    std::vector<Real> weights;  ///< one row per node, then B
  };

  void polynomial(const Level& level, const Real& theta, std::span<const Scalar> y0,
                  std::span<const Scalar> y1, std::span<Scalar> y) const {
    const std::size_t count = level.nodes.size();
    const Real blend = level.weight(count, theta);
    for (std::size_t i = 0; i < size_; ++i) y[i] = y0[i] + blend * (y1[i] - y0[i]);
    for (std::size_t j = 0; j < count; ++j) {
      const Real weight = Real(step_ * level.weight(j, theta));
      const auto f = slope(j);
      for (std::size_t i = 0; i < size_; ++i) y[i] += weight * f[i];
    }
  }

  std::span<Scalar> slope(std::size_t j) { return {slopes_.data() + j * size_, size_}; }
  std::span<const Scalar> slope(std::size_t j) const { return {slopes_.data() + j * size_, size_}; }

  /// At most 4 nodes in use plus 3 being evaluated.
  static constexpr std::size_t slots = 7;

  std::size_t size_;
  int degree_;
  Real step_ = Real(0);
  std::vector<Level> levels_;
  std::vector<Scalar> slopes_;
  std::vector<Scalar> point_;
};

}  // namespace dynamics::ode
