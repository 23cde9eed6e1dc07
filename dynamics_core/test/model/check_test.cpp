// SPDX-License-Identifier: Apache-2.0
// The checker reports every error, continues after it, repairs what has only one possible repair,
// and reports an error if and only if the reader does.

#include "dynamics_core/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "dynamics_core/readers.hpp"
#include "model/tree.hpp"
#include "support/arm_urdf.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Severity = Finding::Severity;
using Kind = Finding::Kind;

auto is(Severity severity, const std::string& code, const std::string& name) {
  return AllOf(Field("severity", &Finding::severity, severity), Field("code", &Finding::code, code),
               Field("name", &Finding::name, name));
}
auto has_code(const std::string& code) { return Field("code", &Finding::code, code); }

std::string print(const CheckReport& report) {
  std::string text;
  for (const Finding& f : report.findings)
    text += std::string(to_string(f.severity)) + " " + f.name + " " + f.code + ": " + f.message +
            " / " + f.repair + "\n";
  return text;
}

bool reader_accepts(const std::string& text) {
  try {
    model_from_urdf(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Check, ValidRobotHasNoWarnings) {
  const CheckReport report = check_urdf(test::arm_urdf(), "arm.urdf");
  EXPECT_THAT(print(report), HasSubstr("dh-impossible"));  // the first joint axis is y
  EXPECT_EQ(report.exit_code(), 0);
  EXPECT_TRUE(report.loads);
  EXPECT_EQ(report.links, 3U);
  EXPECT_EQ(report.joints, 2U);
  EXPECT_EQ(report.coordinates, 2U);
  EXPECT_DOUBLE_EQ(report.mass, 3.0);
  ASSERT_TRUE(report.condition);
  EXPECT_GE(report.condition->largest, report.condition->smallest);
  EXPECT_GE(report.condition->smallest, 1.0);
  EXPECT_EQ(report.condition->worst_position.size(), 2U);
}

TEST(Check, BuiltInRobotsHaveNoErrors) {
  for (const auto name : built_in_robots()) {
    const CheckReport report = check_dh_table(*built_in_table(name), name);
    EXPECT_EQ(report.count(Severity::error), 0U) << name << "\n" << print(report);
    EXPECT_TRUE(report.loads) << name;
  }
}

struct Case {
  std::string from, to;  ///< replacement in the text of the valid robot
  Severity severity;
  std::string code, element;
  bool fixable = false;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.code << " " << c.to; }

const std::string limit = R"(<limit lower="-2" upper="2" effort="100" velocity="3"/>)";
const std::string axis = R"(<axis xyz="0 1 0"/>)";
const std::string upper_inertia =
    R"(<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>)";
const std::string box = R"(</inertial><collision><origin xyz="0 0 0.5"/><geometry>)";
const auto error = Severity::error, warning = Severity::warning, info = Severity::information;

const std::vector<Case> cases = {
    {R"(<mass value="2"/>)", R"(<mass value="-2"/>)", error, "mass-negative", "upper"},
    {R"(<mass value="2"/>)", R"(<mass value="nan"/>)", error, "number", "upper"},
    {R"(<mass value="2"/>)", R"(<mass value="2,5"/>)", error, "decimal-comma", "upper", true},
    {R"(<mass value="2"/>)", R"(<mass/>)", error, "mass-missing", "upper"},
    {R"(<mass value="2"/>)", R"()", error, "mass-missing", "upper"},
    {R"(<mass value="2"/>)", R"(<mass value="0"/>)", warning, "inertia-without-mass", "upper"},
    {upper_inertia, "", error, "inertia-missing", "upper"},
    {upper_inertia, R"(<inertia ixx="0.1" iyy="0.1" izz="0.02"/>)", error,
     "inertia-product-missing", "upper", true},
    {upper_inertia, R"(<inertia ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/>)", error,
     "inertia-entry-missing", "upper"},
    {R"(izz="0.02")", R"(izz="-0.02")", error, "inertia-not-positive", "upper"},
    {R"(izz="0.02")", R"(izz="0.3")", warning, "inertia-triangle", "upper"},
    {R"(izz="0.02")", R"(izz="0.2001")", warning, "inertia-triangle", "upper", true},
    {upper_inertia, R"(<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>)", warning,
     "inertia-zero", "upper"},
    {upper_inertia, R"(<inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/>)",
     warning, "inertia-placeholder", "upper"},
    {upper_inertia, R"(<inertia ixx="1e5" ixy="0" ixz="0" iyy="1e5" iyz="0" izz="2e4"/>)", warning,
     "inertia-large", "upper"},
    {upper_inertia, R"(<inertia ixx="2e-6" ixy="0" ixz="0" iyy="2e-6" iyz="0" izz="2e-6"/>)",
     warning, "inertia-small", "upper"},
    {upper_inertia + "\n    </inertial>",
     R"(<inertia ixx="0.67" ixy="0" ixz="0" iyy="0.67" iyz="0" izz="0.002"/>)" + box +
         R"(<box size="0.1 0.1 1"/></geometry></collision>)",
     warning, "inertia-about-origin", "upper"},
    {"</inertial>", box + R"(<sphere radius="0.001"/></geometry></collision>)", warning, "density",
     "upper"},
    {R"(<origin xyz="0 0 0.5" rpy="0 0 0"/>)", R"(<origin xyz="500 0 0" rpy="0 0 0"/>)", warning,
     "center-outside", "upper"},
    {"</inertial>", box + R"(<box size="-1 1 1"/></geometry></collision>)", warning,
     "geometry-size", "upper"},
    {R"(<link name="upper">)", R"(<link name="upper"><inertial/>)", error, "mass-missing", "upper"},
    {axis, "", warning, "axis-missing", "shoulder", true},
    {axis, "<axis/>", error, "axis-zero", "shoulder"},
    {axis, R"(<axis xyz="0 2 0"/>)", warning, "axis-not-unit", "shoulder", true},
    {axis, R"(<axis xyz="0 0 0"/>)", error, "axis-zero", "shoulder"},
    {axis, R"(<axis xyz="0 1"/>)", error, "number", "shoulder"},
    {limit, "", error, "limit-missing", "shoulder"},
    {limit, R"(<limit lower="-2" upper="2" effort="100"/>)", error, "limit-entry-missing",
     "shoulder"},
    {limit, R"(<limit lower="2" upper="-2" effort="100" velocity="3"/>)", error, "limit-order",
     "shoulder", true},
    {limit, R"(<limit lower="2" upper="1" effort="100" velocity="3"/>)", error, "limit-order",
     "shoulder"},
    {limit, R"(<limit effort="100" velocity="3"/>)", warning, "limit-range-zero", "shoulder"},
    {limit, R"(<limit lower="-170" upper="170" effort="100" velocity="3"/>)", warning,
     "limit-degrees", "shoulder"},
    {limit, R"(<limit lower="-2" upper="2" effort="0" velocity="3"/>)", warning, "effort-zero",
     "shoulder"},
    {limit, R"(<limit lower="-2" upper="2" effort="100" velocity="0"/>)", warning, "velocity-zero",
     "shoulder"},
    {limit, R"(<limit lower="-2" upper="2" effort="-1" velocity="3"/>)", error, "effort-negative",
     "shoulder"},
    {limit, R"(<limit lower="-2" upper="2" effort="1" velocity="-3"/>)", error, "velocity-negative",
     "shoulder"},
    {R"(type="revolute")", R"(type="continuous")", info, "limit-ignored", "shoulder"},
    {R"(type="revolute")", R"(type="ball")", error, "joint-type", "shoulder"},
    {R"( type="revolute")", "", error, "joint-type", "shoulder"},
    {R"(type="revolute")", R"(type="planar")", info, "joint-composed", "shoulder"},
    {R"(-2" upper="2" effort="100")", R"(-500" upper="500" effort="100")", warning, "limit-degrees",
     "shoulder"},
    {limit, limit + R"(<dynamics damping="-1"/>)", error, "damping-negative", "shoulder"},
    {limit, limit + R"(<dynamics friction="-1"/>)", error, "friction-negative", "shoulder"},
    {limit, limit + R"(<dynamics damping="0" rotor_inertia="-1"/>)", error, "rotor-negative",
     "shoulder"},
    {limit, limit + R"(<dynamics rotor_inertia="1"/>)", warning, "dynamics-empty", "shoulder",
     true},
    {limit, R"(<limit lower="-2" effort="100" velocity="3"/>)", warning, "limit-default",
     "shoulder"},
    {limit, limit + R"(<mimic joint="knee"/>)", error, "mimic-unknown", "shoulder"},
    {limit, limit + R"(<mimic/>)", error, "mimic-unknown", "shoulder"},
    {limit, limit + R"(<mimic joint="shoulder"/>)", error, "mimic-ring", "shoulder"},
    {limit, limit + R"(<mimic joint="elbow" multiplier="0"/>)", warning, "mimic-unused",
     "shoulder"},
    {limit, limit + R"(<mimic joint="elbow" multiplier="3"/>)", warning, "mimic-range", "shoulder"},
    {R"(<joint name="shoulder" type="revolute">)",
     R"(<joint name="shoulder" type="fixed"><mimic joint="elbow"/>)", warning, "mimic-unused",
     "shoulder", true},
    {R"(type="revolute">)", R"(type="floating"><mimic joint="elbow"/>)", error, "mimic-composed",
     "shoulder"},
    {R"(type="revolute">)", R"(type="floating"><dynamics friction="1"/>)", warning,
     "friction-ignored", "shoulder"},
    {R"(<joint name="shoulder" type="revolute">)",
     R"(<link name="cart"/><joint name="rail" type="floating"><parent link="base"/><child
        link="cart"/></joint><joint name="shoulder" type="revolute"><mimic joint="rail"/>)",
     error, "mimic-of-fixed", "shoulder"},
    {R"(<joint name="shoulder" type="revolute">)",
     R"(<joint name="shoulder" type="prismatic"><limit lower="-500" upper="500" effort="1"
        velocity="1"/>)",
     warning, "limit-length", "shoulder"},
    {R"(<link name="upper">)",
     R"(<link name="cart"><inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0"
        iyz="0" izz="0"/></inertial></link><joint name="weld" type="fixed"><parent
        link="upper"/><child link="cart"/></joint><link name="upper">)",
     info, "mass-zero", "cart"},
    {R"(<link name="base"/>)", R"(<link name="base"/><link name="spare"/>)", error, "second-root",
     "spare"},
    {R"(<link name="lower">)", R"(<link name="upper">)", error, "name-twice", "upper"},
    {R"(joint name="elbow")", R"(joint name="shoulder")", error, "name-twice", "shoulder"},
    {R"(<link name="base"/>)", R"(<link/>)", error, "name-missing", ""},
    {R"(<parent link="base"/>)", R"(<parent link="bass"/>)", error, "end-unknown", "shoulder"},
    {R"(<parent link="base"/>)", "", error, "end-missing", "shoulder"},
    {R"(<parent link="base"/>)", R"(<parent link="lower"/>)", error, "loop", "upper"},
    {R"(<child link="lower"/>)", R"(<child link="upper"/>)", error, "two-parents", "upper"},
    {R"(<link name="base"/>)",
     R"(<link name="base"><inertial><mass value="1"/>)" + upper_inertia + "</inertial></link>",
     info, "root-inertial", "base"},
    {R"(<link name="lower">)", R"(<link name="lower"><flexible length="-1" mass_per_length="1"/>)",
     error, "flexible-value", "lower"},
    {R"(<link name="lower">)",
     R"(<link name="lower"><flexible length="1" mass_per_length="3" modes_y="1" rigidity_y="1"/>)",
     warning, "flexible-mass", "lower"},
    {R"(<link name="upper">)",
     R"(<link name="upper"><flexible length="1" mass_per_length="2" modes_y="1" rigidity_y="1"/>)",
     warning, "flexible-length", "upper"},
    {R"(<link name="lower">)", R"(<link name="lower"><flexible length="1" mass_per_length="1"/>)",
     info, "flexible-without-modes", "lower"},
    {"</robot>", R"(<transmission name="t"><joint name="knee"/></transmission></robot>)", warning,
     "drive-of-nothing", "knee"},
    {"</robot>",
     R"(<link name="tip"/><joint name="tip" type="continuous"><parent link="lower"/>
        <child link="tip"/><axis xyz="0 0 1"/></joint></robot>)",
     error, "massless-leaf", "tip"},
    {R"(<origin xyz="0 0 1" rpy="0 0 0"/>)", R"(<origin xyz="0 0 1000" rpy="0 0 0"/>)", warning,
     "reach", "arm"},
    {R"(<robot name="arm">)", "<robot>", error, "robot-name", "", true},
};

