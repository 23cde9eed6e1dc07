// SPDX-License-Identifier: Apache-2.0
// One forward-kinematics pass: poses, velocities and Jacobians of all frames against differences of
// poses, the order of six-vectors, and the center of mass.

#include "dynamics_core/kinematics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "dynamics_core/energy.hpp"
#include "support/compare.hpp"
#include "support/every_entry_point.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;
using test::relative;
using Vector6 = Eigen::Matrix<double, 6, 1>;

/// Small models of the entry points' ones: a chain, and a tree with mimic joints on a floating
/// base.
class KinematicsPass : public testing::TestWithParam<std::size_t> {
 protected:
  Model model = test::entry_point_models()[GetParam()];
  test::RandomRobot random{static_cast<unsigned>(GetParam()) + 5};
  std::size_t n = model.size();
  VectorXd q = random.vector(n, 1.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 3.0);
  Kinematics kinematics{model};

  /// d/dt of f(q(t)) along q' = qd, by differences of order 8.
  template <class F>
  auto rate(F&& f) {
    const double h = 1e-3;
    const std::pair<double, double> stencil[] = {
        {1, 4.0 / 5}, {2, -1.0 / 5}, {3, 4.0 / 105}, {4, -1.0 / 280}};
    auto sum = (f(q) * 0.0).eval();
    for (const auto& [k, weight] : stencil) {
      for (const double sign : {1.0, -1.0}) {
        sum += sign * weight / h * f(VectorXd(q + sign * k * h * qd));
      }
    }
    return sum;
  }
};

TEST_P(KinematicsPass, VelocitiesAreDerivativesOfPosesAndTheAngularPartIsFirst) {
  Kinematics other(model);
  const auto pose_at = [&](const VectorXd& at, std::size_t frame) {
    forward_kinematics(model, other, at);
    return frame_pose(model, other, frame);
  };
  forward_kinematics(model, kinematics, q, qd);
  for (std::size_t frame = 0; frame < model.frames().size(); ++frame) {
    const Pose pose = frame_pose(model, kinematics, frame);
    const Vector3d v =
        rate([&](const VectorXd& at) { return Vector3d(pose_at(at, frame).translation); });
    const Eigen::Matrix3d R_rate =
        rate([&](const VectorXd& at) { return Eigen::Matrix3d(pose_at(at, frame).rotation); });
    const Eigen::Matrix3d W = R_rate * pose.rotation.transpose();  // [omega x]
    const Vector3d omega(W(2, 1), W(0, 2), W(1, 0));
    const std::pair<Axes, Twist> expected[] = {
        {Axes::local_world_aligned, {omega, v}},
        {Axes::local, {pose.rotation.transpose() * omega, pose.rotation.transpose() * v}},
        {Axes::world, {omega, v + pose.translation.cross(omega)}}};
    for (const auto& [axes, twist] : expected) {
      const Twist found = frame_velocity(model, kinematics, frame, axes);
      EXPECT_CLOSE("angular velocity", relative(found.angular, twist.angular, 1.0), 1e-8);
      EXPECT_CLOSE("linear velocity", relative(found.linear, twist.linear, 1.0), 1e-8);
      MatrixXd J(6, idx(n));
      jacobian(model, kinematics, frame, axes, J);
      Vector6 six;
      six << twist.angular, twist.linear;
      EXPECT_CLOSE("J qd", relative(J * qd, six, 1.0), 1e-8);
    }
  }
}

TEST_P(KinematicsPass, AnswersAreThoseOfTheSingleFunctions) {
  Workspace workspace(model);
  BaseMotion base;
  base.pose = {random.rotation(), random.vector3(1.0)};
  base.velocity = {random.vector3(1.0), random.vector3(1.0)};
  base.acceleration = {random.vector3(1.0), random.vector3(1.0)};
  forward_kinematics(model, kinematics, q, qd, qdd, base);
  for (std::size_t frame = 0; frame < model.frames().size(); ++frame) {
    for (const Axes axes : {Axes::world, Axes::local, Axes::local_world_aligned}) {
      const FrameMotion one = frame_motion(model, kinematics, frame, axes);
      const FrameMotion two = frame_motion(model, workspace, q, qd, qdd, frame, axes, base);
      EXPECT_EQ(one.pose.rotation, two.pose.rotation);
      EXPECT_EQ(one.pose.translation, two.pose.translation);
      EXPECT_EQ(one.velocity.linear, two.velocity.linear);
      EXPECT_EQ(one.acceleration.linear, two.acceleration.linear);
      EXPECT_EQ(one.acceleration.angular, two.acceleration.angular);
      EXPECT_EQ(frame_velocity(model, kinematics, frame, axes).angular, two.velocity.angular);
      EXPECT_EQ(frame_velocity(model, kinematics, frame, axes).linear, two.velocity.linear);
    }
    const Pose kept = frame_pose(model, kinematics, frame),
               single = frame_pose(model, workspace, q, frame, base);
    EXPECT_EQ(kept.translation, single.translation);
    EXPECT_EQ(kept.rotation, single.rotation);
  }
  forward_kinematics(model, kinematics, q, qd);
  MatrixXd one(6, idx(n)), two(6, idx(n));
  const std::size_t tip = model.end_effector();
  jacobian(model, kinematics, tip, Axes::local, one);
  jacobian(model, workspace, q, tip, Axes::local, two);
  EXPECT_EQ(one, two);
  jacobian_rate(model, kinematics, tip, Axes::world, one);
  jacobian_rate(model, workspace, q, qd, tip, Axes::world, two);
  EXPECT_EQ(one, two);
}

TEST_P(KinematicsPass, CenterOfMassAndItsJacobian) {
  Kinematics other(model);
  const auto center_at = [&](const VectorXd& at) {
    forward_kinematics(model, other, at);
    return center_of_mass(model, other);
  };
  const Vector3d velocity = rate(center_at);
  forward_kinematics(model, kinematics, q, qd);
  EXPECT_CLOSE("velocity of the center of mass",
               relative(center_of_mass_velocity(model, kinematics), velocity, 1.0), 1e-8);
  MatrixXd J(3, idx(n)), again(3, idx(n));
  center_of_mass_jacobian(model, kinematics, J);
  EXPECT_CLOSE("J qd, center of mass", relative(J * qd, velocity, 1.0), 1e-8);
  const Momentum total = momentum(model, kinematics);
  EXPECT_CLOSE("p = m J qd", relative(total.mass * (J * qd), total.linear, 1.0), 1e-12);
  EXPECT_EQ(total.center, center_of_mass(model, kinematics));
  Workspace workspace(model);
  center_of_mass_jacobian(model, workspace, q, again);
  EXPECT_EQ(J, again);
}

INSTANTIATE_TEST_SUITE_P(Models, KinematicsPass, testing::Range(std::size_t{0}, std::size_t{2}));

}  // namespace
}  // namespace dynamics
