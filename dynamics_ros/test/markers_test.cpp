// SPDX-License-Identifier: Apache-2.0
// Shapes as markers; the shapes themselves are tested in dynamics_core/test/trajectory.
#include "dynamics_ros/markers.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/readers.hpp>
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

TEST(Markers, CenterOfMassIsAStampedSphere) {
  MovingRobot robot = pendulum(0.6);
  Markers markers;
  const auto array = markers.make(robot, {});
  const Marker* center = find(array, "center_of_mass");
  ASSERT_NE(center, nullptr);
  // about +y from straight down: z turns towards x
  const Eigen::Vector3d expected(-0.5 * std::sin(0.6), 0.0, -0.5 * std::cos(0.6));
  EXPECT_LE((vector(center->pose.position) - expected).norm(), 1e-12);
  EXPECT_EQ(center->header.frame_id, "base");
  EXPECT_EQ(center->header.stamp.sec, 7);
  EXPECT_EQ(center->lifetime.sec, 2);
  EXPECT_EQ(center->type, Marker::SPHERE);
  EXPECT_GT(center->scale.x, 0.0);
}

TEST(Markers, TrailHasABoundedLengthAndRestartsWithTime) {
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

/// Compares every field of the markers with the shapes of the same state.
void expect_shapes(MovingRobot& robot, const MarkerOptions& options) {
  Markers markers;
  const auto array = markers.make(robot, options);
  const auto shapes = dynamics::marker_shapes(robot, options);
  ASSERT_EQ(array.markers.size(), shapes.size() + 1);  // after DELETEALL
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const Marker& marker = array.markers[k + 1];
    const dynamics::Shape& shape = shapes[k];
    SCOPED_TRACE(marker.ns + " " + std::to_string(marker.id));
    EXPECT_EQ(marker.action, Marker::ADD);
    EXPECT_EQ(marker.header.frame_id, "left/" + robot.model().base_link());
    EXPECT_EQ(marker.id, static_cast<int>(shape.id));
    EXPECT_EQ(marker.text, shape.text);
    EXPECT_EQ(vector(marker.pose.position), shape.pose.translation);
    const auto& o = marker.pose.orientation;
    EXPECT_LE((Eigen::Quaterniond(o.w, o.x, o.y, o.z).toRotationMatrix() - shape.pose.rotation)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-14);
    EXPECT_EQ(vector(marker.scale), shape.size);
    ASSERT_EQ(marker.points.size(), shape.points.size());
    for (std::size_t i = 0; i < shape.points.size(); ++i) {
      EXPECT_EQ(vector(marker.points[i]), shape.points[i]);
    }
  }
}

/// The crane in a state, with a payload.
void load(MovingRobot& crane) {
  ASSERT_TRUE(crane.take(state({"turn", "lift", "reach"}, {0.5, 0.3, 0.2}, {9.0, -20.0, 90.0})));
  dynamics::Payload payload;
  payload.frame = "tool";
  payload.mass = 3.0;
  crane.set_model(crane.model().with_payload(payload));
}

TEST(Markers, HaveThePosesSizesAndPointsOfTheShapes) {
  MarkerOptions options;
  options.inertias = true;
  options.frame_prefix = "left/";
  options.scale = 2.0;
  MovingRobot crane(dynamics::model_from_urdf(test::crane));
  ASSERT_NO_FATAL_FAILURE(load(crane));
  expect_shapes(crane, options);
  MovingRobot canadarm(
      dynamics::model_from_urdf(dynamics::to_urdf(dynamics::built_in_robot("canadarm"))));
  ASSERT_TRUE(canadarm.take(state({"joint1", "joint2", "joint3"}, {0.0, 0.1, 0.2})));
  expect_shapes(canadarm, options);
}

TEST(Markers, HaveTheNameTypeAndColorOfTheirSubject) {
  MarkerOptions options;
  options.inertias = true;
  MovingRobot crane(dynamics::model_from_urdf(test::crane));
  ASSERT_NO_FATAL_FAILURE(load(crane));
  Markers markers;
  markers.follow(crane, options);
  ASSERT_TRUE(crane.take(state({"reach"}, {0.6}, {90.0})));
  markers.follow(crane, options);
  const auto array = markers.make(crane, options);
  struct Expected {
    std::string name;
    int id;
    int type;
    Color color;
  };
  const std::vector<Expected> all = {
      {"center_of_mass", 0, Marker::SPHERE, options.center_color},
      {"trail", 0, Marker::LINE_STRIP, options.trail_color},
      {"effort", 0, Marker::LINE_STRIP, options.effort_color},
      {"effort", 1, Marker::ARROW, options.effort_color},
      {"effort", 4, Marker::ARROW, options.excess_color},  // 90 of 40 N
      {"inertia", 1, Marker::CUBE, options.inertia_color},
      {"energy", 0, Marker::TEXT_VIEW_FACING, options.text_color},
      {"payload", 0, Marker::SPHERE, options.payload_color},
      {"payload", 1, Marker::TEXT_VIEW_FACING, options.text_color},
  };
  const auto expect = [](const MarkerArray& markers_of, const Expected& expected) {
    SCOPED_TRACE(expected.name + " " + std::to_string(expected.id));
    const Marker* marker = find(markers_of, expected.name, expected.id);
    ASSERT_NE(marker, nullptr);
    EXPECT_EQ(marker->type, expected.type);
    EXPECT_EQ(marker->color.r, static_cast<float>(expected.color[0]));
    EXPECT_EQ(marker->color.g, static_cast<float>(expected.color[1]));
    EXPECT_EQ(marker->color.b, static_cast<float>(expected.color[2]));
    EXPECT_EQ(marker->color.a, static_cast<float>(expected.color[3]));
  };
  for (const Expected& expected : all) expect(array, expected);
  MovingRobot canadarm(
      dynamics::model_from_urdf(dynamics::to_urdf(dynamics::built_in_robot("canadarm"))));
  ASSERT_TRUE(canadarm.take(state({"joint1", "joint2", "joint3"}, {0.0, 0.0, 0.0})));
  Markers others;
  expect(others.make(canadarm, options),
         {"flexible_link", 2, Marker::LINE_STRIP, options.beam_color});
}

TEST(Markers, DeletesWhatIsNoLongerShown) {
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

TEST(Markers, ClosedMechanismHasCenterOfMassAndEffortOfItsActuator) {
  MovingRobot robot(dynamics::mechanism_from_urdf(test::four_bar()));
  ASSERT_TRUE(robot.take(state({"crank"}, {0.6}, {10.0})));
  Markers markers;
  const MarkerArray array = markers.make(robot, {});
  const Marker* center = find(array, "center_of_mass");
  ASSERT_NE(center, nullptr);
  EXPECT_LT((vector(center->pose.position) - robot.center_of_mass()).norm(), 1e-12);
  EXPECT_GT(center->pose.position.x, 0.3) << "the links are to the right of the crank";
  ASSERT_NE(find(array, "effort"), nullptr);
  EXPECT_EQ(count(array, Marker::ADD, "effort"), 2U) << "arc and head of one joint";
}

}  // namespace
}  // namespace dynamics_ros
