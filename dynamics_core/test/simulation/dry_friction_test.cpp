// SPDX-License-Identifier: Apache-2.0
// Dry friction in the simulation, compared with closed forms: joints stick and slide without
// chattering.

#include "support/dry_friction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "simulation/joint_constraints.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using test::block;
using test::one_joint;
using test::turning_angles;

constexpr double g = 9.81;

TEST(DryFriction, BlockOnAnInclineStaysExactlyAtRest) {
  SimulationOptions options;
  options.duration = 10.0;
  const Recording run = simulate(block(0.5 * 2.0 * g + 1e-6), options);
  ASSERT_TRUE(run.statistics.completed);
  for (std::size_t k = 0; k < run.size(); ++k) {
    EXPECT_EQ(run.q[0][k], 0.0);
    EXPECT_EQ(run.qd[0][k], 0.0);
    EXPECT_EQ(run.qdd[0][k], 0.0);
  }
  EXPECT_LT(run.statistics.steps, 50U);
}

TEST(DryFriction, BlockOnAnInclineSlidesAsInClosedForm) {
  const double friction = 3.0, a = 0.5 * g - friction / 2.0;
  SimulationOptions options;
  options.duration = 2.0;
  const Recording run = simulate(block(friction), options);
  ASSERT_TRUE(run.statistics.completed);
  for (std::size_t k = 0; k < run.size(); ++k) {
    EXPECT_NEAR(run.q[0][k], 0.5 * a * run.t[k] * run.t[k], 1e-9);
    EXPECT_NEAR(run.qdd[0][k], a, 1e-12);
  }
  EXPECT_NEAR(run.work.back(), -friction * run.q[0].back(), 1e-9);
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
}

TEST(DryFriction, BlockThrownUphillStopsAndStaysOrReturnsAsInClosedForm) {
  for (const double friction : {4.0, 12.0}) {
    SimulationOptions options;
    options.duration = 3.0;
    options.qd0 = {-3.0};
    const Recording run = simulate(block(friction), options);
    ASSERT_TRUE(run.statistics.completed);
    const double up = 0.5 * g + friction / 2.0;  // deceleration
    const double turn = 3.0 / up, highest = -0.5 * 3.0 * turn;
    const double down = std::max(0.0, 0.5 * g - friction / 2.0);
    for (std::size_t k = 0; k < run.size(); ++k) {
      const double t = run.t[k];
      const double expected =
          t < turn ? -3.0 * t + 0.5 * up * t * t : highest + 0.5 * down * (t - turn) * (t - turn);
      EXPECT_NEAR(run.q[0][k], expected, 1e-9) << t;
      if (friction > g && t > turn) {
        EXPECT_EQ(run.qd[0][k], 0.0);
        EXPECT_EQ(run.q[0][k], run.q[0].back());
      }
    }
    EXPECT_LT(run.statistics.energy_drift, 1e-9);
    EXPECT_LT(run.statistics.steps, 60U);
  }
}

TEST(DryFriction, PendulumComesToRestWhereTheClosedFormSays) {
  // 2 kg at 0.5 m below a horizontal axis
  const double weight = 2.0 * g * 0.5, friction = 0.8, start = 1.2;
  const Model model = one_joint("revolute", "0 1 0", "0 0 -0.5", {.friction = friction});
  SimulationOptions options;
  options.duration = 30.0;
  options.rtol = 1e-11;
  options.q0 = {start};
  const std::vector<double> turns = turning_angles(start, weight, friction);
  ASSERT_GT(turns.size(), 4U);
  for (const char* integrator : {"dop853", "radau5"}) {
    options.integrator = integrator;
    const Recording run = simulate(model, options);
    ASSERT_TRUE(run.statistics.completed);
    EXPECT_NEAR(run.q[0].back(), turns.back(), integrator[0] == 'd' ? 1e-9 : 1e-7) << integrator;
    EXPECT_EQ(run.qd[0].back(), 0.0);
    const auto at_20_s = static_cast<std::size_t>(20.0 / run.settings.sample);
    EXPECT_EQ(run.q[0][at_20_s], run.q[0].back());
    EXPECT_LT(run.statistics.energy_drift, 1e-6);
  }
}

TEST(DryFriction, DampingActsBesideIt) {
  // m v' = -d v - F: v = (v0 + F/d) exp(-d t/m) - F/d until it is zero
  const double friction = 1.5, damping = 2.0, mass = 2.0, v0 = 3.0;
  const Model model =
      one_joint("prismatic", "1 0 0", "0 0 0", {.friction = friction, .damping = damping});
  SimulationOptions options;
  options.duration = 5.0;
  options.qd0 = {v0};
  const Recording run = simulate(model, options);
  ASSERT_TRUE(run.statistics.completed);
  const double ratio = friction / damping, stop = mass / damping * std::log(1.0 + v0 / ratio);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = std::min(run.t[k], stop);
    const double decay = std::exp(-damping * t / mass);
    EXPECT_NEAR(run.q[0][k], (v0 + ratio) * mass / damping * (1.0 - decay) - ratio * t, 1e-8);
  }
  EXPECT_EQ(run.qd[0].back(), 0.0);
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
}

