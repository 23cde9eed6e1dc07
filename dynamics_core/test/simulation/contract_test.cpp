// SPDX-License-Identifier: Apache-2.0
//
// Contract of every integrator: no allocation while stepping, bitwise repeatability, exact end
// times, and errors that name the invalid option.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "simulation/problems.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics::ode {
namespace {

namespace counter = test::allocation_counter;
using namespace problems;

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& name : integrator_names()) names.emplace_back(name.name);
  return names;
}

class EveryIntegrator : public testing::TestWithParam<std::string> {
 protected:
  Options<double> options() const {
    Options<double> result;
    result.rtol = 1e-8;
    if (find_integrator(GetParam()).fixed_step) result.step = 0.01;
    return result;
  }
  std::unique_ptr<Integrator<double>> make() const {
    return make_integrator<double>(GetParam(), system_, options());
  }

  Kepler<double> kepler_;
  System<double> system_ = System<double>::second_order(2, kepler_);
  std::vector<double> y0_ = Kepler<double>::start();
};

TEST_P(EveryIntegrator, DoesNotAllocateWithSamplesAndEvents) {
  auto integrator = make();
  double sum = 0.0;
  int events_seen = 0;
  const auto sample = [&](const double&, std::span<const double> y) { sum += y[0]; };
  const auto g = [](const double&, std::span<const double> y) { return y[1]; };
  const auto restart = [&](const double&, std::span<double> y) {
    ++events_seen;
    y[0] *= 1.0 + 1e-12;
    return EventAction::restart;
  };
  const auto continue_run = [](const double&, std::span<const double>) { return true; };
  const std::vector<Event<double>> events{{g, Crossing::any, restart}};
  std::vector<double> times;
  for (int i = 0; i <= 100; ++i) times.push_back(0.1 * i);
  times.back() = 10.0;
  RunPlan<double> plan;
  plan.end_time = 10.0;
  plan.sample_times = times;
  plan.on_sample = sample;
  plan.events = events;
  plan.on_step = continue_run;
  Solver<double> solver(*integrator, 1);
  counter::start();
  const auto outcome = solver.run(0.0, y0_, plan);
  const std::size_t allocated = counter::stop();
  ASSERT_TRUE(outcome.ok()) << outcome.message();
  EXPECT_EQ(events_seen, 3);
  EXPECT_NE(sum, 0.0);
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  EXPECT_EQ(allocated, 0U);
}

TEST_P(EveryIntegrator, RepeatsBitForBit) {
  const auto once = final_state(GetParam(), system_, options(), 0.0, y0_, 7.3);
  const auto twice = final_state(GetParam(), system_, options(), 0.0, y0_, 7.3);
  EXPECT_EQ(once, twice);
  // Also with the same object started again.
  auto integrator = make();
  std::vector<double> results[2];
  for (auto& result : results) {
    integrator->start(0.0, y0_);
    while (integrator->time() < 7.3) ASSERT_EQ(integrator->advance(7.3), Status::ok);
    result.assign(integrator->state().begin(), integrator->state().end());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], once);
}

TEST_P(EveryIntegrator, ReachesEndTimeExactly) {
  for (const double end : {1.0, 0.123456789, 1e-9, -2.0}) {
    auto integrator = make();
    integrator->start(0.0, y0_);
    int guard = 0;
    while (integrator->time() != end && ++guard < 100000) {
      ASSERT_EQ(integrator->advance(end), Status::ok);
      ASSERT_LE(std::abs(integrator->time()), std::abs(end));
    }
    EXPECT_EQ(integrator->time(), end);
    EXPECT_EQ(integrator->statistics().steps, static_cast<std::uint64_t>(guard));
  }
}

