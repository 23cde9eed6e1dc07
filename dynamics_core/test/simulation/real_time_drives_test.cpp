// SPDX-License-Identifier: Apache-2.0
// Drives of real-time steps compared with closed forms: bandwidth, saturation, limits, ideal
// tracking.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/real_time.hpp"

namespace dynamics::test {
namespace {

/// Puts the robot at rest and commands its joints.
void start(RealTimeSimulation& robot, const Vector& q, const JointCommand& first,
           const JointCommand& second) {
  robot.reset(q, Vector{0.0, 0.0});
  robot.commands()[0] = first;
  robot.commands()[1] = second;
}

TEST(JointDrives, PositionDriveIsCriticallyDampedForAnyLoad) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  start(robot, {0.0, 0.5}, JointCommand::position(1.0), JointCommand::position(0.5));
  for (int k = 1; k <= 100; ++k) {
    ASSERT_TRUE(robot.step());
    const double wt = 100.0 * 0.001 * k;
    EXPECT_NEAR(robot.positions()[0], 1.0 - (1.0 + wt) * std::exp(-wt), 2e-6);
    EXPECT_NEAR(robot.positions()[1], 0.5, 1e-14);
  }
  // at rest it exerts the gravity torque
  run(robot, 1.0);
  Vector gravity(2);
  Workspace workspace(robot.model());
  gravity_forces(robot.model(), workspace, Vector{1.0, 0.5}, gravity);
  EXPECT_NEAR(robot.efforts()[0], gravity[0], 1e-9);
  EXPECT_NEAR(robot.efforts()[1], gravity[1], 1e-9);
  EXPECT_GT(std::abs(gravity[0]), 1.0);
}

TEST(JointDrives, DryFrictionAddsToTheEffortOfAMovingDriveAndNotToOneAtRest) {
  RealTimeSimulation robot(two_joint_arm("<dynamics friction='0.7'/>"), unlimited());
  start(robot, {0.0, 0.5}, JointCommand::position(1.0), JointCommand::position(0.5));
  Workspace workspace(robot.model());
  Vector tau(2);
  ExternalInputs frictionless;
  frictionless.friction = false;
  for (int k = 1; k <= 50; ++k) {
    ASSERT_TRUE(robot.step() && robot.evaluate());
    const double wt = 100.0 * 0.001 * k;
    EXPECT_NEAR(robot.positions()[0], 1.0 - (1.0 + wt) * std::exp(-wt), 2e-6);
    EXPECT_EQ(robot.positions()[1], 0.5);
    inverse_dynamics(robot.model(), workspace, robot.positions(), robot.velocities(),
                     robot.accelerations(), tau, frictionless);
    EXPECT_NEAR(robot.efforts()[0], tau[0] + 0.7, 1e-9);
    EXPECT_NEAR(robot.efforts()[1], tau[1], 1e-9);
  }
  run(robot, 1.0);
  gravity_forces(robot.model(), workspace, robot.positions(), tau);
  EXPECT_NEAR(robot.positions()[0], 1.0, 1e-10);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(robot.velocities()[i], 0.0);
    EXPECT_NEAR(robot.efforts()[i], tau[i], 1e-9);
  }
}

TEST(JointDrives, PositionDriveWithVelocityFollowsRampWithoutLag) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  robot.reset(Vector{0.0, 0.0}, Vector{0.5, 0.0});
  robot.commands()[1] = JointCommand::position(0.0);
  for (int k = 0; k < 500; ++k) {
    robot.commands()[0] = JointCommand::position(0.5 * 0.001 * k, 0.5);
    ASSERT_TRUE(robot.step());
    EXPECT_NEAR(robot.positions()[0], 0.5 * 0.001 * (k + 1), 0.5 * 0.001);
  }
}

TEST(JointDrives, VelocityDriveConvergesExponentially) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  start(robot, {0.0, 0.0}, JointCommand::velocity(0.0), JointCommand::velocity(2.0));
  for (int k = 1; k <= 50; ++k) {
    ASSERT_TRUE(robot.step());
    EXPECT_NEAR(robot.velocities()[1], 2.0 * (1.0 - std::exp(-0.1 * k)), 1e-6);
    EXPECT_EQ(robot.velocities()[0], 0.0);
  }
}

