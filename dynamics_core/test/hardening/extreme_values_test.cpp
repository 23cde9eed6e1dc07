// SPDX-License-Identifier: Apache-2.0
// Numbers that must not matter (entries between the states of a batch, what an output held before,
// the sign of zero) and sizes that overflow.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/regressor.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::argument_error;
using testing::HasSubstr;

const double nan = std::numeric_limits<double>::quiet_NaN();

Model tree_with_mimic() {
  RobotDescription robot = test::RandomRobot(3).robot(
      {.joints = 7, .branching = 0.5, .fixed = 0.3, .rotors = 0.3, .friction = 0.5});
  for (JointDescription& joint : robot.joints) {
    if (joint.name == "joint5") joint.mimic = Mimic{"joint1", -0.5, 0.1};
  }
  return Model(robot);
}

TEST(UnusedNumbers, NanBetweenTheStatesOfABatchIsNotRead) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  constexpr Index n = 6, states = 13;
  const MatrixXd q = VectorXd::LinSpaced(n * states, -1.0, 1.0).reshaped(n, states);
  MatrixXd padded = MatrixXd::Constant(n + 4, states, nan);
  padded.middleRows(2, n) = q;
  MatrixXd tau(n, states), expected(n, states);
  batch::inverse_dynamics(model, workspace, q, q, q, expected);
  batch::inverse_dynamics(model, workspace, padded.middleRows(2, n), padded.middleRows(2, n),
                          padded.middleRows(2, n), tau);
  EXPECT_EQ(tau, expected);
  batch::inverse_dynamics(model, workspace, q, q, q, padded.middleRows(2, n));
  EXPECT_EQ(padded.middleRows(2, n), expected);
  EXPECT_TRUE(padded.topRows(2).array().isNaN().all());
  EXPECT_TRUE(padded.bottomRows(2).array().isNaN().all());
}

TEST(UnusedNumbers, ResultsDoNotDependOnWhatTheOutputHeld) {
  for (const Model& model : {model_from_dh(built_in_robot("stanford")), tree_with_mimic()}) {
    const auto n = static_cast<Index>(model.size());
    const VectorXd q = VectorXd::LinSpaced(n, 0.1, 0.9), qd = VectorXd::LinSpaced(n, -1.0, 1.0);
    Workspace workspace(model);
    DerivativeWorkspace derivative(model);
    const auto all = [&](double held) {
      std::vector<MatrixXd> results;
      const auto square = [&]() -> MatrixXd& {
        return results.emplace_back(MatrixXd::Constant(n, n, held));
      };
      results.reserve(64);
      inertia_matrix(model, workspace, q, square());
      coriolis_matrix(model, workspace, q, qd, square());
      coriolis_matrix(model, workspace, q, qd, square(), CoriolisKind::christoffel);
      inverse_inertia_matrix(model, workspace, q, square());
      VectorXd d = VectorXd::Constant(n, held);
      udut(model, workspace, q, square(), d);
      MatrixXd &a = square(), &b = square(), &c = square();
      inverse_dynamics_derivatives(model, derivative, q, qd, q, a, b);
      MatrixXd &e = square(), &f = square();
      forward_dynamics_derivatives(model, derivative, q, qd, q, c, e, f);
      for (std::size_t frame = 0; frame < model.frames().size(); ++frame) {
        MatrixXd J = MatrixXd::Constant(6, n, held);
        jacobian(model, workspace, q, frame, Axes::local, J);
        results.push_back(J);
        J.setConstant(held);
        jacobian_rate(model, workspace, q, qd, frame, Axes::world, J);
        results.push_back(J);
      }
      results.push_back(MatrixXd::Constant(3, n, held));
      center_of_mass_jacobian(model, workspace, q, results.back());
      VectorXd tau = VectorXd::Constant(n, held);
      inverse_dynamics(model, workspace, q, qd, q, tau);
      results.emplace_back(tau);
      tau.setConstant(held);
      wrenches_to_joint_torques(model, workspace, q, {}, tau);
      results.emplace_back(tau);
      results.emplace_back(d);
      return results;
    };
    const auto zeros = all(0.0), nans = all(nan);
    ASSERT_EQ(zeros.size(), nans.size());
    for (std::size_t i = 0; i < zeros.size(); ++i) EXPECT_EQ(zeros[i], nans[i]) << "result " << i;
  }
}

TEST(NegativeZero, GivesTheResultsOfZero) {
  for (const Model& model : {model_from_dh(built_in_robot("stanford")), tree_with_mimic()}) {
    const auto n = static_cast<Index>(model.size());
    const VectorXd zero = VectorXd::Zero(n), minus = -zero;
    ASSERT_TRUE(std::signbit(minus[0]));
    Workspace workspace(model);
    VectorXd tau(n), qdd(n), tau_minus(n), qdd_minus(n);
    inverse_dynamics(model, workspace, zero, zero, zero, tau);
    inverse_dynamics(model, workspace, minus, minus, minus, tau_minus);
    EXPECT_EQ(tau, tau_minus);
    forward_dynamics(model, workspace, zero, zero, zero, qdd);
    forward_dynamics(model, workspace, minus, minus, minus, qdd_minus);
    EXPECT_EQ(qdd, qdd_minus);
  }
}

TEST(WrenchOnTheBase, HasNoEffectOnTheJoints) {
  const Model model = model_from_dh(built_in_robot("puma"));
  const VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.6);
  Workspace workspace(model);
  VectorXd expected(6), tau(6);
  inverse_dynamics(model, workspace, q, q, q, expected);
  const std::vector<LinkWrench> wrenches = {
      {model.frame(model.base_link()), {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, Axes::world}};
  ExternalInputs external;
  external.wrenches = wrenches;
  inverse_dynamics(model, workspace, q, q, q, tau, external);
  EXPECT_EQ(tau, expected);
  wrenches_to_joint_torques(model, workspace, q, wrenches, tau);
  EXPECT_EQ(tau, VectorXd::Zero(6));
}

TEST(BatchThreads, MayBeMoreThanStates) {
  const Model model = model_from_dh(built_in_robot("puma"));
  const VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.6);
  VectorXd expected(6), tau(6);
  BatchWorkspace one(model), many(model, {.threads = 64});
  batch::inverse_dynamics(model, one, q, q, q, expected);
  batch::inverse_dynamics(model, many, q, q, q, tau);
  EXPECT_EQ(tau, expected);
  const std::vector<double> none;
  std::vector<double> empty;
  batch::inverse_dynamics(model, many, none, none, none, empty);
}

TEST(Sizes, ThatOverflowAreRefused) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  Workspace workspace(model);
  VectorXd q = VectorXd::Zero(3);
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  // 2^64 - 1 and 2^63 + 3 entries must not be taken for 3
  for (const std::size_t size : {huge, (std::size_t{1} << 63U) + 3}) {
    const ConstVector view(q.data(), size);
    EXPECT_NE(argument_error([&] { gravity_forces(model, workspace, view, q); }), "accepted");
    BatchWorkspace many(model);
    EXPECT_NE(argument_error([&] { batch::gravity_forces(model, many, view, q); }), "accepted");
  }
  for (const std::size_t samples : {huge, huge / 3 + 1}) {
    EXPECT_THAT(argument_error([&] { base_parameters(model, samples); }), HasSubstr("too many"));
  }
}

}  // namespace
}  // namespace dynamics
