// SPDX-License-Identifier: Apache-2.0
// Outputs that share memory with inputs or with other outputs: the result is that of separate
// arguments, or an error names the arguments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "flexible/sample_beams.hpp"
#include "support/random_robot.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::argument_error;
using testing::HasSubstr;

/// A serial arm with friction, a tree with mimic joints, and one with a floating base.
std::vector<Model> robots() {
  std::vector<Model> all;
  test::RandomRobot random(5);
  all.push_back(model_from_dh(built_in_robot("puma")));
  all.emplace_back(random.robot({.joints = 6, .friction = 1.0}));
  RobotDescription mimic = random.robot({.joints = 7, .branching = 0.3, .friction = 1.0});
  mimic.joints[5].mimic = Mimic{"joint1", -0.5, 0.1};
  all.emplace_back(mimic);
  all.emplace_back(test::floating(random.robot({.joints = 3})));
  return all;
}

struct State {
  State(const Model& model, unsigned seed) {
    test::RandomRobot random(seed);
    vectors[0] = random.vector(model.size(), 1.0);
    vectors[1] = random.vector(model.size(), 2.0);
    vectors[2] = random.vector(model.size(), 5.0);
  }
  VectorXd vectors[3];  ///< q, qd and qdd or tau
};

TEST(AliasedArguments, TorquesMayReplaceAnyInput) {
  for (const Model& model : robots()) {
    Workspace workspace(model);
    const State given(model, 1);
    VectorXd tau = VectorXd::Zero(given.vectors[0].size()), qdd = tau;
    inverse_dynamics(model, workspace, given.vectors[0], given.vectors[1], given.vectors[2], tau);
    forward_dynamics(model, workspace, given.vectors[0], given.vectors[1], given.vectors[2], qdd);
    for (std::size_t i = 0; i < 3; ++i) {
      State s = given;
      inverse_dynamics(model, workspace, s.vectors[0], s.vectors[1], s.vectors[2], s.vectors[i]);
      EXPECT_EQ(s.vectors[i], tau) << "inverse dynamics into input " << i;
      s = given;
      forward_dynamics(model, workspace, s.vectors[0], s.vectors[1], s.vectors[2], s.vectors[i]);
      EXPECT_EQ(s.vectors[i], qdd) << "forward dynamics into input " << i;
    }
  }
}

TEST(AliasedArguments, JointWrenchesAreThoseOfTheGivenMotion) {
  for (const Model& model : robots()) {
    Workspace workspace(model);
    const State given(model, 2);
    std::vector<Wrench> expected(model.body_count()), found(model.body_count());
    VectorXd tau(given.vectors[0].size());
    inverse_dynamics(model, workspace, given.vectors[0], given.vectors[1], given.vectors[2], tau,
                     expected);
    for (std::size_t i = 0; i < 3; ++i) {
      State s = given;
      inverse_dynamics(model, workspace, s.vectors[0], s.vectors[1], s.vectors[2], s.vectors[i],
                       found);
      EXPECT_EQ(s.vectors[i], tau);
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_EQ(found[k].force, expected[k].force) << "tau in input " << i << ", body " << k;
        EXPECT_EQ(found[k].moment, expected[k].moment) << "tau in input " << i << ", body " << k;
      }
    }
  }
}

TEST(AliasedArguments, MatricesMayContainTheirPosition) {
  for (const Model& model : robots()) {
    Workspace workspace(model);
    const State given(model, 3);
    const Index n = given.vectors[0].size();
    MatrixXd expected(n, n), found(n, n);
    inertia_matrix(model, workspace, given.vectors[0], expected);
    found.col(0) = given.vectors[0];
    inertia_matrix(model, workspace, found.col(0), found);
    EXPECT_EQ(found, expected);
    inverse_inertia_matrix(model, workspace, given.vectors[0], expected);
    found.col(0) = given.vectors[0];
    inverse_inertia_matrix(model, workspace, found.col(0), found);
    EXPECT_EQ(found, expected);
    coriolis_matrix(model, workspace, given.vectors[0], given.vectors[1], expected);
    found.col(0) = given.vectors[0];
    found.col(1) = given.vectors[1];
    coriolis_matrix(model, workspace, found.col(0), found.col(1), found);
    EXPECT_EQ(found, expected);
    VectorXd d(n);
    udut(model, workspace, given.vectors[0], expected, d);
    found.col(0) = given.vectors[0];
    udut(model, workspace, found.col(0), found, d);
    EXPECT_EQ(found, expected);
    EXPECT_THAT(
        argument_error([&] { udut(model, workspace, given.vectors[0], found, found.col(1)); }),
        HasSubstr("U and d share memory"));
  }
}

