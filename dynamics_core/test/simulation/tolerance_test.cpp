// SPDX-License-Identifier: Apache-2.0
//
// Error of the error-controlled methods as a function of the tolerance, for the Kepler problem and
// the Arenstorf orbit; failures.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/view.hpp"
#include "simulation/problems.hpp"

namespace dynamics::ode {
namespace {

using namespace problems;

class Adaptive : public testing::TestWithParam<const char*> {};

TEST_P(Adaptive, ErrorFollowsTolerance) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto y0 = Kepler<double>::start();
  std::vector<double> errors;
  const std::vector<double> tolerances{1e-5, 1e-7, 1e-9, 1e-11};
  for (const double rtol : tolerances) {
    errors.push_back(distance(final_state(GetParam(), system, tolerance(rtol), 0.0, y0, 12.0),
                              Kepler<double>::exact(12.0)));
    EXPECT_LT(errors.back(), 2000.0 * rtol) << "rtol " << rtol;
  }
  // Proportional within a factor: six decades of tolerance make at least four of error.
  const double decades = std::log10(errors.front() / errors.back());
  EXPECT_GT(decades, 4.0);
  EXPECT_LT(decades, 8.0);
}

TEST_P(Adaptive, ArenstorfOrbitCloses) {
  const Arenstorf arenstorf;
  const auto system = System<double>::first_order(4, arenstorf);
  const auto y0 = Arenstorf::start();
  Statistics statistics;
  const bool low_order = std::string_view(GetParam()) == "radau5";
  const double rtol = low_order ? 1e-9 : 1e-11;
  const auto y =
      final_state(GetParam(), system, tolerance(rtol), 0.0, y0, Arenstorf::period, &statistics);
  // The orbit magnifies errors by about 1e6 in a period.
  EXPECT_LT(distance(std::span(y).first(2), std::span(y0).first(2)), 2e6 * rtol);
  EXPECT_GT(statistics.steps, 20u);
  EXPECT_GT(statistics.evaluations, statistics.steps);
}

TEST_P(Adaptive, BackwardRunReturnsToStart) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto y0 = Kepler<double>::start();
  const auto there = final_state(GetParam(), system, tolerance(1e-10), 0.0, y0, 3.0);
  const auto back = final_state(GetParam(), system, tolerance(1e-10), 3.0, there, 0.0);
  EXPECT_GT(distance(there, y0), 0.5);
  EXPECT_LT(distance(back, y0), 1e-7);
}

TEST_P(Adaptive, SamplesAreAsAccurateAsSteps) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto y0 = Kepler<double>::start();
  for (const double end : {6.0, -6.0}) {
    auto integrator = make_integrator<double>(GetParam(), system, tolerance(1e-9));
    Solver<double> solver(*integrator);
    std::vector<double> times;
    for (int i = 0; i <= 300; ++i) times.push_back(end * i / 300.0);
    double worst = 0.0;
    double worst_step = 0.0;
    const auto step = [&](const double& t, std::span<const double> y) {
      worst_step = max_propagating_nan(worst_step, distance(y, Kepler<double>::exact(t)));
      return true;
    };
    std::size_t count = 0;
    const auto sample = [&](const double& t, std::span<const double> y) {
      EXPECT_EQ(t, times[count++]);
      worst = max_propagating_nan(worst, distance(y, Kepler<double>::exact(t)));
    };
    RunPlan<double> run;
    run.end_time = end;
    run.backward = end < 0.0;
    run.sample_times = times;
    run.on_sample = sample;
    run.on_step = step;
    const auto outcome = solver.run(0.0, y0, run);
    ASSERT_TRUE(outcome.ok()) << outcome.message();
    EXPECT_EQ(outcome.time, end);
    EXPECT_EQ(count, times.size());
    // Radau's collocation polynomial is of order 3 only.
    EXPECT_LT(worst, worst_step * (std::string_view(GetParam()) == "radau5" ? 100.0 : 2.0));
  }
}

TEST_P(Adaptive, RepeatsBitForBit) {
  const Arenstorf arenstorf;
  const auto system = System<double>::first_order(4, arenstorf);
  const auto y0 = Arenstorf::start();
  Statistics first, second;
  const auto a = final_state(GetParam(), system, tolerance(1e-8), 0.0, y0, 10.0, &first);
  const auto b = final_state(GetParam(), system, tolerance(1e-8), 0.0, y0, 10.0, &second);
  EXPECT_EQ(a, b);
  EXPECT_EQ(first, second);
}

TEST_P(Adaptive, FailsAtSingularityAndReportsTime) {
  // y' = y^2 from 1: a pole at t = 1.
  const auto pole = [](const double&, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[0] * y[0];
  };
  const auto system = System<double>::first_order(1, pole);
  auto integrator = make_integrator<double>(GetParam(), system, tolerance(1e-8));
  Solver<double> solver(*integrator);
  RunPlan<double> run;
  run.end_time = 2.0;
  run.max_steps = 100000;
  const std::vector<double> y0{1.0};
  const auto outcome = solver.run(0.0, y0, run);
  EXPECT_EQ(outcome.ending, Ending::failed);
  EXPECT_NEAR(outcome.time, 1.0, 1e-6);
  EXPECT_NE(outcome.message().find("at t = "), std::string::npos) << outcome.message();
}

TEST_P(Adaptive, ReachingMinimumStepIsAFailure) {
  const Arenstorf arenstorf;
  const auto system = System<double>::first_order(4, arenstorf);
  auto options = tolerance(1e-10);
  options.min_step = 0.05;
  auto integrator = make_integrator<double>(GetParam(), system, options);
  Solver<double> solver(*integrator);
  RunPlan<double> run;
  run.end_time = 10.0;
  const auto start = Arenstorf::start();
  const auto outcome = solver.run(0.0, start, run);
  EXPECT_EQ(outcome.ending, Ending::failed);
  EXPECT_EQ(outcome.status, Status::step_size_underflow);
}

TEST_P(Adaptive, ReportsNan) {
  const auto bad = [](const double& t, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = t > 0.5 ? std::nan("") : -y[0];
  };
  const auto system = System<double>::first_order(1, bad);
  auto integrator = make_integrator<double>(GetParam(), system, tolerance(1e-6));
  Solver<double> solver(*integrator);
  RunPlan<double> run;
  run.end_time = 1.0;
  const std::vector<double> y0{1.0};
  const auto outcome = solver.run(0.0, y0, run);
  EXPECT_EQ(outcome.ending, Ending::failed);
  EXPECT_EQ(outcome.status, Status::not_finite) << outcome.message();
  EXPECT_LE(outcome.time, 0.55);
}

TEST_P(Adaptive, RespectsMaximumStep) {
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  auto options = tolerance(1e-3);
  options.max_step = 0.01;
  auto integrator = make_integrator<double>(GetParam(), system, options);
  const auto y0 = Kepler<double>::start();
  integrator->start(0.0, y0);
  while (integrator->time() < 1.0) {
    ASSERT_EQ(integrator->advance(1.0), Status::ok);
    EXPECT_LE(integrator->time() - integrator->previous_time(), 0.01 * 1.0100001);
  }
  EXPECT_EQ(integrator->time(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(All, Adaptive,
                         testing::Values("rkf45", "dverk", "dopri5", "dop853", "abm", "gbs",
                                         "radau5"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace dynamics::ode
