// SPDX-License-Identifier: Apache-2.0
//
// Tableau: the coefficients of an explicit Runge-Kutta method, with its error estimate and dense
// output if it has them.
//
//   k_i = f(t + c_i h, y + h sum_j a_ij k_j),    y1 = y + h sum_i b_i k_i,    i = 0 .. stages - 1
//
// Stage number `stages` is always f(t + h, y1): the first stage of the next step, which the error
// estimate and the dense output may use. Further stages belong to the dense output alone.
//
//   const auto t = make_tableau<double>("rkf45");
//   t.c[3];          // 12/13
//   t.row(3);        // the non-zero a_3j
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ode/scalar.hpp"

namespace dynamics::ode {

template <class Real>
struct Term {
  std::size_t stage;
  Real weight;
};

/// A published coefficient: a decimal or a ratio of integers.
struct Printed {
  std::size_t row;
  std::size_t column;
  std::string_view value;
};

template <class Real>
struct Tableau {
  using Row = std::vector<Term<Real>>;

  std::string name;
  int order = 0;           ///< of the propagated solution
  int estimate_order = 0;  ///< the error estimate is O(h^(estimate_order + 1))
  std::size_t stages = 0;
  std::vector<Real> c;  ///< all stages, those of the dense output included
  std::vector<Row> a;   ///< likewise; row `stages` repeats b
  Row b;
  Row error;               ///< sum e_i k_i, the difference of two formulas; empty without a pair
  Row error_low;           ///< a second, lower estimate (DOP853), else empty
  std::vector<Row> dense;  ///< further rows of the dense output in Hairer's form, else empty
  int interpolant_degree = 0;  ///< of the bootstrapped interpolant if `dense` is empty
  /// Step control: h_new = h safety err^-alpha err_old^beta, within [shrink, grow] h.
  Real beta = Real(0);
  Real shrink = Real(1) / Real(5);
  Real grow = Real(10);

  const Row& row(std::size_t stage) const { return a[stage]; }
  std::size_t all_stages() const { return c.size(); }
  bool estimate_needs_end() const { return !error.empty() && error.back().stage == stages; }
};

/// A row of published coefficients.
using PrintedRow = std::vector<std::string_view>;

template <class Real>
std::vector<Real> constants(const PrintedRow& printed) {
  std::vector<Real> values;
  for (const auto text : printed) values.push_back(constant<Real>(text));
  return values;
}

/// A row of a tableau; zeros are dropped.
template <class Real>
std::vector<Term<Real>> terms(const PrintedRow& printed) {
  std::vector<Term<Real>> row;
  for (std::size_t stage = 0; stage < printed.size(); ++stage) {
    if (printed[stage] != "0") row.push_back({stage, constant<Real>(printed[stage])});
  }
  return row;
}

/// e = b - b_hat
template <class Real>
std::vector<Term<Real>> difference(const std::vector<Term<Real>>& b,
                                   const std::vector<Term<Real>>& b_hat, std::size_t stages) {
  std::vector<Real> dense(stages + 1, Real(0));
  for (const auto& term : b) dense[term.stage] += term.weight;
  for (const auto& term : b_hat) dense[term.stage] -= term.weight;
  std::vector<Term<Real>> row;
  for (std::size_t i = 0; i <= stages; ++i) {
    if (dense[i] != Real(0)) row.push_back({i, dense[i]});
  }
  return row;
}

}  // namespace dynamics::ode
