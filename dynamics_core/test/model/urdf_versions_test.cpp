// SPDX-License-Identifier: Apache-2.0
// URDF 1.0, 1.1 and 1.2 are read completely with any version of urdfdom. Unknown names are reported
// by the checker and as notes of the model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dynamics_core/check.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/arm_urdf.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::VectorXd;
using test::replaced;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using Severity = Finding::Severity;

const double infinity = std::numeric_limits<double>::infinity();

/// A pendulum of 1 kg at 0.5 m whose joint is placed by `origin`.
std::string pendulum(const std::string& version, const std::string& origin) {
  return "<robot name=\"pendulum\"" + version + ">\n  <link name=\"base\"/>\n" +
         test::urdf_link("rod", R"(xyz="0.5 0 0" rpy="0 0 0")", "1", {"0.01", "0.1", "0.1"}) +
         test::urdf_joint("pivot", "base", "rod", "    " + origin + R"(
    <axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="10" velocity="5"/>
)") + "</robot>\n";
}

VectorXd torque(const std::string& text, const VectorXd& q) {
  const Model model = model_from_urdf(text);
  Workspace workspace(model);
  VectorXd tau(static_cast<Eigen::Index>(model.size()));
  const VectorXd zero = VectorXd::Zero(tau.size());
  inverse_dynamics(model, workspace, q, zero, zero, tau);
  return tau;
}