class CheckCase : public testing::TestWithParam<Case> {};

TEST_P(CheckCase, IsReportedAndAgreesWithReader) {
  const Case& c = GetParam();
  const std::string text = test::replaced(test::arm_urdf(), c.from, c.to);
  const CheckReport report = check_urdf(text, "arm.urdf");
  EXPECT_THAT(report.findings, Contains(is(c.severity, c.code, c.element))) << print(report);
  EXPECT_EQ(report.loads, reader_accepts(text)) << print(report);
  EXPECT_TRUE(report.loads || report.count(Severity::error) > 0) << print(report);
  for (const Finding& finding : report.findings) {
    if (finding.code != c.code || finding.name != c.element) continue;
    EXPECT_EQ(finding.fixable, c.fixable);
    EXPECT_TRUE(finding.line > 0 || finding.kind == Kind::robot);
    EXPECT_FALSE(finding.message.empty());
  }
  // a repair removes the finding and changes nothing else
  const std::string repaired = repair_urdf(text, "arm.urdf");
  const CheckReport after = check_urdf(repaired, "arm.urdf");
  for (const Finding& finding : after.findings) EXPECT_FALSE(finding.fixable) << print(after);
  EXPECT_EQ(repaired != text, c.fixable);
  if (c.fixable) {
    EXPECT_THAT(after.findings, Not(Contains(has_code(c.code)))) << repaired;
    EXPECT_EQ(repair_urdf(repaired), repaired);
  }
}
INSTANTIATE_TEST_SUITE_P(Urdf, CheckCase, testing::ValuesIn(cases));

