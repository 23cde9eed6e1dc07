// SPDX-License-Identifier: Apache-2.0
// The momentum observer against closed forms and simulated robots that are pushed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "control/panda.hpp"
#include "dynamics_core/control_laws.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "support/allocation_counter.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using test::panda;
using test::ready;
using ::testing::HasSubstr;

/// A cart on a horizontal rail.
Model cart(double mass) {
  return model_from_urdf(
      "<robot name='cart'><link name='base'/><link name='body'><inertial><mass value='" +
      std::to_string(mass) +
      "'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='rail' type='prismatic'><parent link='base'/><child link='body'/>"
      "<axis xyz='1 0 0'/><limit lower='-99' upper='99' effort='99' velocity='99'/>"
      "<dynamics damping='0.5'/></joint></robot>");
}

/// A simulated robot under gravity compensation that is pushed, with its observer.
struct Pushed {
  Pushed(const Model& robot, const Model& believed, double bandwidth,
         const std::vector<double>& start)
      : n(robot.size()),
        simulation(robot, {.limits = false}),
        model(believed),
        workspace(believed),
        observer(believed, {.bandwidth = {bandwidth}}),
        tau(n) {
    simulation.reset(start, std::vector<double>(n, 0.0));
    observer.reset(simulation.positions(), simulation.velocities());
  }

  /// Exerts gravity compensation and damping for `seconds`; returns the largest |r|.
  double run(double seconds) {
    double largest = 0.0;
    for (long k = std::lround(seconds / period); k > 0; --k) {
      gravity_forces(model, workspace, simulation.positions(), tau);
      for (std::size_t i = 0; i < n; ++i) {
        tau[i] -= 2.0 * simulation.velocities()[i];
        simulation.commands()[i] = JointCommand::effort(tau[i]);
      }
      EXPECT_TRUE(simulation.step()) << simulation.fault();
      observer.update(period, simulation.positions(), simulation.velocities(), tau);
      largest = max_propagating_nan(largest, max_abs(observer.external_torques()));
    }
    return largest;
  }

  static constexpr double period = 0.001;
  std::size_t n;
  RealTimeSimulation simulation;
  Model model;
  Workspace workspace;
  MomentumObserver observer;
  std::vector<double> tau;
};

TEST(MomentumObserver, ApproachesAConstantForceAsAFirstOrderSystem) {
  // a cart of any mass: r = f (1 - e^(-K t))
  for (const double mass : {0.5, 20.0}) {
    const double K = 40.0, force = 3.0, period = 0.001, damping = 0.5, drive = 1.5;
    MomentumObserver observer(cart(mass), {.bandwidth = {K}});
    // m v' + d v = drive + force
    const auto velocity = [&](double t) {
      return (drive + force) / damping * (1.0 - std::exp(-damping / mass * t));
    };
    observer.reset(std::vector{0.0}, std::vector{0.0});
    for (int k = 1; k <= 200; ++k) {
      const double t = period * k;
      observer.update(period, std::vector{0.0}, std::vector{velocity(t)}, std::vector{drive});
      EXPECT_NEAR(observer.external_torques()[0], force * (1.0 - std::exp(-K * t)), 1e-6)
          << mass << " " << t;
    }
  }
}

TEST(MomentumObserver, IsStableForAnyBandwidth) {
  MomentumObserver observer(cart(2.0), {.bandwidth = {1e9}, .friction = false});
  observer.reset(std::vector{0.0}, std::vector{0.0});
  double v = 0.0;
  for (int k = 0; k < 100; ++k) {
    v += 0.01 * (4.0 + 1.0) / 2.0;
    observer.update(0.01, std::vector{0.0}, std::vector{v}, std::vector{1.0});
    EXPECT_NEAR(observer.external_torques()[0], 4.0, 1e-9);
  }
}

TEST(MomentumObserver, ReportsNothingInFreeMotionOfARobotWithPayload) {
  const Payload load = {"panda_link8", 2.0, {0.05, 0.02, 0.1}, 0.01 * Eigen::Matrix3d::Identity()};
  const Model robot = panda().with_payload(load);
  Pushed free(robot, robot, 50.0, ready);
  // moves under its weight
  free.simulation.reset(ready, std::vector{0.5, -0.4, 0.3, 0.6, -0.5, 0.4, 0.3});
  free.observer.reset(free.simulation.positions(), free.simulation.velocities());
  EXPECT_LT(free.run(1.0), 1e-4);
  // without the payload in its model the observer reports the weight
  Pushed wrong(robot, panda(), 50.0, ready);
  EXPECT_GT(wrong.run(0.2), 5.0);
}

