// SPDX-License-Identifier: Apache-2.0
//
// Symplectic and symmetric fixed-step methods in long runs: bounded energy error, no drift.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/view.hpp"
#include "simulation/problems.hpp"

namespace dynamics::ode {
namespace {

using namespace problems;

struct Drift {
  double first = 0.0;  // largest energy error in the first tenth of the run
  double last = 0.0;   // and in the last tenth
};

template <class Energy>
Drift energy_drift(std::string_view name, const System<double>& system, double step, int steps,
                   std::span<const double> y0, Energy energy) {
  Options<double> options;
  options.step = step;
  auto integrator = make_fixed_step_integrator<double>(name, system, options);
  std::vector<double> y(y0.begin(), y0.end());
  const double reference = energy(std::span<const double>(y));
  Drift drift;
  for (int i = 0; i < steps; ++i) {
    EXPECT_EQ(integrator->step(i * step, step, y), Status::ok);
    const double error = std::abs(energy(std::span<const double>(y)) - reference);
    if (i < steps / 10) drift.first = max_propagating_nan(drift.first, error);
    if (i >= steps - steps / 10) drift.last = max_propagating_nan(drift.last, error);
  }
  return drift;
}

class SymplecticMethods : public testing::TestWithParam<const char*> {};

TEST_P(SymplecticMethods, KeepEnergyErrorOfPendulumBounded) {
  const Pendulum pendulum;
  const auto system = System<double>::second_order(1, pendulum);
  const auto start = Pendulum::start();
  const auto drift = energy_drift(GetParam(), system, 0.1, 200000, start, Pendulum::energy);
  EXPECT_GT(drift.first, 1e-12);
  EXPECT_LT(drift.first, 0.15);
  EXPECT_LT(drift.last, drift.first * 1.05);
}

INSTANTIATE_TEST_SUITE_P(All, SymplecticMethods,
                         testing::Values("semi_implicit_euler", "implicit_midpoint", "gauss4",
                                         "gauss6"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(RungeKutta4, EnergyOfPendulumDrifts) {
  const Pendulum pendulum;
  const auto system = System<double>::second_order(1, pendulum);
  const auto start = Pendulum::start();
  const auto drift = energy_drift("rk4", system, 0.1, 200000, start, Pendulum::energy);
  EXPECT_GT(drift.last, drift.first * 5.0);
}

TEST(ConfigurationDependentMass, EnergyErrorOfDoublePendulumStaysBounded) {
  const DoublePendulum pendulum;
  const auto system = System<double>::second_order(2, pendulum);
  const std::vector<double> regular{0.6, 0.9, 0.0, 0.0};
  struct Case {
    const char* name;
    double step, bound;
  };
  for (const auto& what : {Case{"implicit_midpoint", 0.02, 5e-4}, Case{"gauss4", 0.05, 1e-5},
                           Case{"gauss6", 0.05, 1e-8}}) {
    const auto drift =
        energy_drift(what.name, system, what.step, 100000, regular, DoublePendulum::energy);
    EXPECT_LT(drift.first, what.bound) << what.name;
    EXPECT_LT(drift.last, drift.first * 1.3) << what.name;
  }
}

TEST(ConfigurationDependentMass, Gauss6KeepsEnergyOfChaoticDoublePendulum) {
  const DoublePendulum pendulum;
  const auto system = System<double>::second_order(2, pendulum);
  const std::vector<double> chaotic{2.0, 2.5, 0.0, 0.0};
  const auto drift = energy_drift("gauss6", system, 0.01, 100000, chaotic, DoublePendulum::energy);
  EXPECT_LT(drift.last, 1e-8);
}

TEST(Gauss, ConservesQuadraticInvariantsToRoundOff) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto momentum = [](std::span<const double> y) { return y[0] * y[3] - y[1] * y[2]; };
  const auto start = Kepler<double>::start();
  for (const char* name : {"implicit_midpoint", "gauss4", "gauss6"}) {
    const auto drift = energy_drift(name, system, 0.05, 20000, start, momentum);
    EXPECT_LT(drift.last, 1e-12) << name;
  }
}

TEST(Gauss, IsSymmetricInTime) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  Options<double> options;
  options.step = 0.1;
  for (const char* name : {"implicit_midpoint", "gauss4", "gauss6"}) {
    auto integrator = make_fixed_step_integrator<double>(name, system, options);
    const auto start = Kepler<double>::start();
    auto y = start;
    ASSERT_EQ(integrator->step(0.0, 0.1, y), Status::ok);
    EXPECT_GT(distance(y, start), 0.05);
    ASSERT_EQ(integrator->step(0.1, -0.1, y), Status::ok);
    EXPECT_LT(distance(y, start), 2e-15) << name;
  }
}

TEST(Gauss, UsesNewtonWhereFixedPointIterationDiverges) {
  // A spring of 1e4 rad/s at a step of 1 ms: h omega = 10.
  const auto spring = [](const double&, std::span<const double> q, std::span<const double>,
                         std::span<double> qdd) { qdd[0] = -1e8 * q[0]; };
  const auto system = System<double>::second_order(1, spring);
  Options<double> options;
  options.step = 1e-3;
  for (const char* name : {"implicit_midpoint", "gauss4", "gauss6"}) {
    auto integrator = make_fixed_step_integrator<double>(name, system, options);
    std::vector<double> y{1e-3, 0.0};
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(integrator->step(0.0, 1e-3, y), Status::ok) << name;
    const double energy = 0.5 * y[1] * y[1] + 0.5e8 * y[0] * y[0];
    EXPECT_NEAR(energy / 50.0, 1.0, 1e-8) << name;
    EXPECT_GT(integrator->statistics().decompositions, 0u);
  }
}

TEST(Gauss, ReportsNonConvergenceAndKeepsState) {
  const auto switching = [](const double&, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[0] > 0.0 ? -1.0 : 1.0;
  };
  const auto system = System<double>::first_order(1, switching);
  Options<double> options;
  options.step = 1.0;
  for (const char* name : {"implicit_midpoint", "gauss4", "gauss6"}) {
    auto integrator = make_fixed_step_integrator<double>(name, system, options);
    std::vector<double> y{0.1};
    EXPECT_EQ(integrator->step(0.0, 1.0, y), Status::not_converged) << name;
    EXPECT_EQ(y[0], 0.1);
    EXPECT_LT(integrator->statistics().evaluations, 1000u) << "work is not bounded";
    integrator->start(0.0, y);
    EXPECT_EQ(integrator->advance(2.0), Status::not_converged);
    EXPECT_EQ(integrator->time(), 0.0);
    EXPECT_EQ(integrator->state()[0], 0.1);
  }
}

}  // namespace
}  // namespace dynamics::ode
