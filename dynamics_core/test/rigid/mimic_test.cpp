// SPDX-License-Identifier: Apache-2.0
// Mimic joints against the reduction by hand: the joints without their couplings, and q = G x + b.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <functional>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::body;
using test::idx;
using test::relative;
using test::RobotBuilder;
using testing::HasSubstr;

constexpr double bar = 1e-12;

/// The robot without couplings, and the couplings as a matrix.
struct Reduction {
  Model free;
  MatrixXd G;
  VectorXd b;

  static RobotDescription uncoupled(RobotDescription robot) {
    for (JointDescription& joint : robot.joints) joint.mimic.reset();
    return robot;
  }
  /// multiplier, offset and leading joint, followed through chains of mimics
  explicit Reduction(const Model& model) : free(uncoupled(model.description())) {
    G = MatrixXd::Zero(idx(free.size()), idx(model.size()));
    b = VectorXd::Zero(idx(free.size()));
    const auto find = [&](const std::string& name) -> const JointDescription& {
      for (const auto& joint : model.description().joints) {
        if (joint.name == name) return joint;
      }
      throw std::runtime_error("no joint " + name);
    };
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::string& name = free.coordinates()[i].name;
      const std::function<std::tuple<std::string, double, double>(const std::string&)> follow =
          [&](const std::string& joint) -> std::tuple<std::string, double, double> {
        if (model.find_coordinate(joint)) return {joint, 1.0, 0.0};
        const Mimic& mimic = *find(joint).mimic;
        const auto [leader, multiplier, offset] = follow(mimic.joint);
        return {leader, mimic.multiplier * multiplier, mimic.multiplier * offset + mimic.offset};
      };
      const auto [leader, multiplier, offset] = follow(name);
      G(idx(i), idx(model.coordinate(leader))) = multiplier;
      b[idx(i)] = offset;
    }
  }
};

