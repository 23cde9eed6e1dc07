// SPDX-License-Identifier: Apache-2.0
// Markers against closed forms.
#include "dynamics_ros/markers.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <dynamics_core/dh_table.hpp>
#include <dynamics_core/from_urdf.hpp>
#include <dynamics_core/maximum.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "robots.hpp"

namespace dynamics_ros {
namespace {

using visualization_msgs::msg::Marker;
using visualization_msgs::msg::MarkerArray;

Eigen::Vector3d vector(const geometry_msgs::msg::Point& p) { return {p.x, p.y, p.z}; }
Eigen::Vector3d vector(const geometry_msgs::msg::Vector3& p) { return {p.x, p.y, p.z}; }

const Marker* find(const MarkerArray& array, const std::string& name, int id = 0) {
  for (const Marker& marker : array.markers) {
    if (marker.ns == name && marker.id == id && marker.action == Marker::ADD) return &marker;
  }
  return nullptr;
}

std::size_t count(const MarkerArray& array, int action, const std::string& name = "") {
  return static_cast<std::size_t>(
      std::count_if(array.markers.begin(), array.markers.end(), [&](const Marker& marker) {
        return marker.action == action && (name.empty() || marker.ns == name);
      }));
}

sensor_msgs::msg::JointState state(const std::vector<std::string>& names,
                                   const std::vector<double>& position,
                                   const std::vector<double>& effort = {}) {
  sensor_msgs::msg::JointState message;
  message.name = names;
  message.position = position;
  message.velocity.resize(names.size());
  message.effort = effort;
  message.header.stamp.sec = 7;
  return message;
}

MovingRobot pendulum(double angle, const std::vector<double>& effort = {}) {
  MovingRobot robot(dynamics::model_from_urdf(test::pendulum));
  EXPECT_TRUE(robot.take(state({"swing"}, {angle}, effort)));
  return robot;
}

TEST(Markers, put_the_mass_centre_where_the_bob_is) {
  MovingRobot robot = pendulum(0.6);
  Markers markers;
  const auto array = markers.make(robot, {});
  const Marker* centre = find(array, "centre_of_mass");
  ASSERT_NE(centre, nullptr);
  // about +y from straight down: z turns towards x
  const Eigen::Vector3d expected(-0.5 * std::sin(0.6), 0.0, -0.5 * std::cos(0.6));
  EXPECT_LE((vector(centre->pose.position) - expected).norm(), 1e-12);
  EXPECT_EQ(centre->header.frame_id, "base");
  EXPECT_EQ(centre->header.stamp.sec, 7);
  EXPECT_EQ(centre->lifetime.sec, 2);
  EXPECT_EQ(centre->type, Marker::SPHERE);
  EXPECT_GT(centre->scale.x, 0.0);
}

TEST(Markers, leave_a_trail_of_bounded_length) {
  MarkerOptions options;
  options.trail_length = 5;
  MovingRobot robot = pendulum(0.0);
  Markers markers;
  for (int k = 0; k < 12; ++k) {
    ASSERT_TRUE(robot.take(state({"swing"}, {0.1 * k})));
    markers.follow(robot, options);
    markers.follow(robot, options);  // at rest: no new point
  }
  const auto array = markers.make(robot, options);
  const Marker* trail = find(array, "trail");
  ASSERT_NE(trail, nullptr);
  ASSERT_EQ(trail->points.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    const double angle = 0.1 * static_cast<double>(7 + k);
    const Eigen::Vector3d expected(-0.5 * std::sin(angle), 0.0, -0.5 * std::cos(angle));
    EXPECT_LE((vector(trail->points[k]) - expected).norm(), 1e-12);
  }
  // time runs back: the simulation was reset
  auto earlier = state({"swing"}, {0.0});
  earlier.header.stamp.sec = 1;
  ASSERT_TRUE(robot.take(earlier));
  markers.follow(robot, options);
  const auto after = markers.make(robot, options);
  EXPECT_EQ(find(after, "trail"), nullptr);  // a single point is no line
  EXPECT_EQ(count(after, Marker::DELETE, "trail"), 1U);
}

TEST(Markers, draw_a_torque_as_an_arc_about_the_axis) {
  for (const double effort : {6.0, -3.0}) {
    MovingRobot robot = pendulum(0.6, {effort});
    Markers markers;
    const auto array = markers.make(robot, {});
    const Marker* arc = find(array, "effort", 0);
    const Marker* head = find(array, "effort", 1);
    ASSERT_NE(arc, nullptr);
    ASSERT_NE(head, nullptr);
    EXPECT_EQ(arc->type, Marker::LINE_STRIP);
    EXPECT_EQ(head->type, Marker::ARROW);
    double swept = 0.0;
    for (std::size_t k = 0; k < arc->points.size(); ++k) {
      const Eigen::Vector3d place = vector(arc->points[k]);
      EXPECT_NEAR(place.y(), 0.0, 1e-12);  // in the plane of the axis y
      EXPECT_NEAR(place.norm(), vector(arc->points[0]).norm(), 1e-12);
      if (k == 0) continue;
      const Eigen::Vector3d before = vector(arc->points[k - 1]);
      swept += std::atan2(before.cross(place).y(), before.dot(place));
    }
    // 300 degrees at the limit of 12 N m, by the right hand about +y
    EXPECT_NEAR(swept, effort / 12.0 * 300.0 / 180.0 * std::numbers::pi, 1e-9);
    const Eigen::Vector3d tip = vector(head->points[1]) - vector(head->points[0]);
    EXPECT_GT(effort * vector(head->points[0]).cross(tip).y(), 0.0);
    // the arc does not turn with the joint
    MovingRobot turned = pendulum(-1.1, {effort});
    const auto other = markers.make(turned, {});
    EXPECT_LE((vector(find(other, "effort", 0)->points[0]) - vector(arc->points[0])).norm(), 1e-12);
  }
}

TEST(Markers, draw_a_force_as_an_arrow_along_the_axis) {
  MovingRobot robot(dynamics::model_from_urdf(test::crane));
  MarkerOptions options;
  ASSERT_TRUE(robot.take(state({"turn", "lift", "reach"}, {0.5, 0.3, 0.2}, {0.0, 0.0, -20.0})));
  Markers markers;
  const auto array = markers.make(robot, options);
  EXPECT_EQ(count(array, Marker::ADD, "effort"), 1U);  // no effort, no marker
  const Marker* arrow = find(array, "effort", 4);
  ASSERT_NE(arrow, nullptr);
  EXPECT_EQ(arrow->type, Marker::ARROW);
  // lift turns about -y, from a placement that is pitched by 0.1
  const Eigen::Vector3d axis = (Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()) *
                                Eigen::AngleAxisd(0.1 - 0.3, Eigen::Vector3d::UnitY())) *
                               Eigen::Vector3d::UnitX();
  const Eigen::Vector3d drawn = vector(arrow->points[1]) - vector(arrow->points[0]);
  EXPECT_LE((drawn.normalized() + axis).norm(), 1e-12);  // pushed back
  const Eigen::Vector3d foot = Eigen::Vector3d(0, 0, 1) + (0.8 + 0.2) * axis;
  EXPECT_LE((vector(arrow->points[0]) - foot).norm(), 1e-12);
  EXPECT_EQ(arrow->color.r, static_cast<float>(options.effort_colour[0]));
  // twice the force, twice the arrow; beyond the limit of 40 N no longer, but red
  ASSERT_TRUE(robot.take(state({"reach"}, {0.2}, {40.0})));
  const auto full = markers.make(robot, options);
  const Eigen::Vector3d longest =
      vector(find(full, "effort", 4)->points[1]) - vector(find(full, "effort", 4)->points[0]);
  EXPECT_NEAR(longest.norm(), 2.0 * drawn.norm(), 1e-12);
  ASSERT_TRUE(robot.take(state({"reach"}, {0.2}, {90.0})));
  const auto excess = markers.make(robot, options);
  const Marker* red = find(excess, "effort", 4);
  EXPECT_NEAR((vector(red->points[1]) - vector(red->points[0])).norm(), longest.norm(), 1e-12);
  EXPECT_EQ(red->color.r, static_cast<float>(options.excess_colour[0]));
  // by another measure
  options.efforts_by_limits = false;
  options.full_force = 180.0;
  const auto half = markers.make(robot, options);
  const Marker* shorter = find(half, "effort", 4);
  EXPECT_NEAR((vector(shorter->points[1]) - vector(shorter->points[0])).norm(),
              0.5 * longest.norm(), 1e-12);
}

TEST(Markers, draw_no_efforts_where_none_are_told) {
  MovingRobot robot = pendulum(0.6);
  Markers markers;
  EXPECT_EQ(count(markers.make(robot, {}), Marker::ADD, "effort"), 0U);
}

TEST(Markers, know_the_box_of_an_inertia) {
  // 12 kg, 2 by 3 by 4 m: I_x = m (b^2 + c^2)/12
  const Eigen::Vector3d sides = box_sides(12.0, {9.0 + 16.0, 4.0 + 16.0, 4.0 + 9.0});
  EXPECT_LE((sides - Eigen::Vector3d(2.0, 3.0, 4.0)).norm(), 1e-12);
  // a slender rod along x
  EXPECT_EQ(box_sides(1.0, {0.0, 3.0, 3.0}).z(), 0.0);
}

TEST(Markers, place_the_box_of_a_turned_inertia) {
  // a cuboid of 0.2, 0.4, 0.8 m and 3 kg, turned by rpy against its link
  const Eigen::Vector3d sides(0.2, 0.4, 0.8);
  const Eigen::Vector3d squares = sides.cwiseAbs2();
  const Eigen::Matrix3d turn = dynamics::rotation_from_rpy({0.3, -0.4, 0.9});
  const Eigen::Vector3d moments = 3.0 / 12.0 * (Eigen::Vector3d::Constant(squares.sum()) - squares);
  const std::string urdf = R"(<robot name="box"><link name="base"/><link name="cuboid"><inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.9"/><mass value="3"/><inertia ixx=")" +
                           std::to_string(moments.x()) + R"(" ixy="0" ixz="0" iyy=")" +
                           std::to_string(moments.y()) + R"(" iyz="0" izz=")" +
                           std::to_string(moments.z()) + R"("/></inertial></link>
      <joint name="slide" type="prismatic"><parent link="base"/><child link="cuboid"/>
      <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>)";
  MovingRobot robot(dynamics::model_from_urdf(urdf));
  ASSERT_TRUE(robot.take(state({"slide"}, {0.5})));
  MarkerOptions options;
  options.inertias = true;
  Markers markers;
  const auto array = markers.make(robot, options);
  const Marker* box = find(array, "inertia", 1);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->type, Marker::CUBE);
  EXPECT_LE((vector(box->pose.position) - Eigen::Vector3d(0.6, 0.2, 0.3)).norm(), 1e-12);
  const auto& o = box->pose.orientation;
  const Eigen::Matrix3d drawn = Eigen::Quaterniond(o.w, o.x, o.y, o.z).toRotationMatrix();
  const Eigen::Vector3d scale = vector(box->scale);
  // the same body, whatever the order and the senses of its axes
  const Eigen::Matrix3d shape = drawn * scale.cwiseAbs2().asDiagonal() * drawn.transpose();
  const Eigen::Matrix3d expected = turn * squares.asDiagonal() * turn.transpose();
  EXPECT_LE(dynamics::max_abs(shape - expected), 1e-5);  // of the text's six digits
}

