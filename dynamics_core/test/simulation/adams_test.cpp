// SPDX-License-Identifier: Apache-2.0
// Properties specific to Adams: accelerations are integrated twice, a second evaluation is done
// only where it pays, constant steps use tabulated coefficients.

#include "ode/adams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dynamics_core/view.hpp"
#include "ode/solve.hpp"
#include "problems.hpp"

namespace dynamics::ode {
namespace {

using problems::distance;
using problems::Forced;
using problems::Kepler;
using problems::tolerance;

/// Final state and statistics.
struct Result {
  std::vector<double> y;
  Statistics work;
  double evaluations_per_step() const {
    return static_cast<double>(work.evaluations) /
           static_cast<double>(work.steps + work.rejections);
  }
};

Result run(const System<double>& system, const Options<double>& options, std::span<const double> y0,
           double end) {
  Adams<double> integrator(system, options);
  Solver<double> solver(integrator);
  RunPlan<double> plan;
  plan.end_time = end;
  const auto outcome = solver.run(0.0, y0, plan);
  EXPECT_TRUE(outcome.ok()) << outcome.message();
  return {{integrator.state().begin(), integrator.state().end()}, integrator.statistics()};
}

TEST(Adams, EvaluatesOncePerStepForSmoothMotion) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto y0 = Kepler<double>::start();
  const Result smooth = run(system, tolerance(1e-9), y0, 20.0);
  EXPECT_LT(smooth.evaluations_per_step(), 1.2);
  EXPECT_LT(distance(smooth.y, Kepler<double>::exact(20.0)), 1e-5);
}

// v' = -1000 (v - cos t) - sin t: stability alone limits the step, and a second evaluation
// allows more than twice its length.
TEST(Adams, EvaluatesTwicePerStepWhereStabilityLimitsTheStep) {
  const auto damped = [](const double& t, std::span<const double>, std::span<const double> qd,
                         std::span<double> qdd) {
    qdd[0] = -1000.0 * (qd[0] - std::cos(t)) - std::sin(t);
  };
  const auto system = System<double>::second_order(1, damped);
  const std::vector<double> y0{0.0, 1.0};
  const Result stiff = run(system, tolerance(1e-8), y0, 5.0);
  EXPECT_GT(stiff.evaluations_per_step(), 1.8);
  EXPECT_LT(stiff.work.steps, 5000U);  // h |lambda| above 1: unstable with one evaluation
  EXPECT_NEAR(stiff.y[0], std::sin(5.0), 1e-7);
  EXPECT_NEAR(stiff.y[1], std::cos(5.0), 1e-7);
}

// The damping sets in late: the need for the second evaluation must be detected during the run.
TEST(Adams, DetectsDampingThatSetsInLater) {
  const auto late = [](const double& t, std::span<const double>, std::span<const double> qd,
                       std::span<double> qdd) {
    const double damping = 500.0 * (1.0 + std::tanh(4.0 * (t - 5.0)));
    qdd[0] = -damping * (qd[0] - std::cos(t)) - std::sin(t);
  };
  const auto system = System<double>::second_order(1, late);
  const std::vector<double> y0{0.0, 1.0};
  const Result early = run(system, tolerance(1e-8), y0, 2.0);
  const Result complete = run(system, tolerance(1e-8), y0, 10.0);
  EXPECT_LT(early.evaluations_per_step(), 1.3);
  EXPECT_GT(complete.evaluations_per_step(), 1.7);
  EXPECT_NEAR(complete.y[0], std::sin(10.0), 1e-6);
}

// A quadratic motion is integrated exactly from the first step on.
TEST(Adams, IsExactForConstantAcceleration) {
  const auto fall = [](const double&, std::span<const double>, std::span<const double>,
                       std::span<double> qdd) { qdd[0] = -9.81; };
  const auto system = System<double>::second_order(1, fall);
  const std::vector<double> y0{1.0, 2.0};
  const Result dropped = run(system, tolerance(1e-6), y0, 3.0);
  EXPECT_NEAR(dropped.y[0], 1.0 + 2.0 * 3.0 - 0.5 * 9.81 * 9.0, 1e-12);
  EXPECT_NEAR(dropped.y[1], 2.0 - 9.81 * 3.0, 1e-12);
}

// With max_step the steps are constant (tabulated coefficients, unscaled differences); with a
// sequence of irregular limits they are not. Both must give the same solution and samples.
TEST(Adams, ConstantAndVariableStepsAgree) {
  const Forced forced;
  const auto system = System<double>::first_order(2, forced);
  auto options = tolerance(1e-10);
  options.max_step = 0.02;
  const auto y0 = Forced::start();
  for (const bool even : {true, false}) {
    Adams<double> integrator(system, options);
    integrator.start(0.0, y0);
    double worst = 0.0;
    std::vector<double> y(2);
    for (int i = 1; integrator.time() < 4.0; ++i) {
      const double limit = even ? 4.0 : std::min(4.0, integrator.time() + 0.01 + 0.007 * (i % 3));
      while (integrator.time() < limit) {
        ASSERT_EQ(integrator.advance(limit), Status::ok);
        const double t = std::lerp(integrator.previous_time(), integrator.time(), 0.4);
        integrator.interpolate(t, y);
        worst = max_propagating_nan(worst, distance(y, Forced::exact(t)));
      }
    }
    EXPECT_LT(worst, 1e-9) << (even ? "constant" : "uneven") << " steps";
    EXPECT_GT(integrator.current_order(), 4U);
  }
}

}  // namespace
}  // namespace dynamics::ode
