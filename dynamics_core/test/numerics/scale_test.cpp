// SPDX-License-Identifier: Apache-2.0
// Extreme lengths, masses, mass ratios and numbers of joints: all results are finite, and forward
// dynamics inverts inverse dynamics with the errors documented in docs/numerics.md.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/view.hpp"
#include "error_table.hpp"
#include "support/random_robot.hpp"
#include "support/scaled_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::RandomRobot;
using test::scaled;

/// |forward(inverse(qdd)) - qdd| relative to |qdd| plus the accelerations in free fall; the maximum
/// over several random states. NaN if a result is not finite.
double round_trip(const Model& model, unsigned seed, int states = 10) {
  RandomRobot random(seed);
  Workspace workspace(model);
  BatchWorkspace batch_workspace(model);
  double largest = 0.0;
  for (int i = 0; i < states; ++i) {
    const VectorXd q = random.vector(model.size(), 3.0), qd = random.vector(model.size(), 1.0);
    const VectorXd qdd = random.vector(model.size(), 5.0), zero = VectorXd::Zero(q.size());
    VectorXd tau(q.size()), back(q.size()), falling(q.size());
    forward_dynamics(model, workspace, q, qd, zero, falling);
    const double scale = qdd.norm() + falling.norm();
    const auto update = [&] {
      largest = max_propagating_nan(largest,
                                    tau.allFinite() ? (back - qdd).norm() / scale : std::nan(""));
    };
    inverse_dynamics(model, workspace, q, qd, qdd, tau);
    forward_dynamics(model, workspace, q, qd, tau, back);
    update();
    batch::inverse_dynamics(model, batch_workspace, q, qd, qdd, tau);
    batch::forward_dynamics(model, batch_workspace, q, qd, tau, back);
    update();
  }
  return largest;
}

void expect_round_trip(const std::string& what, const Model& model, double bar) {
  const double error = round_trip(model, 2);
  EXPECT_LT(error, bar) << what;
  test::ErrorTables::instance().add_row("scale", what, {}, {error});
}

TEST(Scale, RoundTripIsAccurateFromMicrometersToThousandKilometers) {
  RandomRobot random(1);
  const RobotDescription robot = random.robot({.joints = 7, .prismatic = 0.0});
  for (const double length : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    for (const double mass : {1e-9, 1.0, 1e9}) {
      expect_round_trip(fmt::format("7 joints, lengths x {:.0e}, masses x {:.0e}", length, mass),
                        Model(scaled(robot, length, mass)), 1e-12);
    }
  }
}

TEST(Scale, RoundTripIsAccurateForVeryDifferentLengths) {
  // a gripper of micrometers at the end of an arm, and a huge one
  for (const double length : {1e-6, 1e6}) {
    RandomRobot random(7);
    RobotDescription robot = random.robot({.joints = 6, .prismatic = 0.0});
    for (std::size_t i = 3; i < 6; ++i) {
      robot.joints[i].origin.translation *= length;
      Inertial& inertial = *robot.links[i + 1].inertial;
      inertial.center *= length;
      inertial.inertia *= length * length;
    }
    expect_round_trip(fmt::format("6 joints, the last three lengths x {:.0e}", length),
                      Model(robot), 1e-6);
  }
}

TEST(Scale, ScalingByPowersOfTwoIsExact) {
  // scaling by powers of two is exact for lengths and masses, and must be for the torques
  RandomRobot random(3);
  const RobotDescription robot = random.robot({.joints = 6, .prismatic = 0.0});
  const VectorXd q = random.vector(6, 3.0), qd = random.vector(6, 2.0), qdd = random.vector(6, 4.0);
  ModelOptions options;
  const auto torques = [&](const RobotDescription& given) {
    const Model model(given, options);
    Workspace workspace(model);
    VectorXd tau(6);
    inverse_dynamics(model, workspace, q, qd, qdd, tau);
    return tau;
  };
  const VectorXd tau = torques(robot);
  const double length = std::ldexp(1.0, 20), mass = std::ldexp(1.0, -30);
  options.gravity *= length;
  EXPECT_EQ(torques(scaled(robot, length, mass)), mass * length * length * tau);
}

TEST(Scale, RoundTripIsAccurateForExtremeMassRatios) {
  for (const double ratio : {1e-8, 1e-4, 1e4, 1e8}) {
    RandomRobot random(4);
    RobotDescription robot = random.robot({.joints = 6, .prismatic = 0.3});
    for (std::size_t i = 4; i < robot.links.size(); ++i) {
      robot.links[i].inertial->mass *= ratio;
      robot.links[i].inertial->inertia *= ratio;
    }
    // with heavy distal links digits are lost according to the condition number
    expect_round_trip(fmt::format("6 joints, the last three masses x {:.0e}", ratio), Model(robot),
                      ratio > 1.0 ? 1e-6 : 1e-12);
  }
}

TEST(Scale, ThousandJointsAreAccurate) {
  for (const double branching : {0.0, 0.3}) {
    RandomRobot random(6);
    const Model model(random.robot({.joints = 1000, .branching = branching, .prismatic = 0.2}));
    Workspace workspace(model);
    const VectorXd q = random.vector(1000, 3.0), zero = VectorXd::Zero(1000);
    VectorXd tau(1000), back(1000), g(1000);
    const VectorXd qdd = random.vector(1000, 1.0);
    inverse_dynamics(model, workspace, q, zero, qdd, tau);
    forward_dynamics(model, workspace, q, zero, tau, back);
    ASSERT_TRUE(tau.allFinite() && back.allFinite());
    const double error = (back - qdd).norm() / qdd.norm();
    EXPECT_LT(error, 1e-6);
    const std::string name = branching > 0.0 ? "a tree of 1000 joints" : "a chain of 1000 joints";
    test::ErrorTables::instance().add_row("scale", name, {}, {error});
    MatrixXd M(1000, 1000);
    inertia_matrix(model, workspace, q, M);
    ASSERT_TRUE(M.allFinite());
    gravity_forces(model, workspace, q, g);
    const double with_matrix = (M * qdd + g - tau).norm() / tau.norm();
    EXPECT_LT(with_matrix, 1e-12);
    test::ErrorTables::instance().add_row("scale", name + ", inverse dynamics against M qdd + g",
                                          {}, {with_matrix});
    // kinetic energy from M and from the velocities of the bodies
    const double kinetic = energy(model, workspace, q, qdd).kinetic;
    EXPECT_NEAR(qdd.dot(M * qdd) / 2.0 / kinetic, 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace dynamics