void expect_reduction(const Model& model, unsigned seed) {
  const Reduction reduced(model);
  const MatrixXd& G = reduced.G;
  Workspace workspace(model), free_workspace(reduced.free);
  test::RandomRobot random(seed);
  const auto n = idx(model.size()), f = idx(reduced.free.size());
  ASSERT_LT(n, f);
  VectorXd x = random.vector(model.size(), 2.0);
  for (const std::size_t pitch : model.pitch_coordinates()) x[idx(pitch)] *= 0.5;
  const VectorXd xd = random.vector(model.size(), 2.0), xdd = random.vector(model.size(), 5.0);
  const VectorXd q = G * x + reduced.b, qd = G * xd, qdd = G * xdd;

  const std::size_t tip = model.end_effector();
  const LinkWrench push{tip, {random.vector3(5.0), random.vector3(5.0)}, Axes::local};
  LinkWrench free_push = push;
  free_push.frame = reduced.free.frame(model.frames()[tip].name);
  ExternalInputs external, free_conditions;
  external.wrenches = std::span(&push, 1);
  free_conditions.wrenches = std::span(&free_push, 1);

  MatrixXd M(n, n), free_M(f, f), C(n, n), free_C(f, f), inverse(n, n), U(n, n);
  VectorXd tau(n), free_tau(f), back(n), solution(n), d(n), g(n), free_g(f), h(n), free_h(f);
  inertia_matrix(model, workspace, x, M);
  inertia_matrix(reduced.free, free_workspace, q, free_M);
  const MatrixXd expected_M = G.transpose() * free_M * G;
  EXPECT_CLOSE("M = G^T M G", relative(M, expected_M), bar);
  for (const auto kind : {CoriolisKind::denoc, CoriolisKind::christoffel}) {
    coriolis_matrix(model, workspace, x, xd, C, kind);
    coriolis_matrix(reduced.free, free_workspace, q, qd, free_C, kind);
    EXPECT_CLOSE("C = G^T C G", relative(C, G.transpose() * free_C * G, M.maxCoeff()), bar);
  }
  inverse_dynamics(model, workspace, x, xd, xdd, tau, external);
  inverse_dynamics(reduced.free, free_workspace, q, qd, qdd, free_tau, free_conditions);
  EXPECT_CLOSE("tau = G^T tau", relative(tau, G.transpose() * free_tau), bar);
  gravity_forces(model, workspace, x, g);
  gravity_forces(reduced.free, free_workspace, q, free_g);
  EXPECT_CLOSE("g = G^T g", relative(g, G.transpose() * free_g, 1.0), bar);
  friction_forces(model, workspace, xd, h);
  friction_forces(reduced.free, free_workspace, qd, free_h);
  EXPECT_CLOSE("friction = G^T friction", relative(h, G.transpose() * free_h, 1e-3), bar);
  EXPECT_NEAR(power(model, workspace, xd, tau).friction,
              power(reduced.free, free_workspace, qd, free_tau).friction, 1e-12);
  const double kinetic = energy(reduced.free, free_workspace, q, qd).kinetic;
  EXPECT_NEAR(energy(model, workspace, x, xd).kinetic, kinetic, bar * kinetic);

  // forward dynamics against the dense solution of the reduced equations
  bias_forces(reduced.free, free_workspace, q, qd, free_h, free_conditions);
  const VectorXd right = tau - G.transpose() * free_h;
  const Eigen::LLT<MatrixXd> factor(expected_M);
  forward_dynamics(model, workspace, x, xd, tau, back, external);
  EXPECT_CLOSE("forward dynamics", relative(back, factor.solve(right)), 1e-9);
  EXPECT_CLOSE("forward after inverse dynamics", relative(back, xdd), 1e-9);
  solve_inertia(model, workspace, x, right, solution);
  EXPECT_CLOSE("solve_inertia", relative(solution, xdd), 1e-9);
  inverse_inertia_matrix(model, workspace, x, inverse);
  EXPECT_CLOSE("inverse", relative(inverse * expected_M, MatrixXd::Identity(n, n)), 1e-9);
  udut(model, workspace, x, U, d);
  EXPECT_CLOSE("U D U^T", relative(U * d.asDiagonal() * U.transpose(), expected_M), 1e-11);

  MatrixXd J(6, n), free_J(6, f), rate(6, n), free_rate(6, f);
  for (const Axes axes : {Axes::world, Axes::local, Axes::local_world_aligned}) {
    jacobian(model, workspace, x, tip, axes, J);
    jacobian(reduced.free, free_workspace, q, free_push.frame, axes, free_J);
    EXPECT_CLOSE("J = J G", relative(J, free_J * G), bar);
    jacobian_rate(model, workspace, x, xd, tip, axes, rate);
    jacobian_rate(reduced.free, free_workspace, q, qd, free_push.frame, axes, free_rate);
    EXPECT_CLOSE("J' = J' G", relative(rate, free_rate * G, 1.0), bar);
  }
}

/// A random tree with couplings between joints of the same kind, chained ones among them.
RobotDescription coupled(unsigned seed) {
  test::RandomRobot random(seed);
  RobotDescription robot = random.robot({.joints = 3 + seed % 12,
                                         .branching = 0.4,
                                         .prismatic = 0.2,
                                         .fixed = 0.2,
                                         .rotors = 0.3,
                                         .friction = 0.4});
  std::vector<JointDescription*> moving;
  for (JointDescription& joint : robot.joints) {
    if (joint.type != JointType::fixed) moving.push_back(&joint);
  }
  for (std::size_t i = 0; i < moving.size(); ++i) {
    if (i != 1 && !random.chance(0.3)) continue;
    // follows one of the others that does not follow it: an earlier one, or (i = 0) the last one
    const std::size_t leader = i == 0 ? moving.size() - 1 : random.index(i);
    if (i == 0 || moving[0]->mimic) continue;
    moving[i]->mimic =
        Mimic{moving[leader]->name, random.uniform(-2.0, 2.0), random.uniform(-1.0, 1.0)};
  }
  return robot;
}

class MimicTest : public testing::TestWithParam<unsigned> {};

TEST_P(MimicTest, IsTheReduction) { expect_reduction(Model(coupled(GetParam())), GetParam()); }