TEST(Markers, write_the_energies) {
  MovingRobot robot = pendulum(0.0);
  Markers markers;
  const auto array = markers.make(robot, {});
  const Marker* text = find(array, "energy");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->type, Marker::TEXT_VIEW_FACING);
  EXPECT_EQ(text->text, "kinetic 0 J\npotential -9.81 J\ntotal -9.81 J");
  auto message = state({"swing"}, {0.0});
  message.velocity.clear();
  ASSERT_TRUE(robot.take(message));
  EXPECT_EQ(find(markers.make(robot, {}), "energy")->text,
            "kinetic: no velocities\npotential -9.81 J");
}

TEST(Markers, show_the_payload) {
  MovingRobot robot = pendulum(std::numbers::pi / 2.0);
  dynamics::Payload payload;
  payload.frame = "bob";
  payload.mass = 3.0;
  payload.center = {0.0, 0.0, -1.0};
  robot.replace(robot.model().with_payload(payload));
  Markers markers;
  auto array = markers.make(robot, {});
  const Marker* sphere = find(array, "payload", 0);
  ASSERT_NE(sphere, nullptr);
  EXPECT_EQ(sphere->type, Marker::SPHERE);
  EXPECT_LE((vector(sphere->pose.position) - Eigen::Vector3d(-1.0, 0.0, 0.0)).norm(), 1e-12);
  EXPECT_NEAR(std::numbers::pi / 6.0 * std::pow(sphere->scale.x, 3), 3.0 / 1000.0, 1e-12);
  EXPECT_EQ(find(array, "payload", 1)->text, "3 kg");
  payload.inertia = Eigen::Vector3d(0.0625, 0.0625, 0.125).asDiagonal();
  robot.replace(robot.model().with_payload(payload));
  array = markers.make(robot, {});
  EXPECT_EQ(find(array, "payload", 0)->type, Marker::CUBE);
  robot.replace(robot.model().without_payload());
  array = markers.make(robot, {});
  EXPECT_EQ(find(array, "payload", 0), nullptr);
  EXPECT_EQ(count(array, Marker::DELETE, "payload"), 2U);
}