TEST(Check, ContinuesAfterErrors) {
  std::string text = test::arm_urdf();
  text = test::replaced(text, R"(<mass value="2"/>)", R"(<mass value="-2"/>)");
  text = test::replaced(text, R"(<mass value="1"/>)", R"(<mass value="one"/>)");
  text = test::replaced(text, axis, R"(<axis xyz="0 0 0"/>)");
  text = test::replaced(text, R"(lower="-2" upper="2" effort="50")",
                        R"(lower="3" upper="2" effort="0")");
  const CheckReport report = check_urdf(text);
  EXPECT_THAT(report.findings, Contains(is(error, "mass-negative", "upper")));
  EXPECT_THAT(report.findings, Contains(is(error, "number", "lower")));
  EXPECT_THAT(report.findings, Contains(is(error, "axis-zero", "shoulder")));
  EXPECT_THAT(report.findings, Contains(is(error, "limit-order", "elbow")));
  EXPECT_THAT(report.findings, Contains(is(warning, "effort-zero", "elbow")));
  EXPECT_FALSE(report.loads);
  EXPECT_EQ(report.exit_code(), 2);
}

TEST(Check, InvalidXmlIsReportedAndTheRestChecked) {
  std::string text = test::replaced(test::arm_urdf(), "</inertial>", "");
  text = test::replaced(text, R"(<mass value="2"/>)", R"(<mass value="-2"/>)");
  const CheckReport report = check_urdf(text, "arm.urdf");
  EXPECT_THAT(report.findings, Contains(is(error, "xml", "arm.urdf"))) << print(report);
  EXPECT_THAT(report.findings, Contains(is(error, "mass-negative", "upper"))) << print(report);
  for (const char* bad : {"", " ", "<", "<robot", "<robot name=", "<robot name='x", "</robot>",
                          "<robot></rob>", "plain text", "<a/><b/>", "<!-- <robot>", "<![CDATA[ ",
                          "<?xml", "<!DOCTYPE robot [<!ENTITY a 'b'>]><robot/>", "\xEF\xBB\xBF",
                          "<robot name='r'><link name='a' name='b'/></robot>"}) {
    const CheckReport of_bad = check_urdf(bad);
    EXPECT_EQ(of_bad.exit_code(), 2) << bad;
    EXPECT_FALSE(of_bad.loads) << bad;
    EXPECT_EQ(repair_urdf(bad).substr(0, 3), std::string(bad).substr(0, 3));
  }
}

