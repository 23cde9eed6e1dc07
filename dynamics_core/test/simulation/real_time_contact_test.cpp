// SPDX-License-Identifier: Apache-2.0
// Dry friction and stops in real-time steps, compared with closed forms and with simulate().
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/impulse_step.hpp"
#include "simulation/real_time.hpp"
#include "support/dry_friction.hpp"
#include "support/random_robot.hpp"
#include "support/robot_files.hpp"

namespace dynamics::test {
namespace {

constexpr double g = 9.81;

TEST(RealTimeFriction, BlockOnAnInclineStaysExactlyAtRest) {
  RealTimeSimulation robot(block(0.5 * 2.0 * g + 1e-6), {});
  robot.reset(Vector{0.3}, Vector{0.0});
  for (int k = 0; k < 10'000; ++k) {
    ASSERT_TRUE(robot.step()) << robot.fault();
    ASSERT_EQ(robot.positions()[0], 0.3);
    ASSERT_EQ(robot.velocities()[0], 0.0);
  }
  ASSERT_TRUE(robot.evaluate());
  EXPECT_EQ(robot.accelerations()[0], 0.0);
}

TEST(RealTimeFriction, BlockOnAnInclineSlidesAsInClosedForm) {
  const double friction = 3.0, a = 0.5 * g - friction / 2.0;
  RealTimeSimulation robot(block(friction), {});
  robot.reset(Vector{0.0}, Vector{0.0});
  for (int k = 1; k <= 2000; ++k) {
    ASSERT_TRUE(robot.step() && robot.evaluate());
    const double t = 0.001 * k;
    EXPECT_NEAR(robot.positions()[0], 0.5 * a * t * t, 1e-11);
    EXPECT_NEAR(robot.accelerations()[0], a, 1e-12);
  }
}

TEST(RealTimeFriction, BlockThrownUphillStopsAndStaysOrReturnsAsInClosedForm) {
  for (const double friction : {4.0, 12.0}) {
    RealTimeSimulation robot(block(friction), {});
    robot.reset(Vector{0.0}, Vector{-3.0});
    const double up = 0.5 * g + friction / 2.0;  // deceleration
    const double turn = 3.0 / up, highest = -0.5 * 3.0 * turn;
    const double down = std::max(0.0, 0.5 * g - friction / 2.0);
    for (int k = 1; k <= 3000; ++k) {
      ASSERT_TRUE(robot.step());
      const double t = 0.001 * k;
      const double expected =
          t < turn ? -3.0 * t + 0.5 * up * t * t : highest + 0.5 * down * (t - turn) * (t - turn);
      // the velocity at the turn is exact to 1e-10 m/s
      EXPECT_NEAR(robot.positions()[0], expected, 1e-9) << t;
      if (friction > g && t > turn) {
        EXPECT_EQ(robot.velocities()[0], 0.0);
      }
    }
    EXPECT_EQ(robot.statistics().mode_changes, 1U);
  }
}

TEST(RealTimeFriction, EffortCommandStartsABlockAtTheStepThatExceedsFriction) {
  // effort 0.01 k N in step k against 5 N
  RealTimeSimulation robot(one_joint("prismatic", "1 0 0", "0 0 0", {.friction = 5.0}), {});
  robot.reset(Vector{0.0}, Vector{0.0});
  for (int k = 0; k <= 500; ++k) {
    robot.commands()[0] = JointCommand::effort(0.01 * k);
    ASSERT_TRUE(robot.step());
    ASSERT_EQ(robot.positions()[0], 0.0) << k;
  }
  robot.commands()[0] = JointCommand::effort(5.01);
  ASSERT_TRUE(robot.step());
  EXPECT_NEAR(robot.velocities()[0], 0.001 * 0.01 / 2.0, 1e-15);
}

TEST(RealTimeFriction, AcceleratingBaseReleasesABlockAtTheTimeOfTheClosedForm) {
  // base acceleration -A w^2 sin(w t); 2 kg slide when 2 A w^2 sin(w t) exceeds 2 N
  const Model model = one_joint("prismatic", "1 0 0", "0 0 0", {.friction = 2.0});
  const double rate = 2.0 * M_PI, peak = 1.5;
  const BaseHarmonic shake{BaseHarmonic::Axis::x, peak / (rate * rate), 1.0};
  const std::shared_ptr<const BaseTrajectory> base = harmonic_base_trajectory({&shake, 1});
  const double release = std::asin(1.0 / peak) / rate, end = 0.25;
  // from then on q'' = peak sin(w t) - 1
  const double v0 = peak * std::cos(rate * release) / rate + release;
  const double expected = -peak * (std::sin(rate * end) - std::sin(rate * release)) / rate / rate +
                          v0 * (end - release) - 0.5 * (end * end - release * release);
  std::vector<double> errors;
  for (const double step : {0.01, 0.005}) {
    RealTimeSimulation robot(rigid_plant(model, {.base = base}), unlimited(step));
    robot.reset(Vector{0.0}, Vector{0.0});
    run(robot, end);
    EXPECT_EQ(robot.statistics().mode_changes, 1U) << "located within a step";
    errors.push_back(std::abs(robot.positions()[0] - expected));
  }
  EXPECT_LT(errors[0], 1e-7);
  EXPECT_LT(errors[1], errors[0] / 4.0);
}

TEST(RealTimeFriction, PendulumComesToRestWhereTheClosedFormSays) {
  // 2 kg at 0.5 m below a horizontal axis
  const double weight = 2.0 * g * 0.5, friction = 0.8, start = 1.2;
  const Model model = one_joint("revolute", "0 1 0", "0 0 -0.5", {.friction = friction});
  const std::vector<double> turns = turning_angles(start, weight, friction);
  ASSERT_GT(turns.size(), 4U);
  std::vector<double> errors;
  for (const double step : {0.02, 0.01, 0.001}) {
    RealTimeOptions options = unlimited(step);
    options.bandwidth = 10.0;
    RealTimeSimulation robot(model, options);
    robot.reset(Vector{start}, Vector{0.0});
    run(robot, 20.0);
    const double rest = robot.positions()[0];
    EXPECT_EQ(robot.velocities()[0], 0.0);
    run(robot, 10.0);
    EXPECT_EQ(robot.positions()[0], rest);
    errors.push_back(std::abs(rest - turns.back()));
  }
  // the error of the step: order 4, below 1e-10 rad at 1 ms
  EXPECT_LT(errors[2], 1e-10);
  EXPECT_LT(errors[1], errors[0] / 8.0);
}

TEST(RealTimeStops, FallingMassBouncesAsInClosedForm) {
  RealTimeOptions options;
  options.restitution = 0.5;
  RealTimeSimulation robot(one_joint("prismatic", "0 0 1", "0 0 0", {.lower = 0.0, .upper = 5.0}),
                           options);
  robot.reset(Vector{1.0}, Vector{0.0});
  const double first = std::sqrt(2.0 / g);
  double energy = robot.energy().total();
  for (int k = 1; k <= 3000; ++k) {
    ASSERT_TRUE(robot.step());
    const double t = 0.001 * k;
    ASSERT_GE(robot.positions()[0], 0.0);
    ASSERT_LE(robot.energy().total(), energy + 1e-9);
    energy = robot.energy().total();
    if (t < first) {
      EXPECT_NEAR(robot.positions()[0], 1.0 - 0.5 * g * t * t, 1e-12);
    }
    if (t > first && t < 2.0 * first) {
      const double s = t - first, v = 0.5 * g * first;
      EXPECT_NEAR(robot.positions()[0], v * s - 0.5 * g * s * s, 1e-10);
    }
    if (t > 3.0 * first + 0.01) {  // the sum of all flights
      EXPECT_EQ(robot.positions()[0], 0.0);
      EXPECT_EQ(robot.velocities()[0], 0.0);
    }
  }
}

TEST(RealTimeStops, ManyBouncesInOneStepEndInAnImpulseStep) {
  RealTimeOptions options;
  options.restitution = 0.97;
  options.step = 0.05;
  options.bandwidth = 10.0;
  RealTimeSimulation robot(one_joint("prismatic", "0 0 1", "0 0 0", {.lower = 0.0, .upper = 5.0}),
                           options);
  robot.reset(Vector{0.02}, Vector{0.0});
  double energy = robot.energy().total();
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(robot.step()) << robot.fault();
    ASSERT_GE(robot.positions()[0], 0.0);
    ASSERT_LE(robot.energy().total(), energy + 1e-12);
    energy = robot.energy().total();
  }
  EXPECT_GT(robot.statistics().impulse_steps, 0U);
  EXPECT_EQ(robot.positions()[0], 0.0);
  EXPECT_EQ(robot.velocities()[0], 0.0);
}

TEST(RealTimeStops, ImpactsDoNotAddEnergy) {
  RealTimeSimulation robot(two_joint_arm(), {});
  robot.reset(Vector{1.0, 0.0}, Vector{0.0, 0.0});
  double energy = robot.energy().total();
  for (int k = 0; k < 20'000; ++k) {
    ASSERT_TRUE(robot.step()) << robot.fault();
    for (std::size_t i = 0; i < 2; ++i) ASSERT_LE(std::abs(robot.positions()[i]), 2.0);
    ASSERT_LE(robot.energy().total(), energy + 1e-7) << "an impact must not add energy";
    energy = robot.energy().total();
  }
  EXPECT_GT(robot.statistics().mode_changes, 2U);
}

TEST(RealTimeStops, TwoJointsRestAtTheirStopsAtOnceAndLeaveThem) {
  RealTimeSimulation robot(two_joint_arm(), {});
  robot.reset(Vector{1.7, 1.8}, Vector{0.0, 0.0});
  const auto push = [&](double first, double second) {
    robot.commands()[0] = JointCommand::effort(first);
    robot.commands()[1] = JointCommand::effort(second);
  };
  push(20.0, 15.0);
  run(robot, 2.0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(robot.positions()[i], 2.0);
    EXPECT_EQ(robot.velocities()[i], 0.0);
    EXPECT_EQ(robot.accelerations()[i], 0.0);
  }
  push(20.0, -15.0);  // the second leaves
  run(robot, 0.05);
  EXPECT_EQ(robot.positions()[0], 2.0);
  EXPECT_LT(robot.positions()[1], 1.99);
  // a joint that is locked between equal stops does not move
  RealTimeSimulation locked(one_joint("prismatic", "0 0 1", "0 0 0", {.lower = 0.5, .upper = 0.5}),
                            {});
  locked.reset(Vector{0.5}, Vector{0.0});
  locked.commands()[0] = JointCommand::effort(900.0);
  run(locked, 0.1);
  EXPECT_EQ(locked.positions()[0], 0.5);
  EXPECT_EQ(locked.velocities()[0], 0.0);
}

TEST(RealTimeStops, RandomTreesStayWithinTheirStops) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Model model = tree_with_stops(seed);
    RealTimeOptions options;
    options.restitution = seed % 3 == 0 ? 0.5 : 0.0;
    RealTimeSimulation robot(model, options);
    const Vector zero(model.size(), 0.0);
    robot.reset(zero, zero);
    for (std::size_t i = 0; i < model.size(); ++i) {
      if ((seed + i) % 4 == 0) robot.commands()[i] = JointCommand::position(i % 2 ? 1.0 : -0.1);
      if ((seed + i) % 4 == 1) robot.commands()[i] = JointCommand::velocity(i % 2 ? 1.0 : -1.0);
      if ((seed + i) % 4 == 2) robot.commands()[i] = JointCommand::effort(i % 2 ? 90.0 : -40.0);
    }
    for (int k = 0; k < 2000; ++k) {
      ASSERT_TRUE(robot.step()) << seed << ": " << robot.fault();
      for (std::size_t i = 0; i < model.size(); ++i) {
        const Coordinate& joint = model.coordinates()[i];
        ASSERT_GE(robot.positions()[i], joint.lower) << seed << " " << joint.name;
        ASSERT_LE(robot.positions()[i], joint.upper) << seed << " " << joint.name;
      }
    }
    ASSERT_TRUE(robot.evaluate());
    for (std::size_t i = 0; i < model.size(); ++i)
      ASSERT_LE(std::abs(robot.efforts()[i]), 100.0) << seed;
  }
}

