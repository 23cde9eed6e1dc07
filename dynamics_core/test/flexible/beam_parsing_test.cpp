// SPDX-License-Identifier: Apache-2.0
// The <flexible> element of a URDF and the flexible rows of a DH table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/readers.hpp"
#include "flexible/tree.hpp"

namespace dynamics {
namespace {

std::string urdf(const std::string& attributes, const std::string& mass = "17") {
  return R"(<robot name="crane"><link name="base"/>
    <link name="boom">
      <inertial><origin xyz="3 0 0"/><mass value=")" +
         mass + R"("/><inertia ixx="0.1" ixy="0" ixz="0" iyy="40" iyz="0" izz="40"/></inertial>
      <flexible length="5" mass_per_length="2" )" +
         attributes + R"(/>
    </link>
    <joint name="slew" type="continuous"><parent link="base"/><child link="boom"/>
      <axis xyz="0 0 1"/></joint></robot>)";
}

const std::string all =
    R"(rigidity_y="3e3" rigidity_z="4e3" modes_y="3" modes_z="1" damping="0.01" tip_mass="4"
       hub_mass="3" hub_center="0.01 0 -0.1" hub_inertia="0.1 0.2 0.3" stiffening="true" basis="polynomial")";

TEST(BeamParsing, ReadsEveryAttributeOfUrdf) {
  const RobotDescription robot = read_urdf(urdf(all));
  const BeamDescription& beam = *robot.links[1].flexible;
  EXPECT_EQ(beam.tip_mass, 4.0);
  EXPECT_EQ(beam.hub_mass, 3.0);
  EXPECT_EQ(beam.hub_center, Eigen::Vector3d(0.01, 0.0, -0.1));
  EXPECT_EQ(beam.hub_inertia, Eigen::Vector3d(0.1, 0.2, 0.3));
  EXPECT_TRUE(beam.stiffening);
  EXPECT_EQ(beam.basis, "polynomial");
  const FlexibleModel model((Model(robot)));
  EXPECT_EQ(model.amplitude_count(), 4U);
  EXPECT_THAT(model.amplitude_names(),
              testing::ElementsAre("e_boom_y1", "e_boom_y2", "e_boom_y3", "e_boom_z1"));
  EXPECT_EQ(model.basis(0).name(), "polynomial");
  EXPECT_TRUE(model.tree()[0].beam.stiffening);
}

TEST(BeamParsing, ErrorsNameTheLink) {
  const std::pair<std::string, std::string> cases[] = {
      {R"(modes_y="1")", "rigidity_y"},
      {R"(modes_y="7" rigidity_y="1")", "0 to 6"},
      {R"(tip_mass="-1")", "tip_mass"},
      {R"(hub_inertia="1 2")", "3 finite numbers"},
      {R"(hub_center="1 x 2")", "3 finite numbers"},
      {R"(hub_inertia="1 2 -3")", "hub_inertia"},
      {R"(stiffening="yes")", "true or false"},
      {R"(basis="sine")", "clamped-free or polynomial"}};
  for (const auto& [attributes, message] : cases) {
    try {
      read_urdf(urdf(attributes));
      ADD_FAILURE() << attributes << " was accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("link 'boom'"));
      EXPECT_THAT(error.what(), testing::HasSubstr(message));
    }
  }
  EXPECT_THROW(FlexibleModel(model_from_urdf(urdf(all, "16"))), ModelError);
  // 3 kg at 0.3 m need 0.27 kg m^2
  std::string light = all;
  light.replace(light.find("-0.1"), 4, "-0.3");
  try {
    const FlexibleModel model(model_from_urdf(urdf(light)));
    ADD_FAILURE() << "a hub with too little inertia was accepted";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.element(), "link 'boom'");
    EXPECT_THAT(error.what(), testing::HasSubstr("hub inertia about x is 0.1 kg m^2"));
  }
}

TEST(BeamParsing, DhTableAndItsUrdfAgree) {
  const std::string yaml = R"(
robot: crane
source: test
links:
  - {joint: slew, link: boom, type: revolute, a: 5, b: 0, alpha: 0, mass: 17, r: [2, 0, 0], inertia: [0.1, 40, 40]}
flexible:
  - {link: boom, rigidity_y: 3e3, rigidity_z: 4e3, modes_y: 3, modes_z: 1, damping: 0.01, tip_mass: 4, hub_mass: 3, hub_inertia: [0.1, 0.2, 0.3], stiffening: true, basis: polynomial}
)";
  const DhTable table = read_dh_table(yaml, "crane.yaml");
  const BeamDescription& given = *table.links[0].flexible;
  EXPECT_EQ(given.mass_per_length, 2.0);  // the mass minus tip and hub, per length
  const RobotDescription read = read_urdf(to_urdf(table));
  const BeamDescription& beam = *read.links[1].flexible;
  EXPECT_EQ(beam.length, given.length);
  EXPECT_EQ(beam.mass_per_length, given.mass_per_length);
  EXPECT_EQ(beam.tip_mass, given.tip_mass);
  EXPECT_EQ(beam.hub_mass, given.hub_mass);
  EXPECT_EQ(beam.hub_inertia, given.hub_inertia);
  EXPECT_EQ(beam.stiffening, given.stiffening);
  EXPECT_EQ(beam.basis, given.basis);
  const std::pair<std::string, std::string> cases[] = {{"tip_mass: 4", "tip_mass: 20"},
                                                       {"stiffening: true", "stiffening: 2"},
                                                       {"basis: polynomial", "basis: sine"},
                                                       {"modes_y: 3", "modes_y: 7"}};
  for (const auto& [good, bad] : cases) {
    std::string invalid = yaml;
    invalid.replace(invalid.find(good), good.size(), bad);
    EXPECT_THROW(read_dh_table(invalid, "crane.yaml"), ParseError) << bad;
  }
}

}  // namespace
}  // namespace dynamics