TEST(Check, RepairKeepsOtherText) {
  const std::string text =
      test::replaced(test::arm_urdf(), axis, "<axis\txyz = '0 3 4' /><!-- skewed -->");
  EXPECT_EQ(repair_urdf(text), test::replaced(text, "0 3 4", "0 0.6 0.8"));
  // the same dynamics: the reader normalizes the axis too
  const Model given = model_from_urdf(text), repaired = model_from_urdf(repair_urdf(text));
  EXPECT_EQ(given.tree()[0].cos_alpha, repaired.tree()[0].cos_alpha);
}

TEST(Check, RepairedTensorIsNearestPhysicalOne) {
  const std::string text = test::replaced(test::arm_urdf(), R"(izz="0.02")", R"(izz="0.2004")");
  const RobotDescription robot = read_urdf(repair_urdf(text));
  const Eigen::Matrix3d& inertia = robot.links[1].inertial->inertia;
  EXPECT_NEAR(inertia(0, 0), 0.1002, 1e-12);
  EXPECT_NEAR(inertia(1, 1), 0.1002, 1e-12);
  EXPECT_NEAR(inertia(2, 2), 0.2004, 1e-12);
}

TEST(Check, WrongUnitsAreSuggested) {
  const std::string text =
      test::replaced(test::arm_urdf(), upper_inertia + "\n    </inertial>",
                     R"(<inertia ixx="166000" ixy="0" ixz="0" iyy="166000" iyz="0" izz="1000"/>)" +
                         box + R"(<box size="0.1 0.1 1"/></geometry></collision>)");
  const CheckReport report = check_urdf(text);
  EXPECT_THAT(report.findings, Contains(AllOf(has_code("inertia-large"),
                                              Field(&Finding::repair, HasSubstr("kg mm^2")))))
      << print(report);
}

