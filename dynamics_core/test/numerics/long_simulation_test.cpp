// SPDX-License-Identifier: Apache-2.0
// Long runs: of energy and momentum, which are known at any time.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/maximum.hpp"
#include "dynamics_core/simulate.hpp"
#include "numbers.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

void expect_finite(const Recording& run) {
  for (const auto* columns : {&run.q, &run.qd}) {
    for (const Column& column : *columns) {
      for (const double x : column) ASSERT_TRUE(std::isfinite(x));
    }
  }
}

TEST(LongRuns, TumblingArmsKeepTheirEnergy) {
  struct Case {
    const char *robot, *integrator;
    double start, duration, rtol;
    std::optional<double> step;
    double bar;
  };
  for (const Case& one : {Case{"planar3", "dop853", 0.5, 600.0, 1e-11, std::nullopt, 1e-6},
                          Case{"puma", "dop853", 0.5, 300.0, 1e-11, std::nullopt, 1e-6},
                          Case{"planar3", "gauss6", -0.5, 600.0, 1e-9, 0.005, 1e-5}}) {
    const Model model = model_from_dh(built_in_robot(one.robot));
    SimulationOptions options;
    options.duration = test::watched ? one.duration / 30.0 : one.duration;
    options.sample = 1.0;
    options.q0.assign(model.size(), one.start);
    options.integrator = one.integrator;
    options.rtol = one.rtol;
    options.step = one.step;
    const Recording run = simulate(model, options);
    EXPECT_TRUE(run.statistics.completed) << run.statistics.ending;
    EXPECT_LT(run.statistics.energy_drift, one.bar) << one.robot << " " << one.integrator;
    expect_finite(run);
    const std::string how =
        one.step ? fmt::format("steps of {} s", *one.step) : fmt::format("rtol {:.0e}", one.rtol);
    test::Numbers::all().note(
        "runs",
        fmt::format("{}, free fall from {} rad, {:.0f} s", one.robot, one.start, one.duration),
        {fmt::format("{}, {}", one.integrator, how)}, {run.statistics.energy_drift});
  }
}

TEST(LongRuns, FrictionBringsAPendulumToRestAndLeavesItThere) {
  test::RobotBuilder robot;
  robot.add(JointType::continuous, "j", "base", "arm", Eigen::Vector3d::UnitY(),
            test::body(1.0, {0.5, 0, 0}, {0.01, 0.02, 0.02}));
  robot.joint().friction = 0.3;
  const Model model(robot);
  SimulationOptions options;
  options.duration = test::watched ? 40.0 : 200.0;
  options.sample = 0.1;
  options.integrator = "radau5";
  options.rtol = 1e-8;
  const Recording run = simulate(model, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  expect_finite(run);
  // the energy only falls, but for the steps' errors
  double most = run.kinetic[0] + run.potential[0], risen = 0.0;
  for (std::size_t k = 1; k < run.kinetic.size(); ++k) {
    const double now = run.kinetic[k] + run.potential[k];
    risen = max_propagating_nan(risen, now - most);
    most = std::min(most, now);
  }
  EXPECT_LT(risen, 1e-6);
  // smooth friction creeps: at rest but for the friction velocity, and never chatters
  const double fastest = max_abs(std::span(run.qd[0]).subspan(run.qd[0].size() / 2));
  EXPECT_LT(fastest, model.friction_velocity());
  EXPECT_LT(run.statistics.steps, 20'000U);
  test::Numbers::all().note("runs", "pendulum with Coulomb friction, 200 s", {"radau5, rtol 1e-08"},
                            {run.statistics.energy_drift});
}

}  // namespace
}  // namespace dynamics
