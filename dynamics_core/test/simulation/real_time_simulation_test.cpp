// SPDX-License-Identifier: Apache-2.0
// Real-time steps compared with simulate() of the same plant; faults, statistics, allocations.
#include "dynamics_core/real_time_simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/real_time.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics::test {
namespace {

using testing::HasSubstr;

Model puma() { return model_from_dh(built_in_robot("puma")); }

TEST(RealTimeSimulation, FreeFallMatchesSimulate) {
  const Model model = puma();
  SimulationOptions options;
  options.duration = 2.0;
  options.rtol = 1e-11;
  const Recording expected = simulate(model, options);
  ASSERT_TRUE(expected.statistics.completed) << expected.statistics.ending;
  ASSERT_EQ(expected.size(), 201U);
  RealTimeSimulation robot(model, unlimited());
  const Vector zero(model.size(), 0.0);
  robot.reset(zero, zero);
  double largest = 0.0;
  for (std::size_t sample = 1; sample < expected.size(); ++sample) {
    run(robot, options.sample);
    EXPECT_NEAR(robot.time(), expected.t[sample], 1e-12);
    for (std::size_t i = 0; i < model.size(); ++i) {
      largest =
          max_propagating_nan(largest, std::abs(robot.positions()[i] - expected.q[i][sample]));
      EXPECT_EQ(robot.efforts()[i], 0.0);
    }
  }
  EXPECT_LT(largest, 1e-10);
  RecordProperty("largest_difference_nrad", std::to_string(1e9 * largest));
}

TEST(RealTimeSimulation, DryFrictionMatchesSimulate) {
  const Model model = two_joint_arm("<dynamics damping='0.5' friction='0.3'/>");
  SimulationOptions options;
  options.duration = 3.0;
  options.q0 = {0.2, 0.4};
  options.rtol = 1e-11;
  const Recording expected = simulate(model, options);
  const auto error = [&](double step, std::size_t substeps) {
    RealTimeOptions fine = unlimited(step);
    fine.substeps = substeps;
    RealTimeSimulation robot(model, fine);
    EXPECT_EQ(robot.implicit(), substeps == 0);
    robot.reset(options.q0, Vector{0.0, 0.0});
    run(robot, options.duration);
    EXPECT_GT(robot.statistics().mode_changes, 5U);
    EXPECT_EQ(robot.statistics().impulse_steps, 0U);
    return std::abs(robot.positions()[0] - expected.q[0].back()) +
           std::abs(robot.positions()[1] - expected.q[1].back());
  };
  // order 4: the changes between sliding and held are located
  const double coarse = error(0.004, 20), fine = error(0.002, 20);
  EXPECT_LT(coarse, 1e-6);
  EXPECT_LT(fine, coarse / 8.0);
  EXPECT_LT(error(0.001, 20), 1e-8);
  // implicit steps: order 2
  const double coarse_implicit = error(0.001, 0), fine_implicit = error(0.0005, 0);
  EXPECT_LT(coarse_implicit, 1e-3);
  EXPECT_LT(fine_implicit, 0.3 * coarse_implicit);
}

TEST(RealTimeSimulation, RotorInertiaMatchesSimulate) {
  const std::string rotor = "<dynamics damping='0' rotor_inertia='0.3'/>";
  SimulationOptions options;
  options.duration = 0.5;
  options.rtol = 1e-11;
  const Recording expected = simulate(two_joint_arm(rotor), options);
  const Recording without = simulate(two_joint_arm(), options);
  RealTimeSimulation robot(two_joint_arm(rotor), unlimited());
  robot.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  run(robot, 0.5);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(robot.positions()[i], expected.q[i].back(), 1e-8);
    EXPECT_GT(std::abs(without.q[i].back() - expected.q[i].back()), 0.01) << "it matters";
  }
}

