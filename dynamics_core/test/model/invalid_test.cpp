// SPDX-License-Identifier: Apache-2.0
// An invalid URDF or description throws ModelError with the link or joint, what is wrong and what
// would be right. (Warnings: warnings_test.cpp.)

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "dynamics_core/readers.hpp"
#include "support/arm_urdf.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Vector3d;
using test::body;
using test::RobotBuilder;
using testing::AllOf;
using testing::HasSubstr;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

const std::string good = test::arm_urdf();

struct TextCase {
  std::string name, from, to;
  std::vector<std::string> message_parts;
};
void PrintTo(const TextCase& c, std::ostream* out) { *out << c.name; }

class InvalidUrdf : public testing::TestWithParam<TextCase> {};

TEST(ValidUrdf, LoadsWithoutNotes) {
  const Model model = model_from_urdf(good);
  EXPECT_EQ(model.size(), 2U);
  EXPECT_TRUE(model.notes().empty());
}

TEST_P(InvalidUrdf, IsReportedWithElementAndRepair) {
  std::string text = good;
  const std::size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, GetParam().from.size(), GetParam().to);
  try {
    model_from_urdf(text, {}, "arm.urdf");
    FAIL() << "no error";
  } catch (const Error& error) {
    for (const std::string& word : GetParam().message_parts)
      EXPECT_THAT(error.what(), HasSubstr(word));
    EXPECT_FALSE(error.element().empty());
  }
}

const std::string shoulder_axis = R"(<axis xyz="0 1 0"/>)";
const std::string shoulder_limit = R"(<limit lower="-2" upper="2" effort="100" velocity="3"/>)";

