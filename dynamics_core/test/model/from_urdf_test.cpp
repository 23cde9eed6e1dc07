// SPDX-License-Identifier: Apache-2.0
// Reader of URDF: every feature, and the order of the coordinates.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::relative;

const double infinity = std::numeric_limits<double>::infinity();

/// A link of 1 kg with its center of mass at x = 0.1.
std::string link(const std::string& name) {
  return "<link name='" + name +
         "'><inertial><origin xyz='0.1 0 0'/><mass value='1'/><inertia ixx='0.01' ixy='0' "
         "ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial></link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  const bool limited = type == "revolute" || type == "prismatic";
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + inside +
         (limited && inside.find("<limit") == std::string::npos
              ? "<limit lower='-1' upper='2' effort='30' velocity='4'/>"
              : "") +
         "</joint>\n";
}
std::string robot(const std::string& inside) { return "<robot name='r'>\n" + inside + "</robot>"; }

TEST(FromUrdf, InertialOriginRotatesTensor) {
  const char* inertial =
      "<link name='a'><inertial><origin xyz='1 2 3' rpy='0.3 -0.4 0.5'/><mass value='2'/>"
      "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='1.5' iyz='-0.1' izz='0.9'/></inertial></link>";
  const RobotDescription read =
      read_urdf(robot("<link name='base'/>" + std::string(inertial) +
                      joint("j", "continuous", "base", "a", "<axis xyz='0 0 1'/>")));
  ASSERT_TRUE(read.links[1].inertial);
  const Eigen::Matrix3d R = rotation_from_rpy({0.3, -0.4, 0.5});
  Eigen::Matrix3d tensor;
  tensor << 1.0, 0.1, 0.2, 0.1, 1.5, -0.1, 0.2, -0.1, 0.9;
  const Inertial& got = *read.links[1].inertial;
  EXPECT_EQ(got.mass, 2.0);
  EXPECT_LT(relative(got.center, Vector3d(1, 2, 3)), 1e-15);
  EXPECT_LT(relative(got.inertia, Eigen::Matrix3d(R * tensor * R.transpose())), 1e-14);
  // inertia about the joint axis: I_zz + m (x^2 + y^2)
  const Model model(read);
  Workspace workspace(model);
  MatrixXd M(1, 1);
  inertia_matrix(model, workspace, VectorXd::Zero(1).eval(), M);
  EXPECT_NEAR(M(0, 0), (R * tensor * R.transpose())(2, 2) + 2.0 * 5.0, 1e-13);
}

TEST(FromUrdf, DecodesEntitiesInNames) {
  const std::pair<const char*, const char*> names[] = {
      {"a&amp;b", "a&b"},     {"&lt;&gt;&quot;&apos;", "<>\"'"},
      {"&#65;", "A"},         {"&#xE9;", "\u00e9"},
      {"&#26426;", "\u673a"}, {"&#x1F9BE;", "\U0001f9be"}};
  for (const auto& [written, meant] : names) {
    const RobotDescription robot =
        read_urdf("<robot name='r'><link name='" + std::string(written) + "'/></robot>", "r.urdf");
    EXPECT_EQ(robot.links.at(0).name, meant) << written;
  }
}