TEST(JointDrives, FreeJointSwingsWhileOtherIsHeld) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  robot.reset(Vector{0.7, 0.3}, Vector{0.0, 0.0});
  robot.commands()[0] = JointCommand::position(0.7);
  const double start = robot.energy().total();
  double lowest = robot.positions()[1];
  for (int k = 0; k < 3000; ++k) {
    ASSERT_TRUE(robot.step());
    EXPECT_NEAR(robot.positions()[0], 0.7, 1e-14);
    lowest = std::max(lowest, robot.positions()[1]);
  }
  EXPECT_GT(lowest, 1.0) << "the joint did not swing";
  // a drive at rest does no work
  EXPECT_NEAR(robot.energy().total(), start, 1e-7);
  ASSERT_TRUE(robot.evaluate());
  EXPECT_EQ(robot.efforts()[1], 0.0);
  Vector tau(2);
  Workspace workspace(robot.model());
  inverse_dynamics(robot.model(), workspace, robot.positions(), robot.velocities(),
                   robot.accelerations(), tau);
  EXPECT_NEAR(tau[1], 0.0, 1e-10);
  EXPECT_NEAR(tau[0], robot.efforts()[0], 1e-10);
}

TEST(JointDrives, SaturateAtEffortLimit) {
  RealTimeSimulation robot(model_from_urdf(two_joint_arm_urdf("", "20")), {});
  start(robot, {0.0, 0.0}, JointCommand::position(0.0), JointCommand::position(0.0));
  ASSERT_TRUE(robot.evaluate());
  EXPECT_EQ(robot.efforts()[0], -20.0) << "holding takes more than 49 N m";
  EXPECT_LT(std::abs(robot.efforts()[1]), 20.0);
  EXPECT_NEAR(robot.accelerations()[1], 0.0, 1e-12);
  run(robot, 0.1);
  EXPECT_GT(robot.positions()[0], 0.01) << "the joint did not sink";
  EXPECT_NEAR(robot.positions()[1], 0.0, 1e-4) << "within its effort limit";
  robot.commands()[0] = JointCommand::effort(-1000.0);
  ASSERT_TRUE(robot.evaluate());
  EXPECT_EQ(robot.efforts()[0], -20.0);
}

/// A cart of 2 kg on a horizontal rail with an effort limit of 10 N and this friction (N).
Model cart(double friction) {
  return model_from_urdf(
      R"(<robot name="cart"><link name="base"/><link name="body"><inertial><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="rail" type="prismatic"><parent link="base"/><child link="body"/><axis xyz="1 0 0"/>
      <limit lower="-50" upper="50" effort="10" velocity="100"/><dynamics friction=")" +
      std::to_string(friction) + R"("/></joint></robot>)");
}

TEST(JointDrives, SaturatedDriveAcceleratesAgainstFrictionAsInClosedForm) {
  // (10 N - 4 N) / 2 kg = 3 m/s^2 towards a far target
  RealTimeSimulation robot(cart(4.0), {});
  robot.reset(Vector{0.0}, Vector{0.0});
  robot.commands()[0] = JointCommand::position(40.0);
  for (int k = 1; k <= 1000; ++k) {
    ASSERT_TRUE(robot.step() && robot.evaluate());
    const double t = 0.001 * k;
    EXPECT_NEAR(robot.positions()[0], 1.5 * t * t, 1e-12);
    EXPECT_EQ(robot.efforts()[0], 10.0);
  }
  // it brakes with 10 N and friction, -7 m/s^2, and comes to rest
  const double q = robot.positions()[0], v = robot.velocities()[0];
  robot.commands()[0] = JointCommand::velocity(-100.0);
  for (int k = 1; k * 0.001 < v / 7.0; ++k) {
    ASSERT_TRUE(robot.step());
    const double t = 0.001 * k;
    EXPECT_NEAR(robot.positions()[0], q + v * t - 3.5 * t * t, 1e-10);
  }
  // a drive weaker than friction does not move the cart, and exerts its limit
  RealTimeSimulation stuck(cart(11.0), {});
  stuck.reset(Vector{0.0}, Vector{0.0});
  stuck.commands()[0] = JointCommand::position(40.0);
  run(stuck, 1.0);
  EXPECT_EQ(stuck.positions()[0], 0.0);
  EXPECT_EQ(stuck.velocities()[0], 0.0);
  EXPECT_EQ(stuck.efforts()[0], 10.0);
}

TEST(JointDrives, RespectVelocityAndPositionLimits) {
  RealTimeSimulation robot(two_joint_arm(), {});
  start(robot, {-1.5, 0.0}, JointCommand::position(7.0), JointCommand::position(0.0));
  double fastest = 0.0;
  for (int k = 0; k < 5000; ++k) {
    ASSERT_TRUE(robot.step());
    fastest = max_propagating_nan(fastest, robot.velocities()[0]);
    ASSERT_LE(robot.positions()[0], 2.0);
  }
  EXPECT_LE(fastest, 3.0 + 1e-9);
  EXPECT_GT(fastest, 2.9);
  EXPECT_NEAR(robot.positions()[0], 2.0, 1e-6);
}

