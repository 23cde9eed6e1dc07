// SPDX-License-Identifier: Apache-2.0
// Against KDL: inverse dynamics of chains and trees, inertia matrix, Coriolis and gravity forces,
// poses, Jacobians and inverse kinematics.

#include <gtest/gtest.h>

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/kdl_tree.hpp"
#include "support/sample_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::relative;

// KDL and this library both work in doubles: what is left is round-off, which grows with the chain
constexpr double bar = 1e-12;

class Kdl : public testing::TestWithParam<test::Sample> {
 protected:
  static constexpr int states = 20;
  test::RandomRobot random{GetParam().seed + 100};
  Model model = GetParam().model();
  Workspace workspace{model};
  std::size_t n = model.size();
  VectorXd q, qd, qdd;
  KDL::Tree tree = test::kdl_tree(GetParam().description);
  KDL::Vector gravity = test::to_kdl(GetParam().gravity);

  void draw() {
    q = random.vector(n, 3.0);
    qd = random.vector(n, 2.0);
    qdd = random.vector(n, 5.0);
  }

  /// Our vector in the order of KDL's tree.
  KDL::JntArray to_tree(const VectorXd& v) const {
    KDL::JntArray result(tree.getNrOfJoints());
    for (const auto& [name, element] : tree.getSegments()) {
      const auto& joint = element.segment.getJoint();
      if (joint.getType() == KDL::Joint::Fixed) continue;
      result(element.q_nr) = v[idx(model.coordinate(joint.getName()))];
    }
    return result;
  }
  VectorXd from_tree(const KDL::JntArray& v) const {
    VectorXd result(idx(n));
    for (const auto& [name, element] : tree.getSegments()) {
      const auto& joint = element.segment.getJoint();
      if (joint.getType() == KDL::Joint::Fixed) continue;
      result[idx(model.coordinate(joint.getName()))] = v(element.q_nr);
    }
    return result;
  }

  /// From the root to a link; and our coordinates of its joints in order.
  std::pair<KDL::Chain, std::vector<Eigen::Index>> chain_to(const std::string& link) const {
    KDL::Chain chain;
    if (!tree.getChain(model.base_link(), link, chain)) throw std::runtime_error("no such chain");
    std::vector<Eigen::Index> coordinates;
    for (const auto& segment : chain.segments) {
      if (segment.getJoint().getType() == KDL::Joint::Fixed) continue;
      coordinates.push_back(idx(model.coordinate(segment.getJoint().getName())));
    }
    return {chain, coordinates};
  }
};

/// KDL's solvers for chains
class KdlChain : public Kdl {};

KDL::JntArray pick(const VectorXd& v, const std::vector<Eigen::Index>& coordinates) {
  KDL::JntArray result(static_cast<unsigned>(coordinates.size()));
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    result(static_cast<unsigned>(i)) = v[coordinates[i]];
  }
  return result;
}

TEST_P(Kdl, TreeInverseDynamicsWithWrenches) {
  KDL::TreeIdSolver_RNE solver(tree, gravity);
  for (int state = 0; state < states; ++state) {
    draw();
    // the wrenches of every third link act in the link's axes, at its origin
    KDL::WrenchMap forces;
    std::vector<LinkWrench> wrenches;
    for (auto f = static_cast<std::size_t>(state % 3); f < model.frames().size(); f += 3) {
      if (state % 2 == 0 || model.frames()[f].name == model.base_link()) continue;
      const Wrench wrench{random.vector3(5.0), random.vector3(20.0)};
      wrenches.push_back({f, wrench, Axes::local});
      forces[model.frames()[f].name] =
          KDL::Wrench(test::to_kdl(wrench.force), test::to_kdl(wrench.moment));
    }
    KDL::JntArray torques(tree.getNrOfJoints());
    ASSERT_EQ(solver.CartToJnt(to_tree(q), to_tree(qd), to_tree(qdd), forces, torques), 0);
    ExternalInputs external;
    external.wrenches = wrenches;
    VectorXd tau(idx(n));
    inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
    EXPECT_CLOSE("inverse dynamics, TreeIdSolver_RNE", relative(tau, from_tree(torques)), bar);
  }
}

TEST_P(KdlChain, InverseDynamics) {
  const auto [chain, coordinates] = chain_to(model.frames()[model.end_effector()].name);
  KDL::ChainIdSolver_RNE solver(chain, gravity);
  const KDL::Wrenches nothing(chain.getNrOfSegments(), KDL::Wrench::Zero());
  for (int state = 0; state < states; ++state) {
    draw();
    KDL::JntArray torques(chain.getNrOfJoints());
    ASSERT_EQ(solver.CartToJnt(pick(q, coordinates), pick(qd, coordinates), pick(qdd, coordinates),
                               nothing, torques),
              0);
    VectorXd tau(idx(n));
    inverse_dynamics(model, workspace, q, qd, qdd, tau);
    EXPECT_CLOSE("inverse dynamics, ChainIdSolver_RNE", relative(tau, torques.data), bar);
  }
}

TEST_P(Kdl, ForwardDynamicsUndoesKdlsInverseDynamics) {
  KDL::TreeIdSolver_RNE solver(tree, gravity);
  draw();
  KDL::JntArray torques(tree.getNrOfJoints());
  ASSERT_EQ(solver.CartToJnt(to_tree(q), to_tree(qd), to_tree(qdd), {}, torques), 0);
  VectorXd back(idx(n));
  forward_dynamics(model, workspace, q, qd, from_tree(torques), back);
  // round-off of the torques times the condition number of M: see the identities' test
  EXPECT_CLOSE("qdd of KDL's torques", relative(back, qdd), 1e-8);
}

