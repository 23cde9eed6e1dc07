// SPDX-License-Identifier: Apache-2.0
// Constraints in URDF: what is read, and 30 bad descriptions, each reported by name.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/check.hpp"
#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/readers.hpp"
#include "loops/mechanisms.hpp"

namespace dynamics::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) ADD_FAILURE() << "not in the text: " << from;
  return text.replace(at, from.size(), to);
}

TEST(Constraints, AreReadWithAllValues) {
  const std::string urdf = replaced(
      four_bar_urdf({}), "</robot>",
      R"(<constraint name="tie" type="distance" value="0.4"><parent link="crank"/><parent_origin xyz="1 2 3" rpy="0 0 1.5"/><child link="rocker"/></constraint></robot>)");
  const RobotDescription robot = read_urdf(urdf);
  ASSERT_EQ(robot.constraints.size(), 2U);
  EXPECT_EQ(robot.constraints[0].type, ConstraintType::revolute);
  EXPECT_EQ(robot.constraints[0].parent, "coupler");
  EXPECT_EQ(robot.constraints[0].child_axis, Eigen::Vector3d::UnitZ());
  EXPECT_EQ(robot.constraints[1].type, ConstraintType::distance);
  EXPECT_EQ(robot.constraints[1].distance, 0.4);
  EXPECT_EQ(robot.constraints[1].parent_origin.translation, Eigen::Vector3d(1, 2, 3));
  EXPECT_NEAR(robot.constraints[1].parent_origin.rotation(1, 0), std::sin(1.5), 1e-15);
  EXPECT_EQ(robot.joints[0].actuated, true);
  EXPECT_EQ(robot.joints[1].actuated, std::nullopt);
}

TEST(Constraints, IndependentJointsAreThoseOfRos2Control) {
  std::string urdf = replaced(four_bar_urdf({}), R"( actuated="true")", "");
  urdf = replaced(
      urdf, "</robot>",
      R"(<ros2_control name="c" type="system"><joint name="d"><command_interface name="effort"/></joint><joint name="a"><state_interface name="position"/></joint></ros2_control></robot>)");
  const Mechanism mechanism = mechanism_from_urdf(urdf);
  ASSERT_EQ(mechanism.size(), 1U);
  EXPECT_EQ(mechanism.tree().coordinates()[mechanism.independent()[0]].name, "d");
}

TEST(Constraints, StartIsTheNearestClosureAndReported) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}));
  bool moved = false;
  for (const Note& note : mechanism.notes())
    moved = moved || note.message.find("nearest position that closes it") != std::string::npos;
  EXPECT_TRUE(moved);
  // no closed position is nearer to zero
  MechanismWorkspace workspace(mechanism);
  const auto distance = [](std::span<const double> q) {
    double sum = 0.0;
    for (const double x : q) sum += x * x;
    return std::sqrt(sum);
  };
  const double nearest = distance(mechanism.start());
  for (const double step : {-0.05, -0.001, 0.001, 0.05}) {
    const std::vector<double> z = {mechanism.start()[0] + step};
    std::vector<double> q(3);
    close_loops(mechanism, workspace, mechanism.start(), z, q);
    EXPECT_GE(distance(q), nearest - 1e-9);
  }
}

struct BadDescription {
  const char* what;
  std::string from, to;  ///< replaces text in the four-bar
  const char* code;      ///< of `dynamics check`
  const char* message;
};

