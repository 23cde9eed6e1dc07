// SPDX-License-Identifier: Apache-2.0
// Pushes on links, payload changes and locked joints during a simulation, compared with closed
// forms and with equivalent models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "support/refusals.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using test::argument_error;
using test::body;
using test::RobotBuilder;
using ::testing::HasSubstr;

/// A cart of 2 kg on a horizontal rail.
Model cart() {
  RobotBuilder robot("cart");
  robot.add(JointType::prismatic, "rail", "base", "cart", {1.0, 0.0, 0.0},
            body(2.0, Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones()));
  return Model(robot);
}

Model puma() { return model_from_dh(built_in_robot("puma")); }

TEST(Pushes, PulseOnACartGivesItsMomentum) {
  SimulationOptions options;
  options.duration = 2.0;
  options.wrenches = {push("cart", {3.0, 7.0, -1.0}, 0.333, 0.25)};
  const Recording run = simulate(cart(), options);
  const double v = 3.0 * 0.25 / 2.0;
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.t[k], pushed = std::min(std::max(0.0, t - 0.333), 0.25);
    const double after = std::max(0.0, t - 0.333 - 0.25);
    EXPECT_NEAR(run.q[0][k], 0.5 * 1.5 * pushed * pushed + v * after, 1e-13) << t;
    EXPECT_NEAR(run.qd[0][k], 1.5 * pushed, 1e-13) << t;
    EXPECT_EQ(run.tau[0][k], 0.0);
  }
  EXPECT_LT(run.statistics.energy_drift, 1e-12);
  ASSERT_EQ(run.pushes.size(), 1U);
  EXPECT_EQ(run.pushes[0].end, 0.583);
}

TEST(Pushes, ActAtTheMassCenter) {
  // a free body whose mass center is not its frame's origin does not begin to rotate
  RobotBuilder robot("free");
  robot.add(JointType::floating, "free", "base", "body", {1.0, 0.0, 0.0},
            body(2.0, {0.3, -0.2, 0.5}, {0.1, 0.2, 0.25}));
  const Model model = Model(robot, {.gravity = Eigen::Vector3d::Zero()});
  SimulationOptions options;
  options.duration = 1.0;
  options.q0 = {0.0, 0.0, 0.0, 0.4, -0.3, 0.2};
  options.wrenches = {push("body", {1.0, -2.0, 4.0}, 0.0, 10.0)};
  const Recording run = simulate(model, options);
  const double force[] = {1.0, -2.0, 4.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.q[i].back(), 0.5 * force[i] / 2.0, 1e-12) << i;
    EXPECT_NEAR(run.q[3 + i].back(), options.q0[3 + i], 1e-12) << i;
  }
}

TEST(Pushes, FunctionsOfTimeAreIntegrated) {
  // 2 x'' = 5 sin(3 t)
  SimulationOptions options;
  options.duration = 2.0;
  options.rtol = 1e-12;
  options.wrenches = {
      {"cart", [](double t) {
         return Wrench{Eigen::Vector3d::Zero(), {5.0 * std::sin(3.0 * t), 0.0, 0.0}};
       }}};
  const Recording run = simulate(cart(), options);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.t[k];
    EXPECT_NEAR(run.q[0][k], 2.5 / 3.0 * (t - std::sin(3.0 * t) / 3.0), 1e-11);
  }
}

TEST(Pushes, CsvIsLinearBetweenItsRowsAndZeroOutside) {
  const char* text = "t,fx,mz\n0.5,0,1\n1.0,4,1\n1.5,4,1\n";
  const LinkWrenchHistory history = read_wrench_csv("cart", text, "push.csv");
  EXPECT_EQ(history.wrench(0.4).force.x(), 0.0);
  EXPECT_EQ(history.wrench(0.75).force.x(), 2.0);
  EXPECT_EQ(history.wrench(0.75).moment.z(), 1.0);
  EXPECT_EQ(history.wrench(1.5).force.x(), 0.0);
  SimulationOptions options;
  options.duration = 2.0;
  options.wrenches = {history};
  const Recording run = simulate(cart(), options);
  EXPECT_NEAR(run.qd[0].back(), (0.5 * 0.5 * 4.0 + 0.5 * 4.0) / 2.0, 1e-12);
  try {
    read_wrench_csv("cart", "t,force\n0,1\n", "push.csv");
    FAIL() << "accepted";
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(), HasSubstr("push.csv:1: column 'force' is not one of t, mx"));
  }
}