TEST_P(EveryIntegrator, FirstAndSecondOrderFormsAgree) {
  if (GetParam() == "semi_implicit_euler") GTEST_SKIP() << "second-order systems only";
  const auto flat = [this](const double& t, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[2];
    dydt[1] = y[3];
    kepler_(t, y.first(2), y.last(2), dydt.last(2));
  };
  const auto first_order = System<double>::first_order(4, flat);
  const auto flattened = final_state(GetParam(), first_order, options(), 0.0, y0_, 3.0);
  const auto direct = final_state(GetParam(), system_, options(), 0.0, y0_, 3.0);
  if (GetParam() == "abm") {
    // integrates accelerations twice instead of rates once: another method, equal within tolerance
    EXPECT_LT(distance(flattened, direct), 1e-6);
  } else {
    EXPECT_EQ(flattened, direct);
  }
}

TEST_P(EveryIntegrator, ManyShortAdvancesMatchExactSolution) {
  auto integrator = make();
  integrator->start(0.0, y0_);
  for (int i = 1; i <= 50; ++i) {
    const double stop = 0.1 * i;
    while (integrator->time() != stop) ASSERT_EQ(integrator->advance(stop), Status::ok);
  }
  const double allowed = GetParam() == "semi_implicit_euler" ? 0.2
                         : GetParam() == "implicit_midpoint" ? 5e-3
                         : GetParam() == "rosenbrock2"       ? 1e-2
                         : GetParam() == "radau5"            ? 1e-5
                                                             : 2e-6;
  EXPECT_LT(distance(integrator->state(), Kepler<double>::exact(5.0)), allowed);
}

TEST_P(EveryIntegrator, RejectsStateOfWrongSize) {
  auto integrator = make();
  const std::vector<double> wrong(3, 0.0);
  EXPECT_THROW(integrator->start(0.0, wrong), ArgumentError);
}

INSTANTIATE_TEST_SUITE_P(All, EveryIntegrator, testing::ValuesIn(all_names()),
                         [](const auto& tested) { return tested.param; });

TEST(RealTimeStep, DoesNotAllocateAndHasBoundedWork) {
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const DoublePendulum pendulum;
  const auto system = System<double>::second_order(2, pendulum);
  for (const auto& name : integrator_names()) {
    if (!name.constant_step) continue;
    auto integrator = make_fixed_step_integrator<double>(name.name, system, constant_step(1e-3));
    std::vector<double> y{1.0, 0.5, 0.0, 0.0};
    counter::start();
    Status status = Status::ok;
    for (int i = 0; i < 1000 && status == Status::ok; ++i) {
      status = integrator->step(1e-3 * i, 1e-3, y);
    }
    EXPECT_EQ(counter::stop(), 0U) << name.name;
    EXPECT_EQ(status, Status::ok) << name.name;
    EXPECT_LT(integrator->statistics().evaluations, 1000u * 40u) << name.name;
  }
}

