// SPDX-License-Identifier: Apache-2.0
//
// Event: a scalar function g(t, y) whose zero crossings are located during a run.
//
//   auto height = [](const double&, std::span<const double> y) { return y[0]; };
//   auto bounce = [](const double&, std::span<double> y) {
//     y[1] *= -0.9;
//     return EventAction::restart;
//   };
//   Event<double> ground{height, Crossing::falling};
//   ground.action = bounce;
//
// locate_crossing finds the time to round-off by bracketing on the dense output.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "dynamics_core/integrators.hpp"
#include "ode/function_ref.hpp"
#include "ode/scalar.hpp"

namespace dynamics::ode {

template <class Scalar>
struct Event {
  using Real = RealOf<Scalar>;
  using Function = FunctionRef<Real(const Real&, std::span<const Scalar>)>;
  using Action = FunctionRef<EventAction(const Real&, std::span<Scalar>)>;

  Function function;
  Crossing crossing = Crossing::any;
  /// Called at each crossing; may be empty. A `terminal` event ends the run in any case.
  Action action = {};
  bool terminal = false;
  /// The derivative of `function` in time; may be empty. With it a function that is positive at two
  /// neighboring points and has a minimum below zero between them is found too.
  Function slope = {};
  /// The action leaves the function clearly positive or negative, not zero up to round-off: a
  /// crossing right after it counts.
  bool definite = false;
};

/// Whether the change from sign `before` (never 0) to the value `now` is a crossing in the given
/// direction.
template <class Real>
bool counts(Crossing crossing, int before, const Real& now) {
  if (before < 0) return crossing != Crossing::falling && now >= Real(0);
  if (before > 0) return crossing != Crossing::rising && now <= Real(0);
  return false;
}

/// Locates a zero of g between a and b, where g(a) and g(b) have different signs (g(b) may be 0),
/// to `tolerance` or, if that is larger, to round-off. Returns the end of the final bracket on the
/// side of b: the first time after the crossing. Inverse quadratic interpolation with bisection
/// (Chandrupatla, Advances in Engineering Software 28, 1997); at most `max_evaluations` calls.
template <class Real, class Function>
Real locate_crossing(Function&& g, Real a, Real b, Real g_a, Real g_b,
                     const Real& tolerance = Real(0), int max_evaluations = 400) {
  const bool negative_before = g_a < Real(0);
  Real previous = a;
  Real g_previous = g_a;
  Real fraction(0.5);
  // A zero at t = 0 has no relative round-off.
  const Real finest = Real(epsilon<Real>() * larger(absolute(a), absolute(b)) / Real(1024));
  for (int i = 0; i < max_evaluations; ++i) {
    const Real width = absolute(Real(b - a));
    const Real round_off =
        larger(finest, Real(Real(2) * epsilon<Real>() * larger(absolute(a), absolute(b))));
    const Real resolution = larger(tolerance, round_off);
    if (width <= resolution || g_b == Real(0)) break;
    const Real margin = Real(resolution / (Real(2) * width));
    fraction = clamped(fraction, margin, Real(Real(1) - margin));
    const Real t = Real(a + fraction * (b - a));
    if (t == a || t == b) break;
    const Real value = g(t);
    const bool still_before = negative_before ? value < Real(0) : value > Real(0);
    if (still_before) {
      previous = a;
      g_previous = g_a;
      a = t;
      g_a = value;
    } else {
      previous = b;
      g_previous = g_b;
      b = t;
      g_b = value;
    }
    // x1: the newest point; x2: the opposite end of the bracket; previous: the replaced point.
    const Real& x1 = still_before ? a : b;
    const Real& x2 = still_before ? b : a;
    const Real& g1 = still_before ? g_a : g_b;
    const Real& g2 = still_before ? g_b : g_a;
    const Real xi = Real((x1 - x2) / (previous - x2));
    const Real phi = Real((g1 - g2) / (g_previous - g2));
    fraction = Real(0.5);
    if (phi * phi < xi && (Real(1) - phi) * (Real(1) - phi) < Real(1) - xi) {
      // Position of the estimate between x1 (0) and x2 (1).
      const Real s =
          Real(g1 / (g2 - g1) * g_previous / (g2 - g_previous) +
               (previous - x1) / (x2 - x1) * g1 / (g_previous - g1) * g2 / (g_previous - g2));
      if (s > Real(0) && s < Real(1)) fraction = still_before ? s : Real(Real(1) - s);
    }
  }
  return b;
}

}  // namespace dynamics::ode
