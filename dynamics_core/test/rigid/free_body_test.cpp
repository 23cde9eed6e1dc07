// SPDX-License-Identifier: Apache-2.0
// A body on a floating joint: Euler's equations, torque-free precession, what is conserved, and
// where roll, pitch and yaw fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::body;
using test::relative;
using test::RobotBuilder;
using testing::HasSubstr;

Model free_body(const Inertial& inertial, const Vector3d& gravity) {
  ModelOptions options;
  options.gravity = gravity;
  return Model(
      RobotBuilder().add(JointType::floating, "free", "base", "body", Vector3d::UnitX(), inertial),
      options);
}

TEST(FreeBody, CoordinatesAreTheDocumentedOnes) {
  const Model model = free_body(body(1.0, {0, 0, 0}, {1, 1, 1}), {0, 0, 0});
  EXPECT_EQ(model.coordinate_names(),
            (std::vector<std::string>{"free/x", "free/y", "free/z", "free/roll", "free/pitch",
                                      "free/yaw"}));
  Workspace workspace(model);
  const VectorXd q = test::RandomRobot(3).vector(6, 1.0);
  const Pose pose = frame_pose(model, workspace, q, model.frame("body"));
  EXPECT_LT(relative(pose.translation, q.head<3>()), 1e-15);
  const Matrix3d expected =
      (Eigen::AngleAxisd(q[5], Vector3d::UnitZ()) * Eigen::AngleAxisd(q[4], Vector3d::UnitY()) *
       Eigen::AngleAxisd(q[3], Vector3d::UnitX()))
          .toRotationMatrix();
  EXPECT_LT(relative(pose.rotation, expected), 1e-15);
}

TEST(FreeBody, FallsAndTurnsByEulersEquations) {
  test::RandomRobot random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const Inertial inertial = random.inertial();
    const Vector3d gravity = random.vector3(10.0);
    const Model model = free_body(inertial, gravity);
    Workspace workspace(model);
    const std::size_t frame = model.frame("body");
    VectorXd q = random.vector(6, 3.0), qd = random.vector(6, 3.0), qdd(6);
    q[4] = random.uniform(-1.3, 1.3);
    // a wrench at the link's origin, in its axes
    const LinkWrench push{frame, {random.vector3(3.0), random.vector3(10.0)}, Axes::local};
    ExternalInputs external;
    external.wrenches = std::span(&push, 1);
    forward_dynamics(model, workspace, q, qd, VectorXd::Zero(6).eval(), qdd, external);
    const FrameMotion now = frame_motion(model, workspace, q, qd, qdd, frame, Axes::local);
    const Vector3d &w = now.velocity.angular, &alpha = now.acceleration.angular;
    const Vector3d c = inertial.center;
    const Vector3d center = now.acceleration.linear + alpha.cross(c) + w.cross(w.cross(c));
    const Vector3d force =
        inertial.mass * (now.pose.rotation.transpose() * gravity) + push.wrench.force;
    EXPECT_CLOSE("Newton", relative(inertial.mass * center, force), 1e-11);
    const Vector3d moment = push.wrench.moment - c.cross(push.wrench.force);
    const Vector3d euler = inertial.inertia * alpha + w.cross(inertial.inertia * w);
    EXPECT_CLOSE("Euler", relative(euler, moment, 1.0), 1e-11);
  }
}

/// One Runge-Kutta step of q'' = forward dynamics without joint forces.
void step(const Model& model, Workspace& workspace, VectorXd& q, VectorXd& qd, double h) {
  const VectorXd zero = VectorXd::Zero(q.size());
  const auto acceleration = [&](const VectorXd& at, const VectorXd& rate) {
    VectorXd qdd(q.size());
    forward_dynamics(model, workspace, at, rate, zero, qdd);
    return qdd;
  };
  const VectorXd a1 = acceleration(q, qd);
  const VectorXd v2 = qd + 0.5 * h * a1, a2 = acceleration(q + 0.5 * h * qd, v2);
  const VectorXd v3 = qd + 0.5 * h * a2, a3 = acceleration(q + 0.5 * h * v2, v3);
  const VectorXd v4 = qd + h * a3, a4 = acceleration(q + h * v3, v4);
  q += h / 6.0 * (qd + 2.0 * v2 + 2.0 * v3 + v4);
  qd += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
}

