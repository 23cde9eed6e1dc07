// SPDX-License-Identifier: Apache-2.0
// Suspicious descriptions give a Model with a warning that names the link or joint. A joint that
// moves no mass only makes forward dynamics impossible.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::body;
using test::RobotBuilder;
using testing::HasSubstr;

const Vector3d z_axis = Vector3d::UnitZ();

/// The messages about one element.
std::string notes_about(const Model& model, const std::string& element, Note::Severity severity) {
  std::string all;
  for (const Note& note : model.notes()) {
    if (note.element == element && note.severity == severity) all += note.message + "\n";
  }
  return all;
}
std::string warnings(const Model& model, const std::string& element) {
  return notes_about(model, element, Note::Severity::warning);
}

TEST(ModelWarnings, SuspiciousValuesAreReported) {
  const auto arm = [](const Inertial& inertial) {
    return Model(RobotBuilder().add(JointType::revolute, "j", "base", "arm", z_axis, inertial));
  };
  EXPECT_THAT(warnings(arm(body(1.0, {0, 0, 0}, {1.0, 1.0, 2.5})), "arm"), HasSubstr("triangle"));
  EXPECT_EQ(warnings(arm(body(1.0, {0, 0, 0}, {1.0, 1.5, 2.5})), "arm"), "");
  EXPECT_THAT(warnings(arm(body(1.0, {0.5, 0, 0})), "arm"), HasSubstr("inertia is zero"));
  EXPECT_THAT(warnings(arm(body(0.0, {0, 0, 0}, {1, 1, 1})), "arm"), HasSubstr("no mass"));

  RobotBuilder limited;
  limited.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {1, 0, 0}, {1, 1, 1}));
  limited.joint().limits->effort = 0.0;
  EXPECT_THAT(warnings(Model(limited), "j"), HasSubstr("effort limit is 0"));
  limited.joint().limits = JointLimits{-1.0, 1.0, 0.0, 5.0};
  EXPECT_THAT(warnings(Model(limited), "j"), HasSubstr("velocity limit is 0"));

  RobotBuilder with_friction;
  with_friction.add(JointType::floating, "free", "base", "arm", z_axis,
                    body(1.0, {1, 0, 0}, {1, 1, 1}));
  with_friction.joint().friction = 1.0;
  EXPECT_THAT(warnings(Model(with_friction), "free"), HasSubstr("friction"));
}

TEST(ModelWarnings, MimicOfFixedJointIsIgnored) {
  // as in robots whose gripper joints were changed to fixed
  RobotBuilder robot;
  robot.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {1, 0, 0}, {1, 1, 1}));
  robot.add(JointType::fixed, "finger", "arm", "tip", z_axis, body(1.0, {0, 0, 0}, {1, 1, 1}));
  robot.joint().mimic = Mimic{"j", 2.0, 0.0};
  const Model model(robot);
  EXPECT_THAT(warnings(model, "finger"), HasSubstr("fixed"));
  EXPECT_TRUE(model.coordinates_are_bodies());
  EXPECT_EQ(model.body_count(), 1U);
  // a planar joint cannot be a mimic joint
  robot.joint().type = JointType::planar;
  EXPECT_THROW(Model{robot}, ModelError);
}

TEST(ModelWarnings, NegativeMomentIsAcceptedIfMergedBodyIsPhysical) {
  // as in some real robots: with the links fixed to it, the inertia of the body is positive
  RobotBuilder robot;
  robot.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {0, 0, 0}, {1, 1, 1}));
  robot.add(JointType::fixed, "f", "arm", "tool", z_axis, body(0.1, {0, 0, 0}, {0.1, 0.1, -0.01}));
  const Model model(robot);
  EXPECT_THAT(warnings(model, "tool"), HasSubstr("negative principal moment"));
  EXPECT_THAT(notes_about(model, "tool", Note::Severity::information), HasSubstr("merged"));
  // if the inertia of the body is negative too, the error names the link
  robot.robot().links.back().inertial->inertia(2, 2) = -2.0;
  try {
    const Model bad(robot);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("link 'tool'"));
  }
}

