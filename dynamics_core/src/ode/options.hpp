// SPDX-License-Identifier: Apache-2.0
//
// Options and statistics of an integrator, and the status of a step.
//
//   Options<double> options;
//   options.rtol = 1e-9;            // atol follows rtol unless set
//   options.max_step = 0.1;
//   check_options(options, 12);     // throws ArgumentError naming the option
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "ode/scalar.hpp"

namespace dynamics::ode {

/// Result of one step. Except for `ok`, the integrator stays at its last accepted state.
enum class Status {
  ok,
  step_size_underflow,  ///< error control needs steps below `min_step` or below round-off
  not_finite,           ///< the derivatives are NaN or infinite even for the smallest step
  not_converged         ///< an implicit method's iteration did not converge at the given step
};

inline const char* to_string(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::step_size_underflow: return "step size underflow";
    case Status::not_finite: return "derivatives not finite";
    case Status::not_converged: return "iteration not converged";
  }
  return "unknown status";
}

/// Work since construction; restarts do not reset the counters.
struct Statistics {
  std::uint64_t steps = 0;        ///< accepted
  std::uint64_t rejections = 0;   ///< tried and rejected by error control or iteration
  std::uint64_t evaluations = 0;  ///< of the derivative, those for Jacobians included
  std::uint64_t jacobians = 0;
  std::uint64_t decompositions = 0;  ///< LU, real and complex
  std::uint64_t linear_solves = 0;
  std::uint64_t iterations = 0;  ///< of implicit methods' Newton or fixed-point loops
  std::uint64_t events = 0;

  friend bool operator==(const Statistics&, const Statistics&) = default;
};

template <class Real>
struct Options {
  /// Tolerance of the error of a step in component i: atol_i + rtol |y_i|.
  Real rtol = Real(1e-9);
  /// Unset: equal to rtol.
  std::optional<Real> atol;
  /// One per component, instead of atol.
  std::vector<Real> atol_each;
  /// Fixed-step methods: the step, required. Adaptive ones: the first step, chosen when unset.
  std::optional<Real> step;
  /// Largest step of an adaptive method; unset: no limit.
  std::optional<Real> max_step;
  /// Smallest step of an adaptive method before it gives up; unset: round-off of the time.
  std::optional<Real> min_step;
  /// Run an embedded pair (its propagated formula) at constant step, without error control.
  bool fixed_step = false;
};

/// Formats a number for a message, with as few digits as identify it.
template <class Real>
std::string format_number(const Real& x) {
  std::ostringstream text;
  text.precision(17);
  text << to_double(x);
  std::string full = text.str();
  for (int digits = 1; digits < 17; ++digits) {
    std::ostringstream shorter;
    shorter.precision(digits);
    shorter << to_double(x);
    // not std::stod, which throws for subnormal numbers
    if (std::strtod(shorter.str().c_str(), nullptr) == to_double(x)) return shorter.str();
  }
  return full;
}

/// Throws ArgumentError naming the invalid option and its valid range.
template <class Real>
void check_options(const Options<Real>& options, std::size_t size) {
  const auto reject = [](const std::string& name, const Real& value, const std::string& right) {
    throw ArgumentError(name + " is " + format_number(value) + ": it must be " + right);
  };
  const Real lowest_rtol = Real(10) * epsilon<Real>();
  if (!(options.rtol >= lowest_rtol)) {
    reject("rtol", options.rtol,
           "at least 10 times the round-off of the scalar, " + format_number(lowest_rtol));
  }
  if (!(options.rtol < Real(1))) reject("rtol", options.rtol, "below 1");
  const auto check_positive = [&](const std::string& name, const std::optional<Real>& value) {
    if (value && !(*value > Real(0) && finite(*value))) {
      reject(name, *value, "positive and finite");
    }
  };
  check_positive("atol", options.atol);
  check_positive("step", options.step);
  check_positive("max_step", options.max_step);
  check_positive("min_step", options.min_step);
  if (!options.atol_each.empty() && options.atol_each.size() != size) {
    throw ArgumentError("atol_each has " + std::to_string(options.atol_each.size()) +
                        " values: it must have one per component, " + std::to_string(size));
  }
  for (std::size_t i = 0; i < options.atol_each.size(); ++i) {
    check_positive("atol_each[" + std::to_string(i) + "]", options.atol_each[i]);
  }
  if (options.max_step && options.min_step && *options.max_step < *options.min_step) {
    reject("max_step", *options.max_step, "at least min_step, " + format_number(*options.min_step));
  }
}

}  // namespace dynamics::ode