TEST(RealTimeSimulation, MovingBaseMatchesSimulate) {
  const Model model = two_joint_arm("<dynamics damping='0.1' friction='0.2'/>");
  const BaseHarmonic shake{BaseHarmonic::Axis::x, 0.05, 1.5};
  const std::shared_ptr<const BaseTrajectory> base = harmonic_base_trajectory({&shake, 1});
  SimulationOptions options;
  options.duration = 1.0;
  options.rtol = 1e-11;
  options.base = base;
  options.q0 = {1.5, 0.0};
  const Recording expected = simulate(model, options);
  RealTimeSimulation robot(rigid_plant(model, {.base = base}), unlimited());
  robot.reset(options.q0, Vector{0.0, 0.0});
  run(robot, 1.0);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(robot.positions()[i], expected.q[i].back(), 1e-8);
}

TEST(RealTimeSimulation, WrenchesOnLinksMatchSimulate) {
  const Model model = two_joint_arm("<dynamics damping='0.5' friction='0.3'/>");
  SimulationOptions options;
  options.duration = 0.5;
  options.rtol = 1e-11;
  options.q0 = {1.2, 0.3};
  LinkWrenchHistory history;
  history.link = "lower";
  history.wrench = [](double) { return Wrench{{0.0, 0.5, 0.0}, {3.0, 0.0, -20.0}}; };
  options.wrenches = {history};
  const Recording expected = simulate(model, options);
  RealTimeSimulation robot(model, unlimited());
  robot.reset(options.q0, Vector{0.0, 0.0});
  // the wrench of simulate() acts at the mass center, 0.25 m along the link's x; this one too
  for (int k = 0; k < 500; ++k) {
    const Vector q(robot.positions().begin(), robot.positions().end());
    const double angle = q[0] + q[1];  // about y
    LinkWrench wrench{
        model.frame("lower"), {{0.0, 0.5, 0.0}, {3.0, 0.0, -20.0}}, Axes::local_world_aligned};
    const Eigen::Vector3d arm(0.25 * std::cos(angle), 0.0, -0.25 * std::sin(angle));
    wrench.wrench.moment += arm.cross(wrench.wrench.force);
    robot.set_wrenches({&wrench, 1});
    ASSERT_TRUE(robot.step()) << robot.fault();
  }
  // the arm is constant during a step: error of order 1 in the step
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(robot.positions()[i], expected.q[i].back(), 2e-3);
  options.wrenches.clear();
  EXPECT_GT(std::abs(simulate(model, options).q[1].back() - expected.q[1].back()), 0.02);
  // a drive that holds the joints compensates the wrench
  robot.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  for (JointCommand& command : robot.commands()) command = JointCommand::position(0.0);
  ASSERT_TRUE(robot.evaluate());
  const double without = robot.efforts()[0];
  const LinkWrench push{model.frame("lower"),
                        {Eigen::Vector3d::Zero(), {0.0, 0.0, -10.0}},
                        Axes::local_world_aligned};
  robot.set_wrenches({&push, 1});
  ASSERT_TRUE(robot.evaluate());
  EXPECT_NEAR(robot.efforts()[0] - without, -10.0 * 0.5, 1e-9) << "0.5 m from the axis";
  LinkWrench bad = push;
  bad.frame = 99;
  EXPECT_THROW(robot.set_wrenches({&bad, 1}), ArgumentError);
}

TEST(RealTimeSimulation, IsStableForStiffDamping) {
  RealTimeSimulation robot(two_joint_arm("<dynamics damping='2000' friction='50'/>"), unlimited());
  EXPECT_TRUE(robot.implicit());
  robot.reset(Vector{0.0, 0.0}, Vector{3.0, -3.0});
  run(robot, 1.0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(robot.velocities()[i], 0.0) << "held by friction";
    EXPECT_LT(std::abs(robot.positions()[i]), 0.003);
  }
  // a constant effort leads to the velocity effort / damping
  RealTimeSimulation weightless(
      two_joint_arm("<dynamics damping='40'/>").with_gravity({0.0, 0.0, 0.0}), unlimited());
  weightless.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  weightless.commands()[0] = JointCommand::effort(8.0);
  weightless.commands()[1] = JointCommand::velocity(0.0);
  run(weightless, 1.0);
  EXPECT_NEAR(weightless.velocities()[0], 0.2, 1e-9);
}

