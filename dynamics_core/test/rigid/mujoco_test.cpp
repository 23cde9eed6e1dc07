// SPDX-License-Identifier: Apache-2.0
// Against MuJoCo: inverse and forward dynamics, inertia matrix with rotors, damping, energies,
// poses, wrenches on links, the wrenches that joints transmit.

#include <gtest/gtest.h>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/mujoco_model.hpp"
#include "support/sample_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;
using test::relative;

constexpr double bar = 1e-11;

class Mujoco : public testing::TestWithParam<test::Sample> {
 protected:
  static constexpr int states = 20;
  test::RandomRobot random{GetParam().seed + 200};
  Model model = GetParam().model();
  Workspace workspace{model};
  std::size_t n = model.size();
  test::MujocoModel other{GetParam().description, GetParam().gravity};
  std::vector<int> order = other.order(model.coordinate_names());
  VectorXd q, qd, qdd;

  void draw() {
    q = random.vector(n, 3.0);
    if (n == 6 && model.pitch_coordinates().size() == 1) q[4] = random.uniform(-1.2, 1.2);
    qd = random.vector(n, 2.0);
    qdd = random.vector(n, 5.0);
    other.set_state(q, qd, order);
  }
  /// Wrenches on a few links, given to both.
  std::vector<LinkWrench> push() {
    std::vector<LinkWrench> wrenches;
    for (std::size_t f = 1; f < model.frames().size(); f += 3) {
      const Wrench wrench{random.vector3(5.0), random.vector3(20.0)};
      wrenches.push_back({f, wrench, Axes::local_world_aligned});
      // MuJoCo's act at the body's mass center
      const int body = other.body(model.frames()[f].name);
      const Vector3d arm = other.position(body) - other.center(body);
      Eigen::Map<Vector3d>(other.data()->xfrc_applied + 6 * body) = wrench.force;
      Eigen::Map<Vector3d>(other.data()->xfrc_applied + 6 * body + 3) =
          wrench.moment + arm.cross(wrench.force);
    }
    return wrenches;
  }
};

TEST_P(Mujoco, InverseDynamics) {
  ASSERT_EQ(idx(n), other.size());
  for (int state = 0; state < states; ++state) {
    draw();
    VectorXd tau(idx(n));
    inverse_dynamics(model, workspace, q, qd, qdd, tau);
    EXPECT_CLOSE("inverse dynamics, mj_inverse", relative(tau, other.inverse(qdd, order)), bar);
  }
}

TEST_P(Mujoco, InertiaMatrixEnergiesAndPoses) {
  for (int state = 0; state < states; ++state) {
    draw();
    other.forward(VectorXd::Zero(idx(n)), order);
    MatrixXd M(idx(n), idx(n));
    inertia_matrix(model, workspace, q, M);
    EXPECT_CLOSE("inertia matrix, mj_fullM", relative(M, other.inertia_matrix(order)), bar);
    const Energy now = energy(model, workspace, q, qd);
    EXPECT_CLOSE("kinetic energy", relative(now.kinetic, other.data()->energy[1], 0.0), bar);
    EXPECT_CLOSE("potential energy", relative(now.potential, other.data()->energy[0], 10.0), bar);
    const Momentum total = momentum(model, workspace, q, qd);
    mj_subtreeVel(other.model(), other.data());
    EXPECT_CLOSE("mass center",
                 relative(total.center, Eigen::Map<Vector3d>(other.data()->subtree_com), 1.0), bar);
    // the root bodies' subtrees are all that moves: mj_jacSubtreeCom of the world
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> theirs(3, idx(n));
    mj_jacSubtreeCom(other.model(), other.data(), theirs.data(), 0);
    MatrixXd expected(3, idx(n)), J(3, idx(n));
    for (std::size_t i = 0; i < n; ++i) expected.col(idx(i)) = theirs.col(order[i]);
    center_of_mass_jacobian(model, workspace, q, J);
    EXPECT_CLOSE("Jacobian of the center of mass, mj_jacSubtreeCom", relative(J, expected), bar);
    EXPECT_CLOSE("linear momentum",
                 relative(total.linear,
                          Vector3d(total.mass * Eigen::Map<Vector3d>(other.data()->subtree_linvel)),
                          total.mass),
                 bar);
    EXPECT_CLOSE(
        "angular momentum",
        relative(total.angular, Eigen::Map<Vector3d>(other.data()->subtree_angmom), total.mass),
        bar);
    for (std::size_t f = 1; f < model.frames().size(); ++f) {
      const int body = other.body(model.frames()[f].name);
      const Pose pose = frame_pose(model, workspace, q, f);
      EXPECT_CLOSE("frame positions", relative(pose.translation, other.position(body), 1.0), bar);
      EXPECT_CLOSE("frame rotations", relative(pose.rotation, other.rotation(body)), bar);
    }
  }
}