TEST(Pushes, MomentumOfAnArmChangesByTheImpulse) {
  // a short strong push: qd = M^-1 J^T f dt
  const Model model = puma();
  Workspace workspace(model);
  SimulationOptions options;
  options.duration = 1e-6;
  options.sample = 1e-6;
  options.q0 = {0.1, 0.5, -0.8, 0.3, 0.7, 0.2};
  options.wrenches = {push("tool0", {1e6, -2e6, 3e6}, 0.0, 1.0)};
  const Recording run = simulate(model, options);
  std::vector<double> torque(6), expected(6);
  const LinkWrench wrench[] = {{model.frame("tool0"),
                                {Eigen::Vector3d::Zero(), {1.0, -2.0, 3.0}},
                                Axes::local_world_aligned}};
  wrenches_to_joint_torques(model, workspace, options.q0, wrench, torque);
  solve_inertia(model, workspace, options.q0, torque, expected);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(run.qd[i].back() / expected[i], 1.0, 2e-4) << i;
}

TEST(Pushes, RefusesLinksThatDoNotMove) {
  SimulationOptions options;
  options.wrenches = {push("nose", {1.0, 0.0, 0.0}, 0.0, 1.0)};
  EXPECT_THAT(argument_error([&] { simulate(cart(), options); }), HasSubstr("no frame 'nose'"));
  options.wrenches = {push("base", {1.0, 0.0, 0.0}, 0.0, 1.0)};
  EXPECT_THAT(argument_error([&] { simulate(cart(), options); }),
              HasSubstr("'base' has no effect: the link is fixed to the base"));
  options.wrenches = {push("cart", {1.0, 0.0, 0.0}, 20.0, 1.0)};
  EXPECT_THAT(argument_error([&] { simulate(cart(), options); }),
              HasSubstr("a push at 20 s must lie within the 10 s"));
  EXPECT_THAT(argument_error([] {
                push("cart", {NAN, 0.0, 0.0}, 0.0, 1.0);
              }),
              HasSubstr("not finite"));
  EXPECT_THAT(argument_error([] {
                push("cart", {1.0, 0.0, 0.0}, 0.0, 0.0);
              }),
              HasSubstr("lasts 0 s"));
}

TEST(PayloadChanges, CartKeepsItsVelocityAndChangesItsMass) {
  SimulationOptions options;
  options.duration = 3.0;
  options.wrenches = {push("cart", {4.0, 0.0, 0.0}, 0.0, 10.0)};
  Payload load;
  load.frame = "cart";
  load.mass = 3.0;
  options.payload_changes = {{1.0, load}, {2.0, std::nullopt}};
  const Recording run = simulate(cart(), options);
  EXPECT_NEAR(run.qd[0].back(), 2.0 + 0.8 + 2.0, 1e-12);
  EXPECT_LT(run.statistics.energy_drift, 1e-12);
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[0].what, "the payload is now 3 kg on cart");
}

/// Two links in a vertical plane.
RobotBuilder two_links(JointType elbow) {
  RobotBuilder robot("two");
  robot.add(JointType::continuous, "shoulder", "base", "upper", {0.0, 1.0, 0.0},
            body(2.0, {0.25, 0.0, 0.0}, {0.01, 0.05, 0.05}));
  const Pose at = {rotation_from_rpy({0.0, elbow == JointType::fixed ? 0.7 : 0.0, 0.0}),
                   {0.5, 0.0, 0.0}};
  robot.add(elbow, "elbow", "upper", "lower", {0.0, 1.0, 0.0},
            body(1.0, {0.2, 0.0, 0.0}, {0.01, 0.02, 0.02}), at);
  return robot;
}