TEST(JointDrives, VelocityDriveStopsAtItsStop) {
  for (const char* dynamics : {"", "<dynamics friction='0.3'/>"}) {
    RealTimeSimulation robot(two_joint_arm(dynamics), {});
    start(robot, {1.8, 0.0}, JointCommand::velocity(2.0), JointCommand::position(0.0));
    for (int k = 0; k < 1000; ++k) {
      ASSERT_TRUE(robot.step()) << robot.fault();
      ASSERT_LE(robot.positions()[0], 2.0);
    }
    ASSERT_TRUE(robot.evaluate());
    EXPECT_EQ(robot.positions()[0], 2.0);
    EXPECT_EQ(robot.velocities()[0], 0.0);
    EXPECT_LE(std::abs(robot.efforts()[0]), 20.0);
    // and leaves it
    robot.commands()[0] = JointCommand::velocity(-1.0);
    run(robot, 0.5);
    EXPECT_NEAR(robot.velocities()[0], -1.0, 1e-6);
  }
}

RealTimeOptions ideal(std::vector<bool> which = {true, true}) {
  RealTimeOptions options = unlimited();
  options.ideal = std::move(which);
  return options;
}

/// Tracks a sine with both joints; returns the largest error of the positions.
double error_on_a_sine(bool with_efforts) {
  RealTimeSimulation robot(two_joint_arm("<dynamics damping='0.3'/>"), unlimited());
  constexpr double h = 0.001, rate = 4.0;
  Workspace workspace(robot.model());
  Vector q(2), qd(2), qdd(2), tau(2);
  const auto reference = [&](double t) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double size = i == 0 ? 0.6 : -0.9;
      q[i] = size * std::sin(rate * t);
      qd[i] = size * rate * std::cos(rate * t);
      qdd[i] = -size * rate * rate * std::sin(rate * t);
    }
  };
  reference(0.0);
  robot.reset(q, qd);
  double largest = 0.0;
  for (int k = 0; k < 1000; ++k) {
    reference(h * (k + 0.5));
    inverse_dynamics(robot.model(), workspace, q, qd, qdd, tau);
    // the reference at the start of the step, held on the way of the drive
    reference(h * k);
    for (std::size_t i = 0; i < 2; ++i) {
      robot.commands()[i] = JointCommand::position(q[i] + 0.5 * h * qd[i], qd[i]);
      if (with_efforts) robot.commands()[i] = robot.commands()[i].with_feedforward(tau[i]);
    }
    EXPECT_TRUE(robot.step());
    reference(h * (k + 1));
    for (std::size_t i = 0; i < 2; ++i)
      largest = max_propagating_nan(largest, std::abs(robot.positions()[i] - q[i]));
  }
  return largest;
}

TEST(Feedforward, EffortsOfInverseDynamicsRemoveTheLag) {
  const double without = error_on_a_sine(false), with = error_on_a_sine(true);
  EXPECT_NEAR(without, 0.9 * 16.0 / 1e4, 2e-4) << "qdd / w^2";
  EXPECT_LT(with, 0.1 * without);
}

TEST(Feedforward, EffortIsItsSumWithThatOfTheDrive) {
  RealTimeSimulation robot(two_joint_arm("<dynamics damping='0.3'/>"), unlimited());
  Workspace workspace(robot.model());
  Eigen::MatrixXd M(2, 2);
  Vector gravity(2);
  robot.reset(Vector{0.2, -0.4}, Vector{0.7, -0.3});
  const double w = robot.options().bandwidth;
  robot.commands()[0] = JointCommand::position(0.25, 0.1).with_feedforward(3.0);
  robot.commands()[1] = JointCommand::velocity(0.2).with_feedforward(-1.5);
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(robot.evaluate());
    inertia_matrix(robot.model(), workspace, robot.positions(), M);
    const auto q = robot.positions(), qd = robot.velocities();
    const Eigen::Vector2d drives(w * w * (0.25 - q[0]) + 2.0 * w * (0.1 - qd[0]),
                                 w * (0.2 - qd[1]));
    const Eigen::Vector2d expected = Eigen::Vector2d(3.0, -1.5) + M * drives;
    EXPECT_NEAR(robot.efforts()[0], expected[0], 1e-9 * expected.norm());
    EXPECT_NEAR(robot.efforts()[1], expected[1], 1e-9 * expected.norm());
    ASSERT_TRUE(robot.step());
  }
  // an effort of zero: the arm sags until the drives carry the load
  for (std::size_t i = 0; i < 2; ++i)
    robot.commands()[i] = JointCommand::position(0.3).with_feedforward(0.0);
  run(robot, 1.0);
  inertia_matrix(robot.model(), workspace, robot.positions(), M);
  gravity_forces(robot.model(), workspace, robot.positions(), gravity);
  const auto q = robot.positions();
  const Eigen::Vector2d sag = w * w * (M * Eigen::Vector2d(0.3 - q[0], 0.3 - q[1]));
  EXPECT_GT(std::abs(gravity[0]), 1.0);
  EXPECT_NEAR(sag[0], gravity[0], 1e-6);
  EXPECT_NEAR(sag[1], gravity[1], 1e-6);
}