/// Message of the exception thrown by `action`; empty if none is thrown.
std::string error_message(const std::function<void()>& action) {
  try {
    action();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return {};
}

TEST(InvalidOptions, AreNamedWithTheirValidRange) {
  const Pendulum pendulum;
  const auto system = System<double>::second_order(1, pendulum);
  const auto make = [&](const char* name, const Options<double>& options) {
    return error_message([&] { make_integrator<double>(name, system, options); });
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  Options<double> options;

  const auto unknown = make("rk5", options);
  EXPECT_TRUE(contains(unknown, "unknown integrator 'rk5'")) << unknown;
  for (const auto& name : all_names()) EXPECT_TRUE(contains(unknown, name)) << unknown;

  options.rtol = 1e-16;
  EXPECT_TRUE(contains(make("dop853", options), "rtol is 1e-16")) << make("dop853", options);
  options.rtol = 5e-324;  // below the normal numbers
  EXPECT_TRUE(contains(make("dop853", options), "rtol is 5e-324")) << make("dop853", options);
  options.rtol = 2.3e-15;
  EXPECT_EQ(make("dop853", options), "");
  options.rtol = std::nan("");
  EXPECT_TRUE(contains(make("abm", options), "rtol"));
  options.rtol = -1.0;
  EXPECT_TRUE(contains(make("abm", options), "rtol is -1"));
  options.rtol = 2.0;
  EXPECT_TRUE(contains(make("abm", options), "rtol is 2"));

  options = {};
  EXPECT_TRUE(contains(make("rk4", options), "step is not set"));
  options.step = 0.0;
  EXPECT_TRUE(contains(make("rk4", options), "step is 0")) << make("rk4", options);
  options.step = -0.1;
  EXPECT_TRUE(contains(make("gauss4", options), "step is -0.1"));
  options = {};
  options.atol = 0.0;
  EXPECT_TRUE(contains(make("dopri5", options), "atol is 0"));
  options = {};
  options.atol_each = {1e-6, 1e-6, 1e-6};
  EXPECT_TRUE(contains(make("dopri5", options), "atol_each has 3 values"));
  options.atol_each = {1e-6, -1.0};
  EXPECT_TRUE(contains(make("dopri5", options), "atol_each[1] is -1"));
  options = {};
  options.max_step = 0.1;
  options.min_step = 0.2;
  EXPECT_TRUE(contains(make("dopri5", options), "max_step is 0.1"));
  options = {};
  options.fixed_step = true;
  options.step = 0.1;
  EXPECT_TRUE(contains(make("abm", options), "'abm' is a variable-step method"));

  const auto flat = [](const double&, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[0];
  };
  const auto first_order = System<double>::first_order(1, flat);
  options = {};
  options.step = 0.1;
  EXPECT_TRUE(contains(
      error_message([&] { make_integrator<double>("semi_implicit_euler", first_order, options); }),
      "needs a second-order system"));
  EXPECT_TRUE(contains(error_message([&] { System<double>::first_order(0, flat); }), "size is 0"));
}

struct SolverOfPendulum : testing::Test {
  const Pendulum pendulum{};
  std::unique_ptr<Integrator<double>> integrator =
      make_integrator<double>("dop853", System<double>::second_order(1, pendulum), {});
  Solver<double> solver{*integrator};
  const std::vector<double> start = Pendulum::start();
  RunPlan<double> plan;
};

TEST_F(SolverOfPendulum, RejectsInvalidRunPlans) {
  const auto run = [&] { return error_message([&] { solver.run(0.0, start, plan); }); };
  plan.end_time = -1.0;
  EXPECT_NE(run().find("negative duration"), std::string::npos) << run();
  plan.end_time = 1.0;
  plan.backward = true;
  EXPECT_NE(run().find("backward"), std::string::npos);
  plan.backward = false;
  const std::vector<double> unsorted{0.0, 0.5, 0.4};
  plan.sample_times = unsorted;
  EXPECT_NE(run().find("sample time 2 is 0.4"), std::string::npos) << run();
  const std::vector<double> outside{0.0, 1.5};
  plan.sample_times = outside;
  EXPECT_NE(run().find("sample time 1 is 1.5"), std::string::npos) << run();
  plan.sample_times = {};
  plan.end_time = std::nan("");
  EXPECT_NE(run().find("finite"), std::string::npos);
  plan.end_time = 1.0;
  const auto g = [](const double&, std::span<const double> y) { return y[0]; };
  const std::vector<Event<double>> events{{g}};
  plan.events = events;
  EXPECT_NE(run().find("run has 1 events"), std::string::npos);
}

TEST_F(SolverOfPendulum, KeepsStateOfLastStepWhenInterrupted) {
  int calls = 0;
  const auto stop = [&](const double&, std::span<const double>) { return ++calls < 3; };
  plan.end_time = 10.0;
  plan.on_step = stop;
  const auto outcome = solver.run(0.0, start, plan);
  EXPECT_EQ(outcome.ending, Ending::interrupted);
  EXPECT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.time, integrator->time());
  EXPECT_EQ(integrator->statistics().steps, 3u);
  plan.on_step = {};
  plan.max_steps = 2;
  EXPECT_EQ(solver.run(0.0, start, plan).ending, Ending::too_many_steps);
}

}  // namespace
}  // namespace dynamics::ode
