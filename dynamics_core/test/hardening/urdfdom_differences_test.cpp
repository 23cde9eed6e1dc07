// SPDX-License-Identifier: Apache-2.0
// The comparison with urdfdom finds every value that it reads differently. The difference is made
// by changing our description: the two readers agree on every file that is known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "readers/urdf_reader.hpp"

namespace dynamics {
namespace {

using testing::HasSubstr;

constexpr const char* text = R"(<?xml version="1.0"?>
<robot name="arm"><link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/><mass value="2"/>
<inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="0.003" izz="0.04"/></inertial></link>
<link name="lower"><inertial><mass value="1"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial></link>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
<origin xyz="0 0 0.5" rpy="0.3 0.2 0.1"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="2" effort="10" velocity="3"/><dynamics damping="0.5" friction="0.2"/></joint>
<joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
<mimic joint="shoulder" multiplier="2" offset="0.1"/></joint></robot>
)";

std::vector<Finding> differences(const RobotDescription& description) {
  std::vector<Finding> findings;
  compare_with_urdfdom(text, description, findings);
  return findings;
}

struct Change {
  const char* message;
  std::function<void(RobotDescription&)> apply;
};

TEST(UrdfdomDifferences, AreErrors) {
  const RobotDescription original = read_urdf(text);
  EXPECT_TRUE(differences(original).empty());
  using D = RobotDescription;
  const std::vector<Change> changes = {
      {"mass is read as 2.5 here and as 2 by urdfdom",
       [](D& d) { d.links[1].inertial->mass = 2.5; }},
      {"mass center", [](D& d) { d.links[1].inertial->center.y() += 1e-6; }},
      {"inertia tensor", [](D& d) { d.links[1].inertial->inertia(0, 1) += 1e-6; }},
      {"inertial", [](D& d) { d.links[2].inertial.reset(); }},
      {"type", [](D& d) { d.joints[1].type = JointType::prismatic; }},
      {"parent link", [](D& d) { d.joints[1].parent = "base"; }},
      {"child link", [](D& d) { d.joints[1].child = "upper"; }},
      {"origin", [](D& d) { d.joints[0].origin.translation.z() = 0.6; }},
      {"orientation",
       [](D& d) {
         d.joints[0].origin.rotation = rotation_from_rpy({0.3, 0.2, 0.1001});
       }},
      {"axis", [](D& d) { d.joints[0].axis = -d.joints[0].axis; }},
      {"lower limit", [](D& d) { d.joints[0].limits->lower = -1.5; }},
      {"upper limit", [](D& d) { d.joints[0].limits->upper = 2.5; }},
      {"velocity limit", [](D& d) { d.joints[0].limits->velocity = 4.0; }},
      {"effort limit", [](D& d) { d.joints[0].limits->effort = 11.0; }},
      {"limit", [](D& d) { d.joints[0].limits.reset(); }},
      {"damping is read as 0.6", [](D& d) { d.joints[0].damping = 0.6; }},
      {"friction is read as 0.3", [](D& d) { d.joints[0].friction = 0.3; }},
      {"dynamics", [](D& d) { d.joints[1].damping = 0.1; }},
      {"mimic", [](D& d) { d.joints[1].mimic->multiplier = -2.0; }},
      {"mimic", [](D& d) { d.joints[1].mimic->offset = 0.0; }},
      {"mimic", [](D& d) { d.joints[1].mimic.reset(); }},
  };
  for (const Change& change : changes) {
    SCOPED_TRACE(change.message);
    RobotDescription changed = original;
    change.apply(changed);
    const std::vector<Finding> found = differences(changed);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].severity, Finding::Severity::error);
    EXPECT_EQ(found[0].code, "urdfdom");
    EXPECT_THAT(found[0].message, testing::StartsWith(change.message));
    EXPECT_THAT(found[0].message, HasSubstr("urdfdom"));
    EXPECT_GT(found[0].line, 0U);
  }
  RobotDescription renamed = original;
  renamed.links[1].name = "obere";
  ASSERT_FALSE(differences(renamed).empty());
  EXPECT_THAT(differences(renamed)[0].message, testing::StartsWith("name is read differently"));
}

}  // namespace
}  // namespace dynamics