TEST(Locks, LockedArmMovesAsIfTheJointWereFixed) {
  SimulationOptions options;
  options.duration = 2.0;
  const Recording fixed = simulate(Model(two_links(JointType::fixed)), options);
  options.q0 = {0.0, 0.7};
  options.locks = {{"elbow", 0.0}};
  const Recording locked = simulate(Model(two_links(JointType::continuous)), options);
  ASSERT_TRUE(locked.statistics.completed);
  for (std::size_t k = 0; k < locked.size(); ++k) {
    EXPECT_NEAR(locked.q[0][k], fixed.q[0][k], 1e-8);
    EXPECT_EQ(locked.q[1][k], 0.7);
    EXPECT_EQ(locked.qd[1][k], 0.0);
  }
  EXPECT_LT(locked.statistics.energy_drift, 1e-8);
}

TEST(Locks, BrakeStopsTheJointAndKeepsTheOthersMomentum) {
  const Model model{two_links(JointType::continuous)};
  SimulationOptions options;
  options.duration = 0.5;
  options.rtol = 1e-12;
  options.q0 = {0.3, 0.7};
  const Recording before = simulate(model, options);
  options.duration = 1.5;
  options.sample = 1e-4;
  options.locks = {{"elbow", 0.5, 1.0}};
  const Recording run = simulate(model, options);
  const std::size_t at = 5000;
  ASSERT_EQ(run.t[at], 0.5);
  EXPECT_NEAR(run.qd[1][at], before.qd[1].back(), 1e-9);
  EXPECT_EQ(run.qd[1][at + 1], 0.0);
  // M (qd+ - qd-) = impulse on the elbow only: row of the shoulder
  Workspace workspace(model);
  Eigen::MatrixXd M(2, 2);
  inertia_matrix(model, workspace, std::vector<double>{run.q[0][at], run.q[1][at]}, M);
  const double after = run.qd[0][at] + M(0, 1) / M(0, 0) * run.qd[1][at];
  const double slope = run.qdd[0][at + 1];
  EXPECT_NEAR(run.qd[0][at + 1], after + 1e-4 * slope, 1e-6);
  EXPECT_GT(std::abs(after - run.qd[0][at]), 0.1);
  EXPECT_NE(run.qd[1].back(), 0.0);
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
  ASSERT_EQ(run.events.size(), 2U);
  EXPECT_EQ(run.events[0].what, "elbow is locked");
  EXPECT_EQ(run.events[1].what, "elbow is unlocked");
}

TEST(Locks, RefusesUnknownJointsAndTimes) {
  SimulationOptions options;
  options.locks = {{"knee", 1.0}};
  EXPECT_THAT(argument_error([&] { simulate(cart(), options); }), HasSubstr("'knee'"));
  options.locks = {{"rail", 11.0}};
  EXPECT_THAT(argument_error([&] { simulate(cart(), options); }), HasSubstr("a lock at 11 s"));
  options.locks = {{"rail", 2.0, 1.0}};
  EXPECT_THAT(argument_error([&] { simulate(cart(), options); }),
              HasSubstr("the end must be after the start"));
}

TEST(References, JumpsOfASplineAreEndsOfSteps) {
  // quintic segments: the torques jump in their third derivative at the points only
  const Model model = puma();
  Knots knots;
  knots.t = {0.0, 0.37, 1.0};
  const std::vector<double> zero(6, 0.0);
  knots.q = {zero, std::vector<double>(6, 0.3), std::vector<double>(6, 0.1)};
  SimulationOptions options;
  options.duration = 1.0;
  options.trajectory = knot_trajectory(knots);
  auto controller = make_controller("computed-torque");
  const Recording run = simulate(model, *controller, options);
  double largest = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < run.size(); ++k)
      largest = std::max(largest, std::abs(run.q[i][k] - run.desired[i][k]));
  }
  EXPECT_LT(largest, 1e-9);
  EXPECT_EQ(run.statistics.rejected < 20U, true) << run.statistics.rejected;
}

}  // namespace
}  // namespace dynamics
