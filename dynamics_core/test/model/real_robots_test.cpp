// SPDX-License-Identifier: Apache-2.0
// URDFs of real robots, which are not part of this project: from the folder that the environment
// variable DYNAMICS_ROBOTS_DIR names, else from shared/robots beside the repository. They are
// loaded, what was merged, warned of or refused is printed, and the dynamics compared with MuJoCo
// and KDL.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "dynamics_core/model/from_urdf.hpp"
#include "dynamics_core/rigid/forward_dynamics.hpp"
#include "dynamics_core/rigid/inertia_matrix.hpp"
#include "dynamics_core/rigid/inverse_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#ifdef DYNAMICS_TEST_KDL
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "support/kdl_tree.hpp"
#endif
#ifdef DYNAMICS_TEST_MUJOCO
#include "support/mujoco_model.hpp"
#endif

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;
using test::relative;

constexpr double bar = 1e-10;

std::filesystem::path robots_folder() {
  if (const char* given = std::getenv("DYNAMICS_ROBOTS_DIR")) return given;
  return DYNAMICS_DEFAULT_ROBOTS_DIR;
}

/// Replaces tensors that no body has (by the triangle inequality) by ones that MuJoCo accepts.
[[maybe_unused]] void make_possible(RobotDescription& robot) {
  for (LinkDescription& link : robot.links) {
    if (!link.inertial) continue;
    Eigen::Matrix3d& inertia = link.inertial->inertia;
    const Eigen::Vector3d moments =
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly)
            .eigenvalues();
    if (moments[0] + moments[1] < moments[2]) {
      inertia = inertia.trace() / 3.0 * Eigen::Matrix3d::Identity();
    }
  }
}

class RealRobot : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto file = robots_folder() / (GetParam() + ".urdf");
    if (!std::filesystem::exists(file)) {
      GTEST_SKIP() << "no " << GetParam()
                   << ".urdf: set DYNAMICS_ROBOTS_DIR to a folder of real robots' URDFs";
    }
    model.emplace(model_from_urdf_file(file.string()));
    workspace.emplace(*model);
    n = model->size();
    // joint = G coordinate + offset
    G = MatrixXd::Zero(idx(model->body_count()), idx(n));
    offset = VectorXd::Zero(idx(model->body_count()));
    for (std::size_t i = 0; i < model->body_count(); ++i) {
      const Body& body = model->bodies()[i];
      G(idx(i), idx(body.coordinate)) = body.multiplier;
      offset[idx(i)] = body.offset;
      joints.push_back(body.joint);
    }
    plain = model->description();
    for (JointDescription& joint : plain.joints) {
      joint.damping = joint.friction = 0.0;
      joint.mimic.reset();
    }
    conditions.friction = false;
  }

  void draw() {
    q = random.vector(n, 2.0);
    qd = random.vector(n, 2.0);
    qdd = random.vector(n, 5.0);
  }

  test::RandomRobot random{17};
  std::optional<Model> model;
  std::optional<Workspace> workspace;
  std::size_t n = 0;
  MatrixXd G;
  VectorXd offset;
  std::vector<std::string> joints;
  RobotDescription plain;  ///< without friction and couplings
  Conditions conditions;
  VectorXd q, qd, qdd;
};

TEST_P(RealRobot, Loads) {
  std::printf("%s: %zu coordinates, %zu moving joints, %zu frames, %.6g kg\n",
              model->name().c_str(), n, model->body_count(), model->frames().size(),
              model->total_mass());
  for (const Note& note : model->notes()) {
    std::printf("  %s: %s %s\n",
                note.severity == Note::Severity::warning ? "warning" : "information",
                note.element.c_str(), note.message.c_str());
  }
  if (!model->singular_reason().empty()) {
    std::printf("  forward dynamics refused: %s\n", model->singular_reason().c_str());
  }
  double mass = 0.0;
  for (const LinkDescription& link : model->description().links) {
    if (link.inertial) mass += link.inertial->mass;
  }
  EXPECT_NEAR(model->total_mass(), mass, 1e-12 * mass);
  EXPECT_EQ(model->frames().size(), model->description().links.size());
}

TEST_P(RealRobot, InverseAfterForwardDynamics) {
  draw();
  VectorXd tau(idx(n)), back(idx(n)), again(idx(n));
  inverse_dynamics(*model, *workspace, q, qd, qdd, tau);
  if (!model->singular_reason().empty()) {
    EXPECT_THROW(forward_dynamics(*model, *workspace, q, qd, tau, back), ModelError);
    GTEST_SKIP() << model->singular_reason();
  }
  forward_dynamics(*model, *workspace, q, qd, tau, back);
  inverse_dynamics(*model, *workspace, q, qd, back, again);
  EXPECT_CLOSE("inverse after forward dynamics", relative(again, tau), 1e-9);
}

