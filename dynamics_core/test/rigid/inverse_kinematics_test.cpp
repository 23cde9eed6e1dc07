// SPDX-License-Identifier: Apache-2.0
// Inverse kinematics against closed forms, poses of known joint positions, and known distances of
// poses that are out of reach.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#include "support/refusals.hpp"
#include "support/robot_files.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using test::argument_error;
using testing::HasSubstr;

constexpr double pi = std::numbers::pi;
const Vector3d x_axis = Vector3d::UnitX(), z_axis = Vector3d::UnitZ();

Pose translation(double x, double y, double z) { return {Eigen::Matrix3d::Identity(), {x, y, z}}; }

/// A planar arm about z with links of these lengths; its last frame is `tip`.
RobotDescription planar_arm(const std::vector<double>& lengths,
                            JointType type = JointType::continuous) {
  test::RobotBuilder arm("planar");
  std::string parent = "base";
  double offset = 0.0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::string link = "link" + std::to_string(i + 1);
    arm.add(type, "joint" + std::to_string(i + 1), parent, link, z_axis,
            test::body(1.0, {0.5, 0, 0}, {0.1, 0.1, 0.1}), translation(offset, 0, 0));
    parent = link;
    offset = lengths[i];
  }
  return arm.add(JointType::fixed, "tip_joint", parent, "tip", z_axis, std::nullopt,
                 translation(offset, 0, 0));
}

/// One call on a model of its own workspace.
struct Search {
  explicit Search(Model robot) : model(std::move(robot)), q(VectorXd::Zero(size())) {}
  Eigen::Index size() const { return static_cast<Eigen::Index>(model.size()); }

  InverseKinematicsResult operator()(const Pose& target, const VectorXd& q0,
                                     const InverseKinematicsOptions& options = {}) {
    Workspace workspace(model);
    const std::size_t tip = model.find_frame("tip").value_or(model.end_effector());
    return inverse_kinematics(model, workspace, tip, target, q0, q, options);
  }
  InverseKinematicsResult position(double x, double y, double z, const VectorXd& q0) {
    return (*this)(translation(x, y, z), q0, {.orientation = false});
  }

  Model model;
  VectorXd q;
};

TEST(InverseKinematics, MatchesClosedFormOfTwoLinkArm) {
  const double a = 1.0, b = 0.7;
  for (const double scale : {1e-3, 1.0, 1e3}) {
    Search search(Model(planar_arm({scale * a, scale * b})));
    for (int k = 0; k < 100; ++k) {
      const double r = 0.35 + 0.013 * k, angle = -3.0 + 0.06 * k;
      const double elbow = std::acos((r * r - a * a - b * b) / (2.0 * a * b));
      for (const double sign : {1.0, -1.0}) {
        const double q2 = sign * elbow;
        const double q1 = angle - std::atan2(b * std::sin(q2), a + b * std::cos(q2));
        const Eigen::Vector2d start(q1 + 0.1, q2 + sign * 0.1);
        const auto found =
            search.position(scale * r * std::cos(angle), scale * r * std::sin(angle), 0.0, start);
        ASSERT_TRUE(found.reached) << r << " " << found.position_error;
        EXPECT_EQ(found.starts, 1U);
        EXPECT_LT(test::relative(search.q, Eigen::Vector2d(q1, q2), 1.0), 3e-7 / scale + 1e-8) << r;
      }
    }
  }
}

TEST(InverseKinematics, MatchesClosedFormOfThePapersPlanarArm) {
  const DhTable table = built_in_robot("planar3");
  Search search(model_from_dh(table));
  const double a = table.links[0].a, b = table.links[1].a, c = table.links[2].a;
  test::RandomRobot random(3);
  for (int k = 0; k < 100; ++k) {
    const VectorXd known = random.vector(3, 3.0);
    if (std::abs(std::sin(known[1])) < 0.05) continue;  // two solutions nearly coincide
    const double phi = known.sum();
    const double wrist_x = a * std::cos(known[0]) + b * std::cos(known[0] + known[1]);
    const double wrist_y = a * std::sin(known[0]) + b * std::sin(known[0] + known[1]);
    const Pose target = {Eigen::AngleAxisd(phi, z_axis).toRotationMatrix(),
                         {wrist_x + c * std::cos(phi), wrist_y + c * std::sin(phi), 0.0}};
    const auto found = search(target, known + VectorXd::Constant(3, 0.02));
    ASSERT_TRUE(found.reached);
    EXPECT_LT(test::relative(search.q, known, 1.0), 1e-7) << k;
  }
}