TEST(ImpulseStep, ConvergesWithOrderOne) {
  const Model model = two_joint_arm("<dynamics damping='0.5' friction='0.3'/>");
  SimulationOptions options;
  options.duration = 1.0;
  options.limits = true;
  options.q0 = {0.2, 0.4};
  const Recording expected = simulate(model, options);
  std::vector<double> errors;
  for (const double h : {0.001, 0.0005, 0.00025}) {
    const auto plant = rigid_plant(model);
    const auto unused = [](const double&, std::span<const double>, std::span<const double>,
                           std::span<const double>, std::span<double>) {};
    RealTimeOptions drive_options;
    JointDrives drives(*plant, drive_options);
    drives.read_commands();
    const JointConstraints constraints(*plant, true, 0.0, unused);
    const ImplicitInertia implicit(*plant);
    ImpulseStep step(*plant);
    Vector q = options.q0, qd(2, 0.0), qdd(2);
    const Vector tau(2, 0.0);
    for (long k = 0; k < std::lround(1.0 / h); ++k) {
      plant->accelerations(0.0, q, qd, tau, qdd);
      step.advance(*plant, drives, constraints, implicit, 0.0, 0.0, h, qdd, q, qd);
    }
    errors.push_back(std::abs(q[0] - expected.q[0].back()) + std::abs(q[1] - expected.q[1].back()));
  }
  EXPECT_LT(errors[2], 0.01);
  EXPECT_LT(errors[1], 0.7 * errors[0]);
  EXPECT_LT(errors[2], 0.7 * errors[1]);
}

