// SPDX-License-Identifier: Apache-2.0
// Workspaces, Kinematics and InertiaFactors of one robot with the model of another: the answer is
// that of a workspace of its own, or an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "flexible/sample_beams.hpp"
#include "support/random_robot.hpp"
#include "support/refusals.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::argument_error;
using testing::HasSubstr;

/// Two arms with six joints each.
class OtherRobot : public testing::Test {
 protected:
  const Model puma = model_from_dh(built_in_robot("puma"));
  const Model stanford = model_from_dh(built_in_robot("stanford"));
  const VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.6), qd = VectorXd::LinSpaced(6, -1.0, 2.0);
};

TEST_F(OtherRobot, WorkspaceOfTheSameSizeGivesTheSameBits) {
  Workspace of_puma(puma), of_stanford(stanford);
  VectorXd expected(6), found(6);
  forward_dynamics(stanford, of_stanford, q, qd, qd, expected);
  forward_dynamics(puma, of_puma, qd, q, q, found);
  forward_dynamics(stanford, of_puma, q, qd, qd, found);
  EXPECT_EQ(found, expected);
  BatchWorkspace batch_of_puma(puma);
  batch::forward_dynamics(stanford, batch_of_puma, q, qd, qd, found);
  EXPECT_LT((found - expected).norm(), 1e-11 * expected.norm());
  DerivativeWorkspace own(stanford), other(puma);
  MatrixXd a(6, 6), b(6, 6), c(6, 6), d(6, 6);
  inverse_dynamics_derivatives(puma, other, qd, q, q, c, d);
  inverse_dynamics_derivatives(stanford, own, q, qd, qd, a, b);
  inverse_dynamics_derivatives(stanford, other, q, qd, qd, c, d);
  EXPECT_EQ(a, c);
  EXPECT_EQ(b, d);
}

TEST_F(OtherRobot, KinematicsAnswerOnlyForTheModelOfTheirPass) {
  Kinematics kinematics(puma);
  forward_kinematics(puma, kinematics, q, qd, qd);
  const char* const message = "the last pass was run with another robot";
  MatrixXd J(6, 6), J3(3, 6);
  const std::size_t tool = stanford.end_effector();
  EXPECT_THAT(argument_error([&] { frame_pose(stanford, kinematics, tool); }), HasSubstr(message));
  EXPECT_THAT(argument_error([&] { frame_velocity(stanford, kinematics, tool, Axes::local); }),
              HasSubstr(message));
  EXPECT_THAT(argument_error([&] { frame_motion(stanford, kinematics, tool, Axes::local); }),
              HasSubstr(message));
  EXPECT_THAT(argument_error([&] { jacobian(stanford, kinematics, tool, Axes::local, J); }),
              HasSubstr(message));
  EXPECT_THAT(argument_error([&] { jacobian_rate(stanford, kinematics, tool, Axes::local, J); }),
              HasSubstr(message));
  EXPECT_THAT(argument_error([&] { momentum(stanford, kinematics); }), HasSubstr(message));
  EXPECT_THAT(argument_error([&] { center_of_mass(stanford, kinematics); }), HasSubstr(message));
  EXPECT_THAT(argument_error([&] { center_of_mass_jacobian(stanford, kinematics, J3); }),
              HasSubstr(message));
  Pose pose;
  EXPECT_EQ(try_frame_pose(stanford, kinematics, tool, pose), Status::wrong_workspace);
}

TEST_F(OtherRobot, KinematicsServeCopiesGravityPayloadAndTheSameFile) {
  Kinematics kinematics(puma);
  forward_kinematics(puma, kinematics, q, qd);
  const Pose expected = frame_pose(puma, kinematics, puma.end_effector());
  const Model copies[] = {puma, puma.with_gravity({0.0, 0.0, -1.6}),
                          puma.with_payload({.frame = "tool0", .mass = 2.0}),
                          model_from_dh(built_in_robot("puma"))};
  for (const Model& copy : copies) {
    const Pose pose = frame_pose(copy, kinematics, copy.end_effector());
    EXPECT_EQ(pose.translation, expected.translation);
    EXPECT_EQ(pose.rotation, expected.rotation);
  }
  // a pass with another robot of the same size replaces the first
  forward_kinematics(stanford, kinematics, q, qd);
  EXPECT_THAT(argument_error([&] { frame_pose(puma, kinematics, puma.end_effector()); }),
              HasSubstr("another robot"));
}