TEST(Feedforward, SaturatesAtTheLimitAndLeavesOtherJointsAlone) {
  RealTimeSimulation robot(two_joint_arm(), RealTimeOptions());
  const double limit = robot.model().coordinates()[0].effort;
  ASSERT_TRUE(std::isfinite(limit));
  start(robot, {0.2, 0.5}, JointCommand::position(0.2).with_feedforward(10.0 * limit),
        JointCommand::position(0.5));
  ASSERT_TRUE(robot.step() && robot.evaluate());
  EXPECT_NEAR(robot.positions()[1], 0.5, 1e-12) << "the drive without feed-forward holds its load";
  EXPECT_LE(std::abs(robot.efforts()[0]), limit);
  EXPECT_GT(robot.velocities()[0], 0.0);
}

TEST(Feedforward, IdealTrackingTakesNoNotice) {
  RealTimeOptions options = unlimited();
  options.ideal = {true, true};
  RealTimeSimulation with(two_joint_arm(), options), without(two_joint_arm(), options);
  start(with, {0.0, 0.5}, JointCommand::position(0.1).with_feedforward(50.0),
        JointCommand::velocity(0.2).with_feedforward(-50.0));
  start(without, {0.0, 0.5}, JointCommand::position(0.1), JointCommand::velocity(0.2));
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(with.step() && without.step());
    EXPECT_EQ(with.positions()[0], without.positions()[0]);
    EXPECT_EQ(with.positions()[1], without.positions()[1]);
  }
}

TEST(IdealTracking, ReachesCommandAtEndOfPeriod) {
  RealTimeSimulation robot(two_joint_arm(), ideal());
  robot.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  Workspace workspace(robot.model());
  for (int k = 1; k <= 100; ++k) {  // periods of 5 ms, a sine
    const double t = 0.005 * k, p = std::sin(3.0 * t), v = 3.0 * std::cos(3.0 * t);
    robot.commands()[0] = JointCommand::position(p, v);
    robot.commands()[1] = JointCommand::position(-p);
    robot.begin(5);
    for (int s = 0; s < 5; ++s) ASSERT_TRUE(robot.step()) << robot.fault();
    EXPECT_EQ(robot.positions()[0], p);
    EXPECT_EQ(robot.velocities()[0], v);
    EXPECT_EQ(robot.positions()[1], -p);
    EXPECT_NEAR(robot.velocities()[1], -(p - std::sin(3.0 * (t - 0.005))) / 0.005, 1e-12);
    if (k < 3) continue;  // starts from rest
    ASSERT_TRUE(robot.evaluate());
    EXPECT_NEAR(robot.accelerations()[0], -9.0 * p, 0.05);
    Vector tau(2);
    inverse_dynamics(robot.model(), workspace, robot.positions(), robot.velocities(),
                     robot.accelerations(), tau);
    EXPECT_NEAR(robot.efforts()[0], tau[0], 1e-9);
  }
  robot.commands()[1] = JointCommand::velocity(0.5);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(robot.step());
  EXPECT_EQ(robot.velocities()[1], 0.5) << "without begin() each step is a period";
}