TEST(ModelWarnings, RoundOffIsNotANegativeMoment) {
  // point masses far from the origin: the tensor about the center of mass is zero up to round-off
  test::RandomRobot random(9);
  for (int i = 0; i < 100; ++i) {
    RobotBuilder robot;
    robot.add(JointType::revolute, "j", "base", "arm", random.rotation().col(0),
              body(random.uniform(0.1, 50.0), random.vector3(30.0)));
    EXPECT_NO_THROW(Model{robot});
  }
}

class MasslessJoint : public testing::Test {
 protected:
  /// Functions that need M^-1 throw and leave their outputs unchanged; inverse dynamics works.
  static void expect_no_inverse(const RobotDescription& robot, const std::string& joint) {
    const Model model(robot);
    Workspace workspace(model);
    const auto n = static_cast<Eigen::Index>(model.size());
    const VectorXd zero = VectorXd::Zero(n);
    VectorXd out = VectorXd::Constant(n, 7.0), d = out;
    Eigen::MatrixXd m = Eigen::MatrixXd::Constant(n, n, 7.0);
    const auto expect_error = [&](auto call) {
      try {
        call();
        ADD_FAILURE() << "no error";
      } catch (const StateError& error) {
        EXPECT_THAT(error.what(), HasSubstr("joint '" + joint + "'"));
      }
    };
    expect_error([&] { forward_dynamics(model, workspace, zero, zero, zero, out); });
    expect_error([&] { solve_inertia(model, workspace, zero, zero, out); });
    expect_error([&] { inverse_inertia_matrix(model, workspace, zero, m); });
    expect_error([&] { udut(model, workspace, zero, m, d); });
    EXPECT_TRUE((out.array() == 7.0).all() && (d.array() == 7.0).all() && (m.array() == 7.0).all());
    EXPECT_NO_THROW(inverse_dynamics(model, workspace, zero, zero, zero, out));
    EXPECT_TRUE(out.allFinite());
  }

  static RobotBuilder arm() {
    RobotBuilder robot;
    robot.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {0.3, 0, 0}, {1, 1, 1}));
    return robot;
  }
};

TEST_F(MasslessJoint, LinkWithoutInertial) {
  expect_no_inverse(arm().add(JointType::revolute, "tip", "arm", "hand", z_axis, std::nullopt),
                    "tip");
  expect_no_inverse(arm().add(JointType::prismatic, "tip", "arm", "hand", z_axis, std::nullopt),
                    "tip");
}

TEST_F(MasslessJoint, PrismaticJointNeedsMass) {
  expect_no_inverse(
      arm().add(JointType::prismatic, "tip", "arm", "hand", z_axis, body(0, {0, 0, 0}, {1, 1, 1})),
      "tip");
}

TEST_F(MasslessJoint, RevoluteJointNeedsInertiaAboutItsAxis) {
  // a point mass on the axis, in any direction: the inertia about it is round-off
  test::RandomRobot random(2);
  for (int i = 0; i < 20; ++i) {
    const Vector3d axis = random.rotation().col(0);
    expect_no_inverse(arm().add(JointType::revolute, "tip", "arm", "hand", axis,
                                body(0.7, random.uniform(0.1, 2.0) * axis)),
                      "tip");
  }
}

TEST_F(MasslessJoint, RotorInertiaOrFixedLoadIsSufficient) {
  RobotBuilder rotor = arm();
  rotor.add(JointType::revolute, "tip", "arm", "hand", z_axis, std::nullopt);
  rotor.joint().rotor_inertia = 0.01;
  const Model with_rotor(rotor);
  EXPECT_EQ(with_rotor.singular_reason(), "");
  RobotBuilder loaded = arm();
  loaded.add(JointType::revolute, "tip", "arm", "hand", z_axis, std::nullopt);
  loaded.add(JointType::fixed, "f", "hand", "tool", z_axis, body(1.0, {0.1, 0, 0}));
  const Model with_load(loaded);
  EXPECT_EQ(with_load.singular_reason(), "");
}

TEST_F(MasslessJoint, MasslessFloatingBaseIsReportedByJoint) {
  RobotBuilder robot;
  robot.add(JointType::floating, "free", "base", "ghost", z_axis, std::nullopt);
  const Model model(robot);
  EXPECT_THAT(model.singular_reason(), HasSubstr("joint 'free"));
}

}  // namespace
}  // namespace dynamics