INSTANTIATE_TEST_SUITE_P(
    Urdf, InvalidUrdf,
    testing::Values(
        TextCase{"mass_not_finite",
                 R"(mass value="2")",
                 R"(mass value="nan")",
                 {"link 'upper'", "finite", "arm.urdf:6"}},
        TextCase{"mass_infinite",
                 R"(mass value="2")",
                 R"(mass value="1e999")",
                 {"link 'upper'", "finite"}},
        TextCase{"mass_not_a_number",
                 R"(mass value="2")",
                 R"(mass value="two")",
                 {"link 'upper'", "one finite number"}},
        TextCase{"mass_negative",
                 R"(mass value="2")",
                 R"(mass value="-2")",
                 {"link 'upper'", "-2", "not negative"}},
        TextCase{"inertia_not_finite", R"(ixx="0.1")", R"(ixx="inf")", {"link 'upper'", "ixx"}},
        TextCase{"inertia_missing_entry", R"(ixx="0.1")", "", {"link 'upper'", "ixx"}},
        TextCase{"center_not_finite",
                 R"(xyz="0 0 0.5")",
                 R"(xyz="0 0 nan")",
                 {"link 'upper'", "3 finite numbers"}},
        TextCase{"center_two_numbers",
                 R"(xyz="0 0 0.5")",
                 R"(xyz="0 0.5")",
                 {"link 'upper'", "3 finite numbers"}},
        TextCase{"principal_moment_negative",
                 R"(izz="0.02")",
                 R"(izz="-0.02")",
                 {"link 'upper'", "negative principal", "positive"}},
        TextCase{"axis_zero",
                 shoulder_axis,
                 R"(<axis xyz="0 0 0"/>)",
                 {"joint 'shoulder'", "axis is zero", "0 0 1"}},
        TextCase{"axis_not_finite",
                 shoulder_axis,
                 R"(<axis xyz="0 nan 0"/>)",
                 {"joint 'shoulder'", "finite"}},
        TextCase{"origin_not_finite",
                 R"(xyz="0 0 0.1")",
                 R"(xyz="0 inf 0.1")",
                 {"joint 'shoulder'", "finite"}},
        TextCase{"loop", R"(<parent link="base"/>)", R"(<parent link="lower"/>)", {"loop"}},
        TextCase{"child_of_two",
                 R"(<child link="lower"/>)",
                 R"(<child link="upper"/>)",
                 {"'shoulder'", "'elbow'", "loop"}},
        TextCase{"two_roots",
                 R"(<link name="base"/>)",
                 R"(<link name="base"/><link name="spare"/>)",
                 {"link 'spare'", "2 root links", "connect"}},
        TextCase{"link_twice",
                 R"(<link name="lower">)",
                 R"(<link name="upper">)",
                 {"link 'upper'", "twice"}},
        TextCase{"joint_twice",
                 R"(joint name="elbow")",
                 R"(joint name="shoulder")",
                 {"joint 'shoulder'", "twice"}},
        TextCase{"limit_missing",
                 shoulder_limit,
                 "",
                 {"joint 'shoulder'", "<limit> is missing", "continuous"}},
        TextCase{"limit_without_effort",
                 shoulder_limit,
                 R"(<limit lower="0" upper="1" velocity="1"/>)",
                 {"joint 'shoulder'", "effort"}},
        TextCase{
            "limit_not_finite", R"(lower="-2")", R"(lower="-inf")", {"joint 'shoulder'", "lower"}},
        TextCase{"limits_swapped",
                 R"(lower="-2")",
                 R"(lower="3")",
                 {"joint 'shoulder'", "lower limit 3", "upper limit 2"}},
        TextCase{"limit_velocity_negative",
                 R"(velocity="3")",
                 R"(velocity="-3")",
                 {"joint 'shoulder'", "velocity", "not be negative"}},
        TextCase{"type_unsupported",
                 R"(type="revolute")",
                 R"(type="ball")",
                 {"joint 'shoulder'", "'ball'", "floating"}},
        TextCase{"type_missing",
                 R"(name="shoulder" type="revolute")",
                 R"(name="shoulder")",
                 {"joint 'shoulder'", "type is missing"}},
        TextCase{"parent_unknown",
                 R"(<parent link="base"/>)",
                 R"(<parent link="bass"/>)",
                 {"joint 'shoulder'", "parent link 'bass' does not exist"}},
        TextCase{"child_missing", R"(<child link="upper"/>)", "", {"joint 'shoulder'", "<child"}},
        TextCase{"damping_negative",
                 shoulder_limit,
                 shoulder_limit + R"(<dynamics damping="-1"/>)",
                 {"joint 'shoulder'", "damping", "not negative"}},
        TextCase{"rotor_negative",
                 shoulder_limit,
                 shoulder_limit + R"(<dynamics rotor_inertia="-1"/>)",
                 {"joint 'shoulder'", "rotor inertia", "not negative"}},
        TextCase{"mimic_unknown",
                 shoulder_limit,
                 shoulder_limit + R"(<mimic joint="knee"/>)",
                 {"'shoulder'", "'knee'"}},
        TextCase{"mimic_itself",
                 shoulder_limit,
                 shoulder_limit + R"(<mimic joint="shoulder"/>)",
                 {"joint 'shoulder'", "itself"}},
        TextCase{"mimic_not_finite",
                 shoulder_limit,
                 shoulder_limit + R"(<mimic joint="elbow" multiplier="nan"/>)",
                 {"joint 'shoulder'", "multiplier"}},
        TextCase{"flexible_bad",
                 R"(<link name="lower">)",
                 R"(<link name="lower"><flexible length="-1" mass_per_length="1"/>)",
                 {"link 'lower'", "length", "greater than zero"}},
        TextCase{"no_name", R"(<robot name="arm">)", "<robot>", {"arm.urdf:1", "name"}},
        TextCase{"not_closed", "</robot>", "", {"arm.urdf", "XML"}},
        TextCase{"other_root", "robot", "sdf", {"arm.urdf"}}),
    [](const auto& one) { return one.param.name; });

TEST(InvalidUrdfFile, EmptyTextAndMissingFileThrow) {
  EXPECT_THROW(model_from_urdf(""), ParseError);
  EXPECT_THROW(model_from_urdf("<robot name='x'/>"), ModelError);
  try {
    model_from_urdf_file("no/such/robot.urdf");
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("no/such/robot.urdf"), HasSubstr("cannot be opened")));
  }
}

struct DescriptionCase {
  std::string name;
  std::function<void(RobotDescription&)> modify;
  std::vector<std::string> message_parts;
};
void PrintTo(const DescriptionCase& c, std::ostream* out) { *out << c.name; }

class InvalidDescription : public testing::TestWithParam<DescriptionCase> {};