TEST_P(RealRobot, AgreesWithKdl) {
#ifdef DYNAMICS_TEST_KDL
  const KDL::Tree tree = test::kdl_tree(plain);
  KDL::TreeIdSolver_RNE solver(tree, test::to_kdl(model->gravity()));
  std::vector<unsigned> place(joints.size());
  for (const auto& [name, element] : tree.getSegments()) {
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (element.segment.getJoint().getName() == joints[i]) place[i] = element.q_nr;
    }
  }
  for (int state = 0; state < 20; ++state) {
    draw();
    const VectorXd all[] = {G * q + offset, G * qd, G * qdd};
    KDL::JntArray in[3], torques(tree.getNrOfJoints());
    for (int k = 0; k < 3; ++k) {
      in[k].resize(tree.getNrOfJoints());
      for (std::size_t i = 0; i < joints.size(); ++i) in[k](place[i]) = all[k][idx(i)];
    }
    ASSERT_EQ(solver.CartToJnt(in[0], in[1], in[2], {}, torques), 0);
    VectorXd each(idx(joints.size())), tau(idx(n));
    for (std::size_t i = 0; i < joints.size(); ++i) each[idx(i)] = torques(place[i]);
    inverse_dynamics(*model, *workspace, q, qd, qdd, tau, conditions);
    EXPECT_CLOSE("inverse dynamics, KDL, " + GetParam(), relative(tau, G.transpose() * each), bar);
    if (!model->singular_reason().empty()) continue;
    VectorXd back(idx(n));
    forward_dynamics(*model, *workspace, q, qd, VectorXd(G.transpose() * each), back, conditions);
    EXPECT_CLOSE("qdd of KDL's torques, " + GetParam(), relative(back, qdd), 1e-8);
  }
#else
  GTEST_SKIP() << "KDL is not installed";
#endif
}

TEST_P(RealRobot, AgreesWithMujoco) {
#ifdef DYNAMICS_TEST_MUJOCO
  std::optional<test::MujocoModel> other;
  try {
    other.emplace(plain, model->gravity());
  } catch (const std::runtime_error& error) {
    std::printf(
        "MuJoCo does not accept %s (%s): compared with its impossible inertias made those "
        "of balls, on both sides\n",
        GetParam().c_str(), error.what());
    RobotDescription possible = model->description();
    make_possible(possible);
    make_possible(plain);
    model.emplace(possible);
    other.emplace(plain, model->gravity());
  }
  const std::vector<int> order = other->order(joints);
  const VectorXd still = VectorXd::Zero(idx(joints.size()));
  for (int state = 0; state < 20; ++state) {
    draw();
    other->set_state(G * q + offset, G * qd, order);
    VectorXd tau(idx(n)), accelerations(idx(n));
    MatrixXd M(idx(n), idx(n));
    inverse_dynamics(*model, *workspace, q, qd, qdd, tau, conditions);
    EXPECT_CLOSE("inverse dynamics, MuJoCo, " + GetParam(),
                 relative(tau, G.transpose() * other->inverse(G * qdd, order)), bar);
    inertia_matrix(*model, *workspace, q, M);
    const MatrixXd expected_M = G.transpose() * other->inertia_matrix(order) * G;
    EXPECT_CLOSE("inertia matrix, MuJoCo, " + GetParam(), relative(M, expected_M), bar);
    if (!model->singular_reason().empty()) continue;
    const VectorXd bias = G.transpose() * other->inverse(still, order);
    const VectorXd expected = Eigen::LLT<MatrixXd>(expected_M).solve(tau - bias);
    forward_dynamics(*model, *workspace, q, qd, tau, accelerations, conditions);
    EXPECT_CLOSE("forward dynamics, MuJoCo, " + GetParam(), relative(accelerations, expected),
                 1e-8);
    if (!model->plain()) continue;
    EXPECT_CLOSE("forward dynamics, mj_forward, " + GetParam(),
                 relative(accelerations, other->forward(tau, order)), 1e-8);
  }
#else
  GTEST_SKIP() << "MuJoCo is not installed";
#endif
}

INSTANTIATE_TEST_SUITE_P(Urdfs, RealRobot,
                         testing::Values("ur5_robot", "panda", "kinova", "tiago_no_hand",
                                         "talos_reduced"),
                         [](const auto& robot) { return robot.param; });

}  // namespace
}  // namespace dynamics
