// SPDX-License-Identifier: Apache-2.0
// The impedance of a frame: stiffness in the axes of the frame, pose references, wrenches.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "control/panda.hpp"
#include "dynamics_core/control_laws.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/allocation_counter.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using test::panda;
using test::ready;
using ::testing::HasSubstr;

/// The pose of panda_link8 after `seconds` at 1 kHz under the law.
Pose settled(const Model& model, OperationalSpaceLaw& law, const FrameTarget& target,
             std::span<const LinkWrench> wrenches, double seconds) {
  RealTimeSimulation robot(model, {.limits = false});
  const std::size_t n = model.size();
  robot.reset(ready, std::vector<double>(n, 0.0));
  robot.set_wrenches(wrenches);
  Workspace workspace(model);
  std::vector<double> tau(n), posture(n);
  for (long k = std::lround(seconds / 0.001); k > 0; --k) {
    const auto q = robot.positions(), qd = robot.velocities();
    for (std::size_t i = 0; i < n; ++i) posture[i] = 25.0 * (ready[i] - q[i]) - 10.0 * qd[i];
    inverse_dynamics(model, workspace, q, qd, posture, tau);
    law.add_torques(q, qd, target, posture, tau);
    for (std::size_t i = 0; i < n; ++i) robot.commands()[i] = JointCommand::effort(tau[i]);
    EXPECT_TRUE(robot.step()) << robot.fault();
  }
  return law.pose(robot.positions());
}

TEST(OperationalSpace, DeflectsByForceOverStiffnessInTheAxesOfTheFrame) {
  const Model model = panda();
  const Eigen::Vector3d K(300.0, 900.0, 1800.0), force(5.0, -8.0, 12.0);
  for (const Axes axes : {Axes::local, Axes::local_world_aligned}) {
    OperationalSpaceLaw law(model, {.frame = "panda_link8",
                                    .stiffness = {60.0, 60.0, 60.0, K.x(), K.y(), K.z()},
                                    .axes = axes});
    const FrameTarget target = {
        .pose = law.pose(ready), .velocity = {}, .acceleration = {}, .wrench = {}};
    const LinkWrench push[] = {
        {law.frame(), {Eigen::Vector3d::Zero(), force}, Axes::local_world_aligned}};
    const Pose end = settled(model, law, target, push, 6.0);
    const Eigen::Vector3d moved = end.translation - target.pose.translation;
    // the frame turns by less than 1e-6 rad, so its axes are those of the target
    const Eigen::Matrix3d R =
        axes == Axes::local ? target.pose.rotation : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
    const Eigen::Vector3d expected = R * (R.transpose() * force).cwiseQuotient(K);
    EXPECT_LT((moved - expected).norm(), 1e-3 * expected.norm()) << static_cast<int>(axes);
    EXPECT_GT(expected.norm(), 5e-3);
  }
}

TEST(OperationalSpace, ReachesAPoseAndExertsAWrench) {
  const Model model = panda();
  OperationalSpaceLaw law(model, {.frame = "panda_link8", .stiffness = {800.0, 60.0}});
  FrameTarget target = {.pose = law.pose(ready), .velocity = {}, .acceleration = {}, .wrench = {}};
  target.pose.translation += Eigen::Vector3d(0.03, -0.04, 0.02);
  target.pose.rotation = rotation_from_rpy({0.1, -0.05, 0.2}) * target.pose.rotation;
  const Pose end = settled(model, law, target, {}, 6.0);
  EXPECT_LT((end.translation - target.pose.translation).norm(), 1e-6);
  EXPECT_LT((end.rotation - target.pose.rotation).norm(), 1e-6);
  // what it exerts balances a push
  target.wrench.force = {0.0, 10.0, -20.0};
  const LinkWrench push[] = {
      {law.frame(), {Eigen::Vector3d::Zero(), {0.0, -10.0, 20.0}}, Axes::local_world_aligned}};
  const Pose balanced = settled(model, law, target, push, 6.0);
  EXPECT_LT((balanced.translation - target.pose.translation).norm(), 1e-6);
}

TEST(OperationalSpace, RefusesWhatDoesNotFit) {
  const Model model = panda();
  const auto making = [&](const OperationalSpaceOptions& options) {
    return test::argument_error([&] { OperationalSpaceLaw(model, options); });
  };
  EXPECT_THAT(making({}), HasSubstr("stiffness has 0 entries"));
  EXPECT_THAT(making({.frame = "nose", .stiffness = {1.0}}), HasSubstr("no frame 'nose'"));
  EXPECT_THAT(making({.stiffness = {1.0}, .damping = -1.0}), HasSubstr("damping is -1"));
  EXPECT_THAT(making({.stiffness = {1.0}, .axes = Axes::world}), HasSubstr("axes"));
  OperationalSpaceLaw law(model, {.stiffness = {100.0, 10.0}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> zero(7, 0.0), two(2, 0.0), bad(7, nan), tau(7, 3.0);
  FrameTarget target;
  EXPECT_EQ(law.try_add_torques(zero, zero, target, two, tau), Status::wrong_size);
  EXPECT_EQ(law.try_add_torques(zero, zero, target, bad, tau), Status::not_finite);
  EXPECT_EQ(law.try_add_torques(bad, zero, target, zero, tau), Status::not_finite);
  target.pose.translation.x() = nan;
  EXPECT_EQ(law.try_add_torques(zero, zero, target, zero, tau), Status::not_finite);
  EXPECT_EQ(tau, std::vector<double>(7, 3.0)) << "nothing was added";
  EXPECT_THAT(test::argument_error([&] { law.add_torques(zero, zero, target, zero, tau); }),
              HasSubstr("not finite"));
}

TEST(OperationalSpace, NothingAllocatesInTheLoop) {
  if (!test::allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted";
  const Model model = panda();
  for (const Axes axes : {Axes::local, Axes::local_world_aligned}) {
    OperationalSpaceLaw law(model, {.stiffness = {100.0, 10.0}, .axes = axes});
    std::vector<double> qd(7, 0.3), tau(7, 0.0);
    Pose pose;
    FrameTarget target;
    test::allocation_counter::start();
    const Status posed = law.try_pose(ready, pose);
    const Status aimed = law.try_target(ready, qd, qd, target);
    const Status added = law.try_add_torques(ready, qd, target, qd, tau);
    EXPECT_EQ(test::allocation_counter::stop(), 0U);
    EXPECT_EQ(posed, Status::ok);
    EXPECT_EQ(aimed, Status::ok);
    EXPECT_EQ(added, Status::ok);
  }
}

}  // namespace
}  // namespace dynamics