TEST_P(Mujoco, ForwardDynamicsWithWrenches) {
  for (int state = 0; state < states; ++state) {
    draw();
    mj_kinematics(other.model(), other.data());
    mj_comPos(other.model(), other.data());
    const std::vector<LinkWrench> wrenches = push();
    ExternalInputs external;
    external.wrenches = wrenches;
    // torques of a motion rather than random ones: those would fling the light links about
    VectorXd tau(idx(n)), accelerations(idx(n)), again(idx(n));
    inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
    tau += random.vector(n, 1.0);
    forward_dynamics(model, workspace, q, qd, tau, accelerations, external);
    const VectorXd expected = other.forward(tau, order);
    // limited by round-off of the forces times the condition of M
    EXPECT_CLOSE("qdd, mj_forward", relative(accelerations, expected), 1e-8);
    // MuJoCo's accelerations need our torques
    inverse_dynamics(model, workspace, q, qd, expected, again, external);
    EXPECT_CLOSE("tau of MuJoCo's qdd", relative(again, tau), bar);
  }
}

TEST_P(Mujoco, WrenchesThroughJoints) {
  for (int state = 0; state < states; ++state) {
    draw();
    mj_kinematics(other.model(), other.data());
    mj_comPos(other.model(), other.data());
    const std::vector<LinkWrench> pushes = push();
    ExternalInputs external;
    external.wrenches = pushes;
    VectorXd tau(idx(n));
    std::vector<Wrench> wrenches(model.body_count());
    inverse_dynamics(model, workspace, q, qd, qdd, tau, wrenches, external);
    other.inverse(qdd, order);
    mj_rnePostConstraint(other.model(), other.data());
    for (std::size_t i = 0; i < model.body_count(); ++i) {
      const std::string& link = model.bodies()[i].link;
      if (link.empty()) continue;
      const int body = other.body(link);
      // in the world's axes, about the mass center of the whole tree that hangs on the world there
      const mjtNum* six = other.data()->cfrc_int + 6 * body;
      const Vector3d force = Eigen::Map<const Vector3d>(six + 3);
      const Vector3d about = Eigen::Map<const Vector3d>(other.data()->subtree_com +
                                                        3 * other.model()->body_rootid[body]);
      const Vector3d arm = about - other.position(body);
      const Vector3d moment = Eigen::Map<const Vector3d>(six) + arm.cross(force);
      const Eigen::Matrix3d R = other.rotation(body);
      const double scale = force.norm() * arm.norm();
      EXPECT_CLOSE("joint forces, cfrc_int", relative(R * wrenches[i].force, force, 1.0), bar);
      EXPECT_CLOSE("joint moments, cfrc_int", relative(R * wrenches[i].moment, moment, scale), bar);
    }
  }
}

/// A free-flying and a driving robot: MuJoCo composes slides and hinges on one body.
std::vector<test::Sample> floating_robots() {
  std::vector<test::Sample> samples;
  for (const JointType type : {JointType::floating, JointType::planar}) {
    for (const std::size_t joints : {0U, 1U, 8U, 30U}) {
      const unsigned seed = 900 + static_cast<unsigned>(samples.size());
      test::RandomRobot random(seed);
      RobotDescription robot = random.robot({.joints = joints, .branching = 0.4, .fixed = 0.2});
      JointDescription base;
      base.name = "base_joint";
      base.type = type;
      base.parent = "world";
      base.child = "base";
      base.axis = Vector3d::UnitZ();
      base.origin = {random.rotation(), random.vector3(1.0)};
      base.damping = 0.3;
      robot.joints.push_back(base);
      robot.links.push_back({"world", std::nullopt, {}, {}, std::nullopt});
      samples.push_back({fmt::format("{}{}", to_string(type), joints), std::move(robot),
                         random.vector3(10.0), seed, false});
    }
  }
  return samples;
}

INSTANTIATE_TEST_SUITE_P(Robots, Mujoco, testing::ValuesIn(test::sample_robots(true)),
                         [](const auto& robot) { return robot.param.name; });
INSTANTIATE_TEST_SUITE_P(Floating, Mujoco, testing::ValuesIn(floating_robots()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace dynamics
