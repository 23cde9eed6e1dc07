// SPDX-License-Identifier: Apache-2.0
// Edge cases of the state: singular configurations, angles of many turns, subnormal numbers,
// friction at rest.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "error_table.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using std::numbers::pi;
using test::RandomRobot;

Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

TEST(EdgeCases, ForwardDynamicsIsAccurateAtSingularConfigurations) {
  // stretched out, folded, wrist aligned: the Jacobian loses rank, M does not
  for (const auto name : built_in_robots()) {
    const Model model = model_from_dh(built_in_robot(name));
    Workspace workspace(model);
    const auto n = idx(model.size());
    double largest = 0.0, smallest_ratio = 1.0;
    for (const double angle : {0.0, pi / 2.0, pi, -pi}) {
      const VectorXd q = VectorXd::Constant(n, angle), qd = VectorXd::Constant(n, 1.0);
      const VectorXd qdd = VectorXd::LinSpaced(n, -1.0, 1.0);
      VectorXd tau(n), back(n);
      inverse_dynamics(model, workspace, q, qd, qdd, tau);
      forward_dynamics(model, workspace, q, qd, tau, back);
      largest = max_propagating_nan(largest, (back - qdd).norm() / qdd.norm());
      MatrixXd J(6, n);
      jacobian(model, workspace, q, model.end_effector(), Axes::world, J);
      const VectorXd values = J.jacobiSvd().singularValues();
      smallest_ratio = std::min(smallest_ratio, values[values.size() - 1] / values[0]);
    }
    EXPECT_LT(largest, 1e-11) << name;
    EXPECT_LT(smallest_ratio, 1e-10) << name << ": no configuration is singular";
    test::ErrorTables::instance().add_row("edge",
                                          fmt::format("{}, Jacobian without full rank", name),
                                          {"forward against inverse dynamics"}, {largest});
  }
}

TEST(EdgeCases, FloatingBaseLosesDigitsNearPitchOf90Degrees) {
  test::RobotBuilder robot;
  robot.add(JointType::floating, "float", "base", "body", Vector3d::UnitX(),
            test::body(2.0, {0.1, 0.2, 0.3}, {0.3, 0.4, 0.5}));
  robot.add(JointType::continuous, "arm", "body", "arm", Vector3d::UnitY(),
            test::body(1.0, {0.3, 0, 0}, {0.01, 0.02, 0.02}));
  const Model model(robot);
  Workspace workspace(model);
  RandomRobot random(1);
  const std::size_t pitch = model.pitch_coordinates()[0];
  for (const double off : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    double largest = 0.0;
    for (int i = 0; i < 10; ++i) {
      VectorXd q = random.vector(model.size(), 1.0);
      q[idx(pitch)] = pi / 2.0 - off;
      const VectorXd qd = random.vector(model.size(), 1.0), qdd = random.vector(model.size(), 1.0);
      VectorXd tau(q.size()), back(q.size());
      inverse_dynamics(model, workspace, q, qd, qdd, tau);
      forward_dynamics(model, workspace, q, qd, tau, back);
      largest = max_propagating_nan(largest, (back - qdd).norm() / qdd.norm());
    }
    EXPECT_LT(largest, 1e-14 / (off * off)) << off;
    test::ErrorTables::instance().add_row(
        "edge", fmt::format("floating base, pitch {:.0e} off 90 degrees", off),
        {"forward against inverse dynamics"}, {largest});
  }
  VectorXd q = VectorXd::Zero(idx(model.size())), back(q.size());
  q[idx(pitch)] = pi / 2.0 - 1e-8;
  EXPECT_THROW(forward_dynamics(model, workspace, q, q, q, back), StateError);
}

TEST(EdgeCases, LargeAnglesMatchReducedAngles) {
  const Model model = model_from_dh(built_in_robot("puma"));
  Workspace workspace(model);
  BatchWorkspace batch_workspace(model);
  RandomRobot random(8);
  const VectorXd q = random.vector(6, 3.0), qd = random.vector(6, 1.0), qdd = random.vector(6, 1.0);
  VectorXd tau(6), shifted(6), batched(6);
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  for (const double turns : {1.0, 1e3, 1e6, 1e9}) {
    const VectorXd far = q.array() + turns * 2.0 * pi;
    inverse_dynamics(model, workspace, far, qd, qdd, shifted);
    batch::inverse_dynamics(model, batch_workspace, far, qd, qdd, batched);
    // the angle itself has lost these digits
    const double error = (shifted - tau).norm() / tau.norm();
    EXPECT_LT(error, 1e-14 * (10.0 + turns));
    EXPECT_LT((batched - shifted).norm() / tau.norm(), 1e-14);
    test::ErrorTables::instance().add_row("edge",
                                          fmt::format("puma, angles {:.0e} turns on", turns),
                                          {"torques against those of the angle"}, {error});
  }
  // finite results for any finite angle
  for (const double angle : {1e15, 1e100, 1e308}) {
    const VectorXd far = VectorXd::Constant(6, angle);
    inverse_dynamics(model, workspace, far, qd, qdd, shifted);
    EXPECT_TRUE(shifted.allFinite()) << angle;
  }
}