TEST(RealTimeSimulation, ContinuesFromAnotherWithPayload) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  RealTimeSimulation heavier(
      two_joint_arm().with_payload({"lower", 2.0, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}),
      unlimited());
  robot.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  robot.commands()[0] = JointCommand::position(0.1);
  robot.commands()[1] = JointCommand::position(0.2);
  run(robot, 0.1);
  ASSERT_TRUE(heavier.continue_from(robot));
  EXPECT_EQ(heavier.positions()[1], robot.positions()[1]);
  EXPECT_EQ(heavier.statistics().steps, 100U);
  EXPECT_EQ(heavier.time(), robot.time());
  const double effort = robot.efforts()[0];
  ASSERT_TRUE(heavier.evaluate());
  EXPECT_GT(std::abs(heavier.efforts()[0]), std::abs(effort) + 5.0) << "the payload has no effect";
  RealTimeSimulation other(puma(), unlimited());
  EXPECT_FALSE(other.continue_from(robot));
}

TEST(RealTimeSimulation, CountsStepsAndEvaluations) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  robot.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  run(robot, 0.01);
  EXPECT_EQ(robot.statistics().steps, 10U);
  EXPECT_EQ(robot.statistics().evaluations, 4U * 10U);
  robot.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  EXPECT_EQ(robot.statistics().steps, 0U);
}

TEST(RealTimeSimulation, RepeatsBitForBit) {
  const Model model = two_joint_arm("<dynamics damping='0.1' friction='0.4'/>");
  Vector ends[2];
  RealTimeSimulation robot(model, {});
  for (Vector& end : ends) {
    robot.reset(Vector{1.0, 0.0}, Vector{0.0, 0.0});
    run(robot, 2.0);
    end.assign(robot.positions().begin(), robot.positions().end());
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(RealTimeSimulation, EvaluationBetweenStepsDoesNotChangeTheMotion) {
  for (const std::size_t substeps : {20U, 0U}) {
    RealTimeOptions options;
    options.substeps = substeps;
    const Model model = two_joint_arm("<dynamics damping='0.1' friction='0.4'/>");
    RealTimeSimulation plain(model, options), evaluated(model, options);
    for (RealTimeSimulation* robot : {&plain, &evaluated}) {
      robot->reset(Vector{1.0, 0.0}, Vector{0.0, 0.0});
      for (int k = 0; k < 3000; ++k) {
        if (k % 400 == 0) robot->commands()[0] = JointCommand::position(k % 800 == 0 ? 1.5 : -1.0);
        if (k % 700 == 0) robot->commands()[1] = JointCommand::effort(k % 1400 == 0 ? 1.0 : -0.5);
        if (k == 2000) robot->commands()[0] = JointCommand::effort(0.0);
        if (k == 2500) robot->commands()[0] = JointCommand::position(0.5).with_feedforward(3.0);
        ASSERT_TRUE(robot->step()) << robot->fault();
        if (robot == &evaluated) {
          ASSERT_TRUE(robot->evaluate());
        }
      }
    }
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(plain.positions()[i], evaluated.positions()[i]);
      EXPECT_EQ(plain.velocities()[i], evaluated.velocities()[i]);
    }
    EXPECT_EQ(plain.statistics().mode_changes, evaluated.statistics().mode_changes);
  }
}

TEST(RealTimeSimulation, ReportsInvalidOptionsAndStates) {
  const auto message = [](const RealTimeOptions& options) -> std::string {
    try {
      const RealTimeSimulation robot(two_joint_arm(), options);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "no error";
  };
  RealTimeOptions options;
  options.step = 0.0;
  EXPECT_THAT(message(options), HasSubstr("step is 0 s: must be greater than zero"));
  options.step = 0.02;
  EXPECT_THAT(message(options), HasSubstr("unstable"));
  options = {};
  options.restitution = 2.0;
  EXPECT_THAT(message(options), HasSubstr("restitution is 2: must be from 0 to 1"));
  options = {};
  options.ideal = {true};
  EXPECT_THAT(message(options), HasSubstr("ideal has 1 entries: 2 or 0 are required"));
  EXPECT_THROW(RealTimeSimulation(std::unique_ptr<Plant>()), ArgumentError);

  RealTimeSimulation robot(two_joint_arm(), {});
  EXPECT_THROW(robot.reset(Vector{0.0}, Vector{0.0, 0.0}), ArgumentError);
  EXPECT_THROW(robot.reset(Vector{0.0, NAN}, Vector{0.0, 0.0}), ArgumentError);
  try {
    robot.reset(Vector{0.0, 2.5}, Vector{0.0, 0.0});
    FAIL() << "no exception";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("q of joint 'joint10' is 2.5; it must lie between"));
  }
}

TEST(RealTimeSimulation, RefusesCommandsThatAreNotFiniteAndKeepsItsState) {
  RealTimeSimulation robot(two_joint_arm("<dynamics friction='0.5'/>"), unlimited());
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::infinity(), 1e300, -1e306}) {
    for (const JointCommand& command :
         {JointCommand::effort(value), JointCommand::velocity(value), JointCommand::position(value),
          JointCommand::position(0.1, value),
          JointCommand::position(0.1).with_feedforward(value)}) {
      robot.reset(Vector{0.1, 0.2}, Vector{0.3, 0.4});
      robot.commands()[0] = command;
      // a large finite command may take more than one step to overflow
      bool ok = true;
      Vector q, qd;
      for (int k = 0; ok && k < 2000; ++k) {
        q.assign(robot.positions().begin(), robot.positions().end());
        qd.assign(robot.velocities().begin(), robot.velocities().end());
        ok = robot.step();
      }
      EXPECT_FALSE(ok) << value;
      EXPECT_NE(robot.fault(), "");
      EXPECT_THAT(q, testing::ElementsAreArray(robot.positions()));
      EXPECT_THAT(qd, testing::ElementsAreArray(robot.velocities()));
      if (!std::isfinite(value)) {
        EXPECT_EQ(robot.fault(), "joint 'joint1': its command is not finite");
        EXPECT_FALSE(robot.evaluate());
        EXPECT_EQ(robot.statistics().steps, 0U);
      }
      // it goes on with valid commands
      robot.reset(Vector{0.1, 0.2}, Vector{0.3, 0.4});
      EXPECT_TRUE(robot.step()) << robot.fault();
    }
  }
}