TEST_P(KdlChain, InertiaMatrixGravityAndCoriolis) {
  const auto [chain, coordinates] = chain_to(model.frames()[model.end_effector()].name);
  KDL::ChainDynParam solver(chain, gravity);
  for (int state = 0; state < states; ++state) {
    draw();
    const KDL::JntArray at = pick(q, coordinates), rate = pick(qd, coordinates);
    KDL::JntSpaceInertiaMatrix inertia(static_cast<int>(chain.getNrOfJoints()));
    KDL::JntArray coriolis(chain.getNrOfJoints()), weight(chain.getNrOfJoints());
    ASSERT_EQ(solver.JntToMass(at, inertia), 0);
    ASSERT_EQ(solver.JntToCoriolis(at, rate, coriolis), 0);
    ASSERT_EQ(solver.JntToGravity(at, weight), 0);
    MatrixXd M(idx(n), idx(n)), C(idx(n), idx(n));
    VectorXd g(idx(n));
    inertia_matrix(model, workspace, q, M);
    gravity_forces(model, workspace, q, g);
    EXPECT_CLOSE("inertia matrix", relative(M, inertia.data), bar);
    EXPECT_CLOSE("gravity forces", relative(g, weight.data, 1e-3), bar);
    for (const auto kind : {CoriolisKind::denoc, CoriolisKind::christoffel}) {
      coriolis_matrix(model, workspace, q, qd, C, kind);
      // where they cancel, or there are none: in the measure of what they come from
      const double scale = M.cwiseAbs().maxCoeff() * qd.squaredNorm();
      EXPECT_CLOSE("Coriolis forces", relative(C * qd, coriolis.data, scale), bar);
    }
  }
}

TEST_P(Kdl, PosesAndJacobiansOfEveryFrame) {
  draw();
  std::vector<Pose> poses(model.frames().size());
  frame_poses(model, workspace, q, poses);
  for (std::size_t f = 0; f < model.frames().size(); ++f) {
    const std::string& link = model.frames()[f].name;
    if (link == model.base_link()) continue;
    const auto [chain, coordinates] = chain_to(link);
    const KDL::JntArray at = pick(q, coordinates);
    KDL::Frame pose;
    KDL::ChainFkSolverPos_recursive positions(chain);
    ASSERT_EQ(positions.JntToCart(at, pose), 0);
    EXPECT_CLOSE("frame positions", relative(poses[f].translation, test::from_kdl(pose.p), 1.0),
                 bar);
    EXPECT_CLOSE("frame rotations", relative(poses[f].rotation, test::from_kdl(pose.M)), bar);
    if (coordinates.empty()) continue;
    KDL::Jacobian kdl_jacobian(chain.getNrOfJoints());
    KDL::ChainJntToJacSolver jacobians(chain);
    ASSERT_EQ(jacobians.JntToJac(at, kdl_jacobian), 0);
    MatrixXd expected = MatrixXd::Zero(6, idx(n)), J(6, idx(n));
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const auto column = kdl_jacobian.data.col(idx(i));  // linear first
      expected.col(coordinates[i]) << column.tail<3>(), column.head<3>();
    }
    jacobian(model, workspace, q, f, Axes::local_world_aligned, J);
    EXPECT_CLOSE("Jacobians", relative(J, expected), bar);
  }
}

TEST_P(KdlChain, PosesOfInverseKinematics) {
  // reachable poses and the check of the result are KDL's
  const std::size_t tip = model.end_effector();
  const auto [chain, coordinates] = chain_to(model.frames()[tip].name);
  KDL::ChainFkSolverPos_recursive solver(chain);
  const auto kdl_pose = [&, &to_coordinates = coordinates](const VectorXd& at) {
    KDL::Frame frame;
    EXPECT_EQ(solver.JntToCart(pick(at, to_coordinates), frame), 0);
    return Pose{test::from_kdl(frame.M), test::from_kdl(frame.p)};
  };
  for (int state = 0; state < states; ++state) {
    for (std::size_t i = 0; i < n; ++i) {
      const Coordinate& joint = model.coordinates()[i];
      const double low = std::max(joint.lower, -3.0), high = std::min(joint.upper, 3.0);
      q.resize(idx(n));
      q[idx(i)] = low + (high - low) * 0.5 * (1.0 + random.vector(1, 1.0)[0]);
    }
    const Pose target = kdl_pose(q);
    VectorXd found = VectorXd::Zero(idx(n));
    EXPECT_TRUE(inverse_kinematics(model, workspace, tip, target, found, found).reached);
    const Pose pose = kdl_pose(found);
    EXPECT_LT((pose.translation - target.translation).norm(), 1.1e-10 + bar);
    EXPECT_LT((pose.rotation - target.rotation).norm(), 2e-10);
  }
}

std::vector<test::Sample> chains() {
  std::vector<test::Sample> samples = test::sample_robots(false);
  std::erase_if(samples, [](const test::Sample& sample) { return !sample.chain; });
  return samples;
}

INSTANTIATE_TEST_SUITE_P(Robots, Kdl, testing::ValuesIn(test::sample_robots(false)),
                         [](const auto& robot) { return robot.param.name; });
INSTANTIATE_TEST_SUITE_P(Robots, KdlChain, testing::ValuesIn(chains()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace dynamics
