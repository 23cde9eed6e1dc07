// SPDX-License-Identifier: Apache-2.0
// Shapes compared with closed forms.
#include "dynamics_core/marker_shapes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/view.hpp"
#include "trajectory/robots.hpp"

namespace dynamics::test {
namespace {

using Kind = Shape::Kind;
using Subject = Shape::Subject;
using Shapes = std::vector<Shape>;

const Shape* find(const Shapes& shapes, Subject subject, std::size_t id = 0) {
  const auto found = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& shape) {
    return shape.subject == subject && shape.id == id;
  });
  return found == shapes.end() ? nullptr : &*found;
}

auto count(const Shapes& shapes, Subject subject) {
  return std::count_if(shapes.begin(), shapes.end(),
                       [&](const Shape& shape) { return shape.subject == subject; });
}

RobotState pendulum_at(double angle) {
  RobotState state(pendulum());
  state.set_position(0, angle);
  return state;
}

/// About +y from straight down: z turns towards x.
Eigen::Vector3d bob(double angle) { return {-0.5 * std::sin(angle), 0.0, -0.5 * std::cos(angle)}; }

TEST(MarkerShapes, CenterOfMassIsAtTheBob) {
  RobotState state = pendulum_at(0.6);
  const Shapes shapes = marker_shapes(state);
  const Shape* center = find(shapes, Subject::center_of_mass);
  ASSERT_NE(center, nullptr);
  EXPECT_EQ(center->kind, Kind::sphere);
  EXPECT_LE((center->pose.translation - bob(0.6)).norm(), 1e-12);
  EXPECT_NEAR(center->size.x(), 0.04 * 0.5, 1e-12);  // of the reach
  ShapeOptions options;
  options.scale = 3.0;
  EXPECT_NEAR(find(marker_shapes(state, options), Subject::center_of_mass)->size.x(),
              3.0 * 0.04 * 0.5, 1e-12);
}

TEST(MarkerShapes, TrailHasABoundedLengthAndRestartsWithTime) {
  RobotState state = pendulum_at(0.0);
  Trail trail;
  for (int k = 0; k < 12; ++k) {
    trail.add(k, bob(0.1 * k), 1e-4, 5);
    trail.add(k, bob(0.1 * k), 1e-4, 5);  // at rest: no new point
  }
  const Shapes shapes = marker_shapes(state, {}, trail);
  const Shape* line = find(shapes, Subject::trail);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->kind, Kind::line_strip);
  ASSERT_EQ(line->points.size(), 5U);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(line->points[k], bob(0.1 * static_cast<double>(7 + k)));
  }
  trail.add(3.0, bob(0.0), 1e-4, 5);  // the simulation was reset
  EXPECT_EQ(trail.points().size(), 1U);
  EXPECT_EQ(find(marker_shapes(state, {}, trail), Subject::trail), nullptr) << "no line";
  trail.clear();
  EXPECT_TRUE(trail.points().empty());
}

TEST(MarkerShapes, TorqueIsAnArcAboutTheAxis) {
  for (const double effort : {6.0, -3.0}) {
    RobotState state = pendulum_at(0.6);
    state.set_effort(0, effort);
    const Shapes shapes = marker_shapes(state);
    const Shape* arc = find(shapes, Subject::effort, 0);
    const Shape* head = find(shapes, Subject::effort, 1);
    ASSERT_NE(arc, nullptr);
    ASSERT_NE(head, nullptr);
    EXPECT_EQ(arc->kind, Kind::line_strip);
    EXPECT_EQ(head->kind, Kind::arrow);
    EXPECT_FALSE(arc->exceeds_limit);
    double swept = 0.0;
    for (std::size_t k = 0; k < arc->points.size(); ++k) {
      const Eigen::Vector3d& point = arc->points[k];
      EXPECT_NEAR(point.y(), 0.0, 1e-12);  // in the plane normal to the axis y
      EXPECT_NEAR(point.norm(), arc->points[0].norm(), 1e-12);
      if (k == 0) continue;
      const Eigen::Vector3d& before = arc->points[k - 1];
      swept += std::atan2(before.cross(point).y(), before.dot(point));
    }
    // 300 degrees at the limit of 12 N m, by the right hand about +y
    EXPECT_NEAR(swept, effort / 12.0 * 300.0 / 180.0 * std::numbers::pi, 1e-9);
    const Eigen::Vector3d tip = head->points[1] - head->points[0];
    EXPECT_GT(effort * head->points[0].cross(tip).y(), 0.0);
    // the arc does not rotate with the joint
    RobotState rotated = pendulum_at(-1.1);
    rotated.set_effort(0, effort);
    const Shapes other = marker_shapes(rotated);
    EXPECT_LE((find(other, Subject::effort, 0)->points[0] - arc->points[0]).norm(), 1e-12);
  }
}