TEST(AliasedArguments, SolutionMayReplaceTheRightHandSide) {
  for (const Model& model : robots()) {
    const State given(model, 4);
    InertiaFactor factor(model);
    decompose_inertia(model, factor, given.vectors[0]);
    MatrixXd B(given.vectors[1].size(), 2);
    B << given.vectors[1], given.vectors[2];
    MatrixXd X = B;
    solve_inertia(model, factor, B, X);
    MatrixXd wide(B.rows(), 3);
    wide << B, B.col(0);
    EXPECT_THAT(
        argument_error([&] { solve_inertia(model, factor, wide.leftCols(2), wide.rightCols(2)); }),
        HasSubstr("B and X share memory"));
    solve_inertia(model, factor, B, B);
    EXPECT_EQ(B, X);
    VectorXd column = given.vectors[1];
    solve_inertia(model, factor, column, column);
    EXPECT_EQ(column, X.col(0));
  }
}

TEST(AliasedArguments, DerivativesNeedMemoryOfTheirOwn) {
  for (const Model& model : robots()) {
    DerivativeWorkspace workspace(model);
    const State given(model, 6);
    const VectorXd &q = given.vectors[0], &qd = given.vectors[1], &u = given.vectors[2];
    const Index n = q.size();
    MatrixXd a(n, n), b(n, n), both(n, 2 * n);
    EXPECT_THAT(
        argument_error([&] { inverse_dynamics_derivatives(model, workspace, q, qd, u, a, a); }),
        HasSubstr("tau_by_q and tau_by_qd share memory"));
    EXPECT_THAT(argument_error([&] {
                  inverse_dynamics_derivatives(model, workspace, q, qd, u, both.leftCols(n),
                                               both.middleCols(1, n));
                }),
                HasSubstr("share memory"));
    EXPECT_THAT(
        argument_error([&] { forward_dynamics_derivatives(model, workspace, q, qd, u, a, b, a); }),
        HasSubstr("qdd_by_q and qdd_by_tau share memory"));
    // neighbors in one matrix do not share memory
    inverse_dynamics_derivatives(model, workspace, q, qd, u, both.leftCols(n), both.rightCols(n));
    inverse_dynamics_derivatives(model, workspace, q, qd, u, a, b);
    EXPECT_EQ(both.leftCols(n), a);
    EXPECT_EQ(both.rightCols(n), b);
    MatrixXd stacked(2 * n, n);
    inverse_dynamics_derivatives(model, workspace, q, qd, u, stacked.topRows(n),
                                 stacked.bottomRows(n));
    EXPECT_EQ(stacked.topRows(n), a);
    EXPECT_EQ(stacked.bottomRows(n), b);
    // outputs may share memory with inputs
    MatrixXd c(n, n), by_q(n, n), by_qd(n, n), by_tau(n, n);
    forward_dynamics_derivatives(model, workspace, q, qd, u, by_q, by_qd, by_tau);
    c.col(0) = q;
    a.col(0) = qd;
    forward_dynamics_derivatives(model, workspace, c.col(0), a.col(0), u, a, b, c);
    EXPECT_EQ(a, by_q);
    EXPECT_EQ(b, by_qd);
    EXPECT_EQ(c, by_tau);
  }
}

TEST(AliasedArguments, FlexibleForcesMayReplaceAnyInput) {
  RobotDescription robot = test::mixed_tree(true);
  for (JointDescription& joint : robot.joints) {
    if (joint.type != JointType::fixed) joint.friction = 0.3;
  }
  const FlexibleModel model{Model(robot)};
  FlexibleWorkspace workspace(model);
  test::RandomRobot random(8);
  const VectorXd given[3] = {test::random_state(model, random, 0.02),
                             test::random_state(model, random, 0.1),
                             test::random_state(model, random, 1.0)};
  VectorXd forces(given[0].size()), qdd = forces, cholesky = forces;
  inverse_dynamics(model, workspace, given[0], given[1], given[2], forces);
  forward_dynamics(model, workspace, given[0], given[1], given[2], qdd);
  forward_dynamics_cholesky(model, workspace, given[0], given[1], given[2], cholesky);
  for (std::size_t i = 0; i < 3; ++i) {
    VectorXd s[3] = {given[0], given[1], given[2]};
    inverse_dynamics(model, workspace, s[0], s[1], s[2], s[i]);
    EXPECT_EQ(s[i], forces) << "inverse dynamics into input " << i;
    s[i] = given[i];
    forward_dynamics(model, workspace, s[0], s[1], s[2], s[i]);
    EXPECT_EQ(s[i], qdd) << "forward dynamics into input " << i;
    s[i] = given[i];
    forward_dynamics_cholesky(model, workspace, s[0], s[1], s[2], s[i]);
    EXPECT_EQ(s[i], cholesky) << "Cholesky into input " << i;
  }
  const auto joints = static_cast<Index>(model.joint_count());
  VectorXd tau(joints), amplitudes(given[0].size() - joints);
  joint_torques(model, workspace, given[0], given[1], given[2].head(joints), tau, amplitudes);
  VectorXd qd = given[1], both = given[2];
  joint_torques(model, workspace, given[0], qd, given[2].head(joints), qd.head(joints),
                qd.tail(amplitudes.size()));
  EXPECT_EQ(qd.head(joints), tau);
  joint_torques(model, workspace, given[0], given[1], both.head(joints), both.head(joints),
                both.tail(amplitudes.size()));
  EXPECT_EQ(both.head(joints), tau);
  EXPECT_EQ(both.tail(amplitudes.size()), amplitudes);
}

