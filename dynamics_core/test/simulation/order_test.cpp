// SPDX-License-Identifier: Apache-2.0
//
// Observed order of every method at constant step and of every dense output. The highest orders,
// which double cannot resolve, are in scalar_types_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/view.hpp"
#include "simulation/problems.hpp"

namespace dynamics::ode {
namespace {

using namespace problems;

/// Slope of log(error) against log(step) by least squares; errors at round-off level fail the test.
double slope(const std::vector<double>& steps, const std::vector<double>& errors) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_GT(errors[i], 2e-14) << "step " << steps[i] << " is limited by round-off";
    const double x = std::log(steps[i]);
    const double y = std::log(errors[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double n = static_cast<double>(steps.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

struct Case {
  std::string name;
  int order;
  std::vector<int> steps;  // numbers of steps over the interval, for Kepler
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

class FixedStepOrder : public testing::TestWithParam<Case> {};

TEST_P(FixedStepOrder, IsObservedOnKeplerProblem) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto y0 = Kepler<double>::start();
  const double end = 3.0;
  std::vector<double> steps, errors;
  for (const int count : GetParam().steps) {
    steps.push_back(end / count);
    errors.push_back(
        distance(final_state(GetParam().name, system, constant_step(end / count), 0.0, y0, end),
                 Kepler<double>::exact(end)));
  }
  EXPECT_NEAR(slope(steps, errors), GetParam().order, 0.35);
}

TEST_P(FixedStepOrder, IsObservedOnNonautonomousSystem) {
  if (GetParam().name == "semi_implicit_euler") GTEST_SKIP() << "second-order systems only";
  const Forced forced;
  const auto system = System<double>::first_order(2, forced);
  std::vector<double> steps, errors;
  for (const int count : GetParam().steps) {
    const int divisions = count / 4 + 6;
    const double h = 4.0 / divisions;
    steps.push_back(h);
    errors.push_back(distance(
        final_state(GetParam().name, system, constant_step(h), -1.0, Forced::exact(-1.0), 3.0),
        Forced::exact(3.0)));
  }
  EXPECT_GT(slope(steps, errors), GetParam().order - 0.7);
}

TEST_P(FixedStepOrder, IsObservedOnPendulum) {
  const Pendulum pendulum;
  const auto system = System<double>::second_order(1, pendulum);
  const auto y0 = Pendulum::start();
  const auto reference = final_state("dop853", system, tolerance(1e-14), 0.0, y0, 5.0);
  std::vector<double> steps, errors;
  for (const int count : GetParam().steps) {
    const int divisions = count / 4 + 4;
    const double h = 5.0 / divisions;
    steps.push_back(h);
    errors.push_back(
        distance(final_state(GetParam().name, system, constant_step(h), 0.0, y0, 5.0), reference));
  }
  EXPECT_GT(slope(steps, errors), GetParam().order - 0.7);
}

INSTANTIATE_TEST_SUITE_P(
    All, FixedStepOrder,
    testing::Values(Case{"rk4", 4, {200, 300, 400, 600}}, Case{"rkf45", 5, {100, 150, 200, 300}},
                    Case{"dverk", 6, {80, 110, 140, 200}}, Case{"dopri5", 5, {100, 150, 200, 300}},
                    Case{"dop853", 8, {70, 85, 100, 120}},
                    Case{"semi_implicit_euler", 1, {4000, 6000, 8000, 12000}},
                    Case{"implicit_midpoint", 2, {400, 600, 800, 1200}},
                    Case{"gauss4", 4, {100, 150, 200, 300}}, Case{"gauss6", 6, {50, 70, 90, 120}},
                    Case{"rosenbrock2", 2, {400, 600, 800, 1200}}),
    [](const auto& tested) { return tested.param.name; });

/// Error of the interpolant at several points within one step that starts on the exact solution.
/// The local error of a step is O(h^(p+1)); so is that of an interpolant of full order.
class DenseOrder : public testing::TestWithParam<Case> {};

TEST_P(DenseOrder, IsObservedOnKeplerProblem) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  std::vector<double> steps, errors;
  for (const int count : GetParam().steps) {
    const double h = 1.0 / count;
    const double start = 0.7;
    auto integrator = make_integrator<double>(GetParam().name, system, constant_step(h));
    const auto y0 = Kepler<double>::exact(start);
    integrator->start(start, y0);
    ASSERT_EQ(integrator->advance(10.0), Status::ok);
    double worst = 0.0;
    std::vector<double> y(4);
    for (const double theta : {0.1, 0.3, 0.5, 0.62, 0.8, 0.95}) {
      const double t = start + theta * h;
      integrator->interpolate(t, y);
      worst = max_propagating_nan(worst, distance(y, Kepler<double>::exact(t)));
    }
    steps.push_back(h);
    errors.push_back(worst);
  }
  EXPECT_NEAR(slope(steps, errors), GetParam().order, 0.5);
}

INSTANTIATE_TEST_SUITE_P(
    All, DenseOrder,
    testing::Values(Case{"rk4", 5, {5, 10, 20, 40}}, Case{"rkf45", 6, {4, 6, 9, 14}},
                    Case{"dverk", 7, {3, 4, 6, 9}}, Case{"dopri5", 5, {5, 10, 20, 40}},
                    Case{"gauss4", 5, {5, 10, 20, 30}}, Case{"implicit_midpoint", 3, {10, 20, 40}},
                    Case{"semi_implicit_euler", 2, {20, 40, 80}},
                    Case{"rosenbrock2", 3, {10, 20, 40}}),
    [](const auto& tested) { return tested.param.name; });

TEST(DenseOutput, IsContinuousAcrossSteps) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  for (const char* name : {"rkf45", "dverk", "dopri5", "dop853", "abm", "gbs"}) {
    auto integrator = make_integrator<double>(name, system, tolerance(1e-8));
    const auto start = Kepler<double>::start();
    integrator->start(0.0, start);
    std::vector<double> y(4);
    while (integrator->time() < 6.0) {
      ASSERT_EQ(integrator->advance(6.0), Status::ok);
      const double h = integrator->time() - integrator->previous_time();
      integrator->interpolate(integrator->time() - 1e-9 * h, y);
      EXPECT_LT(distance(y, integrator->state()), 1e-8) << name;
      integrator->interpolate(integrator->previous_time() + 1e-9 * h, y);
      EXPECT_LT(distance(y, integrator->previous_state()), 1e-7) << name;
    }
  }
}

}  // namespace
}  // namespace dynamics::ode
