// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <locale>
#include <random>
#include <sstream>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

using Eigen::Isometry3d;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::HasSubstr;

/// Frame i to frame i+1, written out (Saha 2003, Appendix A).
Isometry3d dh_step(const DhLink& link, double q) {
  const bool revolute = link.type == DhLink::JointType::revolute;
  const double theta = link.theta + (revolute ? q : 0.0);
  const double b = link.b + (revolute ? 0.0 : q);
  const double st = std::sin(theta), ct = std::cos(theta);
  const double sa = std::sin(link.alpha), ca = std::cos(link.alpha);
  Isometry3d step = Isometry3d::Identity();
  step.matrix().topRows<3>() << ct, -st * ca, st * sa, link.a * ct,  //
      st, ct * ca, -ct * sa, link.a * st,                            //
      0.0, sa, ca, b;
  return step;
}

Isometry3d pose(const urdf::Pose& from) {
  Isometry3d to = Isometry3d::Identity();
  to.translation() << from.position.x, from.position.y, from.position.z;
  to.linear() =
      Eigen::Quaterniond(from.rotation.w, from.rotation.x, from.rotation.y, from.rotation.z)
          .normalized()
          .toRotationMatrix();
  return to;
}

double distance(const Isometry3d& a, const Isometry3d& b) {
  return max_abs(a.matrix() - b.matrix());
}

Isometry3d joint_step(const urdf::Joint& joint, double q) {
  const Vector3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
  Isometry3d moved = Isometry3d::Identity();
  if (joint.type == urdf::Joint::PRISMATIC) {
    moved.translation() = q * axis;
  } else if (joint.type != urdf::Joint::FIXED) {
    moved.linear() = Eigen::AngleAxisd(q, axis).toRotationMatrix();
  }
  return pose(joint.parent_to_joint_origin_transform) * moved;
}

/// Parses the URDF and compares frames, centers of mass and inertias in the world at random q.
void expect_same(const DhTable& table, const std::string& text) {
  const urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(text);
  ASSERT_TRUE(model);
  EXPECT_EQ(model->getName(), table.name);
  ASSERT_EQ(model->links_.size(), table.links.size() + 2);
  ASSERT_EQ(model->joints_.size(), table.links.size() + 1);
  EXPECT_EQ(model->getRoot()->name, table.base_link);

  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-3.0, 3.0);
  for (int sample = 0; sample < 20; ++sample) {
    Isometry3d dh = Isometry3d::Identity();     // frame i+1
    Isometry3d world = Isometry3d::Identity();  // link i of the URDF
    std::string parent = table.base_link;
    for (const DhLink& row : table.links) {
      SCOPED_TRACE(row.link);
      const double q = any(random);
      const auto joint = model->getJoint(row.joint);
      const auto link = model->getLink(row.link);
      ASSERT_TRUE(joint && link && link->inertial);
      EXPECT_EQ(joint->parent_link_name, parent);
      EXPECT_EQ(joint->child_link_name, row.link);
      parent = row.link;

      // frame i of the table and of the URDF: z axis and origin of the joint
      const Isometry3d before = world * pose(joint->parent_to_joint_origin_transform);
      EXPECT_LT(distance(before, dh), 1e-13);
      world = world * joint_step(*joint, q);
      dh = dh * dh_step(row, q);

      EXPECT_EQ(link->inertial->mass, row.mass);
      const Isometry3d center = world * pose(link->inertial->origin);
      EXPECT_LT(max_abs(center.translation() - dh * Vector3d(-row.r)), 1e-13);
      Matrix3d inertia;
      const auto& i = *link->inertial;
      inertia << i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz;
      EXPECT_EQ(inertia, row.inertia);  // not one digit lost
      const Matrix3d in_world = center.linear() * inertia * center.linear().transpose();
      const Matrix3d of_table = dh.linear() * row.inertia * dh.linear().transpose();
      EXPECT_LT(max_abs(in_world - of_table), 1e-13 * std::max(1.0, max_abs(row.inertia)));
    }
    const auto tip = model->getLink(table.tip_link);
    ASSERT_TRUE(tip && tip->parent_joint);
    EXPECT_EQ(tip->parent_joint->type, urdf::Joint::FIXED);
    EXPECT_EQ(tip->parent_joint->parent_link_name, parent);
    EXPECT_LT(distance(world * joint_step(*tip->parent_joint, 0.0), dh), 1e-13);
  }
}

class BuiltInRobotsAsUrdf : public testing::TestWithParam<std::string_view> {};