class RealTimeRobot : public testing::TestWithParam<std::filesystem::path> {
 protected:
  const Model model = model_from_urdf_file(GetParam().string());
};

TEST_P(RealTimeRobot, FallsOntoItsStopsAndSettles) {
  const auto plant = rigid_plant(model);
  RealTimeSimulation robot(rigid_plant(model), {});
  robot.reset(default_start(model), Vector(model.size(), 0.0));
  Vector settled;
  std::vector<bool> rests(model.size(), true);
  for (int k = 0; k < 5000; ++k) {
    ASSERT_TRUE(robot.step()) << robot.fault();
    if (k == 4500) settled.assign(robot.positions().begin(), robot.positions().end());
    for (std::size_t i = 0; i < model.size(); ++i) {
      const Coordinate& joint = model.coordinates()[i];
      ASSERT_GE(robot.positions()[i], joint.lower) << joint.name;
      ASSERT_LE(robot.positions()[i], joint.upper) << joint.name;
      if (k <= 4500) continue;
      rests[i] = rests[i] && robot.velocities()[i] == 0.0;
      // with friction nothing creeps: rest is exact
      if (plant->dry_friction(i) > 0.0) {
        const double speed = std::abs(robot.velocities()[i]);
        ASSERT_TRUE(speed == 0.0 || speed > 1e-8) << joint.name << " in step " << k;
      }
    }
  }
  EXPECT_LT(robot.statistics().impulse_steps, 20U);
  bool any_rests = false, any_friction = false;
  for (std::size_t i = 0; i < model.size(); ++i) {
    if (rests[i]) {
      EXPECT_EQ(robot.positions()[i], settled[i]) << model.coordinates()[i].name;
    }
    any_rests = any_rests || rests[i];
    any_friction = any_friction || plant->dry_friction(i) > 0.0;
  }
  EXPECT_TRUE(any_rests || !any_friction);
}