TEST(FreeBody, SymmetricBodyPrecessesAboutItsAngularMomentum) {
  // the symmetry axis turns about H at |H| / I1, the center goes straight on
  const double I1 = 0.3, I3 = 0.5;
  const Model model = free_body(body(2.0, {0, 0, 0}, {I1, I1, I3}), {0, 0, 0});
  Workspace workspace(model);
  VectorXd q(6), qd(6);
  q << 0.1, 0.2, 0.3, 0.4, -0.2, 0.5;
  qd << 1.0, -2.0, 0.5, 0.3, 0.1, 1.2;
  const Vector3d start = q.head<3>(), velocity = qd.head<3>();
  const Momentum before = momentum(model, workspace, q, qd);
  const Vector3d axis = frame_pose(model, workspace, q, model.frame("body")).rotation.col(2);
  const double h = 1e-3, duration = 1.0;
  for (int i = 0; i < 1000; ++i) step(model, workspace, q, qd, h);
  const Momentum after = momentum(model, workspace, q, qd);
  EXPECT_LT(relative(after.angular, before.angular), 1e-11);
  EXPECT_LT(relative(q.head<3>(), start + duration * velocity), 1e-12);
  const Vector3d expected =
      Eigen::AngleAxisd(before.angular.norm() / I1 * duration, before.angular.normalized()) * axis;
  const Vector3d now = frame_pose(model, workspace, q, model.frame("body")).rotation.col(2);
  EXPECT_LT(relative(now, expected), 1e-10);
}

TEST(FreeBody, FreeFlyingArmConservesMomentumAndEnergy) {
  test::RandomRobot random(21);
  RobotDescription robot = random.robot({.joints = 5, .branching = 0.4});
  JointDescription base;
  base.name = "free";
  base.type = JointType::floating;
  base.parent = "world";
  base.child = "base";
  robot.joints.insert(robot.joints.begin(), base);
  robot.links.push_back({"world", std::nullopt, {}, {}, std::nullopt});
  ModelOptions options;
  options.gravity.setZero();
  const Model model(robot, options);
  Workspace workspace(model);
  VectorXd q = random.vector(11, 0.5), qd = random.vector(11, 0.5);
  const Momentum before = momentum(model, workspace, q, qd);
  const double energy_before = energy(model, workspace, q, qd).total();
  for (int i = 0; i < 2000; ++i) step(model, workspace, q, qd, 2.5e-4);
  const Momentum after = momentum(model, workspace, q, qd);
  EXPECT_NEAR(before.mass, model.total_mass(), 1e-12);
  EXPECT_LT(relative(after.linear, before.linear), 1e-9);
  EXPECT_LT(relative(after.angular, before.angular), 1e-9);
  EXPECT_LT(relative(after.center, before.center + 0.5 * before.center_velocity, 1.0), 1e-9);
  EXPECT_NEAR(energy(model, workspace, q, qd).total(), energy_before, 1e-9 * energy_before);
}

/// The message of the StateError that a call must throw.
template <class F>
std::string refusal(F call) {
  try {
    call();
  } catch (const StateError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no StateError";
  return "";
}

TEST(FreeBody, SingularOrientationIsReportedNotHidden) {
  const Model model = free_body(body(1.0, {0.1, 0, 0}, {1, 1, 1}), {0, 0, -9.81});
  Workspace workspace(model);
  VectorXd q = VectorXd::Zero(6), x = VectorXd::Constant(6, 7.0), zero = VectorXd::Zero(6), d = x;
  MatrixXd m = MatrixXd::Constant(6, 6, 7.0);
  for (const double turns : {0.25, -0.25, 0.75}) {
    q[4] = turns * 2.0 * std::numbers::pi;
    const std::string messages[] = {
        refusal([&] { forward_dynamics(model, workspace, q, zero, zero, x); }),
        refusal([&] { solve_inertia(model, workspace, q, zero, x); }),
        refusal([&] { udut(model, workspace, q, m, d); }),
        refusal([&] { inverse_inertia_matrix(model, workspace, q, m); }),
    };
    for (const std::string& message : messages) {
      EXPECT_THAT(message, HasSubstr("joint 'free'"));
      EXPECT_THAT(message, HasSubstr("pitch"));
    }
    EXPECT_EQ(x, VectorXd::Constant(6, 7.0));
    EXPECT_EQ(m, MatrixXd::Constant(6, 6, 7.0));
    // the joint forces of a motion are there all the same
    EXPECT_NO_THROW(inverse_dynamics(model, workspace, q, zero, zero, d));
    EXPECT_NEAR(d[2], 9.81, 1e-12);
  }
  q[4] = 1.5;
  EXPECT_NO_THROW(forward_dynamics(model, workspace, q, zero, zero, x));
}

}  // namespace
}  // namespace dynamics
