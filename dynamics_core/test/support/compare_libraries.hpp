// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares a Model read from a URDF with KDL and MuJoCo on the same text: M, C qd, g, inverse and
// forward dynamics, and the pose and the Jacobian of each link. For KDL the tests have a reader
// (kdl_urdf.hpp, including rotors, friction and mimic joints); MuJoCo reads the text itself (rigid
// bodies only).

#include <Eigen/Cholesky>
#include <string>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#ifdef DYNAMICS_TEST_KDL
#include "support/kdl_tree.hpp"
#include "support/kdl_urdf.hpp"
#endif
#ifdef DYNAMICS_TEST_MUJOCO
#include "support/mujoco_urdf.hpp"
#endif

namespace dynamics::test {

/// A random state away from the singularity of floating joints.
struct RandomState {
  Eigen::VectorXd q, qd, qdd;

  RandomState(const Model& model, RandomRobot& random)
      : q(random.vector(model.size(), 3.0)),
        qd(random.vector(model.size(), 2.0)),
        qdd(random.vector(model.size(), 5.0)) {
    for (const std::size_t pitch : model.pitch_coordinates()) q[idx(pitch)] *= 0.4;
  }
};

/// Results of the other library in the model's coordinates.
struct ReferenceResults {
  Eigen::MatrixXd M;
  Eigen::VectorXd coriolis, gravity, tau, qdd;
};

/// Compares the results at a state; forward dynamics is computed for `expected.tau`.
inline void expect_results(const Model& model, const RandomState& state,
                           const ReferenceResults& expected, const ExternalInputs& external,
                           const std::string& by, double tolerance) {
  Workspace workspace(model);
  const auto n = idx(model.size());
  Eigen::MatrixXd M(n, n), C(n, n);
  Eigen::VectorXd g(n), tau(n), qdd(n);
  inertia_matrix(model, workspace, state.q, M);
  EXPECT_CLOSE("M, " + by, relative(M, expected.M), tolerance);
  // relative to the terms of the sum, which may cancel
  const double scale = expected.M.cwiseAbs().maxCoeff() * state.qd.squaredNorm();
  for (const auto kind : {CoriolisKind::denoc, CoriolisKind::christoffel}) {
    coriolis_matrix(model, workspace, state.q, state.qd, C, kind);
    EXPECT_CLOSE("C qd, " + by, relative(C * state.qd, expected.coriolis, scale), tolerance);
  }
  gravity_forces(model, workspace, state.q, g);
  EXPECT_CLOSE("g, " + by, relative(g, expected.gravity, model.total_mass()), tolerance);
  inverse_dynamics(model, workspace, state.q, state.qd, state.qdd, tau, external);
  EXPECT_CLOSE("inverse dynamics, " + by, relative(tau, expected.tau), tolerance);
  forward_dynamics(model, workspace, state.q, state.qd, expected.tau, qdd, external);
  EXPECT_CLOSE("forward dynamics, " + by, relative(qdd, expected.qdd), tolerance);
}

inline void expect_frame(const Model& model, const Eigen::VectorXd& q, const std::string& link,
                         const Eigen::Vector3d& position, const Eigen::MatrixXd& expected,
                         const std::string& by, double tolerance) {
  Workspace workspace(model);
  const std::size_t frame = model.frame(link);
  Eigen::MatrixXd J(6, idx(model.size()));
  jacobian(model, workspace, q, frame, Axes::local_world_aligned, J);
  EXPECT_CLOSE("Jacobians, " + by, relative(J, expected, 1.0), tolerance) << link;
  EXPECT_CLOSE("positions, " + by,
               relative(frame_pose(model, workspace, q, frame).translation, position, 1.0),
               tolerance)
      << link;
}

#ifdef DYNAMICS_TEST_KDL
inline void expect_matches_kdl(const Model& model, const std::string& text,
                               double friction_velocity, RandomRobot& random, int states,
                               double tolerance) {
  const KdlUrdf other(text);
  ASSERT_EQ(model.body_count(), other.degrees().size());
  ASSERT_EQ(model.frames().size(), other.frames().size());
  const auto [G, b] = other.couplings(model.coordinate_names());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(G.rows());
  const Eigen::Vector3d none = Eigen::Vector3d::Zero(), gravity = model.gravity();
  Eigen::VectorXd rotors(G.rows());
  for (std::size_t i = 0; i < other.degrees().size(); ++i) {
    rotors[idx(i)] = other.degrees()[i].rotor;
  }
  for (int k = 0; k < states; ++k) {
    const RandomState state(model, random);
    const Eigen::VectorXd q = G * state.q + b, qd = G * state.qd, qdd = G * state.qdd;
    ReferenceResults expected;
    expected.M = G.transpose() * other.inertia_matrix(q) * G;
    expected.coriolis = G.transpose() * other.inverse(q, qd, zero, none);
    expected.gravity = G.transpose() * other.inverse(q, zero, zero, gravity);
    const Eigen::VectorXd friction = G.transpose() * other.friction(qd, friction_velocity);
    expected.tau =
        G.transpose() * (other.inverse(q, qd, qdd, gravity) + rotors.cwiseProduct(qdd)) + friction;
    expected.qdd =
        expected.M.ldlt().solve(expected.tau - friction - expected.coriolis - expected.gravity);
    expect_results(model, state, expected, {}, "KDL", tolerance);
    for (const std::string& link : other.frames()) {
      expect_frame(model, state.q, link, from_kdl(other.pose(q, link).p),
                   other.jacobian(q, link) * G, "KDL", tolerance);
    }
    if (testing::Test::HasFailure()) return;
  }
}
#endif

#ifdef DYNAMICS_TEST_MUJOCO
/// MuJoCo ignores mimic couplings. Its joint positions are G q + b, in its own order.
inline void expect_matches_mujoco(const Model& model, const std::string& text, RandomRobot& random,
                                  int states, double tolerance) {
  MujocoUrdf other(text, model.gravity());
  ASSERT_EQ(idx(model.body_count()), other.size());
  std::vector<std::string> names;
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(other.size(), idx(model.size()));
  Eigen::VectorXd b(other.size());
  for (const Body& body : model.bodies()) names.push_back(body.joint);
  const std::vector<Eigen::Index> order = other.order(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Body& body = model.bodies()[i];
    G(order[i], idx(body.coordinate)) = body.multiplier;
    b[order[i]] = body.offset;
  }
  ExternalInputs external;
  external.friction = false;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(other.size());
  for (int k = 0; k < states; ++k) {
    const RandomState state(model, random);
    const Eigen::VectorXd q = G * state.q + b;
    ReferenceResults expected;
    other.set_state(q, zero);
    expected.gravity = G.transpose() * other.inverse(zero);
    expected.M = G.transpose() * other.inertia_matrix() * G;
    other.set_state(q, G * state.qd);
    const Eigen::VectorXd bias = G.transpose() * other.inverse(zero);
    expected.coriolis = bias - expected.gravity;
    expected.tau = G.transpose() * other.inverse(G * state.qdd);
    expected.qdd = G.cols() == G.rows()
                       ? Eigen::VectorXd(G.transpose() * other.forward(G * expected.tau))
                       : Eigen::VectorXd(expected.M.ldlt().solve(expected.tau - bias));
    expect_results(model, state, expected, external, "MuJoCo", tolerance);
    for (const Frame& frame : model.frames()) {
      if (frame.name == model.base_link()) continue;
      expect_frame(model, state.q, frame.name, other.position(frame.name),
                   other.jacobian(frame.name) * G, "MuJoCo", tolerance);
    }
    if (testing::Test::HasFailure()) return;
  }
}
#endif

}  // namespace dynamics::test
