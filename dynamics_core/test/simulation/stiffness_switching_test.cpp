// SPDX-License-Identifier: Apache-2.0
// The default integrator: dop853 until the equations prove stiff, then radau5, and back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "simulation/problems.hpp"
#include "support/two_joint_robots.hpp"

namespace dynamics {
namespace {

using namespace ode::problems;

TEST(StiffnessSwitching, SolvesStiffVanDerPol) {
  // reference: Test Set for IVP Solvers
  const auto van_der_pol = [](const double&, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = y[1];
    dydt[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
  };
  const auto system = ode::System<double>::first_order(2, van_der_pol);
  const std::vector<double> y0{2.0, -0.66};
  ode::Statistics statistics;
  const auto y = final_state("auto", system, tolerance(1e-9), 0.0, y0, 2.0, &statistics);
  EXPECT_NEAR(y[0], 1.706167732170456, 1e-6);
  EXPECT_NEAR(y[1], -0.8928097010248257, 1e-6);
  EXPECT_LT(statistics.evaluations, 60000u);  // dop853: more than ten million
  EXPECT_GT(statistics.jacobians, 0u);
}

TEST(StiffnessSwitching, IsDop853BitForBitWhereNothingIsStiff) {
  const Kepler<double> kepler;
  const auto system = ode::System<double>::second_order(2, kepler);
  ode::Statistics explicit_statistics, statistics;
  const auto y0 = Kepler<double>::start();
  const auto expected =
      final_state("dop853", system, tolerance(1e-10), 0.0, y0, 50.0, &explicit_statistics);
  EXPECT_EQ(final_state("auto", system, tolerance(1e-10), 0.0, y0, 50.0, &statistics), expected);
  EXPECT_EQ(statistics, explicit_statistics);
}

TEST(StiffnessSwitching, ReturnsToDop853WhenTheStiffnessEnds) {
  // y' = -k(t) (y - cos t) - sin t with the solution cos t; stiff between 5 s and 10 s
  const auto decay = [](const double& t, std::span<const double> y, std::span<double> dydt) {
    const double k = 1.0 + 1e5 * std::exp(-std::pow((t - 7.5) / 1.2, 8));
    dydt[0] = -k * (y[0] - std::cos(t)) - std::sin(t);
  };
  const auto system = ode::System<double>::first_order(1, decay);
  auto integrator = ode::make_integrator<double>("auto", system, tolerance(1e-9));
  const std::vector<double> y0{1.0};
  integrator->start(0.0, y0);
  std::vector<std::string> methods;
  std::vector<double> since;
  while (integrator->time() < 20.0) {
    ASSERT_EQ(integrator->advance(20.0), ode::Status::ok);
    if (methods.empty() || methods.back() != integrator->method()) {
      methods.push_back(integrator->method());
      since.push_back(integrator->previous_time());
    }
    std::vector<double> y(1);
    const double t = 0.5 * (integrator->previous_time() + integrator->time());
    integrator->interpolate(t, y);
    EXPECT_NEAR(y[0], std::cos(t), 1e-6);
    EXPECT_NEAR(integrator->state()[0], std::cos(integrator->time()), 1e-7);
  }
  EXPECT_THAT(methods, testing::ElementsAre("dop853", "radau5", "dop853"));
  ASSERT_EQ(since.size(), 3U);
  EXPECT_GT(since[1], 5.0);
  EXPECT_LT(since[1], 7.0);
  EXPECT_GT(since[2], 8.0);
  EXPECT_LT(since[2], 12.0);
}

TEST(StiffnessSwitching, KeepsItsMethodAcrossRestarts) {
  const auto decay = [](const double& t, std::span<const double> y, std::span<double> dydt) {
    dydt[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t);
  };
  const auto system = ode::System<double>::first_order(1, decay);
  auto integrator = ode::make_integrator<double>("auto", system, tolerance(1e-9));
  std::vector<double> y{1.0};
  integrator->start(0.0, y);
  for (int step = 0; step < 100; ++step) ASSERT_EQ(integrator->advance(1.0), ode::Status::ok);
  ASSERT_EQ(integrator->method(), "radau5");
  const double t = integrator->time();
  y[0] = std::cos(t);
  integrator->restart(t, y);
  ASSERT_EQ(integrator->advance(1.0), ode::Status::ok);
  EXPECT_EQ(integrator->method(), "radau5");
  integrator->start(t, y);
  ASSERT_EQ(integrator->advance(1.0), ode::Status::ok);
  EXPECT_EQ(integrator->method(), "dop853");
}

/// A body of 1 g falling along a guide with a damper: time constant 1 us.
TEST(StiffnessSwitching, SimulatesALightDampedBodyAsInClosedForm) {
  const Model model = model_from_urdf(
      R"(<robot name="one"><link name="base"/><link name="body"><inertial><mass value="0.001"/>
      <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="guide" type="prismatic"><parent link="base"/><child link="body"/>
      <axis xyz="0 0 -1"/><limit lower="-9" upper="9" effort="1" velocity="1"/>
      <dynamics damping="1000"/></joint></robot>)");
  SimulationOptions options;
  options.duration = 5.0;
  const Recording run = simulate(model, options);
  ASSERT_TRUE(run.statistics.completed);
  const double rate = 1000.0 / 0.001, terminal = 9.81 / rate;
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.t[k];
    EXPECT_NEAR(run.q[0][k], terminal * (t - (1.0 - std::exp(-rate * t)) / rate), 1e-9);
    EXPECT_NEAR(run.qd[0][k], terminal * (1.0 - std::exp(-rate * t)), 1e-9);
  }
  EXPECT_LT(run.statistics.evaluations, 5000U);
  EXPECT_EQ(run.settings.integrator, "dop853, radau5");
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].what, "the equations are stiff: integrated by radau5 instead of dop853");
  EXPECT_LT(run.events[0].t, 0.01);
}

TEST(StiffnessSwitching, SimulatesAnArmWithStiffDampingLikeDop853) {
  // the damping of the second joint has a time constant of about 10 us
  const Model model = model_from_urdf(test::two_joint_arm_urdf("<dynamics damping='4000'/>"));
  SimulationOptions options;
  options.duration = 0.2;
  options.q0 = {0.3, -0.5};
  const Recording run = simulate(model, options);
  ASSERT_TRUE(run.statistics.completed);
  EXPECT_EQ(run.settings.integrator, "dop853, radau5");
  options.integrator = "dop853";
  const auto evaluations = run.statistics.evaluations;
  EXPECT_GT(simulate(model, options).statistics.evaluations, 10 * evaluations);
  options.rtol = 1e-13;
  const Recording exact = simulate(model, options);
  EXPECT_EQ(exact.settings.integrator, "dop853");
  ASSERT_EQ(run.size(), exact.size());
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(run.q[i][k], exact.q[i][k], 1e-9);
      EXPECT_NEAR(run.qd[i][k], exact.qd[i][k], 1e-8);
    }
    EXPECT_NEAR(run.work[k], exact.work[k], 1e-9);
  }
}

}  // namespace
}  // namespace dynamics