TEST_P(BuiltInRobotsAsUrdf, HasSameKinematicsAndInertia) {
  const DhTable table = built_in_robot(GetParam());
  expect_same(table, to_urdf(table));
}

TEST_P(BuiltInRobotsAsUrdf, KeepsLimits) {
  const DhTable table = built_in_robot(GetParam());
  const auto model = urdf::parseURDF(to_urdf(table));
  ASSERT_TRUE(model);
  for (const DhLink& row : table.links) {
    const auto limits = model->getJoint(row.joint)->limits;
    ASSERT_TRUE(limits);
    EXPECT_EQ(limits->lower, *row.lower);
    EXPECT_EQ(limits->upper, *row.upper);
    EXPECT_EQ(limits->velocity, *row.velocity);
    EXPECT_EQ(limits->effort, *row.effort);
  }
}

/// Compares the pose of each shape in the world.
TEST_P(BuiltInRobotsAsUrdf, HasSameVisuals) {
  const DhTable table = built_in_robot(GetParam());
  const auto model = urdf::parseURDF(to_urdf(table));
  ASSERT_TRUE(model);
  const auto compare = [&](const std::vector<Visual>& visuals, const std::string& link,
                           const Isometry3d& world, const Isometry3d& dh) {
    const auto& array = model->getLink(link)->visual_array;
    ASSERT_EQ(array.size(), visuals.size());
    for (std::size_t i = 0; i < visuals.size(); ++i) {
      const Visual& visual = visuals[i];
      SCOPED_TRACE(link + " " + std::to_string(i));
      const Isometry3d placed = dh * Eigen::Translation3d(visual.xyz) *
                                Eigen::AngleAxisd(visual.rpy.z(), Vector3d::UnitZ()) *
                                Eigen::AngleAxisd(visual.rpy.y(), Vector3d::UnitY()) *
                                Eigen::AngleAxisd(visual.rpy.x(), Vector3d::UnitX());
      EXPECT_LT(distance(world * pose(array[i]->origin), placed), 1e-7);
      ASSERT_TRUE(array[i]->material);
      EXPECT_EQ(array[i]->material_name, visual.color);
      EXPECT_NEAR(array[i]->material->color.g, visual.rgba[1], 1e-6);
    }
  };
  Isometry3d dh = Isometry3d::Identity();
  Isometry3d world = Isometry3d::Identity();
  compare(table.base_visuals, table.base_link, world, dh);
  for (std::size_t i = 0; i < table.links.size(); ++i) {
    const DhLink& row = table.links[i];
    const double q = 0.3 * static_cast<double>(i + 1);
    world = world * joint_step(*model->getJoint(row.joint), q);
    dh = dh * dh_step(row, q);
    compare(row.visuals, row.link, world, dh);
  }
}

TEST_P(BuiltInRobotsAsUrdf, EqualsFileInRepository) {
  const std::filesystem::path folder = DYNAMICS_URDF_DIR;
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "urdf/ is not beside dynamics_core";
  std::ifstream file(folder / (std::string(GetParam()) + ".urdf"), std::ios::binary);
  ASSERT_TRUE(file) << "missing in " << folder;
  std::stringstream content;
  content << file.rdbuf();
  EXPECT_EQ(content.str(), to_urdf(built_in_robot(GetParam())))
      << "write it again: dynamics urdf dynamics_core/robots/" << GetParam() << ".yaml > urdf/urdf/"
      << GetParam() << ".urdf";
}

INSTANTIATE_TEST_SUITE_P(, BuiltInRobotsAsUrdf,
                         testing::ValuesIn(built_in_robots().begin(), built_in_robots().end()),
                         [](const auto& param) { return std::string(param.param); });

DhTable odd_table() {
  return read_dh_table(
      "robot: odd <&> \"arm\"\n"
      "source: a -- b ---\n"
      "links:\n"
      "  - {joint: \"a<b\", link: \"Glied &1\", type: revolute, a: 0.3, b: -0.2, alpha: 0.7,\n"
      "     theta: -2.1, mass: 1.1, r: [0.1, -0.2, 0.3], inertia: [3, 4, 5, 0.1, 0.2, 0.3]}\n"
      "  - {joint: slide, link: l2, type: prismatic, a: -0.4, b: 0.1, alpha: 2.5, theta: 1.3,\n"
      "     mass: 0.1, r: [0.3, 0.1, 0.2], inertia: [3, 4, 5, -0.1, 0.2, -0.3]}\n"
      "  - {joint: turn, link: l3, type: revolute, a: 1e-9, b: 12345.678901234567, alpha_deg: 90,\n"
      "     theta_deg: 90, mass: 1e-300, r: [0, 0, 0], inertia: [1e-7, 1e-7, 1e-7]}\n"
      "joints:\n"
      "  - {joint: turn, effort: 3, damping: 0.5, friction: 0.25, rotor_inertia: 0.125}\n",
      "odd.yaml");
}

