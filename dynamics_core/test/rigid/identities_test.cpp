// SPDX-License-Identifier: Apache-2.0
// What must hold between the algorithms whatever the robot: they share no recursion but the
// placement of bodies, so agreement is a check of each.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/workspace.hpp"
#include "model/tree.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::RandomRobot;
using test::RandomRobotOptions;

double relative_norm(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / std::max(1.0, b.norm());
}

/// CTest runs this program once per instruction set (test/kernels): one that is missing is skipped.
class AskedInstructionSet : public testing::Environment {
  void SetUp() override {
    const char* const asked = std::getenv("DYNAMICS_ISA");  // NOLINT(concurrency-mt-unsafe)
    if (asked == nullptr || name(instruction_set()) == std::string_view(asked)) return;
    GTEST_SKIP() << "skipped: no kernels for " << asked << " in this build or on this processor";
  }
};
const auto* const asked_instruction_set =
    testing::AddGlobalTestEnvironment(new AskedInstructionSet);  // owned by gtest

class Identities : public testing::TestWithParam<unsigned> {
 protected:
  RandomRobot random{GetParam()};
  Model model{random.robot({.joints = 1 + GetParam() * 59 / 30,
                            .branching = GetParam() % 3 == 0 ? 0.4 : 0.0,
                            .fixed = GetParam() % 2 == 0 ? 0.3 : 0.0,
                            .rotors = GetParam() % 4 == 1 ? 0.5 : 0.0,
                            .friction = 0.3,
                            .aligned = GetParam() % 5 == 2})};
  Workspace workspace{model};
  std::size_t n = model.size();
  VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);

  MatrixXd M() {
    MatrixXd m(idx(n), idx(n));
    inertia_matrix(model, workspace, q, m);
    return m;
  }
  /// M column by column from inverse dynamics: the torques of unit accelerations less gravity.
  MatrixXd by_columns() {
    MatrixXd columns(idx(n), idx(n));
    VectorXd tau(idx(n)), g(idx(n));
    const VectorXd zero = VectorXd::Zero(idx(n));
    gravity_forces(model, workspace, q, g);
    for (Eigen::Index j = 0; j < idx(n); ++j) {
      const VectorXd unit = VectorXd::Unit(idx(n), j);
      inverse_dynamics(model, workspace, q, zero, unit, tau);
      columns.col(j) = tau - g;
    }
    return columns;
  }
  MatrixXd C(CoriolisKind kind = CoriolisKind::denoc) {
    MatrixXd c(idx(n), idx(n));
    coriolis_matrix(model, workspace, q, qd, c, kind);
    return c;
  }
};

