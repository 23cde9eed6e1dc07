// SPDX-License-Identifier: Apache-2.0
// p = M qd and C^T qd against the matrices, and against differences of the kinetic energy.

#include "rigid/generalized_momentum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "model/tree.hpp"
#include "support/allocation_counter.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::relative;
using Scratch = std::vector<kernel::MomentumScratch<double>>;

/// A random state; floating joints stay away from a pitch of 90 degrees.
struct MovingState {
  MovingState(const Model& model, unsigned seed) {
    test::RandomRobot random(seed);
    q = random.vector(model.size(), 3.0);
    for (const std::size_t pitch : model.pitch_coordinates()) q[idx(pitch)] *= 0.4;
    qd = random.vector(model.size(), 2.0);
  }
  VectorXd q, qd;
};

/// The differences are relative to the sum of the absolute terms: those of single entries cancel.
void expect_products(const Model& model, unsigned seed) {
  SCOPED_TRACE(model.name() + ", seed " + std::to_string(seed));
  const Eigen::Index n = idx(model.size());
  Workspace workspace(model);
  const auto [q, qd] = MovingState(model, seed);
  MatrixXd M(n, n), C(n, n);
  VectorXd p = VectorXd::Constant(n, std::nan("")), rate = p;
  Scratch scratch(model.body_count());
  ASSERT_EQ(try_generalized_momentum(model, workspace, scratch, q, qd, p, rate), Status::ok);
  inertia_matrix(model, workspace, q, M);
  EXPECT_CLOSE("p = M qd", relative(p, VectorXd(M * qd)), 1e-12);
  for (const auto kind : {CoriolisKind::denoc, CoriolisKind::christoffel}) {
    coriolis_matrix(model, workspace, q, qd, C, kind);
    const double terms = max_abs(VectorXd(C.transpose().cwiseAbs() * qd.cwiseAbs()));
    EXPECT_CLOSE("C^T qd", relative(rate, VectorXd(C.transpose() * qd), terms), 1e-12);
  }
  const double kinetic = energy(model, workspace, q, qd).kinetic;
  EXPECT_CLOSE("2 T = p . qd", relative(p.dot(qd), 2.0 * kinetic, 0.0), 1e-12);
}

/// Independent of both recursions: dT/dq and dT/dqd by differences of the kinetic energy.
void expect_derivatives_of_energy(const Model& model, unsigned seed) {
  SCOPED_TRACE(model.name());
  const Eigen::Index n = idx(model.size());
  Workspace workspace(model);
  MovingState state(model, seed);
  VectorXd &q = state.q, &qd = state.qd;
  VectorXd p(n), rate(n), by_q(n), by_qd(n);
  Scratch scratch(model.body_count());
  ASSERT_EQ(try_generalized_momentum(model, workspace, scratch, q, qd, p, rate), Status::ok);
  const auto difference = [&](double& x) {
    const double at = x, step = 1e-5;
    x = at + step;
    const double above = energy(model, workspace, q, qd).kinetic;
    x = at - step;
    const double below = energy(model, workspace, q, qd).kinetic;
    x = at;
    return (above - below) / (2.0 * step);
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    by_q[i] = difference(q[i]);
    by_qd[i] = difference(qd[i]);
  }
  EXPECT_CLOSE("C^T qd = dT/dq", relative(rate, by_q, max_abs(p)), 1e-7);
  EXPECT_CLOSE("p = dT/dqd", relative(p, by_qd), 1e-7);
}

/// Arms, random trees with prismatic joints and rotors, with mimic joints, on a floating base.
std::vector<Model> moving_robots() {
  std::vector<Model> robots;
  for (const char* const name : {"puma", "stanford"})
    robots.push_back(model_from_dh(built_in_robot(name)));
  for (const char* const name : {"panda", "ur5e", "scara", "gripper", "humanoid"}) {
    robots.push_back(model_from_urdf_file(std::string(DYNAMICS_URDF_DIR) + "/" + name + ".urdf"));
  }
  test::RandomRobot random(31);
  for (std::size_t joints = 1; joints <= 24; ++joints) {
    RobotDescription tree = random.robot({.joints = joints,
                                          .branching = joints % 2 == 0 ? 0.5 : 0.0,
                                          .prismatic = 0.4,
                                          .fixed = 0.2,
                                          .rotors = 0.4,
                                          .aligned = joints % 3 == 0});
    robots.emplace_back(tree);
    robots.emplace_back(test::floating(tree));
    for (std::size_t i = 2; i < tree.joints.size(); i += 3) {
      if (tree.joints[i].type != JointType::fixed && tree.joints[0].type != JointType::fixed)
        tree.joints[i].mimic = Mimic{tree.joints[0].name, -0.7, 0.3};
    }
    robots.emplace_back(tree);
    robots.emplace_back(test::floating(tree));
  }
  return robots;
}

