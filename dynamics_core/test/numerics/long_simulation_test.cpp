// SPDX-License-Identifier: Apache-2.0
// Long simulations: energy balance and finite states.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "error_table.hpp"
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

TEST(LongSimulations, FreeFallConservesEnergy) {
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
    options.duration = test::sanitized ? one.duration / 30.0 : one.duration;
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
    test::ErrorTables::instance().add_row(
        "runs",
        fmt::format("{}, free fall from {} rad, {:.0f} s", one.robot, one.start, one.duration),
        {fmt::format("{}, {}", one.integrator, how)}, {run.statistics.energy_drift});
  }
}

TEST(LongSimulations, FrictionBringsPendulumToRest) {
  test::RobotBuilder robot;
  robot.add(JointType::continuous, "j", "base", "arm", Eigen::Vector3d::UnitY(),
            test::body(1.0, {0.5, 0, 0}, {0.01, 0.02, 0.02}));
  robot.joint().friction = 0.3;
  const Model model(robot);
  SimulationOptions options;
  options.duration = test::sanitized ? 40.0 : 200.0;
  options.sample = 0.1;
  options.integrator = "radau5";
  options.rtol = 1e-8;
  const Recording run = simulate(model, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  expect_finite(run);
  // the energy decreases monotonically, up to integration errors
  double lowest = run.kinetic[0] + run.potential[0], rise = 0.0;
  for (std::size_t k = 1; k < run.kinetic.size(); ++k) {
    const double now = run.kinetic[k] + run.potential[k];
    rise = max_propagating_nan(rise, now - lowest);
    lowest = std::min(lowest, now);
  }
  EXPECT_LT(rise, 1e-6);
  // with smooth friction the pendulum creeps below the friction velocity, without chattering
  const double fastest = max_abs(std::span(run.qd[0]).subspan(run.qd[0].size() / 2));
  EXPECT_LT(fastest, model.friction_velocity());
  EXPECT_LT(run.statistics.steps, 20'000U);
  test::ErrorTables::instance().add_row("runs", "pendulum with Coulomb friction, 200 s",
                                        {"radau5, rtol 1e-08"}, {run.statistics.energy_drift});
}

}  // namespace
}  // namespace dynamics