class InverseKinematicsOfRobot : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(InverseKinematicsOfRobot, ReachesRandomPosesWithinTheLimits) {
  const Model model = model_from_urdf_file(GetParam().string());
  Workspace workspace(model), other(model);
  test::RandomRobot random(11);
  std::size_t missed = 0;
  const auto n = static_cast<Eigen::Index>(model.size());
  VectorXd known(n), q0(n), q(n);
  for (const bool orientation : {true, false}) {
    for (int k = 0; k < 200; ++k) {
      // every fifth frame is any of the robot, the others are the end effector
      const std::size_t frame =
          k % 5 == 0 ? random.index(model.frames().size()) : model.end_effector();
      for (Eigen::Index i = 0; i < n; ++i) {
        const Coordinate& joint = model.coordinates()[static_cast<std::size_t>(i)];
        const double low = std::max(joint.lower, -pi), high = std::min(joint.upper, pi);
        known[i] = low + (high - low) * 0.5 * (1.0 + random.vector(1, 1.0)[0]);
        q0[i] = std::min(std::max(0.0, joint.lower), joint.upper);
      }
      Pose target = frame_pose(model, other, known, frame);
      if (!orientation) target.rotation.setConstant(std::nan(""));  // not used
      const auto found =
          inverse_kinematics(model, workspace, frame, target, q0, q, {.orientation = orientation});
      if (!found.reached) ++missed;
      const Pose pose = frame_pose(model, other, q, frame);
      EXPECT_LE((pose.translation - target.translation).norm(), 1.01e-10);
      EXPECT_LE(found.position_error, 1e-10);
      EXPECT_LE(found.orientation_error, 1e-10);
      if (orientation) {
        EXPECT_LE((pose.rotation - target.rotation).norm(), 2e-10);
      }
      EXPECT_EQ(pose.translation, found.pose.translation);
      for (Eigen::Index i = 0; i < n; ++i) {
        EXPECT_GE(q[i], model.coordinates()[static_cast<std::size_t>(i)].lower);
        EXPECT_LE(q[i], model.coordinates()[static_cast<std::size_t>(i)].upper);
      }
    }
  }
  EXPECT_EQ(missed, 0U) << "of 400 poses";
}

INSTANTIATE_TEST_SUITE_P(Robots, InverseKinematicsOfRobot, testing::ValuesIn(test::robot_files()),
                         [](const auto& file) { return test::name_of_robot_file(file.param); });

TEST(InverseKinematics, ReachesPosesOfTreesWithMimicPrismaticAndFloatingJoints) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    test::RandomRobot random(seed);
    RobotDescription robot =
        random.robot({.joints = 9, .branching = 0.3, .prismatic = 0.4, .fixed = 0.2});
    robot.joints[4].mimic = Mimic{"joint1", -0.7, 0.2};
    if (seed % 2 == 0) robot = test::floating(robot);
    const Model model{robot};
    Workspace workspace(model);
    const VectorXd known = random.vector(model.size(), 1.0);
    const std::size_t frame = model.end_effector();
    const Pose target = frame_pose(model, workspace, known, frame);
    VectorXd q = VectorXd::Zero(known.size());
    const auto found = inverse_kinematics(model, workspace, frame, target, q, q);
    EXPECT_TRUE(found.reached) << seed;
    const Pose pose = frame_pose(model, workspace, q, frame);
    EXPECT_LE((pose.translation - target.translation).norm(), 1.01e-10);
    EXPECT_LE((pose.rotation - target.rotation).norm(), 2e-10);
  }
}