TEST_F(OtherRobot, InertiaFactorAnswersOnlyForTheRobotAndPayloadItWasComputedFor) {
  InertiaFactor factor(puma);
  decompose_inertia(puma, factor, q);
  MatrixXd B = MatrixXd::Identity(6, 6), X(6, 6);
  const Model loaded = puma.with_payload({.frame = "tool0", .mass = 2.0});
  for (const Model& other : {stanford, loaded}) {
    EXPECT_THAT(argument_error([&] { solve_inertia(other, factor, B, X); }),
                HasSubstr("decompose_inertia() was called with another robot"));
    EXPECT_THAT(argument_error([&] { inverse_inertia_matrix(other, factor, X); }),
                HasSubstr("decompose_inertia() was called with another robot"));
    EXPECT_EQ(try_solve_inertia(other, factor, B, X), Status::wrong_workspace);
  }
  solve_inertia(puma.with_gravity({0.0, 0.0, -1.6}), factor, B, X);
  MatrixXd inverse(6, 6);
  inverse_inertia_matrix(puma, factor, inverse);
  EXPECT_LT((X - inverse).norm(), 1e-12 * inverse.norm());
}

TEST_F(OtherRobot, FlexibleWorkspaceNeedsTheSameModesOnTheSameLinks) {
  // two links with two modes each, or four and none
  RobotDescription even = test::beam_chain(2, test::beam(1.0, 2.0, 50.0, 2));
  RobotDescription uneven = even;
  uneven.links[1].flexible->modes_y = 4;
  uneven.links[2].flexible->modes_y = 0;
  RobotDescription sideways = even;
  sideways.links[1].flexible->modes_y = 0;
  sideways.links[1].flexible->modes_z = 2;
  const FlexibleModel a{Model(even)}, b{Model(uneven)}, c{Model(sideways)};
  ASSERT_EQ(a.size(), b.size());
  FlexibleWorkspace of_a(a), of_c(c);
  const VectorXd state = VectorXd::LinSpaced(6, 0.01, 0.02);
  VectorXd qdd(6), expected(6);
  EXPECT_THAT(argument_error([&] { forward_dynamics(b, of_a, state, state, state, qdd); }),
              HasSubstr("the workspace is for another robot"));
  forward_dynamics(c, of_c, state, state, state, expected);
  forward_dynamics(c, of_a, state, state, state, qdd);
  EXPECT_EQ(qdd, expected);
}

TEST(Workspaces, AreMovedAndNeverCopied) {
  static_assert(!std::is_copy_constructible_v<Workspace> && !std::is_copy_assignable_v<Workspace>);
  static_assert(!std::is_copy_constructible_v<BatchWorkspace>);
  static_assert(!std::is_copy_constructible_v<DerivativeWorkspace>);
  static_assert(!std::is_copy_constructible_v<FlexibleWorkspace>);
  static_assert(!std::is_copy_constructible_v<Kinematics>);
  static_assert(!std::is_copy_constructible_v<InertiaFactor>);
  const Model puma = model_from_dh(built_in_robot("puma"));
  const VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.6);
  Workspace first(puma);
  VectorXd expected(6), found(6);
  forward_dynamics(puma, first, q, q, q, expected);
  Workspace second(std::move(first));
  forward_dynamics(puma, second, q, q, q, found);
  EXPECT_EQ(found, expected);
  Kinematics pass(puma);
  forward_kinematics(puma, pass, q);
  const Pose pose = frame_pose(puma, pass, 3);
  const Kinematics moved(std::move(pass));
  EXPECT_EQ(frame_pose(puma, moved, 3).translation, pose.translation);
}

}  // namespace
}  // namespace dynamics
