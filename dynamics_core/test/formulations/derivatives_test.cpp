// SPDX-License-Identifier: Apache-2.0
// The analytical derivatives against complex steps through the recursions themselves: exact to
// rounding, for f(x + i h) = f(x) + i h f'(x) has no difference to lose digits in.

#include "dynamics_core/derivatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/workspace_memory.hpp"
#include "support/allocation_counter.hpp"
#include "support/compare.hpp"
#include "support/sample_robots.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::relative;

constexpr double h = 1e-100;

kernel::Vec3<Complex> complex(const kernel::Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// The recursions over complex numbers, for models without mimic joints.
class ComplexStep {
 public:
  ComplexStep(const Model& given, const ExternalInputs& external)
      : model_(given), workspace_(given), friction_(external.friction) {
    const auto base = base_state(given, external.base);
    base_.not_rotating = base.not_rotating;
    if (!base.not_rotating) {
      base_.angular_velocity = complex(base.angular_velocity);
      base_.angular_acceleration = complex(base.angular_acceleration);
    }
    base_.acceleration = complex(base.acceleration);
    const VectorXd zero = VectorXd::Zero(idx(given.size()));
    if (const auto* wrenches = body_wrenches(given, workspace_.memory(), zero.data(),
                                             external.wrenches, external.base)) {
      for (std::size_t i = 0; i < given.body_count(); ++i) {
        wrenches_.push_back({complex(wrenches[i].moment), complex(wrenches[i].force)});
      }
    }
  }

  using Numbers = std::vector<Complex>;
  Numbers inverse(const Numbers& q, const Numbers& qd, const Numbers& qdd) const {
    std::vector<kernel::InverseScratch<Complex>> scratch(q.size());
    Numbers tau(q.size());
    kernel::inverse_dynamics<Complex>(model_.tree(), scratch.data(), base_, wrenches(), q.data(),
                                      qd.data(), qdd.data(), tau.data());
    for (std::size_t i = 0; i < q.size() && friction_; ++i) tau[i] += friction(i, qd[i]);
    return tau;
  }
  Numbers forward(const Numbers& q, const Numbers& qd, Numbers tau) const {
    std::vector<kernel::ForwardScratch<Complex>> scratch(q.size());
    Numbers qdd(q.size());
    for (std::size_t i = 0; i < q.size() && friction_; ++i) tau[i] -= friction(i, qd[i]);
    kernel::forward_dynamics<Complex>(model_.tree(), scratch.data(), base_, wrenches(), q.data(),
                                      qd.data(), tau.data(), qdd.data());
    return qdd;
  }

 private:
  const kernel::BodyWrench<Complex>* wrenches() const {
    return wrenches_.empty() ? nullptr : wrenches_.data();
  }
  Complex friction(std::size_t i, const Complex& rate) const {
    return kernel::joint_friction(model_.tree()[i], rate, model_.friction_velocity());
  }
  const Model& model_;
  Workspace workspace_;
  bool friction_;
  kernel::BaseState<Complex> base_;
  std::vector<kernel::BodyWrench<Complex>> wrenches_;
};

/// Derivative of call(a, b, c) with respect to argument number `which`, by a complex step.
template <class Call>
MatrixXd step(Call&& call, const VectorXd& a, const VectorXd& b, const VectorXd& c, int which) {
  const auto numbers = [](const VectorXd& v) {
    return std::vector<Complex>(v.data(), v.data() + v.size());
  };
  MatrixXd result(a.size(), a.size());
  for (Eigen::Index j = 0; j < a.size(); ++j) {
    std::vector<Complex> arguments[3] = {numbers(a), numbers(b), numbers(c)};
    arguments[which][static_cast<std::size_t>(j)] += Complex(0.0, h);
    const auto value = call(arguments[0], arguments[1], arguments[2]);
    for (Eigen::Index i = 0; i < a.size(); ++i) {
      result(i, j) = value[static_cast<std::size_t>(i)].imag() / h;
    }
  }
  return result;
}

class Derivatives : public testing::TestWithParam<test::Sample> {
 protected:
  void check(const ExternalInputs& external) {
    const ComplexStep exact(model, external);
    const auto inverse = [&](const auto&... x) { return exact.inverse(x...); };
    const auto forward = [&](const auto&... x) { return exact.forward(x...); };
    MatrixXd by_q(idx(n), idx(n)), by_qd(idx(n), idx(n)), by_tau(idx(n), idx(n)), M = by_q;
    inverse_dynamics_derivatives(model, workspace, q, qd, qdd, by_q, by_qd, external);
    Workspace rigid(model);
    inertia_matrix(model, rigid, q, M);
    const double scale = M.cwiseAbs().maxCoeff();
    EXPECT_CLOSE("tau by q", relative(by_q, step(inverse, q, qd, qdd, 0), scale), 1e-9);
    EXPECT_CLOSE("tau by qd", relative(by_qd, step(inverse, q, qd, qdd, 1), scale), 1e-9);
    EXPECT_CLOSE("tau by qdd", relative(M, step(inverse, q, qd, qdd, 2)), 1e-9);
    // round-off grows with the condition number of M: only short chains
    if (n > 12) return;
    VectorXd tau(idx(n));
    inverse_dynamics(model, rigid, q, qd, qdd, tau, external);
    forward_dynamics_derivatives(model, workspace, q, qd, tau, by_q, by_qd, by_tau, external);
    EXPECT_CLOSE("qdd by q", relative(by_q, step(forward, q, qd, tau, 0), 1.0), 1e-9);
    EXPECT_CLOSE("qdd by qd", relative(by_qd, step(forward, q, qd, tau, 1), 1.0), 1e-9);
    EXPECT_CLOSE("qdd by tau", relative(by_tau, step(forward, q, qd, tau, 2), 1.0), 1e-9);
  }
  Model model = GetParam().model();
  std::size_t n = model.size();
  DerivativeWorkspace workspace{model};
  test::RandomRobot random{GetParam().seed + 300};
  VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), qdd = random.vector(n, 5.0);
};