TEST(InverseKinematics, ReportsTheDistanceOfPosesThatAreOutOfReach) {
  const VectorXd bent = Eigen::Vector2d(0.3, 0.8);
  Search arm(Model(planar_arm({1.0, 0.4})));
  // beyond the outer circle, within the inner one, above the plane
  auto found = arm.position(1.5, -1.2, 0.0, bent);
  EXPECT_FALSE(found.reached);
  EXPECT_NEAR(found.position_error, std::hypot(1.5, 1.2) - 1.4, 1e-12);
  EXPECT_NEAR(arm.q[0], std::atan2(-1.2, 1.5), 1e-6);
  EXPECT_NEAR(arm.q[1], 0.0, 1e-6);
  EXPECT_EQ(found.orientation_error, 0.0);
  found = arm.position(0.1, 0.2, 0.0, bent);
  EXPECT_NEAR(found.position_error, 0.6 - std::hypot(0.1, 0.2), 1e-12);
  found = arm.position(0.0, 0.9, -0.25, bent);
  EXPECT_NEAR(found.position_error, 0.25, 1e-12);
  found = arm.position(300.0, -400.0, 0.0, bent);
  EXPECT_NEAR(found.position_error, 500.0 - 1.4, 1e-9);
  EXPECT_NEAR(found.pose.translation.x(), 0.6 * 1.4, 1e-6);

  // an angle between the plane and the target
  Search wrist(Model(test::RobotBuilder().add(JointType::continuous, "turn", "base", "tip", z_axis,
                                              test::body(1.0, {0, 0, 0}, {1, 1, 1}))));
  const Eigen::Matrix3d tilted =
      (Eigen::AngleAxisd(0.3, x_axis) * Eigen::AngleAxisd(0.5, z_axis)).toRotationMatrix();
  found = wrist({tilted, {0, 0, 2.0}}, VectorXd::Zero(1));
  EXPECT_FALSE(found.reached);
  EXPECT_NEAR(found.position_error, 2.0, 1e-12);
  EXPECT_NEAR(found.orientation_error, 0.3, 1e-12);
}

TEST(InverseKinematics, StopsAtTheLimits) {
  RobotDescription hinge = planar_arm({2.0}, JointType::revolute);
  hinge.joints[0].limits->upper = 0.5;
  Search arm{Model(hinge)};
  auto found = arm.position(2.0 * std::cos(1.1), 2.0 * std::sin(1.1), 0.0, VectorXd::Zero(1));
  EXPECT_FALSE(found.reached);
  EXPECT_NEAR(found.position_error, 4.0 * std::sin(0.3), 1e-12);
  EXPECT_EQ(arm.q[0], 0.5);
  // the pose at the limit is reached
  found = arm.position(2.0 * std::cos(0.5), 2.0 * std::sin(0.5), 0.0, VectorXd::Zero(1));
  EXPECT_TRUE(found.reached);
  EXPECT_LE(arm.q[0], 0.5);

  // the second joint does what the first may not
  RobotDescription rails =
      test::RobotBuilder()
          .add(JointType::prismatic, "one", "base", "a", x_axis, test::body(1.0, {0, 0, 0}))
          .add(JointType::prismatic, "two", "a", "tip", x_axis, test::body(1.0, {0, 0, 0}));
  rails.joints[0].limits->upper = 0.25;
  rails.joints[1].limits->upper = 2.0;
  Search gantry{Model(rails)};
  found = gantry.position(2.1, 0.0, 0.0, VectorXd::Zero(2));
  EXPECT_TRUE(found.reached);
  EXPECT_NEAR(gantry.q.sum(), 2.1, 1e-10);
  found = gantry.position(3.0, 0.0, 0.0, VectorXd::Constant(2, 9.0));  // q0 beyond the limits
  EXPECT_NEAR(found.position_error, 0.75, 1e-12);
  EXPECT_EQ(gantry.q, Eigen::Vector2d(0.25, 2.0));
}

TEST(InverseKinematics, ReachesSingularPositionsAndLeavesThem) {
  Search arm(Model(planar_arm({1.0, 0.7, 0.3})));
  // stretched: only this position reaches the target
  EXPECT_TRUE(
      arm.position(2.0 * std::cos(1.0), 2.0 * std::sin(1.0), 0.0, VectorXd::Zero(3)).reached);
  // stretched at the start: no joint moves the tip towards the target
  EXPECT_TRUE(arm.position(1.2, 0.0, 0.0, VectorXd::Zero(3)).reached);
  EXPECT_TRUE(arm.position(-1.9, 0.0, 0.0, VectorXd::Zero(3)).reached);
}

TEST(InverseKinematics, PrefersThePositionNearTheStart) {
  Search arm(Model(planar_arm({1.0, 0.7})));
  const Eigen::Vector2d start(8.0, -7.0);
  ASSERT_TRUE(arm.position(0.5, 0.9, 0.0, start).reached);
  EXPECT_LE((arm.q - start).cwiseAbs().maxCoeff(), pi);
  // limits are stronger
  RobotDescription limited = planar_arm({1.0}, JointType::revolute);
  limited.joints[0].limits->upper = 3.5;
  limited.joints[0].limits->lower = -2.0;
  Search hinge{Model(limited)};
  ASSERT_TRUE(
      hinge.position(std::cos(-1.5), std::sin(-1.5), 0.0, VectorXd::Constant(1, 3.4)).reached);
  EXPECT_NEAR(hinge.q[0], -1.5, 1e-9);
}