TEST(GeneralizedMomentum, IsTheProductsWithTheMatrices) {
  std::size_t mimics = 0, floating = 0, rotors = 0, prismatic = 0, branches = 0;
  unsigned seed = 0;
  for (const Model& model : moving_robots()) {
    for (int state = 0; state < 5; ++state) expect_products(model, ++seed);
    mimics += model.size() < model.body_count() ? 1U : 0U;
    floating += model.pitch_coordinates().empty() ? 0U : 1U;
    for (const TreeBody& body : model.tree()) {
      rotors += body.rotor_inertia > 0.0 ? 1U : 0U;
      prismatic += body.prismatic ? 1U : 0U;
      branches += body.has_nonadjacent_child ? 1U : 0U;
    }
  }
  EXPECT_GT(mimics, 10U);
  EXPECT_GT(floating, 10U);
  EXPECT_GT(rotors, 10U);
  EXPECT_GT(prismatic, 10U);
  EXPECT_GT(branches, 10U);
}

TEST(GeneralizedMomentum, AreTheDerivativesOfTheKineticEnergy) {
  unsigned seed = 100;
  for (const Model& model : moving_robots()) expect_derivatives_of_energy(model, ++seed);
}

TEST(GeneralizedMomentum, RefusesWhatDoesNotFit) {
  const Model model = model_from_dh(built_in_robot("puma"));
  Workspace workspace(model);
  Scratch scratch(6), few(5);
  const VectorXd six = VectorXd::Constant(6, 0.1), five = VectorXd::Zero(5);
  VectorXd bad = six, p(6), rate(6), small(5);
  bad[2] = std::nan("");
  p.setConstant(7.0);
  const auto run = [&](const VectorXd& q, const VectorXd& qd, VectorXd& out, VectorXd& other) {
    return try_generalized_momentum(model, workspace, scratch, q, qd, out, other);
  };
  EXPECT_EQ(run(five, six, p, rate), Status::wrong_size);
  EXPECT_EQ(run(six, five, p, rate), Status::wrong_size);
  EXPECT_EQ(run(six, six, small, rate), Status::wrong_size);
  EXPECT_EQ(run(six, six, p, small), Status::wrong_size);
  EXPECT_EQ(run(bad, six, p, rate), Status::not_finite);
  EXPECT_EQ(run(six, bad, p, rate), Status::not_finite);
  EXPECT_EQ(run(six, six, p, p), Status::shared_memory);
  EXPECT_EQ(try_generalized_momentum(model, workspace, few, six, six, p, rate), Status::wrong_size);
  EXPECT_EQ(p, VectorXd::Constant(6, 7.0)) << "nothing was written";
  // the results may replace q and qd
  VectorXd q = six, qd = six;
  ASSERT_EQ(run(six, six, p, rate), Status::ok);
  ASSERT_EQ(run(q, qd, q, qd), Status::ok);
  EXPECT_EQ(q, p);
  EXPECT_EQ(qd, rate);
}

TEST(GeneralizedMomentum, NothingIsAllocated) {
  if (!test::allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted";
  for (const Model& model : moving_robots()) {
    Workspace workspace(model);
    const auto [q, qd] = MovingState(model, 1);
    VectorXd p(q.size()), rate(q.size());
    Scratch scratch(model.body_count());
    test::allocation_counter::start();
    const Status status = try_generalized_momentum(model, workspace, scratch, q, qd, p, rate);
    EXPECT_EQ(test::allocation_counter::stop(), 0U) << model.name();
    EXPECT_EQ(status, Status::ok);
  }
}

}  // namespace
}  // namespace dynamics
