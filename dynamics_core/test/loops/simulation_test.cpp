// SPDX-License-Identifier: Apache-2.0
// Simulations of mechanisms: loop errors, energies, integrators, dead centers, controllers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/simulate.hpp"
#include "loops/mechanisms.hpp"

namespace dynamics::test {
namespace {

/// 10 s of free motion at rtol 1e-12.
void expect_exact(const char* name, const Mechanism& mechanism, std::vector<double> qd0) {
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = 10.0;
  options.rtol = 1e-12;
  options.integrator = "dop853";
  options.qd0 = std::move(qd0);
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << name << ": " << run.statistics.ending;
  const double error = largest_loop_error(mechanism, run);
  EXPECT_LT(error, 1e-12) << name;
  EXPECT_LT(run.statistics.energy_drift, 1e-10) << name;
  fmt::print("{}: loop error {:.2g} of the size, energy drift {:.2g}, {} steps\n", name, error,
             run.statistics.energy_drift, run.statistics.steps);
}

TEST(LoopSimulation, FourBarKeepsLoopAndEnergy) {
  expect_exact("four-bar", mechanism_from_urdf(four_bar_urdf({}), in_plane), {12.0});
}
TEST(LoopSimulation, ThreeRrrKeepsLoopsAndEnergy) {
  expect_exact("3-RRR", mechanism_from_urdf(three_rrr_urdf(), weightless), {0.9, 0.6, 1.1});
}
TEST(LoopSimulation, StewartPlatformKeepsLoopsAndEnergy) {
  expect_exact("Stewart platform", mechanism_from_urdf(stewart_urdf({}), weightless),
               {0.02, -0.024, 0.008, 0.016, -0.012, 0.022});
}

TEST(LoopSimulation, EveryIntegratorStaysOnTheLoops) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  SimulationOptions options;
  options.duration = 1.0;
  options.qd0 = {3.0};
  options.rtol = 1e-10;
  options.integrator = "dop853";
  const auto plant = loop_plant(mechanism);
  const Recording reference = simulate(*plant, options);
  for (const ode::IntegratorName& method : ode::integrator_names()) {
    const std::string name(method.name);
    options.integrator = name;
    options.rtol = 1e-8;
    options.step.reset();
    if (method.fixed_step) options.step = 1e-3;
    const Recording run = simulate(*plant, options);
    ASSERT_TRUE(run.statistics.completed) << name << ": " << run.statistics.ending;
    EXPECT_LT(largest_loop_error(mechanism, run), 1e-12) << name;
    const double tolerance = name == "semi_implicit_euler" ? 0.1 : 1e-3;
    EXPECT_NEAR(run.q[0].back(), reference.q[0].back(), tolerance) << name;
  }
}

TEST(LoopSimulation, PassesDeadCentersOfTheIndependentJoint) {
  // the slider is the independent joint; the crank turns through both dead centers
  std::string urdf = slider_crank_urdf({});
  const auto move = [&](const std::string& from, const std::string& to) {
    urdf.replace(urdf.find(from), from.size(), to);
  };
  move(R"(<joint name="a" type="continuous" actuated="true">)",
       R"(<joint name="a" type="continuous">)");
  move(R"(<joint name="s" type="prismatic">)",
       R"(<joint name="s" type="prismatic" actuated="true">)");
  const Mechanism mechanism = mechanism_from_urdf(urdf, in_plane);
  ASSERT_EQ(mechanism.tree().coordinates()[mechanism.independent()[0]].name, "s");
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = 3.0;
  options.rtol = 1e-11;
  // crank at 90 degrees, turning
  const SliderCrank s;
  const double beta = -std::asin(s.crank / s.rod);
  options.q0 = {std::numbers::pi / 2, beta - std::numbers::pi / 2, s.rod * std::cos(beta)};
  options.qd0 = {8.0, -8.0, -8.0 * s.crank};
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_GT(run.q[0].back() - run.q[0].front(), 4.0 * std::numbers::pi);  // two turns and more
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
}

TEST(LoopSimulation, FlatParallelogramIsReportedNotNan) {
  // the bars in line: the motion is not determined
  FourBar f;
  f.length[0] = f.length[2] = 0.4;
  f.ground = f.length[1] = 1.0;
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(f), in_plane);
  MechanismWorkspace workspace(mechanism);
  const std::vector<double> flat = {0.0, 0.0, 0.0};
  std::vector<double> qdd = {1.0, 2.0, 3.0};
  EXPECT_EQ(try_forward_dynamics(mechanism, workspace, flat, flat, flat, qdd),
            Status::singular_loop);
  EXPECT_EQ(qdd, (std::vector<double>{1.0, 2.0, 3.0}));
  try {
    forward_dynamics(mechanism, workspace, flat, flat, flat, qdd);
    FAIL();
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("joint '"),
                                             testing::HasSubstr("condition number")));
  }
}

TEST(LoopSimulation, ControllersHoldAndTrack) {
  const Mechanism mechanism = mechanism_from_urdf(three_rrr_urdf(), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.scenario = Scenario::hold;
  options.duration = 0.5;
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  for (std::size_t i = 0; i < run.q.size(); ++i) {
    EXPECT_NEAR(run.q[i].back(), run.q[i].front(), 1e-8) << i;
    if (!plant->actuated(i)) {
      EXPECT_EQ(run.tau[i].back(), 0.0) << i;
    }
  }
  auto pd = make_controller("pd-gravity", {});
  options.scenario = Scenario::free_fall;
  const Recording held = simulate(*plant, *pd, options);
  ASSERT_TRUE(held.statistics.completed) << held.statistics.ending;
  EXPECT_NEAR(held.q[0].back(), held.q[0].front(), 1e-3);
}

TEST(LoopSimulation, DampingTakesTheEnergyThatIsMissing) {
  const Mechanism mechanism = mechanism_from_urdf(
      four_bar_urdf({}, "revolute", R"(<dynamics damping="0.1" friction="0.05"/>)"), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = 2.0;
  options.rtol = 1e-11;
  options.qd0 = {5.0};
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_LT(run.work.back(), -0.1);
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
}

TEST(LoopSimulation, StartMustCloseTheLoops) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = 0.01;
  options.q0 = {0.1, 0.2, 0.3};
  EXPECT_THROW(simulate(*plant, options), ArgumentError);
  options.q0 = {0.5, 0.1};
  EXPECT_THROW(simulate(*plant, options), ArgumentError);
  options.q0 = {0.5};
  EXPECT_NO_THROW(simulate(*plant, options));
}

}  // namespace
}  // namespace dynamics::test