TEST_P(MimicTest, LeaderFurtherOutIsTheReduction) {
  // the first joint follows the last one
  RobotDescription robot = coupled(GetParam());
  std::vector<JointDescription*> moving;
  for (JointDescription& joint : robot.joints) {
    joint.mimic.reset();
    if (joint.type != JointType::fixed) moving.push_back(&joint);
  }
  moving.front()->mimic = Mimic{moving.back()->name, -0.7, 0.2};
  expect_reduction(Model(robot), GetParam());
}

TEST_P(MimicTest, OnAFloatingBaseIsTheReduction) {
  RobotDescription robot = coupled(GetParam());
  JointDescription drive;
  drive.name = "drive";
  drive.type = JointType::floating;
  drive.parent = "ground";
  drive.child = "base";
  robot.joints.push_back(drive);
  robot.links.push_back({"ground", std::nullopt, {}, {}, std::nullopt});
  expect_reduction(Model(robot), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Robots, MimicTest, testing::Range(1U, 41U));

/// A gripper: two fingers that slide apart, the second one following.
RobotBuilder gripper(std::optional<Inertial> leader, std::optional<Inertial> follower) {
  RobotBuilder robot;
  robot.add(JointType::continuous, "wrist", "base", "palm", Vector3d::UnitY(),
            body(1.0, {0.1, 0.0, 0.2}, {0.02, 0.02, 0.01}));
  robot.add(JointType::prismatic, "left", "palm", "left_finger", Vector3d::UnitX(), leader);
  robot.add(JointType::prismatic, "right", "palm", "right_finger", -Vector3d::UnitX(), follower);
  robot.joint().mimic = Mimic{"left", 1.0, 0.05};
  return robot;
}

TEST(Mimic, MasslessFollower) {
  const Model model(gripper(body(0.1, {0, 0, 0.1}, {1e-4, 1e-4, 1e-4}), std::nullopt));
  EXPECT_TRUE(model.has_massless_mimic());
  EXPECT_TRUE(model.singular_reason().empty()) << model.singular_reason();
  expect_reduction(model, 3);
}

TEST(Mimic, MasslessLeaderOfAFollowerWithMass) {
  // the coordinate moves the follower's mass
  const Model model(gripper(std::nullopt, body(0.1, {0, 0, 0.1}, {1e-4, 1e-4, 1e-4})));
  EXPECT_TRUE(model.singular_reason().empty()) << model.singular_reason();
  expect_reduction(model, 4);
}

TEST(Mimic, NoMassAtAllIsRefusedInForwardDynamicsOnly) {
  const Model model(gripper(std::nullopt, std::nullopt));
  Workspace workspace(model);
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  Eigen::Vector2d out(7.0, 7.0);
  try {
    forward_dynamics(model, workspace, zero, zero, zero, out);
    ADD_FAILURE() << "accepted";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr("joint 'left'"));
  }
  EXPECT_EQ(out, Eigen::Vector2d(7.0, 7.0));
  EXPECT_NO_THROW(inverse_dynamics(model, workspace, zero, zero, zero, out));
}

/// Wheels of 1 kg m^2 on one axis, each on the one before; the first `leaders` of them move by
/// themselves, each further one as the joint so many before it.
RobotDescription wheels(std::size_t count, std::size_t leaders) {
  RobotBuilder robot;
  std::string parent = "base";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "wheel" + std::to_string(i);
    robot.add(JointType::continuous, "j" + std::to_string(i), parent, name, Vector3d::UnitZ(),
              body(1.0, {0, 0, 0}, {1, 1, 1}));
    if (i >= leaders) robot.joint().mimic = Mimic{"j" + std::to_string(i - leaders), 1.0, 0.0};
    parent = name;
  }
  return robot;
}

TEST(Mimic, LongChainsOfFewCoordinatesAreTheReduction) {
  test::RandomRobot random(5);
  RobotDescription robot = random.robot({.joints = 60, .prismatic = 0.0, .friction = 0.3});
  for (std::size_t i = 2; i < robot.joints.size(); ++i) {
    robot.joints[i].mimic =
        Mimic{robot.joints[i - 2].name, i % 3 == 0 ? -1.0 : 0.9, random.uniform(-0.1, 0.1)};
  }
  const Model model(robot);
  ASSERT_EQ(model.size(), 2U);
  expect_reduction(model, 5);
}