TEST(InverseKinematics, JointsThatDoNotMoveTheFrameStay) {
  test::RobotBuilder tree;
  tree.add(JointType::continuous, "left", "base", "a", z_axis, test::body(1.0, {0.5, 0, 0}))
      .add(JointType::continuous, "right", "base", "b", z_axis, test::body(1.0, {0.5, 0, 0}))
      .add(JointType::fixed, "tip_joint", "b", "tip", z_axis, std::nullopt, translation(1, 0, 0));
  Search search{Model(tree)};
  ASSERT_TRUE(search.position(0.0, 1.0, 0.0, Eigen::Vector2d(0.4, 0.1)).reached);
  EXPECT_EQ(search.q[0], 0.4);
  EXPECT_NEAR(search.q[1], 0.5 * pi, 1e-9);
}

TEST(InverseKinematics, IsDeterministic) {
  const Model puma = model_from_dh(built_in_robot("puma"));
  Workspace used(puma), fresh(puma);
  const Pose target = {rotation_from_rpy({0.1, 2.0, 0.3}), {0.5, 0.2, -0.3}};
  const VectorXd zero = VectorXd::Zero(6);
  VectorXd first(6), second = zero, third(6);
  const auto one = inverse_kinematics(puma, used, puma.end_effector(), target, zero, first);
  const auto two = inverse_kinematics(puma, used, puma.end_effector(), target, second, second);
  inverse_kinematics(puma, fresh, puma.end_effector(), target, zero, third);
  EXPECT_EQ(first, second) << "q may be q0";
  EXPECT_EQ(first, third);
  EXPECT_EQ(one.iterations, two.iterations);
}

TEST(InverseKinematics, NamesBadArguments) {
  const Model model(planar_arm({1.0, 0.7}));
  Workspace workspace(model);
  const std::size_t tip = model.frame("tip");
  const Eigen::Vector2d zero = Eigen::Vector2d::Zero();
  Eigen::Vector2d q(7.0, 8.0);
  Pose target = translation(1.0, 0.5, 0.0);
  const auto error = [&](std::size_t frame, const VectorXd& q0,
                         const InverseKinematicsOptions& options = {}) {
    return argument_error(
        [&] { inverse_kinematics(model, workspace, frame, target, q0, q, options); });
  };
  EXPECT_THAT(error(99, zero), HasSubstr("frame 99 does not exist"));
  EXPECT_THAT(error(tip, VectorXd::Zero(3)), HasSubstr("q0 has 3 entries"));
  EXPECT_THAT(error(tip, Eigen::Vector2d(0.0, std::nan(""))), HasSubstr("q0[1] is nan"));
  EXPECT_THAT(error(tip, zero, {.tolerance = 0.0}), HasSubstr("tolerance is 0"));
  EXPECT_THAT(error(tip, zero, {.tolerance = std::nan("")}), HasSubstr("tolerance is nan"));
  EXPECT_THAT(error(tip, zero, {.starts = 0}), HasSubstr("starts is 0; it must be above zero"));
  EXPECT_THAT(error(tip, zero, {.iterations = 0}), HasSubstr("iterations is 0"));
  target.rotation *= 2.0;
  EXPECT_THAT(error(tip, zero), HasSubstr("target.rotation is not a rotation matrix"));
  target.translation.y() = std::nan("");
  EXPECT_THAT(error(tip, zero), HasSubstr("target is not finite"));
  InverseKinematicsResult result;
  EXPECT_EQ(try_inverse_kinematics(model, workspace, tip, target, zero, q, result),
            Status::not_finite);
  EXPECT_EQ(try_inverse_kinematics(model, workspace, tip, Pose{}, zero, q, result, {.starts = 0}),
            Status::out_of_range);
  Eigen::Vector3d long_q;
  EXPECT_EQ(try_inverse_kinematics(model, workspace, tip, Pose{}, zero, long_q, result),
            Status::wrong_size);
  EXPECT_EQ(q, Eigen::Vector2d(7.0, 8.0)) << "nothing is written";
}

}  // namespace
}  // namespace dynamics