TEST(ToUrdf, KeepsOffsetsProductsOfInertiaAndSpecialCharacters) {
  DhTable table = odd_table();
  table.links[2].b = 12.345678901234567;
  expect_same(table, to_urdf(table));
}

TEST(ToUrdf, WritesJointsWithoutLimits) {
  const auto model = urdf::parseURDF(to_urdf(odd_table()));
  ASSERT_TRUE(model);
  EXPECT_EQ(model->getJoint("a<b")->type, urdf::Joint::CONTINUOUS);
  EXPECT_FALSE(model->getJoint("a<b")->limits);
  EXPECT_EQ(model->getJoint("slide")->type, urdf::Joint::PRISMATIC);
  EXPECT_LE(model->getJoint("slide")->limits->lower, -1e6);
  EXPECT_GE(model->getJoint("slide")->limits->upper, 1e6);
  EXPECT_EQ(model->getJoint("turn")->type, urdf::Joint::CONTINUOUS);
  EXPECT_EQ(model->getJoint("turn")->limits->effort, 3.0);
  EXPECT_EQ(model->getJoint("turn")->dynamics->damping, 0.5);
  EXPECT_EQ(model->getJoint("turn")->dynamics->friction, 0.25);
  EXPECT_THAT(to_urdf(odd_table()), HasSubstr("rotor_inertia=\"0.125\""));
}

TEST(ToUrdf, WritesFlexibleLinks) {
  const DhTable table = built_in_robot("canadarm");
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(to_urdf(table).c_str()), tinyxml2::XML_SUCCESS);
  std::size_t found = 0;
  for (const auto* link = document.RootElement()->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    const auto* beam = link->FirstChildElement("flexible");
    if (beam == nullptr) continue;
    const DhLink& row = table.links.at(found++);
    EXPECT_EQ(link->Attribute("name"), row.link);
    EXPECT_EQ(beam->DoubleAttribute("length"), row.a);
    EXPECT_EQ(beam->DoubleAttribute("mass_per_length"), row.mass / row.a);
    EXPECT_EQ(beam->DoubleAttribute("rigidity_y"), 1e5);
    EXPECT_EQ(beam->DoubleAttribute("rigidity_z"), 1e5);
    EXPECT_EQ(beam->IntAttribute("modes_y", -1), 2);
    EXPECT_EQ(beam->IntAttribute("modes_z", -1), 0);
    EXPECT_EQ(beam->DoubleAttribute("damping", -1.0), 0.0);
  }
  EXPECT_EQ(found, 3u);
}

class DecimalComma : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(ToUrdf, DoesNotDependOnLocale) {
  const DhTable table = built_in_robot("puma");
  const std::string expected = to_urdf(table);
  const std::string c_locale = std::setlocale(LC_ALL, nullptr);
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  }
  const std::string written = to_urdf(table);
  std::locale::global(before);
  std::setlocale(LC_ALL, c_locale.c_str());
  EXPECT_EQ(written, expected);
}

TEST(ToUrdf, ThrowsIfTableCannotBeExpressed) {
  const auto expect_error = [](const DhTable& table, const std::string& element) {
    try {
      to_urdf(table);
      ADD_FAILURE() << "no error";
    } catch (const ModelError& error) {
      EXPECT_EQ(error.element(), element);
    }
  };
  DhTable table = built_in_robot("canadarm");
  table.links[1].joint = "joint1";
  expect_error(table, "joint1");
  table = built_in_robot("canadarm");
  table.links[1].link = "tool0";
  expect_error(table, "tool0");
  table = built_in_robot("canadarm");
  table.links[2].flexible.value().length = 2.5;
  expect_error(table, "link3");
  table = built_in_robot("canadarm");
  table.links[0].joint = "tool0_joint";
  expect_error(table, "tool0_joint");
  table = built_in_robot("canadarm");
  table.links[0].visuals[0].rgba[0] = 0.123;  // "gray" elsewhere
  EXPECT_THROW(to_urdf(table), ModelError);
}

}  // namespace
}  // namespace dynamics
