// SPDX-License-Identifier: Apache-2.0
//
// Events: times compared with closed forms, directions, order, restarts, and the root finder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "simulation/problems.hpp"

namespace dynamics::ode {
namespace {

using namespace problems;

const auto falling_body = [](const double&, std::span<const double>, std::span<const double>,
                             std::span<double> qdd) { qdd[0] = -9.81; };
const auto oscillator = [](const double&, std::span<const double> q, std::span<const double>,
                           std::span<double> qdd) { qdd[0] = -q[0]; };
const auto height = [](const double&, std::span<const double> y) { return y[0]; };

/// Times of a ball dropped from h with restitution e: t1 = sqrt(2 h / g), then at intervals of 2
/// e^k t1.
std::vector<double> bounce_times(double h, double e, int count) {
  const double first = std::sqrt(2.0 * h / 9.81);
  std::vector<double> times{first};
  double flight = 2.0 * first;
  for (int i = 1; i < count; ++i) {
    flight *= e;
    times.push_back(times.back() + flight);
  }
  return times;
}

class Events : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Integrator<double>> make(const System<double>& system, double rtol,
                                           double step) const {
    Options<double> options;
    options.rtol = rtol;
    if (find_integrator(GetParam()).fixed_step) options.step = step;
    return make_integrator<double>(GetParam(), system, options);
  }
};

TEST_P(Events, BouncingBallMatchesClosedForm) {
  if (GetParam() == "semi_implicit_euler") GTEST_SKIP() << "first order: no exact parabola";
  const auto system = System<double>::second_order(1, falling_body);
  auto integrator = make(system, 1e-10, 0.03);
  std::vector<double> times;
  const auto bounce = [&](const double& t, std::span<double> y) {
    times.push_back(t);
    y[1] *= -0.8;
    return EventAction::restart;
  };
  const std::vector<Event<double>> events{{height, Crossing::falling, bounce}};
  RunPlan<double> plan;
  plan.end_time = 3.0;
  plan.events = events;
  plan.max_steps = 100000;
  Solver<double> solver(*integrator, 1);
  const std::vector<double> y0{1.0, 0.0};
  const auto outcome = solver.run(0.0, y0, plan);
  ASSERT_TRUE(outcome.ok()) << outcome.message();
  auto expected = bounce_times(1.0, 0.8, 20);
  expected.erase(std::upper_bound(expected.begin(), expected.end(), 3.0), expected.end());
  ASSERT_EQ(times.size(), expected.size());
  ASSERT_GE(times.size(), 5u);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], 2e-13) << i;
  EXPECT_EQ(integrator->statistics().events, times.size());
}

TEST_P(Events, DetectsCrossingDirectionsOfOscillator) {
  const auto system = System<double>::second_order(1, oscillator);
  const double pi = std::numbers::pi;
  // Position cos(t): falls through 0 at pi/2 + 2 pi k, rises at 3 pi/2 + 2 pi k.
  for (const auto crossing : {Crossing::falling, Crossing::rising, Crossing::any}) {
    auto integrator = make(system, 1e-11, 1e-3);
    std::vector<double> times;
    const auto record = [&](const double& t, std::span<double>) {
      times.push_back(t);
      return EventAction::proceed;
    };
    const std::vector<Event<double>> events{{height, crossing, record}};
    RunPlan<double> plan;
    plan.end_time = 20.0;
    plan.events = events;
    Solver<double> solver(*integrator, 1);
    const std::vector<double> y0{1.0, 0.0};
    ASSERT_TRUE(solver.run(0.0, y0, plan).ok());
    std::vector<double> expected;
    for (int k = 0; k < 6; ++k) {
      const bool falls = k % 2 == 0;
      if (crossing == Crossing::any || falls == (crossing == Crossing::falling)) {
        expected.push_back(pi / 2 + k * pi);
      }
    }
    ASSERT_EQ(times.size(), expected.size());
    const double allowed = GetParam() == "semi_implicit_euler" ? 2e-3
                           : GetParam() == "implicit_midpoint" ? 1e-5
                           : GetParam() == "rosenbrock2"       ? 1e-6
                           : GetParam() == "radau5"            ? 1e-6
                                                               : 1e-8;
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(times[i], expected[i], allowed);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Events, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const auto& name : integrator_names())
                             names.emplace_back(name.name);
                           return names;
                         }()),
                         [](const auto& tested) { return tested.param; });

TEST(EventOrder, SamplesAndEventsAreOrderedAndTerminalEventEndsRun) {
  const auto system = System<double>::second_order(1, oscillator);
  auto integrator = make_integrator<double>("dop853", system, tolerance(1e-10));
  std::vector<double> times_reported;
  const auto sample = [&](const double& t, std::span<const double>) {
    times_reported.push_back(t);
  };
  const auto velocity = [](const double&, std::span<const double> y) { return y[1]; };
  const auto half = [](const double&, std::span<const double> y) { return y[0] - 0.5; };
  const auto record = [&](const double& t, std::span<double>) {
    times_reported.push_back(t);
    return EventAction::proceed;
  };
  const std::vector<Event<double>> events{{velocity, Crossing::rising, {}, true},
                                          {half, Crossing::any, record},
                                          {height, Crossing::any, record}};
  const std::vector<double> times{0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0};
  RunPlan<double> plan;
  plan.end_time = 4.0;
  plan.events = events;
  plan.sample_times = times;
  plan.on_sample = sample;
  Solver<double> solver(*integrator, 3);
  const std::vector<double> y0{1.0, 0.0};
  const auto outcome = solver.run(0.0, y0, plan);
  EXPECT_EQ(outcome.ending, Ending::stopped_by_event);
  EXPECT_TRUE(outcome.ok());
  EXPECT_EQ(outcome.event, 0u);
  EXPECT_NEAR(outcome.time, std::numbers::pi, 1e-8);
  EXPECT_EQ(integrator->time(), outcome.time);
  // 0 .. 3 in halves, pi/3 and pi/2.
  EXPECT_EQ(times_reported.size(), 9u);
  EXPECT_TRUE(std::is_sorted(times_reported.begin(), times_reported.end()));
}