TEST(DryFriction, BlockAtRestSlidesAfterAUsersEvent) {
  const double friction = 12.0, deceleration = 0.5 * g + friction / 2.0;
  SimulationOptions options;
  options.duration = 2.0;
  SimulationEvent kick;
  kick.name = "kick";
  kick.function = [](double t, ConstVector, ConstVector) { return t - 0.5; };
  kick.action = [](double, MutableVector, MutableVector qd) {
    qd[0] = -2.0;
    return ode::EventAction::restart;
  };
  options.events = {kick};
  const Recording run = simulate(block(friction), options);
  ASSERT_TRUE(run.statistics.completed);
  const double stop = 0.5 + 2.0 / deceleration;
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = std::clamp(run.t[k], 0.5, stop) - 0.5;
    EXPECT_NEAR(run.q[0][k], -2.0 * t + 0.5 * deceleration * t * t, 1e-9) << run.t[k];
  }
  EXPECT_EQ(run.qd[0].back(), 0.0);
}

TEST(DryFriction, JointAtAStopIsHeldByStopAndFriction) {
  // A base that moves along x pulls the cart off its stop when its acceleration exceeds friction.
  const std::string text = R"(<robot name="cart"><link name="base"/><link name="body"><inertial>
      <mass value="2"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="body"/><axis xyz="1 0 0"/>
      <limit lower="0" upper="5" effort="100" velocity="100"/><dynamics friction="2"/></joint></robot>)";
  SimulationOptions options;
  options.limits = true;
  options.duration = 1.0;
  // base acceleration -A w^2 sin(w t): the cart needs -2 kg times that to leave
  const BaseHarmonic weak{BaseHarmonic::Axis::x, 0.9 / std::pow(2.0 * M_PI, 2.0), 1.0};
  options.base = harmonic_base_trajectory({&weak, 1});
  const Recording held = simulate(model_from_urdf(text), options);
  for (const double q : held.q[0]) EXPECT_EQ(q, 0.0);
  const BaseHarmonic strong{BaseHarmonic::Axis::x, 1.5 / std::pow(2.0 * M_PI, 2.0), 1.0};
  options.base = harmonic_base_trajectory({&strong, 1});
  const Recording leaves = simulate(model_from_urdf(text), options);
  ASSERT_FALSE(leaves.events.empty());
  EXPECT_THAT(leaves.events.front().what, testing::HasSubstr("leaves its stop"));
  EXPECT_NEAR(leaves.events.front().t, std::asin(1.0 / 1.5) / (2.0 * M_PI), 1e-9);
}

TEST(JointConstraints, RandomTreesStayWithinTheirStops) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Model model = test::tree_with_stops(seed);
    SimulationOptions options;
    options.limits = true;
    options.duration = 3.0;
    options.restitution = seed % 3 == 0 ? 0.5 : 0.0;
    const Recording run = simulate(model, options);
    ASSERT_TRUE(run.statistics.completed) << seed << ": " << run.statistics.ending;
    EXPECT_LT(run.statistics.steps, 30'000U) << seed;
    EXPECT_LT(run.statistics.energy_drift, 1e-6) << seed;
    for (std::size_t i = 0; i < model.size(); ++i) {
      const Coordinate& joint = model.coordinates()[i];
      for (const double q : run.q[i]) {
        ASSERT_TRUE(q > joint.lower - 1e-8 && q < joint.upper + 1e-8)
            << seed << " " << joint.name << " " << q;
      }
    }
  }
}

TEST(JointConstraints, StepsDoNotAllocate) {
  if (!test::allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted here";
  const Model model = block(4.0);
  const auto plant = rigid_plant(model);
  std::vector<double> force(1), q = {0.0}, qd = {-1.0}, qdd(1);
  const auto free = [&](const double& t, std::span<const double> at, std::span<const double> v,
                        std::span<const double> friction, std::span<double> out) {
    force[0] = friction[0];
    plant->accelerations(t, at, v, force, out);
  };
  JointConstraints constraints(*plant, true, 0.0, free);
  constraints.start(0.0, q, qd);
  test::allocation_counter::start();
  constraints.accelerations(0.0, q, qd, qdd);
  double margins = constraints.sliding_margin(qd) + constraints.gap_margin(0, 1, q);
  qd[0] = 0.0;
  constraints.update(0.0, q, qd);
  margins += constraints.holding_margin(0.0, q, qd);
  q[0] = 100.0;
  qd[0] = 1.0;
  constraints.impact(0.0, q, qd);
  constraints.accelerations(0.0, q, qd, qdd);
  const std::size_t allocations = test::allocation_counter::stop();
  EXPECT_EQ(allocations, 0U);
  EXPECT_TRUE(std::isfinite(margins));
  EXPECT_TRUE(constraints.held(0));
}

}  // namespace
}  // namespace dynamics