TEST(Check, ReportsUnequalMirroredLinksConditionAndSingularity) {
  using test::body;
  using test::RobotBuilder;
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  RobotBuilder two;
  two.add(JointType::revolute, "a", "base", "left_arm", z,
          body(1.0, {0.1, 0, 0}, {1e-3, 2e-3, 2e-3}));
  two.add(JointType::revolute, "b", "base", "right_arm", z,
          body(2.0, {0.1, 0, 0}, {1e-3, 2e-3, 2e-3}));
  EXPECT_THAT(check_model(two).findings, Contains(is(info, "mirror-mass", "left_arm")));

  // a link of one gram carries ten tons
  RobotBuilder ill_conditioned;
  ill_conditioned.add(JointType::revolute, "a", "base", "light", z,
                      body(1e-3, {0.1, 0, 0}, {1e-8, 2e-8, 2e-8}));
  ill_conditioned.add(JointType::revolute, "b", "light", "heavy", z,
                      body(1e4, {0.5, 0, 0}, {1e-6, 1e-6, 1e-6}),
                      {Eigen::Matrix3d::Identity(), {0.5, 0, 0}});
  EXPECT_THAT(check_model(ill_conditioned).findings, Contains(has_code("condition")));

  // a point mass on the joint axis, found when the model is built
  RobotBuilder point;
  point.add(JointType::revolute, "a", "base", "rod", z, body(1.0, {0, 0, 0.3}));
  EXPECT_THAT(check_model(point).findings, Contains(has_code("singular")));
}

TEST(Check, DescriptionWithNonFiniteNumbersIsAnError) {
  using test::body;
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  test::RobotBuilder robot;
  robot.add(JointType::revolute, "a", "base", "arm", z, body(1.0, {0.1, 0, 0}, {1, 2, 2}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect_error = [&](auto modify) {
    RobotDescription bad = robot;
    modify(bad);
    const CheckReport report = check_model(bad);
    EXPECT_EQ(report.exit_code(), 2) << print(report);
    EXPECT_FALSE(report.loads);
  };
  expect_error([&](RobotDescription& r) { r.links[1].inertial->inertia(0, 0) = nan; });
  expect_error([&](RobotDescription& r) { r.links[1].inertial->mass = nan; });
  expect_error([&](RobotDescription& r) { r.links[1].inertial->inertia(0, 1) = 0.3; });
  expect_error([&](RobotDescription& r) { r.joints[0].axis.x() = nan; });
  expect_error([&](RobotDescription& r) { r.joints[0].origin.translation.x() = nan; });
  expect_error([&](RobotDescription& r) { r.joints[0].origin.rotation.setZero(); });
  expect_error([&](RobotDescription& r) { r.joints[0].limits->lower = -HUGE_VAL; });
  expect_error([&](RobotDescription& r) { r.joints[0].limits->effort = nan; });
  expect_error([&](RobotDescription& r) { r.joints[0].damping = nan; });
  expect_error([&](RobotDescription& r) {
    r.links[1].inertial->mass = 1e300, r.links[1].inertial->center.x() = 1e300;
  });
}

TEST(Check, RandomRobotsHaveNoErrors) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    test::RandomRobot random(seed);
    const CheckReport report = check_model(random.robot(
        {.joints = 1 + seed % 9, .branching = 0.3, .fixed = 0.3, .rotors = 0.5, .friction = 0.5}));
    EXPECT_EQ(report.count(Severity::error), 0U) << print(report);
  }
}