std::string error_message(const std::string& text) {
  try {
    model_from_urdf(text, {}, "arm.urdf");
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string notes(const std::string& text) {
  std::string all;
  const Model model = model_from_urdf(text, {}, "arm.urdf");
  for (const Note& note : model.notes()) {
    if (note.severity == Note::Severity::warning) all += note.element + ": " + note.message + "\n";
  }
  return all;
}

auto finding(Severity severity, const std::string& code, std::size_t line) {
  return AllOf(Field("severity", &Finding::severity, severity), Field("code", &Finding::code, code),
               Field("line", &Finding::line, line));
}
std::string print(const CheckReport& report) {
  std::string text;
  for (const Finding& f : report.findings)
    text += std::string(to_string(f.severity)) + " line " + std::to_string(f.line) + " " + f.code +
            ": " + f.message + " / " + f.repair + "\n";
  return text;
}

const std::string version_1_1 = " version=\"1.1\"", version_1_2 = " version=\"1.2\"";

TEST(UrdfVersions, QuaternionEqualsRpy) {
  const VectorXd q = VectorXd::Zero(1);
  const double half = std::sqrt(0.5);
  const std::string rpy = pendulum("", R"(<origin xyz="0 0 0" rpy="1.5707963267948966 0 0"/>)");
  const std::string quaternion =
      pendulum(version_1_1,
               "<origin xyz=\"0 0 0\" quat_xyzw=\"0.70710678118654757 0 0 "
               "0.70710678118654757\"/>");
  EXPECT_NEAR(half, 0.70710678118654757, 1e-16);
  EXPECT_NEAR(torque(rpy, q)[0], 4.905, 1e-14);
  EXPECT_NEAR(torque(quaternion, q)[0], 4.905, 1e-14);
  EXPECT_NEAR(torque(quaternion, q)[0], torque(rpy, q)[0], 1e-15);
}

TEST(UrdfVersions, RandomQuaternionsEqualRpy) {
  test::RandomRobot random(17);
  for (int i = 0; i < 50; ++i) {
    const Eigen::Vector3d rpy = random.vector3(1.5);
    const Eigen::Quaterniond r(rotation_from_rpy(rpy));
    char as_rpy[200], as_quaternion[200];
    std::snprintf(as_rpy, sizeof as_rpy, R"(<origin rpy="%.17g %.17g %.17g"/>)", rpy.x(), rpy.y(),
                  rpy.z());
    std::snprintf(as_quaternion, sizeof as_quaternion,
                  R"(<origin quat_xyzw="%.17g %.17g %.17g %.17g"/>)", r.x(), r.y(), r.z(), r.w());
    const VectorXd q = VectorXd::Constant(1, random.uniform(-2.0, 2.0));
    // 4.9 N m, about one rounding error
    EXPECT_NEAR(torque(pendulum(version_1_1, as_quaternion), q)[0],
                torque(pendulum("", as_rpy), q)[0], 5e-15);
  }
}

TEST(UrdfVersions, QuaternionsRotateInertialsAndShapes) {
  const std::string text =
      replaced(pendulum(version_1_1, ""), R"(<origin xyz="0.5 0 0" rpy="0 0 0"/>)",
               R"(<origin xyz="0.5 0 0" quat_xyzw="0 0 0.5 0.5"/>)");  // not a unit, see below
  const RobotDescription robot = read_urdf(replaced(
      text, "</inertial>",
      R"(</inertial><visual><origin quat_xyzw="1 0 0 0"/><geometry><sphere radius="0.1"/></geometry></visual>)"));
  EXPECT_NEAR(robot.links[1].inertial->inertia(0, 0), 0.1, 1e-15);
  EXPECT_NEAR(robot.links[1].inertial->inertia(1, 1), 0.01, 1e-15);
  ASSERT_EQ(robot.links[1].visuals.size(), 1U);
  EXPECT_NEAR(std::abs(robot.links[1].visuals[0].rpy.x()), std::acos(-1.0), 1e-15);
}

TEST(UrdfVersions, InvalidQuaternionsAreReported) {
  const auto quaternion = [](const std::string& attributes) {
    return pendulum(version_1_1, "<origin " + attributes + "/>");
  };
  EXPECT_THAT(error_message(quaternion(R"(quat_xyzw="0 0 0 1" rpy="0 0 0")")),
              AllOf(HasSubstr("arm.urdf:13"), HasSubstr("joint 'pivot'"), HasSubstr("both")));
  EXPECT_THAT(error_message(quaternion(R"(quat_xyzw="0 0 0 0")")),
              AllOf(HasSubstr("arm.urdf:13"), HasSubstr("zero")));
  EXPECT_THAT(error_message(quaternion(R"(quat_xyzw="0 0 1")")), HasSubstr("4 finite numbers"));
  EXPECT_THAT(error_message(quaternion(R"(quat_xyzw="0 0 nan 1")")), HasSubstr("4 finite numbers"));
  EXPECT_THAT(notes(quaternion(R"(quat_xyzw="2 0 0 0")")), HasSubstr("normalized"));
  EXPECT_THAT(notes(quaternion(R"(quat_xyzw="1e200 0 0 1e200")")), HasSubstr("normalized"));
  // a unit quaternion rounded to four digits is accepted
  EXPECT_EQ(notes(quaternion(R"(quat_xyzw="0.7071 0 0 0.7071")")), "");
  for (const char* both : {R"(quat_xyzw="0 0 0 1" rpy="0 0 0")", R"(quat_xyzw="0 0 0 0")"}) {
    const CheckReport report = check_urdf(quaternion(both));
    EXPECT_FALSE(report.loads) << print(report);
    EXPECT_EQ(report.exit_code(), 2) << print(report);
  }
}

TEST(UrdfVersions, QuaternionWithoutVersionGivesWarning) {
  const std::string text =
      pendulum("", "<origin quat_xyzw=\"0.70710678118654757 0 0 0.70710678118654757\"/>");
  EXPECT_NEAR(torque(text, VectorXd::Zero(1))[0], 4.905, 1e-14);
  EXPECT_THAT(notes(text),
              AllOf(HasSubstr("quat_xyzw"), HasSubstr("1.1"), HasSubstr("arm.urdf:13")));
  const CheckReport report = check_urdf(text);
  EXPECT_THAT(report.findings, Contains(finding(Severity::warning, "version", 13)))
      << print(report);
  EXPECT_EQ(report.exit_code(), 1);
}

TEST(UrdfVersions, OtherVersionsAreErrors) {
  for (const char* version : {"", " version=\"1.0\"", " version=\"1.1\"", " version=\"1.2\""}) {
    const CheckReport report =
        check_urdf(pendulum(version, R"(<origin xyz="0 0 0" rpy="0 0 0"/>)"));
    EXPECT_TRUE(report.loads) << version;
    EXPECT_EQ(report.exit_code(), 0) << print(report);
    EXPECT_EQ(notes(pendulum(version, "")), "");
  }
  for (const char* version : {"1.3", "2.0", "1", "1.1.0", "one", "", "0.9", "1.10"}) {
    const std::string text = pendulum(std::string(" version=\"") + version + "\"", "");
    EXPECT_THAT(error_message(text),
                AllOf(HasSubstr("arm.urdf:1"), HasSubstr("version"), HasSubstr("1.0, 1.1 and 1.2")))
        << version;
    EXPECT_FALSE(check_urdf(text).loads);
  }
}

TEST(UrdfVersions, ReadsAccelerationDecelerationAndJerkLimits) {
  const auto limited = [](const std::string& version) {
    return replaced(pendulum(version, ""), R"(velocity="5")",
                    R"(velocity="5" acceleration="6" deceleration="7" jerk="80")");
  };
  const JointLimits limits = *read_urdf(limited(version_1_2)).joints[0].limits;
  EXPECT_EQ(limits.velocity, 5.0);
  EXPECT_EQ(limits.acceleration, 6.0);
  EXPECT_EQ(limits.deceleration, 7.0);
  EXPECT_EQ(limits.jerk, 80.0);
  EXPECT_EQ(notes(limited(version_1_2)), "");
  const JointLimits none = *read_urdf(pendulum(version_1_2, "")).joints[0].limits;
  EXPECT_EQ(none.acceleration, infinity);
  EXPECT_EQ(none.deceleration, infinity);
  EXPECT_EQ(none.jerk, infinity);
  EXPECT_THAT(notes(limited(version_1_1)), AllOf(HasSubstr("jerk"), HasSubstr("1.2")));
  EXPECT_THAT(error_message(replaced(limited(version_1_2), R"(jerk="80")", R"(jerk="-1")")),
              AllOf(HasSubstr("jerk"), HasSubstr("not be negative")));
  EXPECT_THAT(error_message(replaced(limited(version_1_2), R"(jerk="80")", R"(jerk="fast")")),
              HasSubstr("one finite number"));
}

TEST(UrdfVersions, Version12RequiresPositionLimitsOnly) {
  const std::string without =
      replaced(pendulum(version_1_2, ""), R"( effort="10" velocity="5")", "");
  const Model model = model_from_urdf(without);
  EXPECT_EQ(model.coordinates()[0].effort, infinity);
  EXPECT_EQ(model.coordinates()[0].velocity, infinity);
  EXPECT_THAT(error_message(replaced(without, version_1_2, "")), HasSubstr("effort"));
  EXPECT_THAT(error_message(replaced(pendulum(version_1_2, ""), R"(lower="-3" )", "")),
              HasSubstr("lower"));
  // in URDF 1.0 the default is 0
  const std::string no_lower = replaced(pendulum("", ""), R"(lower="-3" )", "");
  const Model lowered = model_from_urdf(no_lower);
  EXPECT_EQ(lowered.coordinates()[0].lower, 0.0);
  EXPECT_THAT(notes(no_lower), HasSubstr("no lower"));
}

TEST(UrdfVersions, ReadsCapsules) {
  const auto with_capsule = [](const std::string& version) {
    return replaced(
        pendulum(version, ""), "</inertial>",
        R"(</inertial><visual><origin xyz="0.25 0 0" rpy="0 1.5 0"/><geometry><capsule radius="0.05" length="0.4"/></geometry></visual>
           <collision><geometry><capsule radius="0.05" length="0.4"></capsule></geometry></collision>)");
  };
  const RobotDescription robot = read_urdf(with_capsule(version_1_1));
  ASSERT_EQ(robot.links[1].visuals.size(), 1U);
  const auto* capsule = std::get_if<Visual::Capsule>(&robot.links[1].visuals[0].geometry);
  ASSERT_NE(capsule, nullptr);
  EXPECT_EQ(capsule->radius, 0.05);
  EXPECT_EQ(capsule->length, 0.4);
  EXPECT_EQ(robot.links[1].visuals[0].rpy.y(), 1.5);
  EXPECT_EQ(notes(with_capsule(version_1_1)), "");
  EXPECT_THAT(notes(with_capsule("")), AllOf(HasSubstr("capsule"), HasSubstr("1.1")));
}

struct Unknown {
  std::string from, to, code, element, expected;
  std::size_t line;
};
const std::vector<Unknown> unknown = {
    {R"(<robot name="arm">)", R"(<robot name="arm" scale="0.001">)", "attribute-unknown", "arm",
     "scale", 1},
    {R"(<robot name="arm">)", R"(<robot name="arm"><links/>)", "element-unknown", "arm", "links",
     1},
    {R"(<link name="upper">)", R"(<link name="upper" mass="3">)", "attribute-unknown", "upper",
     "mass", 3},
    {R"(<link name="upper">)", R"(<link name="upper"><Inertial/>)", "element-unknown", "upper",
     "Inertial", 3},
    {R"(<mass value="2"/>)", R"(<mass value="2" unit="g"/>)", "attribute-unknown", "upper", "unit",
     6},
    {R"(<inertial>)", R"(<inertial frame="base">)", "attribute-unknown", "upper", "frame", 4},
    {R"(rpy="0 0 0"/>)", R"(rpy="0 0 0" quat="0 0 0 1"/>)", "attribute-unknown", "upper", "quat",
     5},
    {R"(xyz="0 0 1" rpy="0 0 0")", R"(xyz="0 0 1" ryp="0 0 0")", "attribute-unknown", "elbow",
     "did you mean rpy", 27},
    {R"(type="revolute">)", R"(type="revolute" offset="1">)", "attribute-unknown", "shoulder",
     "offset", 17},
    {R"(<axis xyz="0 1 0"/>)", R"(<axis xyz="0 1 0"/><dynamic damping="1"/>)", "element-unknown",
     "shoulder", "did you mean dynamics", 21},
    {R"(<axis xyz="0 1 0"/>)", R"(<axis xyz="0 1 0" frame="world"/>)", "attribute-unknown",
     "shoulder", "frame", 21},
    {R"(velocity="3"/>)", R"(velocity="3" Acceleration="2"/>)", "attribute-unknown", "shoulder",
     "did you mean acceleration", 22},
    {R"(<axis xyz="0 1 0"/>)", R"(<axis xyz="0 1 0"/><dynamics damping="1" stiffness="2"/>)",
     "attribute-unknown", "shoulder", "stiffness", 21},
    {R"(<axis xyz="0 1 0"/>)", R"(<axis xyz="0 1 0"/><axis xyz="1 0 0"/>)", "element-twice",
     "shoulder", "axis", 21},
    {R"(<link name="lower">)",
     R"(<link name="lower"><flexible length="1" mass_per_length="1" rigidty_y="5"/>)",
     "attribute-unknown", "lower", "did you mean rigidity_y", 10},
};

TEST(UnknownNames, AreReportedWithLineByCheckAndModel) {
  for (const Unknown& c : unknown) {
    const std::string text = replaced(test::arm_urdf(), c.from, c.to);
    const CheckReport report = check_urdf(text, "arm.urdf");
    EXPECT_THAT(report.findings, Contains(AllOf(finding(Severity::warning, c.code, c.line),
                                                Field("name", &Finding::name, c.element))))
        << c.to << "\n"
        << print(report);
    EXPECT_THAT(print(report), HasSubstr(c.expected));
    EXPECT_EQ(report.exit_code(), 1) << print(report);
    EXPECT_THAT(notes(text), HasSubstr("arm.urdf:" + std::to_string(c.line))) << c.to;
  }
}

TEST(UnknownNames, InMimicAreReported) {
  const std::string text =
      replaced(test::arm_urdf(), R"(<limit lower="-2" upper="2" effort="50" velocity="3"/>)",
               R"(<limit lower="-2" upper="2" effort="50" velocity="3"/>
    <mimic joint="shoulder" ratio="2"/>)");
  EXPECT_THAT(notes(text), AllOf(HasSubstr("elbow"), HasSubstr("ratio"), HasSubstr("arm.urdf:30")));
}

TEST(UnknownNames, OfOtherProgramsAreNotReported) {
  std::string text = replaced(
      test::arm_urdf(), R"(<robot name="arm">)",
      R"(<robot name="arm" version="1.0" xmlns="http://x" xmlns:xacro="http://www.ros.org/wiki/xacro" drake:scale="1"><xacro:property name="x" value="1"/><drake:joint a="b"/>
         <gazebo reference="upper"><mu1>1</mu1></gazebo><mujoco><compiler meshdir="x"/></mujoco>
         <transmission name="t"><type>simple</type><joint name="elbow"><hardwareInterface>x</hardwareInterface></joint><actuator name="m"/></transmission>
         <ros2_control name="s" type="system"><hardware><plugin>x</plugin></hardware><joint name="elbow"><command_interface name="position"/></joint></ros2_control>
         <material name="red"><color rgba="1 0 0 1"/></material><sensor name="s"><parent link="upper"/></sensor>)");
  text = replaced(
      text, R"(<link name="upper">)",
      R"(<link name="upper"><contact><lateral_friction value="1"/></contact><visual name="v"><geometry><mesh filename="a.stl" scale="1 1 1"/></geometry><material name="red"><texture filename="x.png"/></material></visual><collision name="c" group="g"><geometry><box size="1 1 1"/></geometry></collision><drake:x/>)");
  text = replaced(
      text, R"(<axis xyz="0 1 0"/>)",
      R"(<axis xyz="0 1 0"/><safety_controller k_velocity="10" k_position="1"/><calibration rising="0"/><hardwareInterface>x</hardwareInterface><xacro:x/>)");
  const CheckReport report = check_urdf(text);
  EXPECT_THAT(report.findings, Not(Contains(Field("code", &Finding::code, HasSubstr("unknown")))))
      << print(report);
  EXPECT_TRUE(report.loads);
  EXPECT_EQ(notes(text), "");
}

TEST(UnknownNames, NumberIsLimited) {
  std::string text = "<robot name='r'><link name='a'/>";
  for (int i = 0; i < 50'000; ++i) text += "<x/>";
  const Model model = model_from_urdf(text + "</robot>");
  EXPECT_LT(model.notes().size(), 1100U);
  EXPECT_GE(model.notes().size(), 1000U);
}

TEST(Constraints, AreRefusedByModel) {
  // a tree with the same joints would have other dynamics
  const std::string text = replaced(
      test::arm_urdf(), "</robot>",
      R"(<constraint name="bar" type="spherical"><parent link="base"/><child link="lower"/></constraint></robot>)");
  EXPECT_THAT(error_message(text), AllOf(HasSubstr("constraint 'bar'"), HasSubstr("closes a loop"),
                                         HasSubstr("Mechanism")));
}

TEST(Constraints, OfUnknownTypeAreErrors) {
  const std::string text = replaced(
      test::arm_urdf(), "</robot>",
      R"(<constraint name="bar" type="point"><link1 link="base"/><link2 link="lower"/></constraint></robot>)");
  EXPECT_THAT(error_message(text), AllOf(HasSubstr("arm.urdf:31"), HasSubstr("constraint 'bar'"),
                                         HasSubstr("type 'point' is not supported")));
  const CheckReport report = check_urdf(text);
  EXPECT_THAT(report.findings, Contains(finding(Severity::error, "constraint-type", 31)))
      << print(report);
  EXPECT_FALSE(report.loads);
}

TEST(CheckAndModel, UseReflectedRotorInertia) {
  const std::string text = replaced(
      test::arm_urdf(), "</robot>",
      R"(<transmission name="t"><joint name="elbow"/><actuator name="m"><rotorInertia>-0.5</rotorInertia>
         <mechanicalReduction>4</mechanicalReduction></actuator></transmission></robot>)");
  const CheckReport report = check_urdf(text);
  EXPECT_THAT(print(report), HasSubstr("rotor inertia is -8"));
  EXPECT_THAT(error_message(text), HasSubstr("rotor inertia is -8"));
}

TEST(CheckAndModel, AgreeOnNegativeMoments) {
  // a warning if the inertia of the merged body is positive, otherwise an error
  const auto with_tool = [](const std::string& izz) {
    return replaced(test::arm_urdf(), "</robot>",
                    R"(<link name="tool"><inertial><mass value="0.1"/><inertia ixx="0.001" ixy="0"
         ixz="0" iyy="0.001" iyz="0" izz=")" +
                        izz + R"("/></inertial></link>
         <joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/></joint></robot>)");
  };
  EXPECT_THAT(notes(with_tool("-0.0001")), HasSubstr("negative principal moment"));
  const CheckReport light = check_urdf(with_tool("-0.0001"));
  EXPECT_TRUE(light.loads) << print(light);
  EXPECT_EQ(light.count(Severity::error), 0U) << print(light);
  EXPECT_THAT(light.findings, Contains(Field("code", &Finding::code, "inertia-not-positive")));
  EXPECT_THAT(error_message(with_tool("-1")), HasSubstr("negative principal moment"));
  const CheckReport heavy = check_urdf(with_tool("-1"));
  EXPECT_FALSE(heavy.loads) << print(heavy);
  EXPECT_THAT(heavy.findings,
              Contains(AllOf(Field("code", &Finding::code, "inertia-not-positive"),
                             Field("severity", &Finding::severity, Severity::error))));
}

}  // namespace
}  // namespace dynamics