class AliasedBatches : public testing::Test {
 protected:
  static constexpr Index n = 6, states = 21;
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace{model, {.threads = 2}};
  const MatrixXd q = VectorXd::LinSpaced(n * states, -1.0, 1.0).reshaped(n, states);
  const MatrixXd qd = VectorXd::LinSpaced(n * states, 2.0, -1.0).reshaped(n, states);
  const MatrixXd u = VectorXd::LinSpaced(n * states, -4.0, 3.0).reshaped(n, states);
};

TEST_F(AliasedBatches, OutputMayReplaceAnInput) {
  MatrixXd tau(n, states), inverse = u, forward = u;
  batch::inverse_dynamics(model, workspace, q, qd, u, tau);
  batch::inverse_dynamics(model, workspace, q, qd, inverse, inverse);
  EXPECT_EQ(inverse, tau);
  batch::forward_dynamics(model, workspace, q, qd, u, tau);
  batch::forward_dynamics(model, workspace, q, qd, forward, forward);
  EXPECT_EQ(forward, tau);
  // blocks of one matrix: their columns alternate in memory
  MatrixXd all(4 * n, states);
  all << q, qd, u, u;
  batch::forward_dynamics(model, workspace, all.topRows(n), all.middleRows(n, n),
                          all.middleRows(2 * n, n), all.bottomRows(n));
  EXPECT_EQ(all.bottomRows(n), tau);
  EXPECT_EQ(all.middleRows(2 * n, n), u);
}

TEST_F(AliasedBatches, OutputThatReplacesAnInputHasResultsOfLargeAngles) {
  MatrixXd far = q;
  far(2, 4) = 1e12;
  MatrixXd tau(n, states), in_place = u;
  batch::inverse_dynamics(model, workspace, far, qd, u, tau);
  batch::inverse_dynamics(model, workspace, far, qd, in_place, in_place);
  EXPECT_EQ(in_place, tau);
  in_place = far;
  batch::inverse_dynamics(model, workspace, in_place, qd, u, in_place);
  EXPECT_EQ(in_place, tau);
}

TEST_F(AliasedBatches, OtherOverlapsAreNamed) {
  std::vector<double> buffer(4 * n * states);
  const auto rows = [&](Index first, Index stride) {
    return Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>(buffer.data() + first, n, states,
                                                         Eigen::OuterStride<>(stride));
  };
  const auto refusal = [&](auto input, auto output) {
    return argument_error([&] { batch::inverse_dynamics(model, workspace, q, qd, input, output); });
  };
  // shifted by one state, by half a state, and with another stride
  EXPECT_THAT(refusal(rows(0, n), rows(n, n)), HasSubstr("qdd and tau overlap"));
  EXPECT_THAT(refusal(rows(n, n), rows(0, n)), HasSubstr("qdd and tau overlap"));
  EXPECT_THAT(refusal(rows(0, 2 * n), rows(3, 2 * n)), HasSubstr("qdd and tau overlap"));
  EXPECT_THAT(refusal(rows(0, 2 * n), rows(0, n)), HasSubstr("qdd and tau overlap"));
  EXPECT_THAT(refusal(rows(0, n), rows(0, 2 * n)), HasSubstr("qdd and tau overlap"));
  EXPECT_THAT(refusal(rows(0, 0), rows(0, n)), HasSubstr("qdd and tau overlap"));
  EXPECT_EQ(refusal(rows(0, 2 * n), rows(n, 2 * n)), "accepted");
  EXPECT_EQ(refusal(rows(0, n), rows(n * states, n)), "accepted");
  std::vector<double> matrices(n * n * states);
  EXPECT_THAT(argument_error([&] {
                batch::inverse_dynamics_derivatives(model, workspace, q, qd, u, matrices, matrices);
              }),
              HasSubstr("tau_by_q and tau_by_qd overlap"));
  EXPECT_THAT(argument_error([&] {
                batch::inertia_matrix(model, workspace, ConstBatch(matrices.data(), n * states),
                                      matrices);
              }),
              HasSubstr("q and M overlap"));
}

}  // namespace
}  // namespace dynamics