std::vector<BadDescription> bad_descriptions() {
  const std::string type = R"(type="revolute"><parent link="coupler"/>)";
  const std::string axis = R"(<parent_axis xyz="0 0 1"/>)";
  const std::string child_axis = R"(<child_axis xyz="0 0 1"/>)";
  const std::string name = R"(<constraint name="cut")";
  const std::string parent = R"(<parent link="coupler"/><parent_origin)";
  const std::string child = R"(<child link="rocker"/><child_origin)";
  const std::string origin = R"(<parent_origin xyz="0.9000000000)";
  const auto more = [](const std::string& text) { return text + "</robot>"; };
  const std::string other = R"(<parent link="crank"/><child link="rocker"/></constraint>)";
  return {
      {"no type", R"(name="cut" type="revolute")", R"(name="cut")", "constraint-type",
       "type is missing"},
      {"unknown type", type, R"(type="point"><parent link="coupler"/>)", "constraint-type",
       "type 'point'"},
      {"type with a capital", type, R"(type="Revolute"><parent link="coupler"/>)",
       "constraint-type", "not supported"},
      {"joint type of trees", type, R"(type="continuous"><parent link="coupler"/>)",
       "constraint-type", "not supported"},
      {"no name", name, "<constraint", "name-missing", "no name"},
      {"empty name", name, R"(<constraint name="")", "name-missing", "no name"},
      {"name of a joint", name, R"(<constraint name="a")", "name-twice",
       "a joint has the same name"},
      {"name twice", "</robot>", more(R"(<constraint name="cut" type="spherical">)" + other),
       "name-twice", "used twice"},
      {"unknown parent", parent, R"(<parent link="cupler"/><parent_origin)", "end-unknown",
       "parent link 'cupler' does not exist"},
      {"unknown child", child, R"(<child link="Rocker"/><child_origin)", "end-unknown",
       "child link 'Rocker' does not exist"},
      {"no parent", parent, "<parent_origin", "end-missing", "<parent link"},
      {"no child", child, "<child_origin", "end-missing", "<child link"},
      {"parent is child", child, R"(<child link="coupler"/><child_origin)", "constraint-same-link",
       "same link"},
      {"zero parent axis", axis, R"(<parent_axis xyz="0 0 0"/>)", "axis-zero",
       "<parent_axis> is zero"},
      {"zero child axis", child_axis, R"(<child_axis xyz="0 0 0"/>)", "axis-zero",
       "<child_axis> is zero"},
      {"no parent axis", axis, "", "axis-missing", "<parent_axis"},
      {"parent axis without xyz", axis, "<parent_axis/>", "axis-missing", "<parent_axis"},
      {"axis of two numbers", axis, R"(<parent_axis xyz="0 1"/>)", "number", "3 finite"},
      {"axis not a number", axis, R"(<parent_axis xyz="0 0 z"/>)", "number", "3 finite"},
      {"origin of two numbers", R"(rpy="0 0 0"/><parent_axis)", R"(rpy="0 0"/><parent_axis)",
       "number", "3 finite"},
      {"infinite origin", origin, R"(<parent_origin xyz="1e999 0 0" a="0.9000000000)", "number",
       "finite"},
      {"distance without value", "</robot>",
       more(R"(<constraint name="tie" type="distance">)" + other), "distance-missing", "value"},
      {"zero distance", "</robot>",
       more(R"(<constraint name="tie" type="distance" value="0">)" + other), "distance-value",
       "greater than zero"},
      {"negative distance", "</robot>",
       more(R"(<constraint name="tie" type="distance" value="-1">)" + other), "distance-value",
       "greater than zero"},
      {"distance not a number", "</robot>",
       more(R"(<constraint name="tie" type="distance" value="one">)" + other), "number", "finite"},
      {"universal without child axis", "</robot>",
       more(R"(<constraint name="tie" type="universal"><parent_axis xyz="0 0 1"/>)" + other),
       "axis-missing", "<child_axis"},
      {"prismatic with two axes", "</robot>",
       more(
           R"(<constraint name="tie" type="prismatic"><parent_axis xyz="0 0 1"/><child_axis xyz="1 0 0"/>)" +
           other),
       "constraint-axes", "same orientation"},
      {"bars too short to close", R"(<origin xyz="1 0 0")", R"(<origin xyz="9 0 0")", "loop",
       "cannot close"},
      {"axes cannot be parallel", axis, R"(<parent_axis xyz="1 0 0"/>)", "loop", "cannot close"},
      {"distance too large", "</robot>",
       more(R"(<constraint name="tie" type="distance" value="50">)" + other), "loop",
       "cannot close"},
      {"no joint can move", type, R"(type="fixed"><parent link="coupler"/>)", "loop", ""},
      {"loop through fixed links", "</robot>",
       more(
           R"(<link name="tip"/><joint name="weld" type="fixed"><parent link="crank"/><child link="tip"/></joint><constraint name="tie" type="spherical"><parent link="crank"/><child link="tip"/></constraint>)"),
       "loop", "fixed to each other"},
      {"wrong actuated", R"(actuated="true")", R"(actuated="yes")", "actuated",
       "must be true or false"},
  };
}

TEST(BadConstraints, AreReportedByName) {
  ASSERT_GE(bad_descriptions().size(), 30U);
  for (const BadDescription& bad : bad_descriptions()) {
    const std::string urdf = replaced(four_bar_urdf({}), bad.from, bad.to);
    const CheckReport report = check_urdf(urdf, "bad.urdf");
    bool found = false;
    std::string all;
    for (const Finding& finding : report.findings) {
      all += std::string(finding.code) + " " + finding.name + ": " + finding.message + ": " +
             finding.repair + "\n";
      if (finding.severity != Finding::Severity::error || finding.code != bad.code) continue;
      const std::string text = finding.message + ": " + finding.repair;
      found = found || text.find(bad.message) != std::string::npos;
    }
    EXPECT_TRUE(found) << bad.what << "\n" << all;
    EXPECT_EQ(report.exit_code(), 2) << bad.what;
    // the same as an exception
    try {
      const Mechanism mechanism = mechanism_from_urdf(urdf, {}, "bad.urdf");
      ADD_FAILURE() << bad.what << ": accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(bad.message)) << bad.what;
    }
  }
}

TEST(BadConstraints, FlexibleLinksAreRefused) {
  const std::string urdf = replaced(
      four_bar_urdf({}), R"(<link name="coupler">)",
      R"(<link name="coupler"><flexible length="0.9" mass_per_length="1" rigidity_y="100" modes_y="1"/>)");
  try {
    const Mechanism mechanism = mechanism_from_urdf(urdf);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("link 'coupler'"), HasSubstr("flexible")));
  }
}

TEST(CheckLoops, ReportsSingularStartAndRedundantEquations) {
  // a parallelogram in line at zero
  FourBar f;
  f.length[0] = f.length[2] = 0.4;
  f.ground = f.length[1] = 1.0;
  const CheckReport report = check_urdf(four_bar_urdf(f));
  EXPECT_TRUE(report.loads);
  EXPECT_EQ(report.coordinates, 1U);
  bool singular = false, redundant = false;
  for (const Finding& finding : report.findings) {
    if (finding.kind != Finding::Kind::constraint || finding.name != "cut") continue;
    singular = singular || (finding.severity == Finding::Severity::warning &&
                            finding.message.find("singular at the start") != std::string::npos);
    redundant = redundant || (finding.code == "redundant" &&
                              finding.message.find("3 of its 5 equations") != std::string::npos);
  }
  EXPECT_TRUE(singular);
  EXPECT_TRUE(redundant);
}

}  // namespace
}  // namespace dynamics::test