TEST(MarkerShapes, ForceIsAnArrowAlongTheAxis) {
  RobotState state(crane());
  ShapeOptions options;
  state.set_position(0, 0.5);
  state.set_position(1, 0.4);
  state.set_position(2, 0.3);
  const auto arrow = [&](double force) {
    state.set_effort(2, force);
    const Shapes shapes = marker_shapes(state, options);
    EXPECT_EQ(count(shapes, Subject::effort), 1) << "no effort, no shape";
    const Shape* found = find(shapes, Subject::effort, 4);
    EXPECT_NE(found, nullptr);
    return found == nullptr ? Shape() : *found;
  };
  // lift turns about -y, from a frame that is pitched by 0.1
  const Eigen::Vector3d axis = (Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ()) *
                                Eigen::AngleAxisd(0.1 - 0.4, Eigen::Vector3d::UnitY())) *
                               Eigen::Vector3d::UnitX();
  const Shape half = arrow(-20.0);
  ASSERT_EQ(half.kind, Kind::arrow);
  const Eigen::Vector3d drawn = half.points[1] - half.points[0];
  EXPECT_LE((drawn.normalized() + axis).norm(), 1e-12);  // pushed back
  const Eigen::Vector3d start = Eigen::Vector3d(0, 0, 1) + (0.8 + 0.3) * axis;
  EXPECT_LE((half.points[0] - start).norm(), 1e-12);
  // twice the force, twice the arrow; beyond the limit of 40 N no longer, but marked
  const auto length = [](const Shape& shape) { return (shape.points[1] - shape.points[0]).norm(); };
  const Shape full = arrow(40.0), beyond = arrow(90.0);
  EXPECT_NEAR(length(full), 2.0 * drawn.norm(), 1e-12);
  EXPECT_FALSE(full.exceeds_limit);
  EXPECT_NEAR(length(beyond), length(full), 1e-12);
  EXPECT_TRUE(beyond.exceeds_limit);
  // with another full size
  options.efforts_by_limits = false;
  options.full_force = 180.0;
  EXPECT_NEAR(length(arrow(90.0)), 0.5 * length(full), 1e-12);
}

TEST(MarkerShapes, UnknownEffortsHaveNoShape) {
  RobotState state = pendulum_at(0.6);
  EXPECT_EQ(count(marker_shapes(state), Subject::effort), 0);
}

TEST(MarkerShapes, BoxSidesOfAnInertia) {
  // 12 kg, 2 by 3 by 4 m: I_x = m (b^2 + c^2)/12
  const Eigen::Vector3d sides = box_sides(12.0, {9.0 + 16.0, 4.0 + 16.0, 4.0 + 9.0});
  EXPECT_LE((sides - Eigen::Vector3d(2.0, 3.0, 4.0)).norm(), 1e-12);
  // a slender rod along x
  EXPECT_EQ(box_sides(1.0, {0.0, 3.0, 3.0}).z(), 0.0);
}

TEST(MarkerShapes, InertiaIsTheBoxOfARotatedCuboid) {
  // a cuboid of 0.2, 0.4, 0.8 m and 3 kg, rotated by rpy against its link
  const Eigen::Vector3d squares = Eigen::Vector3d(0.2, 0.4, 0.8).cwiseAbs2();
  const Eigen::Matrix3d rotation = rotation_from_rpy({0.3, -0.4, 0.9});
  const Eigen::Vector3d moments = 3.0 / 12.0 * (Eigen::Vector3d::Constant(squares.sum()) - squares);
  Inertial inertial = body(3.0, {0.1, 0.2, 0.3});
  inertial.inertia = rotation * moments.asDiagonal() * rotation.transpose();
  RobotBuilder robot("box");
  robot.add(JointType::prismatic, "slide", "base", "cuboid", Eigen::Vector3d::UnitX(), inertial);
  RobotState state{Model(robot)};
  state.set_position(0, 0.5);
  ShapeOptions options;
  options.inertias = true;
  const Shapes shapes = marker_shapes(state, options);
  const Shape* box = find(shapes, Subject::inertia, 1);
  ASSERT_NE(box, nullptr);
  EXPECT_EQ(box->kind, Kind::box);
  EXPECT_LE((box->pose.translation - Eigen::Vector3d(0.6, 0.2, 0.3)).norm(), 1e-12);
  const Eigen::Matrix3d& drawn = box->pose.rotation;
  EXPECT_NEAR(drawn.determinant(), 1.0, 1e-12);
  // the same body, whatever the order and the signs of its axes
  const Eigen::Matrix3d made = drawn * box->size.cwiseAbs2().asDiagonal() * drawn.transpose();
  const Eigen::Matrix3d expected = rotation * squares.asDiagonal() * rotation.transpose();
  EXPECT_LE(max_abs(made - expected), 1e-12);
}