TEST(FromUrdf, ReadsAllJointTypes) {
  const Model model = model_from_urdf(
      robot("<link name='base'/>" + link("a") + link("b") + link("c") + link("d") + link("e") +
            link("f") + joint("rev", "revolute", "base", "a", "<axis xyz='0 0 2'/>") +
            joint("con", "continuous", "a", "b", "<limit effort='7' velocity='8'/>") +
            joint("pri", "prismatic", "b", "c", "<axis xyz='0 1 0'/>") +
            joint("fix", "fixed", "c", "d", "<origin xyz='0 0 1'/>") +
            joint("pla", "planar", "d", "e", "<axis xyz='0 0 1'/>") +
            joint("flo", "floating", "e", "f")));
  EXPECT_EQ(model.coordinate_names(),
            (std::vector<std::string>{"rev", "con", "pri", "pla/x", "pla/y", "pla/yaw", "flo/x",
                                      "flo/y", "flo/z", "flo/roll", "flo/pitch", "flo/yaw"}));
  const auto& rev = model.coordinates()[0];
  EXPECT_EQ(rev.lower, -1.0);
  EXPECT_EQ(rev.upper, 2.0);
  EXPECT_EQ(rev.effort, 30.0);
  EXPECT_EQ(rev.velocity, 4.0);
  EXPECT_FALSE(rev.prismatic);
  // a continuous joint has no position limits, but effort and velocity limits
  const auto& con = model.coordinates()[1];
  EXPECT_EQ(con.lower, -infinity);
  EXPECT_EQ(con.upper, infinity);
  EXPECT_EQ(con.effort, 7.0);
  EXPECT_EQ(con.velocity, 8.0);
  EXPECT_TRUE(model.coordinates()[2].prismatic);
  EXPECT_EQ(model.coordinates()[5].joint, "pla");
  EXPECT_TRUE(model.find_frame("d")) << "frame of a merged link";
  EXPECT_EQ(model.base_link(), "base");
  EXPECT_EQ(model.frames()[model.end_effector()].name, "f");
  // axes are normalized, and x is the default
  Workspace workspace(model);
  VectorXd q = VectorXd::Zero(12);
  q[0] = 0.5;
  const Pose a = frame_pose(model, workspace, q, model.frame("a"));
  EXPECT_LT(relative(a.rotation, rotation_from_rpy({0, 0, 0.5})), 1e-15);
  q.setZero();
  q[1] = 0.5;
  const Pose b = frame_pose(model, workspace, q, model.frame("b"));
  EXPECT_LT(relative(b.rotation, rotation_from_rpy({0.5, 0, 0})), 1e-15);
}

TEST(FromUrdf, OrdersCoordinatesDepthFirstAndInFileOrder) {
  // neither names nor links are in tree order; children come before parents in the file
  const std::string links =
      "<link name='z_base'/>" + link("m") + link("a") + link("k") + link("b") + link("c");
  const std::string text =
      robot(links + joint("z", "continuous", "k", "b") + joint("y", "continuous", "z_base", "k") +
            joint("a", "continuous", "k", "c") + joint("b", "continuous", "z_base", "a") +
            joint("c", "continuous", "a", "m"));
  const std::vector<std::string> expected = {"y", "z", "a", "b", "c"};
  const Model model = model_from_urdf(text);
  EXPECT_EQ(model.coordinate_names(), expected);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(model.coordinate(expected[i]), i);
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(model_from_urdf(text).coordinate_names(), expected);
  }
  EXPECT_EQ(model.with_gravity({0, 0, 1}).coordinate_names(), expected);
}

TEST(FromUrdf, ResolvesChainsOfMimicJoints) {
  const Model model = model_from_urdf(robot(
      "<link name='base'/>" + link("a") + link("b") + link("c") +
      joint("lead", "continuous", "base", "a") +
      joint("two", "continuous", "a", "b", "<mimic joint='lead' multiplier='-2' offset='1'/>") +
      joint("three", "continuous", "b", "c", "<mimic joint='two' offset='0.5'/>")));
  EXPECT_EQ(model.coordinate_names(), std::vector<std::string>{"lead"});
  ASSERT_EQ(model.body_count(), 3U);
  EXPECT_EQ(model.bodies()[1].multiplier, -2.0);
  EXPECT_EQ(model.bodies()[1].offset, 1.0);
  EXPECT_EQ(model.bodies()[2].multiplier, -2.0);
  EXPECT_EQ(model.bodies()[2].offset, 1.5);
}