TEST(Mimic, TwentyThousandInAChain) {
  const std::size_t count = 20'000;
  const Model model(wheels(count, 1));
  ASSERT_EQ(model.size(), 1U);
  Workspace workspace(model);
  const VectorXd q = VectorXd::Constant(1, 0.3), qd = VectorXd::Constant(1, 0.1),
                 tau = VectorXd::Constant(1, 1e9);
  VectorXd qdd(1), back(1);
  MatrixXd M(1, 1);
  inertia_matrix(model, workspace, q, M);
  // wheel i turns i + 1 times as fast as the joint
  const double n = count, expected = n * (n + 1.0) * (2.0 * n + 1.0) / 6.0;
  EXPECT_NEAR(M(0, 0) / expected, 1.0, 1e-12);
  forward_dynamics(model, workspace, q, qd, tau, qdd);
  EXPECT_NEAR(qdd[0] / (1e9 / expected), 1.0, 1e-12);
  inverse_dynamics(model, workspace, q, qd, qdd, back);
  EXPECT_NEAR(back[0] / 1e9, 1.0, 1e-12);
}

TEST(Mimic, TooManyBesideTooManyHaveInverseDynamicsOnly) {
  const Model model(wheels(5'500, 3'000));
  Workspace workspace(model);
  const VectorXd zero = VectorXd::Zero(3'000), one = VectorXd::Ones(3'000);
  VectorXd out(3'000);
  try {
    forward_dynamics(model, workspace, zero, zero, zero, out);
    ADD_FAILURE() << "accepted";
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), HasSubstr("2500 mimic joints and 3000 coordinates"));
  }
  inverse_dynamics(model, workspace, zero, zero, one, out);
  EXPECT_GT(out[0], 0.0);
  EXPECT_TRUE(out.allFinite());
}

TEST(Mimic, AWorkspaceServesWithAndWithoutAPayloadThatGivesMass) {
  const Model bare(gripper(body(0.1, {0, 0, 0.1}, {1e-4, 1e-4, 1e-4}), std::nullopt));
  const Model loaded = bare.with_payload({.frame = "right_finger",
                                          .mass = 0.5,
                                          .center = {0.0, 0.0, 0.1},
                                          .inertia = 1e-3 * Eigen::Matrix3d::Identity()});
  ASSERT_TRUE(bare.has_massless_mimic());
  ASSERT_FALSE(loaded.has_massless_mimic());
  const Eigen::Vector2d q(0.3, 0.1), qd(0.2, -0.1), tau(1.0, 2.0);
  for (const Model* first : {&bare, &loaded}) {
    Workspace shared(*first);
    BatchWorkspace shared_lanes(*first);
    for (const Model* model : {&bare, &loaded, &bare}) {
      Workspace own(*model);
      Eigen::Vector2d expected, qdd, in_lanes;
      forward_dynamics(*model, own, q, qd, tau, expected);
      forward_dynamics(*model, shared, q, qd, tau, qdd);
      batch::forward_dynamics(*model, shared_lanes, q, qd, tau, in_lanes);
      EXPECT_EQ(qdd, expected);
      EXPECT_LT((in_lanes - expected).norm(), 1e-12);
    }
  }
}

TEST(Mimic, FollowersHaveNoCoordinate) {
  const Model model(gripper(body(0.1, {0, 0, 0}), body(0.1, {0, 0, 0})));
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"wrist", "left"}));
  EXPECT_EQ(model.size(), 2U);
  EXPECT_EQ(model.body_count(), 3U);
  EXPECT_FALSE(model.coordinates_are_bodies());
  EXPECT_TRUE(model.is_mimic(2));
  Workspace workspace(model);
  const Eigen::Vector2d q(0.0, 0.3);
  const Pose right = frame_pose(model, workspace, q, model.frame("right_finger"));
  EXPECT_NEAR(right.translation.x(), -0.35, 1e-15);
}

}  // namespace
}  // namespace dynamics