TEST_P(RealTimeRobot, MatchesSimulateWithinTheErrorOfTheStep) {
  SimulationOptions options;
  options.duration = options.sample = 0.3;
  options.rtol = 1e-10;
  options.limits = true;
  const Recording expected = simulate(model, options);
  ASSERT_TRUE(expected.statistics.completed) << expected.statistics.ending;
  const auto error = [&](double step) {
    RealTimeOptions steps;
    steps.step = step;
    RealTimeSimulation robot(rigid_plant(model), steps);
    robot.reset(default_start(model), Vector(model.size(), 0.0));
    run(robot, options.duration);
    double largest = 0.0;
    for (std::size_t i = 0; i < model.size(); ++i)
      largest = max_propagating_nan(largest, std::abs(robot.positions()[i] - expected.q[i].back()));
    return largest;
  };
  // order 4, or 2 with implicit steps; both are limited by the error of the reference
  const double coarse = error(0.001), fine = error(0.0005);
  EXPECT_LT(coarse, 1e-5);
  EXPECT_LT(fine, std::max(0.3 * coarse, 1e-9));
}

INSTANTIATE_TEST_SUITE_P(Urdfs, RealTimeRobot, testing::ValuesIn(robot_files()),
                         [](const auto& robot) { return name_of_robot_file(robot.param); });

}  // namespace
}  // namespace dynamics::test