TEST(EventOrder, SimultaneousEventsBothFire) {
  const auto drop = [](const double&, std::span<const double>, std::span<const double>,
                       std::span<double> qdd) { qdd[0] = qdd[1] = -9.81; };
  const auto system = System<double>::second_order(2, drop);
  auto integrator = make_integrator<double>("dopri5", system, tolerance(1e-9));
  int first = 0, second = 0;
  const auto second_height = [](const double&, std::span<const double> y) { return y[1]; };
  const auto bounce_first = [&](const double&, std::span<double> y) {
    ++first;
    y[2] *= -0.9;
    return EventAction::restart;
  };
  const auto bounce_second = [&](const double&, std::span<double> y) {
    ++second;
    y[3] *= -0.9;
    return EventAction::restart;
  };
  const std::vector<Event<double>> events{{height, Crossing::falling, bounce_first},
                                          {second_height, Crossing::falling, bounce_second}};
  RunPlan<double> plan;
  plan.end_time = 3.0;
  plan.events = events;
  Solver<double> solver(*integrator, 2);
  const std::vector<double> y0{1.0, 1.0, 0.0, 0.0};
  ASSERT_TRUE(solver.run(0.0, y0, plan).ok());
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, 4);
  EXPECT_GT(integrator->state()[0], -1e-9);
  EXPECT_GT(integrator->state()[1], -1e-9);
}

TEST(EventOrder, WorksBackward) {
  const auto system = System<double>::second_order(1, oscillator);
  auto integrator = make_integrator<double>("dverk", system, tolerance(1e-10));
  std::vector<double> times;
  const auto record = [&](const double& t, std::span<double>) {
    times.push_back(t);
    return EventAction::proceed;
  };
  const std::vector<Event<double>> events{{height, Crossing::falling, record}};
  RunPlan<double> plan;
  plan.end_time = -8.0;
  plan.backward = true;
  plan.events = events;
  Solver<double> solver(*integrator, 1);
  const std::vector<double> y0{1.0, 0.0};
  ASSERT_TRUE(solver.run(0.0, y0, plan).ok());
  ASSERT_EQ(times.size(), 2u);
  EXPECT_NEAR(times[0], -std::numbers::pi / 2, 1e-8);
  EXPECT_NEAR(times[1], -5 * std::numbers::pi / 2, 1e-8);
}

TEST(EventOrder, StartAtZeroDoesNotFire) {
  const auto system = System<double>::second_order(1, falling_body);
  auto integrator = make_integrator<double>("dop853", system, tolerance(1e-10));
  const std::vector<Event<double>> events{{height, Crossing::any, {}, true}};
  RunPlan<double> plan;
  plan.end_time = 3.0;
  plan.events = events;
  Solver<double> solver(*integrator, 1);
  const std::vector<double> y0{0.0, 9.81};  // thrown up from the ground, back after 2 s
  const auto outcome = solver.run(0.0, y0, plan);
  EXPECT_EQ(outcome.ending, Ending::stopped_by_event);
  EXPECT_NEAR(outcome.time, 2.0, 1e-13);
}

TEST(LocateCrossing, ReachesRoundOffInFewEvaluations) {
  struct Case {
    double (*g)(double);
    double a, b, root;
  };
  const std::vector<Case> cases{
      {[](double t) { return std::cos(t); }, 1.0, 2.0, std::numbers::pi / 2},
      {[](double t) { return std::exp(t) - 2.0; }, -4.0, 4.0, std::numbers::ln2},
      {[](double t) { return t * t * t; }, -1.0, 2.0, 0.0},
      {[](double t) { return std::atan(1e6 * (t - 0.3)); }, 0.0, 1.0, 0.3},
      {[](double t) { return t < 0.7 ? -1.0 : 1.0; }, 0.0, 1.0, 0.7},
      {[](double t) { return 0.25 - std::pow(t, 9); }, 0.0, 10.0, std::pow(0.25, 1.0 / 9.0)}};
  for (const auto& what : cases) {
    int calls = 0;
    const auto g = [&](const double& t) {
      ++calls;
      return what.g(t);
    };
    const double t = locate_crossing(g, what.a, what.b, what.g(what.a), what.g(what.b));
    EXPECT_NEAR(t, what.root, 4e-16 * std::max(1.0, std::abs(what.root)) + 1e-300);
    const double before = what.g(what.a);
    EXPECT_LE(before * what.g(t), 0.0) << "before the crossing";
    EXPECT_LT(calls, 120);
  }
}

}  // namespace
}  // namespace dynamics::ode
