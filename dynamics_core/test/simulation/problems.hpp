// SPDX-License-Identifier: Apache-2.0
//
// Initial value problems with known solutions, for the tests of the integrators.
#pragma once

#include <cmath>
#include <cstddef>
#include <dynamics_core/view.hpp>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "ode/make_integrator.hpp"
#include "ode/solve.hpp"

namespace dynamics::ode::problems {

/// Two bodies, eccentricity 1/2, period 2 pi, starting at the pericenter; second-order system.
template <class Scalar>
struct Kepler {
  using Real = RealOf<Scalar>;
  static constexpr std::size_t degrees_of_freedom = 2;

  void operator()(const Real&, std::span<const Scalar> q, std::span<const Scalar>,
                  std::span<Scalar> qdd) const {
    using std::sqrt;
    const Scalar r2 = q[0] * q[0] + q[1] * q[1];
    const Scalar r = sqrt(r2);
    const Scalar r3 = r2 * r;
    qdd[0] = -q[0] / r3;
    qdd[1] = -q[1] / r3;
  }

  static std::vector<Scalar> start() {
    using std::sqrt;
    const Real three(3);
    return {Scalar(Real(1) / Real(2)), Scalar(0), Scalar(0), Scalar(Real(sqrt(three)))};
  }

  /// By Kepler's equation, solved with Newton's method in the scalar itself.
  static std::vector<Real> exact(const Real& t) {
    using std::cos;
    using std::sin;
    using std::sqrt;
    const Real e = Real(1) / Real(2);
    Real anomaly = t;
    for (int i = 0; i < 60; ++i) {
      const Real residual = anomaly - e * sin(anomaly) - t;
      anomaly -= residual / (Real(1) - e * cos(anomaly));
    }
    const Real c = cos(anomaly);
    const Real s = sin(anomaly);
    const Real minor = sqrt(Real(Real(1) - e * e));
    const Real rate = Real(1) / (Real(1) - e * c);
    return {Real(c - e), Real(minor * s), Real(-s * rate), Real(minor * c * rate)};
  }

  static Scalar energy(std::span<const Scalar> y) {
    using std::sqrt;
    const Scalar r2 = y[0] * y[0] + y[1] * y[1];
    return (y[2] * y[2] + y[3] * y[3]) / Scalar(2) - Scalar(1) / sqrt(r2);
  }
};

/// y' = -2 t y^2 + cos-forced partner; non-autonomous with the solution y0 = 1/(1 + t^2),
/// y1 = sin(t) exp(-t) .
struct Forced {
  void operator()(const double& t, std::span<const double> y, std::span<double> dydt) const {
    dydt[0] = -2.0 * t * y[0] * y[0];
    dydt[1] = std::cos(t) * std::exp(-t) - y[1] + y[0] - 1.0 / (1.0 + t * t);
  }
  static std::vector<double> start() { return {1.0, 0.0}; }
  static std::vector<double> exact(double t) {
    return {1.0 / (1.0 + t * t), std::sin(t) * std::exp(-t)};
  }
};

/// q'' = -sin q, with large amplitude.
struct Pendulum {
  void operator()(const double&, std::span<const double> q, std::span<const double>,
                  std::span<double> qdd) const {
    qdd[0] = -std::sin(q[0]);
  }
  static std::vector<double> start() { return {2.0, 0.0}; }
  static double energy(std::span<const double> y) { return 0.5 * y[1] * y[1] - std::cos(y[0]); }
};

/// Planar double pendulum, unit masses and lengths: a mass matrix that depends on the
/// configuration. Angles absolute, gravity 1.
struct DoublePendulum {
  void operator()(const double&, std::span<const double> q, std::span<const double> v,
                  std::span<double> a) const {
    const double c = std::cos(q[0] - q[1]);
    const double s = std::sin(q[0] - q[1]);
    const double r0 = -s * v[1] * v[1] - 2.0 * std::sin(q[0]);
    const double r1 = s * v[0] * v[0] - std::sin(q[1]);
    const double determinant = 2.0 - c * c;
    a[0] = (r0 - c * r1) / determinant;
    a[1] = (2.0 * r1 - c * r0) / determinant;
  }
  static double energy(std::span<const double> y) {
    return y[2] * y[2] + 0.5 * y[3] * y[3] + std::cos(y[0] - y[1]) * y[2] * y[3] -
           2.0 * std::cos(y[0]) - std::cos(y[1]);
  }
};

/// Arenstorf's periodic orbit of the restricted three-body problem (HNW I, Eq. II.0.1).
struct Arenstorf {
  static constexpr double period = 17.0652165601579625588917206249;
  void operator()(const double&, std::span<const double> y, std::span<double> dydt) const {
    const double mu = 0.012277471;
    const double nu = 1.0 - mu;
    const double d1 = std::pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
    const double d2 = std::pow((y[0] - nu) * (y[0] - nu) + y[1] * y[1], 1.5);
    dydt[0] = y[2];
    dydt[1] = y[3];
    dydt[2] = y[0] + 2.0 * y[3] - nu * (y[0] + mu) / d1 - mu * (y[0] - nu) / d2;
    dydt[3] = y[1] - 2.0 * y[2] - nu * y[1] / d1 - mu * y[1] / d2;
  }
  static std::vector<double> start() { return {0.994, 0.0, 0.0, -2.00158510637908252240537862224}; }
};

template <class A, class B>
double distance(const A& a, const B& b) {
  double largest = a.size() == b.size() ? 0.0 : std::nan("");
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double d = static_cast<double>(a[i] - b[i]);
    largest = max_propagating_nan(largest, std::abs(d));
  }
  return largest;
}

/// A run from `start` to `end` without events; returns the final state.
inline std::vector<double> final_state(std::string_view name, const System<double>& system,
                                       const Options<double>& options, double start,
                                       std::span<const double> y0, double end,
                                       Statistics* statistics = nullptr) {
  auto integrator = make_integrator<double>(name, system, options);
  Solver<double> solver(*integrator);
  RunPlan<double> run;
  run.end_time = end;
  run.backward = end < start;
  const auto outcome = solver.run(start, y0, run);
  if (!outcome.ok()) throw std::runtime_error(outcome.message());
  if (statistics != nullptr) *statistics = integrator->statistics();
  return {integrator->state().begin(), integrator->state().end()};
}

inline Options<double> constant_step(double step) {
  Options<double> options;
  options.step = step;
  options.fixed_step = true;
  return options;
}

inline Options<double> tolerance(double rtol) {
  Options<double> options;
  options.rtol = rtol;
  return options;
}

}  // namespace dynamics::ode::problems
