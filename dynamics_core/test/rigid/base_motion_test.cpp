// SPDX-License-Identifier: Apache-2.0
// A prescribed motion of the base must be the same as driven joints that move it so; gravity is the
// acceleration of the base; a turned base is a turned gravity.

#include <gtest/gtest.h>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;
using test::relative;

constexpr double bar = 1e-12;

class BaseMotionTest : public testing::TestWithParam<unsigned> {
 protected:
  BaseMotionTest() {
    driven.emplace(test::floating(description), options);
    driven_workspace.emplace(*driven);
    q6[4] = random.uniform(-1.2, 1.2);
  }

  static ModelOptions gravity(const Vector3d& g) {
    ModelOptions result;
    result.gravity = g;
    return result;
  }

  /// The drive's motion, by the driven model's own kinematics.
  BaseMotion base_motion() {
    VectorXd q_all(idx(n + 6)), qd_all(idx(n + 6)), qdd_all(idx(n + 6));
    q_all << q6, q;
    qd_all << qd6, qd;
    qdd_all << qdd6, qdd;
    const FrameMotion motion = frame_motion(*driven, *driven_workspace, q_all, qd_all, qdd_all,
                                            driven->frame("base"), Axes::local_world_aligned);
    return {motion.pose, motion.velocity, motion.acceleration};
  }
  VectorXd all(const VectorXd& drive, const VectorXd& joints) const {
    VectorXd result(idx(n + 6));
    result << drive, joints;
    return result;
  }

  test::RandomRobot random{GetParam()};
  RobotDescription description = random.robot({.joints = 1 + GetParam() % 9,
                                               .branching = GetParam() % 2 == 0 ? 0.4 : 0.0,
                                               .prismatic = 0.3,
                                               .fixed = 0.2,
                                               .rotors = 0.3,
                                               .friction = 0.3});
  Vector3d g = random.vector3(10.0);
  ModelOptions options = gravity(g);
  Model model{description, options};
  Workspace workspace{model};
  std::optional<Model> driven;
  std::optional<Workspace> driven_workspace;
  std::size_t n = model.size();
  VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);
  VectorXd q6 = random.vector(6, 3.0), qd6 = random.vector(6, 2.0), qdd6 = random.vector(6, 5.0);
};

