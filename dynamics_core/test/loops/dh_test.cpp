// SPDX-License-Identifier: Apache-2.0
// Closed loops in DH tables.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/check.hpp"
#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/readers.hpp"
#include "loops/closed_forms.hpp"

namespace dynamics::test {
namespace {

using testing::HasSubstr;

/// The four-bar of mechanisms.hpp as a chain crank, coupler, rocker; the rocker's end is pinned to
/// the base.
std::string four_bar_table() {
  const FourBar f;
  std::string text =
      "robot: four_bar\n"
      "source: test\n"
      "gravity: [0, -9.81, 0]\n"
      "links:\n";
  const char* names[3][2] = {{"a", "crank"}, {"b", "coupler"}, {"c", "rocker"}};
  for (std::size_t i = 0; i < 3; ++i) {
    // frame i+1 is at the end of the bar; the rocker is traversed from its end to its pivot
    const double center = i < 2 ? f.center[i] : f.length[2] - f.center[2];
    text += fmt::format(
        "  - {{joint: {}, link: {}, type: revolute, a: {:.17g}, b: 0, alpha_deg: 0, mass: {:.17g}, "
        "r: [{:.17g}, 0, 0], inertia: [{:.17g}, {:.17g}, {:.17g}]}}\n",
        names[i][0], names[i][1], f.length[i], f.mass[i], f.length[i] - center, 0.6 * f.moment[i],
        0.7 * f.moment[i], f.moment[i]);
  }
  return text +
         "joints:\n"
         "  - {joint: a, actuated: true}\n"
         "constraints:\n"
         "  - name: pin\n"
         "    type: revolute\n"
         "    parent: base_link\n"
         "    parent_origin: {xyz: [1, 0, 0]}\n"
         "    parent_axis: [0, 0, 1]\n"
         "    child: rocker\n";
}

TEST(DhLoops, FourBarMatchesLagrangesEquation) {
  const DhTable table = read_dh_table(four_bar_table(), "four_bar.yaml");
  ASSERT_EQ(table.constraints.size(), 1U);
  EXPECT_EQ(table.constraints[0].name, "pin");
  EXPECT_EQ(table.constraints[0].line, 11U);
  EXPECT_EQ(table.links[0].actuated, true);
  EXPECT_EQ(table.links[1].actuated, std::nullopt);
  // the table and the URDF written from it
  const Mechanism from_table = mechanism_from_dh(table);
  const Mechanism from_urdf =
      mechanism_from_urdf(to_urdf(table), {.gravity = {0.0, -gravity, 0.0}});
  for (const Mechanism& mechanism : {from_table, from_urdf}) {
    MechanismWorkspace workspace(mechanism);
    ASSERT_EQ(mechanism.size(), 1U);
    EXPECT_EQ(mechanism.independent()[0], 0U);
    EXPECT_EQ(mechanism.groups()[0].rank, 2U);
    for (const double elbow : {1.0, -1.0}) {
      const double theta = 0.8, rate = 1.3, acceleration = 2.0;
      const FourBarAngles a = four_bar_angles({}, theta, elbow);
      const double coupler = a.coupler.value, rocker = a.rocker.value + std::numbers::pi;
      const std::vector<double> q = {theta, coupler - theta, rocker - coupler};
      std::vector<double> qd = {rate, 0.0, 0.0}, qdd = {acceleration, 0.0, 0.0}, tau(1);
      EXPECT_LT(loop_error(mechanism, workspace, q), 1e-15);
      close_velocities(mechanism, workspace, q, qd);
      close_accelerations(mechanism, workspace, q, qd, qdd);
      EXPECT_NEAR(qd[2], rate * (a.rocker.first - a.coupler.first), 1e-12);
      inverse_dynamics(mechanism, workspace, q, qd, qdd, tau);
      EXPECT_NEAR(tau[0], four_bar_dynamics({}, a).torque(rate, acceleration), 1e-10);
    }
  }
}

TEST(DhLoops, OriginsAreInFrameOfTheTable) {
  // an axis and an origin that are not trivial, on a link with alpha, and the tip as a link
  std::string text = four_bar_table();
  const std::size_t at = text.find("alpha_deg: 0");
  text.replace(at, 12, "alpha_deg: 90");
  text.replace(text.find("    child: rocker"), 17,
               "    child: tool0\n    child_origin: {xyz: [0.1, 0, 0], rpy_deg: [0, 0, 90]}\n"
               "  - {name: tie, type: distance, value: 0.4, parent: crank, child: base_link}");
  const DhTable table = read_dh_table(text, "t.yaml");
  ASSERT_EQ(table.constraints.size(), 2U);
  const RobotDescription robot = describe(table);
  const ConstraintDescription &pin = robot.constraints[0], &tie = robot.constraints[1];
  EXPECT_TRUE(pin.child_origin.translation.isApprox(Eigen::Vector3d(0.1, 0, 0)));
  EXPECT_NEAR(pin.child_origin.rotation(1, 0), 1.0, 1e-15);
  // frame 2 in the frame of the crank: at its end, turned by alpha
  EXPECT_TRUE(tie.parent_origin.translation.isApprox(Eigen::Vector3d(FourBar().length[0], 0, 0)));
  EXPECT_NEAR(tie.parent_origin.rotation(2, 1), 1.0, 1e-15);
  EXPECT_TRUE(tie.child_origin.translation.isZero());
  EXPECT_EQ(tie.distance, 0.4);
}

TEST(DhLoops, ModelRefusesTheConstraint) {
  const DhTable table = read_dh_table(four_bar_table(), "four_bar.yaml");
  try {
    model_from_dh(table);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("pin"));
  }
}

struct BadTable {
  const char* from;
  const char* to;
  int line;
  const char* message;
};

TEST(DhLoops, BadTablesAreReportedWithLines) {
  const BadTable bad[] = {
      {"    type: revolute\n    parent", "    type: continuous\n    parent", 12,
       "found 'continuous'"},
      {"    type: revolute\n    parent", "    parent", 11, "key 'type' is missing"},
      {"  - name: pin\n    type", "  - type", 11, "key 'name' is missing"},
      {"name: pin", "name: a", 11, "name 'a' is used twice"},
      {"parent: base_link", "parent: base", 13, "link 'base' does not exist"},
      {"child: rocker", "child: rock", 16, "link 'rock' does not exist"},
      {"child: rocker", "child: base_link", 16, "same link 'base_link'"},
      {"    child: rocker\n", "", 11, "key 'child' is missing"},
      {"parent_axis: [0, 0, 1]", "parent_axis: [0, 0, 0]", 15, "is zero"},
      {"parent_axis: [0, 0, 1]", "parent_axis: [0, 1]", 15, "3"},
      {"    parent_axis: [0, 0, 1]\n", "", 11, "key 'parent_axis' is missing"},
      {"{xyz: [1, 0, 0]}", "{xyz: [1, 0]}", 14, "3"},
      {"{xyz: [1, 0, 0]}", "{xyz: [1, 0, .nan]}", 14, "must be a number"},
      {"{xyz: [1, 0, 0]}", "{position: [1, 0, 0]}", 14, "position"},
      {"{xyz: [1, 0, 0]}", "{rpy: [0, 0, 0], rpy_deg: [0, 0, 0]}", 14, "not both"},
      {"child: rocker", "child: rocker\n    value: 0.3", 17, "only type distance"},
      {"child: rocker", "child: rocker\n    diameter: 0.3", 17, "diameter"},
      {"type: revolute\n    parent", "type: distance\n    parent", 11, "key 'value' is missing"},
      {"type: revolute\n    parent", "type: distance\n    value: 0\n    parent", 13,
       "greater than"},
      {"type: revolute\n    parent", "type: universal\n    parent", 11, "'child_axis' is missing"},
      {"actuated: true", "actuated: yes", 9, "true or false"},
      {"[1, 0, 0]", "[9, 0, 0]", 11, "cannot close"},
      {"type: revolute\n    parent", "type: fixed\n    parent", 11, ""},
  };
  for (const BadTable& each : bad) {
    std::string text = four_bar_table();
    const std::string from = each.from;
    const std::size_t at = text.find(from, text.find("joints:"));
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), each.to);
    const CheckReport report = check_dh_table(text, "bad.yaml");
    EXPECT_EQ(report.exit_code(), 2) << each.to;
    bool found = false;
    std::string all;
    for (const Finding& finding : report.findings) {
      all += std::to_string(finding.line) + " " + finding.message + "\n";
      found = found || (finding.severity == Finding::Severity::error &&
                        finding.line == static_cast<std::size_t>(each.line) &&
                        finding.message.find(each.message) != std::string::npos);
    }
    EXPECT_TRUE(found) << each.from << " -> " << each.to << "\n" << all;
    EXPECT_THROW(mechanism_from_dh(read_dh_table(text, "bad.yaml")), Error) << each.to;
  }
}

}  // namespace
}  // namespace dynamics::test