TEST(MomentumObserver, FindsAWrenchWithinOnePercentAfterFiveTimeConstants) {
  const Model model = panda();
  const double bandwidth = 50.0;
  Pushed arm(model, model, bandwidth, ready);
  arm.simulation.reset(ready, std::vector{0.02, -0.02, 0.02, 0.02, -0.02, 0.02, 0.02});
  arm.observer.reset(arm.simulation.positions(), arm.simulation.velocities());
  const std::size_t frame = model.frame("panda_link8");
  const LinkWrench push[] = {
      {frame, {{0.5, -0.3, 0.2}, {0.8, -1.2, 1.8}}, Axes::local_world_aligned}};
  arm.simulation.set_wrenches(push);
  arm.run(5.0 / bandwidth);
  Wrench found;
  ASSERT_EQ(arm.observer.try_wrench(frame, Axes::local_world_aligned, found), Status::ok);
  EXPECT_LT((found.force - push[0].wrench.force).norm(), 0.01 * push[0].wrench.force.norm());
  EXPECT_LT((found.moment - push[0].wrench.moment).norm(), 0.01 * push[0].wrench.moment.norm());
  // in the axes of the frame it is the same vector
  Wrench local;
  ASSERT_EQ(arm.observer.try_wrench(frame, Axes::local, local), Status::ok);
  EXPECT_NEAR(local.force.norm(), found.force.norm(), 1e-9);
  EXPECT_GT((local.force - found.force).norm(), 1.0);
}

/// (J J^T)^+ J r without the eigenvectors of eigenvalues below 1e-8 of the largest; `ratio`: the
/// least eigenvalue by the largest.
Eigen::VectorXd wrench_by_eigenvectors(const Model& model, const std::vector<double>& q,
                                       std::span<const double> external, double& ratio) {
  const auto n = static_cast<Eigen::Index>(model.size());
  Workspace workspace(model);
  Eigen::MatrixXd J(6, n);
  jacobian(model, workspace, q, model.end_effector(), Axes::local, J);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(J * J.transpose());
  const Eigen::VectorXd values = eigen.eigenvalues();
  ratio = values[0] / values[5];
  Eigen::VectorXd along =
      eigen.eigenvectors().transpose() * J * Eigen::Map<const Eigen::VectorXd>(external.data(), n);
  for (Eigen::Index i = 0; i < 6; ++i)
    along[i] = values[i] > 1e-8 * values[5] ? along[i] / values[i] : 0.0;
  return eigen.eigenvectors() * along;
}

TEST(MomentumObserver, WrenchNearASingularityIsThatOfTheEigenvectors) {
  const Model arm = panda(), sliding = cart(1.0);
  // stretched upward the Panda cannot turn its hand about X: the ratio is of order x^2
  int regular = 0, near = 0, singular = 0;
  for (double x = 1.0; x > 1e-7; x *= 0.7) {
    const std::vector<double> q = {0.3 * x, 0.5 * x, x, -1.2 * x, 0.8 * x, 1.1 * x, 0.2 * x},
                              rest(7, 0.0), tau = {1.0, -2.0, 0.5, 1.5, -0.4, 0.3, 0.2};
    MomentumObserver observer(arm);
    observer.reset(q, rest);
    observer.update(0.01, q, rest, tau);
    Wrench found;
    ASSERT_EQ(observer.try_wrench(arm.end_effector(), Axes::local, found), Status::ok);
    double ratio = 0.0;
    const Eigen::VectorXd expected =
        wrench_by_eigenvectors(arm, q, observer.external_torques(), ratio);
    if (std::abs(ratio / 1e-8 - 1.0) < 0.01) continue;  // round-off decides
    (ratio < 1e-8 ? singular : ratio < 1e-6 ? near : regular) += 1;
    Eigen::VectorXd both(6);
    both << found.moment, found.force;
    // the error of a solution is round-off times the condition number
    EXPECT_LT((both - expected).norm(), (1e-12 + 1e-14 / std::max(ratio, 1e-8)) * expected.norm())
        << "x " << x << ", ratio " << ratio;
  }
  EXPECT_GT(regular, 3);
  EXPECT_GT(near, 3);
  EXPECT_GT(singular, 3);
  // one joint: five directions are dropped
  const std::vector<double> zero(1, 0.0), tau(1, 2.0);
  MomentumObserver observer(sliding);
  observer.reset(zero, zero);
  observer.update(0.01, zero, zero, tau);
  Wrench found;
  ASSERT_EQ(observer.try_wrench(sliding.end_effector(), Axes::local, found), Status::ok);
  EXPECT_NEAR(found.force.x(), observer.external_torques()[0], 1e-12);
  EXPECT_NEAR(found.force.tail<2>().norm() + found.moment.norm(), 0.0, 1e-12);
}