TEST(IdealTracking, SatisfiesEquationsOfMotion) {
  // joint1 follows q = 0.3 t^2, joint10 is free
  RealTimeSimulation robot(two_joint_arm(), ideal({true, false}));
  robot.reset(Vector{0.0, 0.4}, Vector{0.0, 0.0});
  const double start = robot.energy().total();
  double work = 0.0, power = 0.0;
  for (int k = 1; k <= 500; ++k) {
    const double t = 0.001 * k;
    robot.commands()[0] = JointCommand::position(0.3 * t * t, 0.6 * t);
    ASSERT_TRUE(robot.step() && robot.evaluate());
    const double now = robot.efforts()[0] * robot.velocities()[0];
    work += 0.0005 * (power + now);
    power = now;
  }
  Vector tau(2);
  Workspace workspace(robot.model());
  inverse_dynamics(robot.model(), workspace, robot.positions(), robot.velocities(),
                   robot.accelerations(), tau);
  EXPECT_NEAR(robot.accelerations()[0], 0.6, 1e-9);
  EXPECT_NEAR(tau[1], 0.0, 1e-10);
  EXPECT_GT(std::abs(robot.positions()[1] - 0.4), 0.1);
  // the work of the actuator (trapezoidal rule) equals the change of energy
  EXPECT_NEAR(robot.energy().total() - start, work, 1e-5);
}

TEST(AccelerationCommand, JointHasTheAccelerationAndItsEffort) {
  RealTimeSimulation robot(two_joint_arm(), unlimited());
  robot.reset(Vector{0.3, -0.4}, Vector{0.5, 0.0});
  robot.commands()[0] = JointCommand::acceleration(-2.0);
  run(robot, 0.5);
  EXPECT_NEAR(robot.accelerations()[0], -2.0, 1e-12);
  EXPECT_NEAR(robot.velocities()[0], 0.5 - 2.0 * 0.5, 1e-12);
  EXPECT_NEAR(robot.positions()[0], 0.3 + 0.5 * 0.5 - 0.25, 1e-12);
  Vector tau(2);
  Workspace workspace(robot.model());
  inverse_dynamics(robot.model(), workspace, robot.positions(), robot.velocities(),
                   robot.accelerations(), tau);
  EXPECT_NEAR(robot.efforts()[0], tau[0], 1e-9);
  EXPECT_NEAR(tau[1], 0.0, 1e-9) << "the other one is free";
  robot.commands()[0] = JointCommand::acceleration(NAN);
  EXPECT_FALSE(robot.step());
}

TEST(AccelerationCommand, EffortSaturatesAndIdealTrackingDoesNotMatter) {
  RealTimeOptions options;
  options.ideal = {true, true};
  RealTimeSimulation robot(two_joint_arm(), options);
  robot.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  robot.commands()[0] = JointCommand::acceleration(-500.0);
  robot.commands()[1] = JointCommand::acceleration(1.0);
  ASSERT_TRUE(robot.evaluate());
  EXPECT_NEAR(std::abs(robot.efforts()[0]), 20.0, 1e-9) << "the limit";
  EXPECT_NEAR(robot.accelerations()[1], 1.0, 1e-9);
}

TEST(IdealTracking, RespectsLimits) {
  RealTimeOptions options;
  options.ideal = {true, true};
  RealTimeSimulation robot(two_joint_arm(), options);
  robot.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  robot.commands()[0] = JointCommand::position(7.0);
  robot.commands()[1] = JointCommand::velocity(-50.0);
  ASSERT_TRUE(robot.step());
  EXPECT_NEAR(robot.positions()[0], 0.003, 1e-15) << "3 rad/s";
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(robot.step());
    ASSERT_LE(robot.positions()[0], 2.0);
    ASSERT_GE(robot.positions()[1], -2.0);
    ASSERT_LE(std::abs(robot.velocities()[1]), 3.0);
  }
  EXPECT_EQ(robot.positions()[0], 2.0);
  EXPECT_EQ(robot.positions()[1], -2.0);
  EXPECT_EQ(robot.velocities()[1], 0.0);
}

TEST(IdealTracking, IsNotAffectedByImpacts) {
  RealTimeOptions options;
  options.ideal = {true, false};
  RealTimeSimulation robot(two_joint_arm(), options);
  robot.reset(Vector{0.0, 0.0}, Vector{0.0, 0.0});
  robot.commands()[0] = JointCommand::position(0.0);
  double energy = robot.energy().total();
  bool hit = false;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(robot.step()) << robot.fault();
    ASSERT_EQ(robot.positions()[0], 0.0);
    ASSERT_EQ(robot.velocities()[0], 0.0);
    ASSERT_LE(robot.energy().total(), energy + 1e-9);
    energy = robot.energy().total();
    hit = hit || robot.positions()[1] > 2.0 - 1e-4;  // it falls back within the step
  }
  EXPECT_TRUE(hit);
}

}  // namespace
}  // namespace dynamics::test