TEST(Check, MasslessLinkWithFixedLoadIsNotReported) {
  const std::string text = test::replaced(
      test::arm_urdf(), "</robot>",
      R"(<link name="hub"/><joint name="wrist" type="continuous"><parent link="lower"/><child
         link="hub"/><axis xyz="0 0 1"/></joint><link name="load"><inertial><mass value="1"/><inertia
         ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link><joint
         name="weld" type="fixed"><parent link="hub"/><child link="load"/></joint></robot>)");
  const CheckReport report = check_urdf(text);
  EXPECT_TRUE(report.loads) << print(report);
  EXPECT_THAT(report.findings, Not(Contains(has_code("inertial-missing")))) << print(report);
  EXPECT_THAT(report.findings, Not(Contains(has_code("massless-leaf")))) << print(report);
}

TEST(Check, ConditionIsNotSampledForManyJoints) {
  const RobotDescription robot = test::RandomRobot(3).robot({.joints = 12});
  CheckOptions few;
  few.condition_coordinates = 11;
  EXPECT_THAT(check_model(robot, few).findings, Contains(has_code("condition-not-sampled")));
  EXPECT_FALSE(check_model(robot, few).condition);
  few.condition_coordinates = 12;
  EXPECT_TRUE(check_model(robot, few).condition);
}

TEST(Check, NumberOfFindingsIsLimited) {
  std::string text = "<robot name='r'>";
  for (int i = 0; i < 20'000; ++i) text += "<link/>";
  const CheckReport report = check_urdf(text + "</robot>");
  EXPECT_LE(report.findings.size(), 10'001U);
  EXPECT_EQ(report.findings.back().code, "too-many");
}

TEST(Check, ErrorOfTableHasLine) {
  const CheckReport report = check_dh_table("robot: x\nsource: y\nlinks: 3\n", "t.yaml");
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].line, 3U);
  EXPECT_EQ(report.findings[0].message, "links: must be a list");
  EXPECT_EQ(report.exit_code(), 2);
}

TEST(Check, ListsAllErrorsOfTable) {
  const std::string row = ", type: revolute, a: 1, b: 0, alpha: 0, mass: 1, r: [0, 0, 0]";
  const auto messages = [](const std::string& text) {
    std::vector<std::string> result;
    for (const Finding& finding : check_dh_table(text, "t.yaml").findings) {
      EXPECT_EQ(finding.severity, error);
      result.push_back(std::to_string(finding.line) + " " + finding.message);
    }
    return result;
  };
  // the joint k does not exist because its link is invalid: no further finding
  EXPECT_THAT(messages("robot: x\nsource: y\ngravity: [0, 0]\nlinks:\n  - {joint: j, link: l" +
                       row + ", inertia: [1, -1, 1]}\n  - {joint: k, link: m" + row +
                       ", inertia: [1, 1]}\njoints:\n  - {joint: k, effort: 1}\n"),
              testing::ElementsAre(
                  HasSubstr("3 gravity: must be a list of 3 numbers"),
                  HasSubstr("5 links[1].inertia[2]: a moment of inertia must not be negative"),
                  HasSubstr("6 links[2].inertia: must be [Ixx, Iyy, Izz]")));
  EXPECT_THAT(messages("robot: x\nsource: y\nlinks:\n  - {joint: j, link: l" + row +
                       ", inertia: [1, 1, 1]}\njoints:\n  - {joint: k, effort: 1}\n"
                       "  - {joint: j, effort: -1}\nstart: {q: [0, 0]}\n"),
              testing::ElementsAre(HasSubstr("6 joints[1].joint: joint 'k' does not exist"),
                                   HasSubstr("7 joints[2].effort: must not be negative"),
                                   HasSubstr("8 start.q: must be a list of 1 numbers")));
}

}  // namespace
}  // namespace dynamics