TEST(MomentumObserver, ContinuesWithAnotherPayload) {
  // an arm that holds a load: first unknown, then known
  const Model bare = panda();
  const Model loaded =
      bare.with_payload({"panda_link8", 2.0, {0.0, 0.05, 0.1}, Eigen::Matrix3d::Zero()});
  Workspace workspace(loaded);
  std::vector<double> rest(7, 0.0), tau(7), own(7);
  gravity_forces(loaded, workspace, ready, tau);
  Workspace other(bare);
  gravity_forces(bare, other, ready, own);
  MomentumObserver before(bare), after(loaded);
  before.reset(ready, rest);
  for (int k = 0; k < 400; ++k) before.update(0.001, ready, rest, tau);
  ASSERT_EQ(after.try_continue_from(before), Status::ok);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(before.external_torques()[i], own[i] - tau[i], 1e-6) << i;
    EXPECT_EQ(after.external_torques()[i], before.external_torques()[i]) << i;
  }
  EXPECT_GT(max_abs(before.external_torques()), 5.0);
  for (int k = 0; k < 400; ++k) after.update(0.001, ready, rest, tau);
  EXPECT_LT(max_abs(after.external_torques()), 1e-6);
}

TEST(MomentumObserver, RefusesWhatDoesNotFit) {
  const Model model = cart(1.0);
  const auto making = [&](std::vector<double> bandwidth) {
    return test::argument_error([&] { MomentumObserver(model, {.bandwidth = bandwidth}); });
  };
  EXPECT_THAT(making({0.0}), HasSubstr("bandwidth[0] is 0"));
  EXPECT_THAT(making({1.0, 2.0}), HasSubstr("bandwidth has 2 entries"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> one(1, 1.0), two(2, 1.0), bad(1, nan);
  MomentumObserver observer(model), other(panda());
  Wrench wrench;
  EXPECT_EQ(observer.try_update(0.001, one, one, one), Status::not_computed);
  EXPECT_EQ(observer.try_continue_from(MomentumObserver(model)), Status::not_computed);
  EXPECT_EQ(observer.try_continue_from(other), Status::wrong_size);
  EXPECT_EQ(observer.try_wrench(0, Axes::local, wrench), Status::not_computed);
  EXPECT_EQ(observer.try_reset(one, two), Status::wrong_size);
  observer.reset(one, one);
  EXPECT_EQ(observer.try_update(0.0, one, one, one), Status::out_of_range);
  EXPECT_EQ(observer.try_update(nan, one, one, one), Status::out_of_range);
  EXPECT_EQ(observer.try_update(0.001, one, one, two), Status::wrong_size);
  EXPECT_EQ(observer.try_update(0.001, one, one, bad), Status::not_finite);
  EXPECT_EQ(observer.try_update(0.001, bad, one, one), Status::not_finite);
  EXPECT_EQ(observer.try_wrench(99, Axes::local, wrench), Status::unknown_frame);
  EXPECT_EQ(observer.try_wrench(0, Axes::world, wrench), Status::wrong_axes);
  EXPECT_EQ(observer.external_torques()[0], 0.0) << "nothing was changed";
  EXPECT_THAT(test::argument_error([&] { observer.update(0.001, bad, one, one); }),
              HasSubstr("MomentumObserver::update: not finite"));
}

TEST(MomentumObserver, NothingAllocatesInTheLoop) {
  if (!test::allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted";
  const Model model = panda();
  MomentumObserver observer(model), next(model);
  const std::vector<double> q = ready, qd(7, 0.2), tau(7, 1.0);
  observer.reset(q, qd);
  Wrench wrench;
  test::allocation_counter::start();
  const Status updated = observer.try_update(0.001, q, qd, tau);
  const Status found = observer.try_wrench(model.end_effector(), Axes::local, wrench);
  const Status other = next.try_continue_from(observer);
  EXPECT_EQ(test::allocation_counter::stop(), 0U);
  EXPECT_EQ(updated, Status::ok);
  EXPECT_EQ(found, Status::ok);
  EXPECT_EQ(other, Status::ok);
}

}  // namespace
}  // namespace dynamics