TEST_P(Derivatives, MatchComplexStepForFixedBase) { check({}); }

TEST_P(Derivatives, MatchComplexStepForMovingBaseAndWrenches) {
  ExternalInputs external;
  BaseMotion& base = external.base.emplace();
  base.pose = {random.rotation(), random.vector3(1.0)};
  base.velocity = {random.vector3(2.0), random.vector3(2.0)};
  base.acceleration = {random.vector3(3.0), random.vector3(3.0)};
  std::vector<LinkWrench> wrenches;
  for (std::size_t f = 0; f < model.frames().size(); f += 2) {
    wrenches.push_back({f, {random.vector3(5.0), random.vector3(10.0)}});
  }
  external.wrenches = wrenches;
  check(external);
}

INSTANTIATE_TEST_SUITE_P(Robots, Derivatives, testing::ValuesIn(test::sample_robots(true)),
                         [](const auto& sample) { return sample.param.name; });

TEST(DerivativesOnCarriage, DoNotDependOnItsPositionAndVelocity) {
  // position and velocity of a carriage do not change the dynamics of the arm on it
  const RobotDescription arm = test::RandomRobot(8).robot({.joints = 6, .prismatic = 0.3});
  JointDescription rail;
  rail.name = "rail";
  rail.type = JointType::prismatic;
  rail.axis = {0.6, 0.0, 0.8};
  rail.limits = JointLimits{};
  const Model fixed(arm), moving(test::on_ground(arm, rail));
  test::RandomRobot random(9);
  const VectorXd q = random.vector(6, 3.0), qd = random.vector(6, 2.0), qdd = random.vector(6, 5.0);
  const auto with = [](double carriage, const VectorXd& x) {
    VectorXd all(7);
    all << carriage, x;
    return all;
  };
  DerivativeWorkspace a(fixed), b(moving);
  MatrixXd by_q(6, 6), by_qd(6, 6), moving_by_q(7, 7), moving_by_qd(7, 7);
  inverse_dynamics_derivatives(fixed, a, q, qd, qdd, by_q, by_qd);
  inverse_dynamics_derivatives(moving, b, with(1e5, q), with(1e4, qd), with(0.0, qdd), moving_by_q,
                               moving_by_qd);
  EXPECT_GT(by_q.norm(), 1.0);
  EXPECT_GT(by_qd.norm(), 1.0);
  EXPECT_LT(relative(moving_by_q.bottomRightCorner(6, 6), by_q), 1e-13);
  EXPECT_LT(relative(moving_by_qd.bottomRightCorner(6, 6), by_qd), 1e-13);
}

TEST(DerivativesWithMimicJoints, EqualProjectedDerivativesOfTheFreeRobot) {
  test::RobotBuilder robot = test::three_joints(JointType::continuous);
  const Model free{RobotDescription(robot)};
  robot.joint().mimic = Mimic{"one", -0.7, 0.2};
  const Model coupled{RobotDescription(robot)};
  // q3 = 0.2 - 0.7 q1: the derivatives are G^T ... G of those of the free robot
  MatrixXd G(3, 2);
  G << 1, 0, 0, 1, -0.7, 0;
  const Eigen::Vector2d q(0.4, -0.9), qd(1.1, 0.3), qdd(-2.0, 1.5);
  const VectorXd q3 = G * q + Eigen::Vector3d(0, 0, 0.2), qd3 = G * qd, qdd3 = G * qdd;
  DerivativeWorkspace a(free), b(coupled);
  MatrixXd q_free(3, 3), qd_free(3, 3), q_coupled(2, 2), qd_coupled(2, 2);
  inverse_dynamics_derivatives(free, a, q3, qd3, qdd3, q_free, qd_free);
  inverse_dynamics_derivatives(coupled, b, q, qd, qdd, q_coupled, qd_coupled);
  EXPECT_GT(q_coupled.norm(), 1.0);
  EXPECT_GT(qd_coupled.norm(), 0.1);
  EXPECT_LT(relative(q_coupled, G.transpose() * q_free * G), 1e-12);
  EXPECT_LT(relative(qd_coupled, G.transpose() * qd_free * G), 1e-12);
}