TEST(Markers, draw_bent_links) {
  MovingRobot robot(
      dynamics::model_from_urdf(dynamics::to_urdf(dynamics::built_in_robot("canadarm"))));
  ASSERT_TRUE(robot.take(state({"joint1", "joint2", "joint3"}, {0.0, 0.0, 0.0})));
  control_msgs::msg::DynamicJointState bent;
  bent.joint_names = {"link1"};
  bent.interface_values.resize(1);
  bent.interface_values[0].interface_names = {"y1"};
  bent.interface_values[0].values = {0.05};
  ASSERT_TRUE(robot.take(bent));
  MarkerOptions options;
  options.inertias = true;
  Markers markers;
  const auto array = markers.make(robot, options);
  EXPECT_EQ(count(array, Marker::ADD, "flexible_link"), 3U);
  EXPECT_EQ(count(array, Marker::ADD, "inertia"), 0U);  // no box is bent
  const Marker* beam = find(array, "flexible_link", 0);
  EXPECT_LE(vector(beam->points.front()).norm(), 1e-12);
  // the first cantilever mode is 2 sigma... at its tip: s(L) as the core's basis says
  const double tip = 0.05 * robot.flexible()->basis(0).at(0, 6.0, 6.0).value;
  EXPECT_LE((vector(beam->points.back()) - Eigen::Vector3d(6.0, tip, 0.0)).norm(), 1e-12);
  EXPECT_NE(find(array, "energy")->text.find("strain"), std::string::npos);
}