TEST_P(BaseMotionTest, EqualsDrivenJoints) {
  ExternalInputs external;
  external.base = base_motion();
  // a wrench fixed in the world meets the moved robot
  const std::size_t frame = model.end_effector();
  const std::string& tip = model.frames()[frame].name;
  std::vector<LinkWrench> wrenches, driven_wrenches;
  for (const Axes axes : {Axes::world, Axes::local, Axes::local_world_aligned}) {
    const Wrench wrench{random.vector3(5.0), random.vector3(5.0)};
    wrenches.push_back({frame, wrench, axes});
    driven_wrenches.push_back({driven->frame(tip), wrench, axes});
  }
  external.wrenches = wrenches;
  ExternalInputs free;
  free.wrenches = driven_wrenches;

  VectorXd tau(idx(n)), tau_all(idx(n + 6)), back(idx(n)), bias(idx(n)), at_rest(idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
  inverse_dynamics(*driven, *driven_workspace, all(q6, q), all(qd6, qd), all(qdd6, qdd), tau_all,
                   free);
  EXPECT_CLOSE("inverse dynamics on a moving base", relative(tau, tau_all.tail(idx(n))), bar);

  forward_dynamics(model, workspace, q, qd, tau, back, external);
  EXPECT_CLOSE("forward dynamics on a moving base", relative(back, qdd), 1e-9);

  bias_forces(model, workspace, q, qd, bias, external);
  inverse_dynamics(model, workspace, q, qd, VectorXd::Zero(idx(n)).eval(), at_rest, external);
  EXPECT_CLOSE("bias forces on a moving base", relative(bias, at_rest), bar);

  // N^T w in the moved pose
  VectorXd forces(idx(n)), forces_all(idx(n + 6));
  wrenches_to_joint_torques(model, workspace, q, wrenches, forces, external.base);
  wrenches_to_joint_torques(*driven, *driven_workspace, all(q6, q), driven_wrenches, forces_all);
  EXPECT_CLOSE("generalized forces on a moved base", relative(forces, forces_all.tail(idx(n)), 1.0),
               bar);
}

TEST_P(BaseMotionTest, CarriesFramesEnergyAndMomentum) {
  const BaseMotion base = base_motion();
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const std::size_t other = driven->frame(model.frames()[f].name);
    for (const Axes axes : {Axes::world, Axes::local, Axes::local_world_aligned}) {
      const FrameMotion a = frame_motion(model, workspace, q, qd, qdd, f, axes, base);
      const FrameMotion b = frame_motion(*driven, *driven_workspace, all(q6, q), all(qd6, qd),
                                         all(qdd6, qdd), other, axes);
      EXPECT_CLOSE("pose", relative(a.pose.translation, b.pose.translation, 1.0), bar);
      EXPECT_CLOSE("pose", relative(a.pose.rotation, b.pose.rotation), bar);
      EXPECT_CLOSE("twist", relative(a.velocity.linear, b.velocity.linear, 1.0), bar);
      EXPECT_CLOSE("twist", relative(a.velocity.angular, b.velocity.angular, 1.0), bar);
      EXPECT_CLOSE("its rate", relative(a.acceleration.linear, b.acceleration.linear, 1.0), bar);
      EXPECT_CLOSE("its rate", relative(a.acceleration.angular, b.acceleration.angular, 1.0), bar);
    }
  }
  // the driven model counts its base link too: subtract it as a robot of its own
  RobotDescription alone = driven->description();
  std::erase_if(alone.joints, [](const JointDescription& j) { return j.name != "drive"; });
  std::erase_if(alone.links, [](const LinkDescription& link) {
    return link.name != "base" && link.name != "ground";
  });
  for (const JointDescription& joint : description.joints) {
    // links fixed to the base belong to it
    const auto fixed_to_base = model.frames()[model.frame(joint.child)].body < 0;
    if (!fixed_to_base) continue;
    alone.joints.push_back(joint);
    for (const LinkDescription& link : description.links) {
      if (link.name == joint.child) alone.links.push_back(link);
    }
  }
  const Model base_body(alone, options);
  Workspace base_workspace(base_body);
  const VectorXd q_all = all(q6, q), qd_all = all(qd6, qd);
  const Energy a = energy(model, workspace, q, qd, base),
               b = energy(*driven, *driven_workspace, q_all, qd_all),
               c = energy(base_body, base_workspace, q6, qd6);
  EXPECT_NEAR(a.kinetic, b.kinetic - c.kinetic, bar * b.kinetic);
  EXPECT_NEAR(a.potential, b.potential - c.potential, bar * (1.0 + std::abs(b.potential)));
  const Momentum ma = momentum(model, workspace, q, qd, base),
                 mb = momentum(*driven, *driven_workspace, q_all, qd_all),
                 mc = momentum(base_body, base_workspace, q6, qd6);
  EXPECT_LT(relative(ma.linear, mb.linear - mc.linear, mb.mass), bar);
  EXPECT_LT(relative(ma.mass * ma.center, mb.mass * mb.center - mc.mass * mc.center, mb.mass), bar);
}

TEST_P(BaseMotionTest, GravityIsTheBasesAcceleration) {
  VectorXd tau(idx(n)), expected(idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, expected);
  const Model weightless = model.with_gravity(Vector3d::Zero());
  EXPECT_EQ(weightless.gravity(), Vector3d::Zero());
  ExternalInputs lifted;
  lifted.base.emplace();
  lifted.base->acceleration.linear = -g;
  inverse_dynamics(weightless, workspace, q, qd, qdd, tau, lifted);
  EXPECT_CLOSE("gravity as acceleration", relative(tau, expected), bar);
  // falling freely there is no weight
  inverse_dynamics(weightless, workspace, q, qd, qdd, expected);
  lifted.base->acceleration.linear = g;
  inverse_dynamics(model, workspace, q, qd, qdd, tau, lifted);
  EXPECT_CLOSE("free fall", relative(tau, expected), bar);
  // a steady straight motion is no motion
  lifted.base->acceleration.linear.setZero();
  lifted.base->velocity.linear = random.vector3(5.0);
  lifted.base->pose.translation = random.vector3(5.0);
  inverse_dynamics(model, workspace, q, qd, qdd, tau, lifted);
  inverse_dynamics(model, workspace, q, qd, qdd, expected);
  EXPECT_CLOSE("steady motion", relative(tau, expected), bar);
}

TEST_P(BaseMotionTest, TurnedBaseIsTurnedGravity) {
  ExternalInputs turned;
  turned.base.emplace();
  turned.base->pose.rotation = random.rotation();
  VectorXd tau(idx(n)), expected(idx(n)), back(idx(n)), back_expected(idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, tau, turned);
  const Model other = model.with_gravity(turned.base->pose.rotation.transpose() * g);
  inverse_dynamics(other, workspace, q, qd, qdd, expected);
  EXPECT_CLOSE("turned base", relative(tau, expected), bar);
  forward_dynamics(model, workspace, q, qd, tau, back, turned);
  forward_dynamics(other, workspace, q, qd, tau, back_expected);
  EXPECT_CLOSE("turned base, forward", relative(back, back_expected), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Robots, BaseMotionTest, testing::Range(1U, 25U));

}  // namespace
}  // namespace dynamics