TEST_P(Identities, InverseDynamicsIsMatrixForm) {
  VectorXd tau(idx(n)), g(idx(n)), friction(idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  gravity_forces(model, workspace, q, g);
  friction_forces(model, workspace, qd, friction);
  for (const auto kind : {CoriolisKind::denoc, CoriolisKind::christoffel}) {
    EXPECT_LT(relative_norm(M() * qdd + C(kind) * qd + g + friction, tau), 1e-11);
  }
}

TEST_P(Identities, ForwardAfterInverseIsIdentity) {
  VectorXd tau(idx(n)), back(idx(n)), again(idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  forward_dynamics(model, workspace, q, qd, tau, back);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(M(), Eigen::EigenvaluesOnly);
  const double condition = eigen.eigenvalues().maxCoeff() / eigen.eigenvalues().minCoeff();
  RecordProperty("condition", std::to_string(condition));
  EXPECT_LT(relative_norm(back, qdd), std::clamp(1e-15 * condition, 1e-11, 1e-3))
      << "condition " << condition;
  inverse_dynamics(model, workspace, q, qd, back, again);
  EXPECT_LT(relative_norm(again, tau), 1e-9);
}

TEST_P(Identities, UdutIsTheInertiaMatrix) {
  MatrixXd U(idx(n), idx(n)), inverse(idx(n), idx(n));
  VectorXd d(idx(n)), x(idx(n));
  udut(model, workspace, q, U, d);
  EXPECT_TRUE(U.isUpperTriangular(0.0));
  EXPECT_EQ(U.diagonal(), VectorXd::Ones(idx(n)));
  EXPECT_GT(d.minCoeff(), 0.0);
  const MatrixXd m = M();
  EXPECT_LT(relative_norm(m, by_columns()), 1e-12);
  EXPECT_LT(relative_norm(U * d.asDiagonal() * U.transpose(), m), 1e-12);
  solve_inertia(model, workspace, q, qdd, x);
  EXPECT_LT(relative_norm(m * x, qdd), 1e-8);
  inverse_inertia_matrix(model, workspace, q, inverse);
  EXPECT_LT(relative_norm(m * inverse, MatrixXd::Identity(idx(n), idx(n))), 1e-7);
}

TEST_P(Identities, ArticulatedBodiesAreThePivots) {
  // the pivots of M = U D U^T by Eigen: Cholesky of M in reverse order
  const MatrixXd reversed = by_columns().reverse();
  const Eigen::LLT<MatrixXd> factor(reversed);
  ASSERT_EQ(factor.info(), Eigen::Success);
  const MatrixXd L = factor.matrixL();
  std::vector<ArticulatedBody> bodies(model.body_count());
  articulated_bodies(model, workspace, q, bodies);
  ASSERT_EQ(bodies.size(), n);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const TreeBody& body = model.tree()[i];
    const double root = L(idx(n - 1 - i), idx(n - 1 - i));
    EXPECT_NEAR(bodies[i].pivot, root * root, 1e-7 * root * root);
    const VectorXd column = bodies[i].inertia.col(body.prismatic ? 5 : 2);
    EXPECT_LT(relative_norm(bodies[i].pivot * bodies[i].psi, column), 1e-12);
    // what hangs on a body by joints weighs no more than what is fixed to it, and no less than it
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(MatrixXd(bodies[i].inertia));
    EXPECT_GT(eigen.eigenvalues().minCoeff(), 0.0);
  }
  const TreeBody& last = model.tree().back();
  EXPECT_NEAR(bodies.back().inertia(3, 3), last.mass, 1e-14);
  EXPECT_NEAR(bodies.back().inertia(2, 2), last.inertia[5], 1e-14);
  EXPECT_NEAR(bodies.back().inertia(2, 3), -last.first_moment[1], 1e-14);  // n_z for a_x: (h x a)_z
}

TEST_P(Identities, RateOfInertiaLessTwiceCoriolisIsSkew) {
  // dM/dt by a central difference of high order in the direction qd
  const double h = 1e-3;
  MatrixXd rate = MatrixXd::Zero(idx(n), idx(n));
  const VectorXd q0 = q;
  const std::pair<double, double> stencil[] = {
      {1, 4.0 / 5}, {2, -1.0 / 5}, {3, 4.0 / 105}, {4, -1.0 / 280}};
  for (const auto& [k, weight] : stencil) {
    for (const double sign : {1.0, -1.0}) {
      q = q0 + sign * k * h * qd;
      rate += sign * weight / h * M();
    }
  }
  q = q0;
  for (const auto kind : {CoriolisKind::denoc, CoriolisKind::christoffel}) {
    const MatrixXd c = C(kind), s = rate - 2.0 * c;
    EXPECT_LT((s + s.transpose()).norm() / std::max(1.0, c.norm()), 1e-10);
  }
  // exactly: dM/dt = C + C^T
  EXPECT_LT(relative_norm(C() + C().transpose(),
                          C(CoriolisKind::christoffel) + C(CoriolisKind::christoffel).transpose()),
            1e-12);
}

TEST_P(Identities, EnergyBalance) {
  // d(T + V)/dt = tau qd - friction qd along any motion
  VectorXd tau(idx(n));
  inverse_dynamics(model, workspace, q, qd, qdd, tau);
  const Power flow = power(model, workspace, qd, tau);
  const double h = 1e-4;
  double rate = 0.0;
  const std::pair<double, double> stencil[] = {
      {1, 4.0 / 5}, {2, -1.0 / 5}, {3, 4.0 / 105}, {4, -1.0 / 280}};
  for (const auto& [k, weight] : stencil) {
    for (const double sign : {1.0, -1.0}) {
      const double t = sign * k * h;
      const VectorXd qt = q + t * qd + 0.5 * t * t * qdd, qdt = qd + t * qdd;
      rate += sign * weight / h * energy(model, workspace, qt, qdt).total();
    }
  }
  const Energy now = energy(model, workspace, q, qd);
  const double scale = std::abs(now.kinetic) + std::abs(now.potential) + std::abs(flow.actuators);
  EXPECT_NEAR(rate, flow.actuators - flow.friction, 1e-9 * scale);
  EXPECT_NEAR(now.kinetic, 0.5 * qd.dot(M() * qd), 1e-12 * now.kinetic);
}

TEST_P(Identities, WrenchesWorkThroughTheJacobian) {
  const std::size_t frame = model.end_effector();
  for (const Axes axes : {Axes::world, Axes::local, Axes::local_world_aligned}) {
    LinkWrench wrench{frame, {random.vector3(10.0), random.vector3(10.0)}, axes};
    MatrixXd J(6, idx(n));
    jacobian(model, workspace, q, frame, axes, J);
    VectorXd six(6), with(idx(n)), without(idx(n)), general(idx(n));
    six << wrench.wrench.moment, wrench.wrench.force;
    wrenches_to_joint_torques(model, workspace, q, std::span(&wrench, 1), general);
    EXPECT_LT(relative_norm(general, J.transpose() * six), 1e-12);
    ExternalInputs touched;
    touched.wrenches = std::span(&wrench, 1);
    inverse_dynamics(model, workspace, q, qd, qdd, without);
    inverse_dynamics(model, workspace, q, qd, qdd, with, touched);
    EXPECT_LT(relative_norm(without - with, general), 1e-9);
    VectorXd back(idx(n)), again(idx(n));
    forward_dynamics(model, workspace, q, qd, with, back, touched);
    inverse_dynamics(model, workspace, q, qd, back, again, touched);
    EXPECT_LT(relative_norm(again, with), 1e-9);
  }
}

TEST_P(Identities, JacobianRateIsTheDerivative) {
  const std::size_t frame = model.end_effector();
  for (const Axes axes : {Axes::world, Axes::local, Axes::local_world_aligned}) {
    MatrixXd rate(6, idx(n)), sum = MatrixXd::Zero(6, idx(n)), J(6, idx(n));
    jacobian_rate(model, workspace, q, qd, frame, axes, rate);
    const double h = 1e-3;
    const std::pair<double, double> stencil[] = {
        {1, 4.0 / 5}, {2, -1.0 / 5}, {3, 4.0 / 105}, {4, -1.0 / 280}};
    for (const auto& [k, weight] : stencil) {
      for (const double sign : {1.0, -1.0}) {
        jacobian(model, workspace, VectorXd(q + sign * k * h * qd), frame, axes, J);
        sum += sign * weight / h * J;
      }
    }
    EXPECT_LT(relative_norm(sum, rate), 1e-8);
    // velocity = J qd; acceleration = J qdd + J' qd where the axes stand
    jacobian(model, workspace, q, frame, axes, J);
    const FrameMotion motion = frame_motion(model, workspace, q, qd, qdd, frame, axes);
    VectorXd velocity(6), acceleration(6);
    velocity << motion.velocity.angular, motion.velocity.linear;
    acceleration << motion.acceleration.angular, motion.acceleration.linear;
    EXPECT_LT(relative_norm(J * qd, velocity), 1e-12);
    if (axes != Axes::local) {
      EXPECT_LT(relative_norm(J * qdd + rate * qd, acceleration), 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RandomTrees, Identities, testing::Range(0U, 31U));

}  // namespace
}  // namespace dynamics