TEST(EdgeCases, SubnormalStatesGiveFiniteResults) {
  const Model model = model_from_dh(built_in_robot("stanford"));
  Workspace workspace(model);
  const double tiny = std::numeric_limits<double>::denorm_min();
  const VectorXd q = VectorXd::Constant(6, tiny), zero = VectorXd::Zero(6);
  VectorXd a(6), b(6);
  inverse_dynamics(model, workspace, q, q, q, a);
  inverse_dynamics(model, workspace, zero, zero, zero, b);
  EXPECT_TRUE(a.allFinite());
  EXPECT_LT((a - b).norm(), 1e-12);
  forward_dynamics(model, workspace, q, q, q, a);
  EXPECT_TRUE(a.allFinite());
}

/// A wheel with Coulomb and viscous friction.
RobotDescription wheel(double friction, double damping) {
  test::RobotBuilder robot;
  robot.add(JointType::continuous, "j", "base", "arm", Vector3d::UnitZ(),
            test::body(1.0, {0, 0, 0}, {1, 1, 1}));
  robot.joint().friction = friction;
  robot.joint().damping = damping;
  return robot;
}

TEST(EdgeCases, FrictionIsSmoothAndOddAroundZeroVelocity) {
  const Model model(wheel(2.0, 0.5));
  Workspace workspace(model);
  const auto friction = [&](double v) {
    const VectorXd qd = VectorXd::Constant(1, v);
    VectorXd tau(1);
    friction_forces(model, workspace, qd, tau);
    return tau[0];
  };
  EXPECT_EQ(friction(0.0), 0.0);
  EXPECT_EQ(friction(-0.0), 0.0);
  double before = friction(-1e3);
  for (double v = -1.0; v <= 1.0; v += 1e-3) {
    const double now = friction(v);
    EXPECT_GT(now, before);  // strictly increasing
    EXPECT_EQ(friction(-v), -now);
    before = now;
  }
  double largest = 0.0;
  for (const double v : {1e-300, 1e-20, 1e-10}) {
    const double slope = 0.5 + 2.0 / model.friction_velocity();
    largest = max_propagating_nan(largest, std::abs(friction(v) / v / slope - 1.0));
  }
  EXPECT_LT(largest, 1e-14);
  test::ErrorTables::instance().add_row("edge", "friction at 1e-300 to 1e-10 rad/s",
                                        {"its slope against the closed form"}, {largest});
  EXPECT_TRUE(std::isfinite(friction(5e-324)));
  EXPECT_NEAR(friction(1e200) / 1e200, 0.5, 1e-12);
}

TEST(EdgeCases, FrictionIsFiniteForExtremeFrictionVelocities) {
  ModelOptions options;
  for (const double friction_velocity : {1e-100, 1e-12, 1e12, 1e100}) {
    options.friction_velocity = friction_velocity;
    const Model model(wheel(2.0, 0.0), options);
    DerivativeWorkspace workspace(model);
    Workspace rigid(model);
    for (const double v : {0.0, 1e-300, -1e-100, 1.0}) {
      const VectorXd qd = VectorXd::Constant(1, v), zero = VectorXd::Zero(1);
      VectorXd tau(1);
      friction_forces(model, rigid, qd, tau);
      EXPECT_TRUE(std::isfinite(tau[0])) << friction_velocity << " " << v;
      EXPECT_LE(std::abs(tau[0]), 2.0);
      MatrixXd by_q(1, 1), by_qd(1, 1);
      inverse_dynamics_derivatives(model, workspace, zero, qd, zero, by_q, by_qd);
      EXPECT_TRUE(by_qd.allFinite()) << friction_velocity << " " << v;
    }
  }
  // their squares overflow or underflow
  for (const double friction_velocity : {1e-101, 1e-200, 5e-324, 1e101, 1e300}) {
    options.friction_velocity = friction_velocity;
    EXPECT_THROW(Model(wheel(2.0, 0.0), options), ArgumentError) << friction_velocity;
  }
}

}  // namespace
}  // namespace dynamics