/// The first joint of each chain is on the base, the others on the previous link.
Model chains(const std::vector<std::size_t>& lengths) {
  std::size_t joints = 0;
  for (const std::size_t length : lengths) joints += length;
  RobotDescription robot = test::RandomRobot(12).robot({.joints = joints, .prismatic = 0.1});
  std::size_t next = 0;
  for (const std::size_t length : lengths) {
    robot.joints[next].parent = robot.joints.front().parent;
    next += length;
  }
  return Model(robot);
}

TEST(ForwardDerivatives, SolveTheDerivativesOfInverseDynamicsWithTheInertiaMatrix) {
  // several roots; short chains, which are solved in registers; one chain; long chains, which are
  // solved column by column
  const std::vector<std::vector<std::size_t>> cases = {
      {6, 6, 2, 9, 9}, {1, 3, 1, 1}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}, {40},
      {210},           {2, 530}};
  for (const auto& lengths : cases) {
    const Model model = chains(lengths);
    const std::size_t n = model.size();
    test::RandomRobot random(31);
    const VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 0.1),
                   tau = random.vector(n, 5.0);
    VectorXd qdd(idx(n));
    MatrixXd by_q(idx(n), idx(n)), by_qd = by_q, by_tau = by_q, tau_by_q = by_q, tau_by_qd = by_q,
                                   M = by_q;
    Workspace rigid(model);
    DerivativeWorkspace workspace(model);
    forward_dynamics(model, rigid, q, qd, tau, qdd);
    inertia_matrix(model, rigid, q, M);
    inverse_dynamics_derivatives(model, workspace, q, qd, qdd, tau_by_q, tau_by_qd);
    forward_dynamics_derivatives(model, workspace, q, qd, tau, by_q, by_qd, by_tau);
    // residuals, which do not grow with the condition number of M; d tau / d qd of one joint is
    // zero
    const auto residual = [&](const MatrixXd& x, const MatrixXd& b) {
      const double scale = std::max((M.cwiseAbs() * x.cwiseAbs()).maxCoeff(), 1e-300);
      return (M * x - b).cwiseAbs().maxCoeff() / scale;
    };
    const std::string name = std::to_string(n) + " joints ";
    EXPECT_CLOSE(name + "by q", residual(by_q, -tau_by_q), 1e-12);
    EXPECT_CLOSE(name + "by qd", residual(by_qd, -tau_by_qd), 1e-12);
    EXPECT_CLOSE(name + "by tau", residual(by_tau, MatrixXd::Identity(idx(n), idx(n))), 1e-12);
    // chains on different roots do not affect each other
    const std::size_t first = lengths.front();
    if (first == n) continue;
    for (const MatrixXd* x : {&by_q, &by_qd, &by_tau}) {
      EXPECT_TRUE(x->topRightCorner(idx(first), idx(n - first)).isZero(0.0)) << name;
      EXPECT_TRUE(x->bottomLeftCorner(idx(n - first), idx(first)).isZero(0.0)) << name;
    }
  }
}

TEST(DerivativesHotPath, DoesNotAllocate) {
  namespace counter = test::allocation_counter;
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  for (const std::size_t joints : {2U, 7U, 30U}) {
    const Model model{test::RandomRobot(6).robot({.joints = joints, .branching = 0.3})};
    DerivativeWorkspace workspace(model);
    const VectorXd x = VectorXd::Constant(idx(joints), 0.3);
    MatrixXd A(idx(joints), idx(joints)), B = A, C = A;
    const std::vector<LinkWrench> wrenches = {{model.end_effector(), {{1, 2, 3}, {4, 5, 6}}}};
    ExternalInputs external;
    external.wrenches = wrenches;
    counter::start();
    inverse_dynamics_derivatives(model, workspace, x, x, x, A, B, external);
    forward_dynamics_derivatives(model, workspace, x, x, x, A, B, C, external);
    EXPECT_EQ(counter::stop(), 0U) << joints;
  }
}

TEST(DerivativesErrors, RejectWrenchesInWorldAxesAndWrongSizes) {
  const Model model{test::RandomRobot(5).robot({.joints = 3})};
  DerivativeWorkspace workspace(model);
  const VectorXd x = VectorXd::Zero(3);
  MatrixXd A(3, 3), B(3, 3), small(2, 3);
  const std::vector<LinkWrench> wrenches = {{0, {}, Axes::world}};
  ExternalInputs external;
  external.wrenches = wrenches;
  EXPECT_THROW(inverse_dynamics_derivatives(model, workspace, x, x, x, A, B, external),
               ArgumentError);
  EXPECT_THROW(inverse_dynamics_derivatives(model, workspace, x, x, x, small, B), ArgumentError);
}

}  // namespace
}  // namespace dynamics