TEST_P(InvalidDescription, IsReportedWithElement) {
  RobotDescription robot = read_urdf(good);
  GetParam().modify(robot);
  try {
    const Model model(robot);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    for (const std::string& word : GetParam().message_parts)
      EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

using R = RobotDescription&;
INSTANTIATE_TEST_SUITE_P(
    Description, InvalidDescription,
    testing::Values(
        DescriptionCase{"mass_nan", [](R r) { r.links[1].inertial->mass = nan; }, {"link 'upper'"}},
        DescriptionCase{
            "mass_infinite", [](R r) { r.links[1].inertial->mass = inf; }, {"link 'upper'"}},
        DescriptionCase{
            "mass_negative", [](R r) { r.links[1].inertial->mass = -1; }, {"link 'upper'", "-1"}},
        DescriptionCase{"center_nan",
                        [](R r) { r.links[1].inertial->center.x() = nan; },
                        {"link 'upper'", "center of mass"}},
        DescriptionCase{"inertia_nan",
                        [](R r) { r.links[1].inertial->inertia(1, 1) = nan; },
                        {"link 'upper'", "inertia"}},
        DescriptionCase{"inertia_asymmetric",
                        [](R r) { r.links[1].inertial->inertia(0, 1) += 0.01; },
                        {"link 'upper'", "symmetric"}},
        DescriptionCase{"moment_negative",
                        [](R r) { r.links[2].inertial->inertia(2, 2) = -0.01; },
                        {"link 'lower'", "negative principal"}},
        DescriptionCase{
            "axis_zero", [](R r) { r.joints[1].axis.setZero(); }, {"joint 'elbow'", "axis"}},
        DescriptionCase{
            "axis_nan", [](R r) { r.joints[1].axis.x() = nan; }, {"joint 'elbow'", "axis"}},
        DescriptionCase{"origin_nan",
                        [](R r) { r.joints[1].origin.translation.x() = nan; },
                        {"joint 'elbow'", "origin"}},
        DescriptionCase{"origin_not_a_rotation",
                        [](R r) { r.joints[1].origin.rotation *= 2.0; },
                        {"joint 'elbow'", "rotation"}},
        DescriptionCase{
            "damping_nan", [](R r) { r.joints[0].damping = nan; }, {"joint 'shoulder'", "damping"}},
        DescriptionCase{"floating_damping_nan",
                        [](R r) {
                          r.joints[0].type = JointType::floating;
                          r.joints[0].damping = nan;
                        },
                        {"joint 'shoulder'", "damping"}},
        DescriptionCase{"friction_negative",
                        [](R r) { r.joints[0].friction = -1; },
                        {"joint 'shoulder'", "friction"}},
        DescriptionCase{"rotor_infinite",
                        [](R r) { r.joints[0].rotor_inertia = inf; },
                        {"joint 'shoulder'", "rotor"}},
        DescriptionCase{"limits_infinite",
                        [](R r) { r.joints[0].limits->upper = inf; },
                        {"joint 'shoulder'", "continuous"}},
        DescriptionCase{"limits_swapped",
                        [](R r) { r.joints[0].limits->upper = -9; },
                        {"joint 'shoulder'", "lower"}},
        DescriptionCase{
            "link_twice", [](R r) { r.links[2].name = "upper"; }, {"link 'upper'", "twice"}},
        DescriptionCase{"joint_twice",
                        [](R r) { r.joints[1].name = "shoulder"; },
                        {"joint 'shoulder'", "twice"}},
        DescriptionCase{
            "parent_unknown", [](R r) { r.joints[1].parent = "x"; }, {"joint 'elbow'", "'x'"}},
        DescriptionCase{"loop", [](R r) { r.joints[0].parent = "lower"; }, {"loop"}},
        DescriptionCase{"no_root",
                        [](R r) {
                          r.links.erase(r.links.begin());
                          r.joints[0].parent = "lower";
                        },
                        {"loop"}},
        DescriptionCase{"two_roots", [](R r) { r.joints.pop_back(); }, {"root", "'lower'"}},
        DescriptionCase{"no_links",
                        [](R r) {
                          r.links.clear();
                          r.joints.clear();
                        },
                        {"no links"}},
        DescriptionCase{"mimic_of_floating",
                        [](R r) {
                          r.joints[0].type = JointType::floating;
                          r.joints[1].mimic = Mimic{"shoulder", 1.0, 0.0};
                        },
                        {"joint 'elbow'", "floating"}},
        DescriptionCase{"mimic_cycle",
                        [](R r) {
                          r.joints[0].mimic = Mimic{"elbow", 1.0, 0.0};
                          r.joints[1].mimic = Mimic{"shoulder", 1.0, 0.0};
                        },
                        {"mimics itself"}}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace dynamics