TEST(Markers, delete_what_is_no_longer_there) {
  MovingRobot robot = pendulum(0.6, {5.0});
  MarkerOptions options;
  Markers markers;
  const auto first = markers.make(robot, options);
  ASSERT_FALSE(first.markers.empty());
  EXPECT_EQ(first.markers.front().action, Marker::DELETEALL);
  const auto second = markers.make(robot, options);
  EXPECT_EQ(count(second, Marker::DELETEALL) + count(second, Marker::DELETE), 0U);
  EXPECT_EQ(count(second, Marker::ADD), count(first, Marker::ADD));
  options.efforts = false;
  const auto third = markers.make(robot, options);
  EXPECT_EQ(count(third, Marker::DELETE, "effort"), 2U);
  EXPECT_EQ(count(third, Marker::ADD, "effort"), 0U);
  // another robot
  const auto gone = markers.clear(robot, options);
  EXPECT_EQ(gone.markers.size(), count(third, Marker::ADD));
  EXPECT_EQ(count(gone, Marker::DELETE), gone.markers.size());
  EXPECT_TRUE(markers.clear(robot, options).markers.empty());
}

TEST(Markers, are_as_large_as_the_robot) {
  // crane: 1 m of column, 0.8 m of boom, 0.6 m of slide, 0.4 m to the tool
  EXPECT_NEAR(reach(dynamics::model_from_urdf(test::crane)), 2.8, 1e-12);
  EXPECT_NEAR(reach(dynamics::model_from_urdf(test::pendulum)), 0.5, 1e-12);
  MovingRobot robot = pendulum(0.6);
  MarkerOptions options;
  options.scale = 3.0;
  Markers one, other;
  EXPECT_NEAR(find(one.make(robot, options), "centre_of_mass")->scale.x,
              3.0 * find(other.make(robot, {}), "centre_of_mass")->scale.x, 1e-12);
}

}  // namespace
}  // namespace dynamics_ros