TEST(FromUrdf, ReadsDampingFrictionAndRotorInertia) {
  const std::string arm = "<link name='base'/>" + link("a") + link("b") + link("c") + link("d") +
                          joint("j1", "continuous", "base", "a",
                                "<dynamics damping='0.5' friction='0.25' rotor_inertia='0.125'/>") +
                          joint("j2", "continuous", "a", "b") +
                          joint("j3", "continuous", "b", "c") + joint("j4", "continuous", "c", "d");
  const RobotDescription read = read_urdf(
      robot(arm +
            "<transmission name='t'><type>transmission_interface/SimpleTransmission</type>"
            "<joint name='j2'/><actuator name='m'><rotorInertia>0.001</rotorInertia>"
            "<mechanicalReduction>100</mechanicalReduction></actuator></transmission>"
            "<transmission name='t3'><joint name='j3'><mechanicalReduction>10</mechanicalReduction>"
            "</joint><actuator name='m3'><rotor_inertia value='0.002'/></actuator></transmission>"
            "<ros2_control name='s' type='system'><joint name='j4'>"
            "<param name='rotor_inertia'>0.75</param><command_interface name='effort'/></joint>"
            "<joint name='unknown'><param name='rotor_inertia'>1</param></joint></ros2_control>"));
  EXPECT_EQ(read.joints[0].damping, 0.5);
  EXPECT_EQ(read.joints[0].friction, 0.25);
  EXPECT_EQ(read.joints[0].rotor_inertia, 0.125);
  EXPECT_NEAR(read.joints[1].rotor_inertia, 0.001 * 100.0 * 100.0, 1e-12);
  EXPECT_NEAR(read.joints[2].rotor_inertia, 0.2, 1e-15);
  EXPECT_EQ(read.joints[3].rotor_inertia, 0.75);
  // rotor inertias are added to the diagonal of M
  const Model with(read), without = model_from_urdf(robot(arm));
  Workspace workspace(with);
  MatrixXd a(4, 4), b(4, 4);
  const VectorXd q = test::RandomRobot(1).vector(4, 2.0);
  inertia_matrix(with, workspace, q, a);
  inertia_matrix(without, workspace, q, b);
  const Eigen::Vector4d rotors(0.0, 10.0, 0.2, 0.75);  // both models have that of j1
  EXPECT_LT(relative(a - b, MatrixXd(rotors.asDiagonal())), 1e-13);
}

TEST(FromUrdf, ReadsFlexibleLink) {
  const RobotDescription read = read_urdf(
      robot("<link name='base'/><link name='beam'><flexible length='6' mass_per_length='23.3' "
            "rigidity_y='1e5' rigidity_z='2e5' modes_y='2' modes_z='1' damping='0.01'/></link>" +
            joint("j", "continuous", "base", "beam")));
  ASSERT_TRUE(read.links[1].flexible);
  EXPECT_FALSE(read.links[0].flexible);
  const BeamDescription& beam = *read.links[1].flexible;
  EXPECT_EQ(beam.length, 6.0);
  EXPECT_EQ(beam.mass_per_length, 23.3);
  EXPECT_EQ(beam.rigidity_y, 1e5);
  EXPECT_EQ(beam.rigidity_z, 2e5);
  EXPECT_EQ(beam.modes_y, 2);
  EXPECT_EQ(beam.modes_z, 1);
  EXPECT_EQ(beam.damping, 0.01);
}

TEST(FromUrdf, MergesFixedLinksAndKeepsTheirFrames) {
  const Model model = model_from_urdf(
      robot("<link name='base'/><link name='empty'/>" + link("tool") + "<link name='tip'/>" +
            joint("j", "continuous", "base", "empty", "<axis xyz='0 0 1'/>") +
            joint("f1", "fixed", "empty", "tool", "<origin xyz='1 0 0' rpy='0 0 1.2'/>") +
            joint("f2", "fixed", "tool", "tip", "<origin xyz='0 0 0.5'/>")));
  EXPECT_EQ(model.size(), 1U);
  EXPECT_EQ(model.total_mass(), 1.0);
  EXPECT_EQ(model.frames()[model.end_effector()].name, "tip");
  ASSERT_EQ(model.notes().size(), 1U);
  EXPECT_EQ(model.notes()[0].element, "tool");
  Workspace workspace(model);
  const VectorXd q = VectorXd::Constant(1, 0.7);
  const Pose tip = frame_pose(model, workspace, q, model.frame("tip"));
  EXPECT_LT(relative(tip.translation, Vector3d(std::cos(0.7), std::sin(0.7), 0.5)), 1e-15);
  EXPECT_LT(relative(tip.rotation, rotation_from_rpy({0, 0, 1.9})), 1e-15);
  // the center of mass is 0.1 along the tool's x: |(1, 0) + 0.1 (cos 1.2, sin 1.2)|^2 + 0.01
  MatrixXd M(1, 1);
  inertia_matrix(model, workspace, q, M);
  EXPECT_NEAR(M(0, 0), 1.0 + 0.01 + 0.2 * std::cos(1.2) + 0.01, 1e-14);
}

}  // namespace
}  // namespace dynamics