TEST(MarkerShapes, EnergiesAreText) {
  RobotState state = pendulum_at(0.0);
  state.set_velocity(0, 0.0);
  const Shapes shapes = marker_shapes(state);
  const Shape* text = find(shapes, Subject::energy);
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(text->kind, Kind::text);
  // letters of one width in the font of RViz, the same decimals in each line
  EXPECT_EQ(text->text, "K 0.000 J\nP -9.810 J\nE -9.810 J");
  EXPECT_LE(text->size.z(), 0.02 * 0.5) << "a fiftieth of the reach";
  EXPECT_LE((text->pose.translation - Eigen::Vector3d(0.0, 0.0, 0.375)).norm(), 1e-12);
  state.clear_velocity(0);
  EXPECT_EQ(find(marker_shapes(state), Subject::energy)->text, "P -9.810 J");
}

TEST(MarkerShapes, PayloadIsASphereOrTheBoxOfItsInertia) {
  RobotState state = pendulum_at(std::numbers::pi / 2.0);
  Payload payload;
  payload.frame = "bob";
  payload.mass = 3.0;
  payload.center = {0.0, 0.0, -1.0};
  state.set_model(state.model().with_payload(payload));
  const Shapes point_mass = marker_shapes(state);
  const Shape* sphere = find(point_mass, Subject::payload, 0);
  ASSERT_NE(sphere, nullptr);
  EXPECT_EQ(sphere->kind, Kind::sphere);
  EXPECT_LE((sphere->pose.translation - Eigen::Vector3d(-1.0, 0.0, 0.0)).norm(), 1e-12);
  EXPECT_NEAR(std::numbers::pi / 6.0 * std::pow(sphere->size.x(), 3), 3.0 / 1000.0, 1e-12);
  EXPECT_EQ(find(point_mass, Subject::payload, 1)->text, "3 kg");
  payload.inertia = Eigen::Vector3d(0.0625, 0.0625, 0.125).asDiagonal();  // 0.5 x 0.5 x 0 m
  state.set_model(state.model().with_payload(payload));
  const Shapes body_shapes = marker_shapes(state);
  const Shape* box = find(body_shapes, Subject::payload, 0);
  EXPECT_EQ(box->kind, Kind::box);
  EXPECT_NEAR(box->size.maxCoeff(), 0.5, 1e-12);
  EXPECT_GT(box->size.minCoeff(), 0.0) << "a box without thickness is not drawn";
  state.set_model(state.model().without_payload());
  EXPECT_EQ(count(marker_shapes(state), Subject::payload), 0);
}

TEST(MarkerShapes, FlexibleLinksAreBentLines) {
  RobotState state(model_from_urdf(to_urdf(built_in_robot("canadarm"))));
  for (const std::size_t i : {0U, 1U, 2U}) state.set_position(i, 0.0);
  state.set_position(state.flexible()->links()[0].first, 0.05);
  ShapeOptions options;
  options.inertias = true;
  const Shapes shapes = marker_shapes(state, options);
  EXPECT_EQ(count(shapes, Subject::flexible_link), 3);
  EXPECT_EQ(count(shapes, Subject::inertia), 0) << "flexible links have no box";
  const Shape* beam = find(shapes, Subject::flexible_link, 0);
  EXPECT_LE(beam->points.front().norm(), 1e-12);
  const double tip = 0.05 * state.flexible()->basis(0).at(0, 6.0, 6.0).value;
  EXPECT_LE((beam->points.back() - Eigen::Vector3d(6.0, tip, 0.0)).norm(), 1e-12);
  EXPECT_NE(find(shapes, Subject::energy)->text.find("\nS "), std::string::npos);
}

TEST(MarkerShapes, OptionsLeaveShapesOut) {
  RobotState state = pendulum_at(0.6);
  state.set_effort(0, 5.0);
  ShapeOptions options;
  options.center_of_mass = options.efforts = options.energies = false;
  EXPECT_TRUE(marker_shapes(state, options).empty());
}

TEST(MarkerShapes, ReachIsTheLongestDistanceFromTheBase) {
  // crane: 1 m of column, 0.8 m of boom, 0.6 m of slide, 0.4 m to the tool
  EXPECT_NEAR(reach(crane()), 2.8, 1e-12);
  EXPECT_NEAR(reach(pendulum()), 0.5, 1e-12);
}

}  // namespace
}  // namespace dynamics::test