TEST(RealTimeSimulation, StepsDoNotAllocate) {
  if (!allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::size_t substeps : {20U, 0U}) {
    RealTimeOptions options;
    options.substeps = substeps;
    const Model model = two_joint_arm("<dynamics damping='0.1' friction='0.1'/>");
    RealTimeSimulation robot(model, options);
    RealTimeSimulation heavier(
        model.with_payload({"lower", 0.5, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}), options);
    robot.reset(Vector{0.3, -0.4}, Vector{0.0, 0.0});
    bool ok = true;
    const LinkWrench push{
        model.frame("lower"), {Eigen::Vector3d::Zero(), {0.0, 0.0, -1.0}}, Axes::local};
    const Vector start = {0.3, -0.4}, rest = {0.0, 0.0};
    allocation_counter::start();
    for (int k = 0; k < 5000; ++k) {
      if (k % 300 == 0) {
        robot.commands()[0] = k % 900 == 0    ? JointCommand::effort(k > 3000 ? 15.0 : 2.0)
                              : k % 900 < 600 ? JointCommand::position(1.0)
                                              : JointCommand::velocity(-5.0);
        if (k % 1200 == 0) robot.commands()[0] = JointCommand::position(1.2).with_feedforward(2.0);
        robot.commands()[1] =
            k % 600 == 0 ? JointCommand::effort(0.0) : JointCommand::position(-3.0, 1.0);
        robot.set_wrenches({&push, k % 2 == 0 ? 1U : 0U});
      }
      ok = ok && robot.step() && robot.evaluate() && robot.energy().kinetic >= 0.0;
    }
    ok = ok && heavier.continue_from(robot) && heavier.step();
    const std::uint64_t changes = robot.statistics().mode_changes;
    robot.reset(start, rest);
    const std::size_t count = allocation_counter::stop();
    EXPECT_TRUE(ok) << robot.fault();
    EXPECT_EQ(count, 0U);
    EXPECT_GT(changes, 20U);
  }
}

}  // namespace
}  // namespace dynamics::test
