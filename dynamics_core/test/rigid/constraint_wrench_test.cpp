// SPDX-License-Identifier: Apache-2.0
// What the joints transmit, against Newton's and Euler's laws body by body, with the accelerations
// that the kinematics gives.

#include <gtest/gtest.h>

#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "model/tree.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;
using test::relative;

class ConstraintWrench : public testing::TestWithParam<unsigned> {
 protected:
  test::RandomRobot random{GetParam()};
  RobotDescription description = random.robot({.joints = 1 + GetParam() % 17,
                                               .branching = GetParam() % 2 == 0 ? 0.5 : 0.0,
                                               .prismatic = 0.3,
                                               .fixed = 0.3,
                                               .rotors = 0.3,
                                               .friction = 0.3});
  Model model{description};
  Workspace workspace{model};
  std::size_t n = model.size();
  VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);
  VectorXd tau = VectorXd::Zero(idx(n));
  std::vector<Wrench> wrenches = std::vector<Wrench>(model.body_count());

  const LinkDescription& link(const std::string& name) const {
    for (const auto& candidate : description.links) {
      if (candidate.name == name) return candidate;
    }
    throw std::runtime_error(name);
  }
};

TEST_P(ConstraintWrench, BalancesEveryBody) {
  // the base moves and links are pushed, too
  ExternalInputs external;
  BaseMotion base;
  base.pose = {random.rotation(), random.vector3(1.0)};
  base.velocity = {random.vector3(1.0), random.vector3(1.0)};
  base.acceleration = {random.vector3(2.0), random.vector3(2.0)};
  external.base = base;
  std::vector<LinkWrench> pushes;
  for (std::size_t f = 0; f < model.frames().size(); f += 2) {
    pushes.push_back({f, {random.vector3(3.0), random.vector3(10.0)}, Axes::local_world_aligned});
  }
  external.wrenches = pushes;
  inverse_dynamics(model, workspace, q, qd, qdd, tau, wrenches, external);

  struct Balance {
    Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();  // about the world's origin
  };
  // what each body needs less what comes from outside; forces in the world's axes
  std::vector<Balance> needed(model.body_count()), carried(model.body_count());
  double scale = 1.0;
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const Frame& frame = model.frames()[f];
    if (frame.body < 0) continue;
    Balance& sum = needed[static_cast<std::size_t>(frame.body)];
    const FrameMotion at =
        frame_motion(model, workspace, q, qd, qdd, f, Axes::local_world_aligned, base);
    if (const auto& inertial = link(frame.name).inertial) {
      const Vector3d &w = at.velocity.angular, &alpha = at.acceleration.angular;
      const Vector3d arm = at.pose.rotation * inertial->center;
      const Vector3d center = at.pose.translation + arm;
      const Vector3d acceleration =
          at.acceleration.linear + alpha.cross(arm) + w.cross(w.cross(arm)) - model.gravity();
      const Matrix3d I = at.pose.rotation * inertial->inertia * at.pose.rotation.transpose();
      const Vector3d force = inertial->mass * acceleration;
      sum.force += force;
      sum.moment += I * alpha + w.cross(I * w) + center.cross(force);
      scale += force.norm();
    }
    for (const LinkWrench& push : pushes) {
      if (push.frame != f) continue;
      sum.force -= push.wrench.force;
      sum.moment -= push.wrench.moment + at.pose.translation.cross(push.wrench.force);
    }
  }
  // the joints' wrenches, in the link's axes at its origin
  for (std::size_t i = 0; i < model.body_count(); ++i) {
    const Pose pose = frame_pose(model, workspace, q, model.frame(model.bodies()[i].link), base);
    carried[i].force = pose.rotation * wrenches[i].force;
    carried[i].moment =
        pose.rotation * wrenches[i].moment + pose.translation.cross(carried[i].force);
  }
  for (std::size_t i = 0; i < model.body_count(); ++i) {
    Balance left = carried[i];
    for (std::size_t child = 0; child < model.body_count(); ++child) {
      if (model.tree()[child].parent != static_cast<int>(i)) continue;
      left.force -= carried[child].force;
      left.moment -= carried[child].moment;
    }
    EXPECT_CLOSE("forces = m a", relative(left.force, needed[i].force, scale), 1e-13);
    EXPECT_CLOSE("moments = dH/dt", relative(left.moment, needed[i].moment, scale), 1e-13);
  }
  // along the axis it is the actuator's, less the rotor's and friction's share
  VectorXd friction(idx(n)), alone(idx(n));
  friction_forces(model, workspace, qd, friction);
  for (std::size_t i = 0; i < n; ++i) {
    const JointDescription* joint = nullptr;
    for (const auto& candidate : description.joints) {
      if (candidate.name == model.bodies()[i].joint) joint = &candidate;
    }
    ASSERT_NE(joint, nullptr);
    const Vector3d axis = joint->axis.normalized();
    const double along = joint->type == JointType::prismatic ? axis.dot(wrenches[i].force)
                                                             : axis.dot(wrenches[i].moment);
    const double rest = joint->rotor_inertia * qdd[idx(i)] + friction[idx(i)];
    EXPECT_NEAR(tau[idx(i)], along + rest, 1e-12 * scale);
  }
  inverse_dynamics(model, workspace, q, qd, qdd, alone, external);
  EXPECT_EQ(alone, tau) << "tau with and without the wrenches";
}

INSTANTIATE_TEST_SUITE_P(Robots, ConstraintWrench, testing::Range(1U, 35U));

TEST(ConstraintWrenchByHand, ShelfOnTwoJoints) {
  // a level arm at rest: each joint carries what hangs beyond it
  Pose out;
  out.translation = {1.0, 0.0, 0.0};
  const Model model(test::RobotBuilder()
                        .add(JointType::continuous, "a", "base", "one", Vector3d::UnitZ(),
                             test::body(2.0, {0.5, 0, 0}))
                        .add(JointType::continuous, "b", "one", "two", Vector3d::UnitY(),
                             test::body(1.0, {0.25, 0, 0}), out),
                    ModelOptions{{0.0, 0.0, -10.0}, 0.01});
  Workspace workspace(model);
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  Eigen::Vector2d tau;
  std::vector<Wrench> wrenches(2);
  inverse_dynamics(model, workspace, zero, zero, zero, tau, wrenches);
  EXPECT_LT(relative(wrenches[1].force, Vector3d(0, 0, 10)), 1e-15);
  EXPECT_LT(relative(wrenches[1].moment, Vector3d(0, -2.5, 0)), 1e-15);
  EXPECT_LT(relative(wrenches[0].force, Vector3d(0, 0, 30)), 1e-15);
  EXPECT_LT(relative(wrenches[0].moment, Vector3d(0, -22.5, 0)), 1e-15);
  EXPECT_LT(relative(tau, Eigen::Vector2d(0, -2.5)), 1e-15);
}

}  // namespace
}  // namespace dynamics
