// SPDX-License-Identifier: Apache-2.0
// Many real robots are a little wrong: those are loaded, with a note that names the link or joint.
// Forward dynamics alone refuses a joint that moves nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/udut.hpp"
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

TEST(Suspicious, IsLoadedWithAWarning) {
  const auto arm = [](const Inertial& inertial) {
    return Model(RobotBuilder().add(JointType::revolute, "j", "base", "arm", z_axis, inertial));
  };
  EXPECT_THAT(warnings(arm(body(1.0, {0, 0, 0}, {1.0, 1.0, 2.5})), "arm"), HasSubstr("triangle"));
  EXPECT_EQ(warnings(arm(body(1.0, {0, 0, 0}, {1.0, 1.5, 2.5})), "arm"), "");
  EXPECT_THAT(warnings(arm(body(1.0, {0.5, 0, 0})), "arm"), HasSubstr("no inertia"));
  EXPECT_THAT(warnings(arm(body(0.0, {0, 0, 0}, {1, 1, 1})), "arm"), HasSubstr("no mass"));

  RobotBuilder weak;
  weak.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {1, 0, 0}, {1, 1, 1}));
  weak.joint().limits->effort = 0.0;
  EXPECT_THAT(warnings(Model(weak), "j"), HasSubstr("effort limit of 0"));
  weak.joint().limits = JointLimits{-1.0, 1.0, 0.0, 5.0};
  EXPECT_THAT(warnings(Model(weak), "j"), HasSubstr("velocity limit of 0"));

  RobotBuilder rough;
  rough.add(JointType::floating, "free", "base", "arm", z_axis, body(1.0, {1, 0, 0}, {1, 1, 1}));
  rough.joint().friction = 1.0;
  EXPECT_THAT(warnings(Model(rough), "free"), HasSubstr("friction"));
}

TEST(Suspicious, AMimicThatIsFixedStaysFixed) {
  // as in robots whose grippers were locked by a change of type
  RobotBuilder robot;
  robot.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {1, 0, 0}, {1, 1, 1}));
  robot.add(JointType::fixed, "finger", "arm", "tip", z_axis, body(1.0, {0, 0, 0}, {1, 1, 1}));
  robot.joint().mimic = Mimic{"j", 2.0, 0.0};
  const Model model(robot);
  EXPECT_THAT(warnings(model, "finger"), HasSubstr("fixed"));
  EXPECT_TRUE(model.plain());
  EXPECT_EQ(model.body_count(), 1U);
  // a composed joint cannot follow one number
  robot.joint().type = JointType::planar;
  EXPECT_THROW(Model{robot}, ModelError);
}

TEST(Suspicious, NegativeMomentIsAWarningWhereTheMergedBodyIsSound) {
  // real robots have such links: what is fixed to them makes up for it
  RobotBuilder robot;
  robot.add(JointType::revolute, "j", "base", "arm", z_axis, body(1.0, {0, 0, 0}, {1, 1, 1}));
  robot.add(JointType::fixed, "f", "arm", "tool", z_axis, body(0.1, {0, 0, 0}, {0.1, 0.1, -0.01}));
  const Model model(robot);
  EXPECT_THAT(warnings(model, "tool"), HasSubstr("negative principal moment"));
  EXPECT_THAT(notes_about(model, "tool", Note::Severity::information), HasSubstr("merged"));
  // more than the rest can make up for is refused, naming the link that has it
  robot.robot().links.back().inertial->inertia(2, 2) = -2.0;
  try {
    const Model bad(robot);
    FAIL() << "accepted";
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("link 'tool'"));
  }
}

TEST(Suspicious, RoundOffIsNoNegativeMoment) {
  // point masses fixed far from the origin: their tensor about the centre is zero but for round-off
  test::RandomRobot random(9);
  for (int i = 0; i < 100; ++i) {
    RobotBuilder robot;
    robot.add(JointType::revolute, "j", "base", "arm", random.rotation().col(0),
              body(random.uniform(0.1, 50.0), random.vector3(30.0)));
    EXPECT_NO_THROW(Model{robot});
  }
}

class Massless : public testing::Test {
 protected:
  /// Refused by everything that divides by M, and by nothing else; outputs keep their values.
  static void expect_refused(const RobotDescription& robot, const std::string& joint) {
    const Model model(robot);
    Workspace workspace(model);
    const auto n = static_cast<Eigen::Index>(model.size());
    const VectorXd zero = VectorXd::Zero(n);
    VectorXd out = VectorXd::Constant(n, 7.0), d = out;
    Eigen::MatrixXd m = Eigen::MatrixXd::Constant(n, n, 7.0);
    const auto refuse = [&](auto call) {
      try {
        call();
        ADD_FAILURE() << "accepted";
      } catch (const ModelError& error) {
        EXPECT_THAT(error.what(), HasSubstr("joint '" + joint + "'"));
      }
    };
    refuse([&] { forward_dynamics(model, workspace, zero, zero, zero, out); });
    refuse([&] { solve_inertia(model, workspace, zero, zero, out); });
    refuse([&] { inverse_inertia_matrix(model, workspace, zero, m); });
    refuse([&] { udut(model, workspace, zero, m, d); });
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

TEST_F(Massless, LeafWithoutInertial) {
  expect_refused(arm().add(JointType::revolute, "tip", "arm", "hand", z_axis, std::nullopt), "tip");
  expect_refused(arm().add(JointType::prismatic, "tip", "arm", "hand", z_axis, std::nullopt),
                 "tip");
}

TEST_F(Massless, LeafWithInertiaButNoMassCannotSlide) {
  expect_refused(
      arm().add(JointType::prismatic, "tip", "arm", "hand", z_axis, body(0, {0, 0, 0}, {1, 1, 1})),
      "tip");
}

TEST_F(Massless, PointOnTheAxisCannotTurn) {
  // also where the axis is not one of the link's: what is left is round-off
  test::RandomRobot random(2);
  for (int i = 0; i < 20; ++i) {
    const Vector3d axis = random.rotation().col(0);
    expect_refused(arm().add(JointType::revolute, "tip", "arm", "hand", axis,
                             body(0.7, random.uniform(0.1, 2.0) * axis)),
                   "tip");
  }
}

TEST_F(Massless, RotorInertiaOrFixedLoadIsEnough) {
  RobotBuilder rotor = arm();
  rotor.add(JointType::revolute, "tip", "arm", "hand", z_axis, std::nullopt);
  rotor.joint().rotor_inertia = 0.01;
  EXPECT_EQ(Model(rotor).singular_reason(), "");
  RobotBuilder loaded = arm();
  loaded.add(JointType::revolute, "tip", "arm", "hand", z_axis, std::nullopt);
  loaded.add(JointType::fixed, "f", "hand", "tool", z_axis, body(1.0, {0.1, 0, 0}));
  EXPECT_EQ(Model(loaded).singular_reason(), "");
}

TEST_F(Massless, FloatingBaseWithoutMassNamesItsJoint) {
  RobotBuilder robot;
  robot.add(JointType::floating, "free", "base", "ghost", z_axis, std::nullopt);
  const Model model(robot);
  EXPECT_THAT(model.singular_reason(), HasSubstr("joint 'free"));
}

}  // namespace
}  // namespace dynamics
