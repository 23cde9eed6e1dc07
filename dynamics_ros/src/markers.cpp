// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/markers.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

namespace dynamics_ros {
namespace {

using dynamics::Shape;
using visualization_msgs::msg::Marker;

geometry_msgs::msg::Point to_point(const Eigen::Vector3d& v) {
  geometry_msgs::msg::Point point;
  point.x = v.x();
  point.y = v.y();
  point.z = v.z();
  return point;
}

/// The marker's namespace.
const char* name_of(Shape::Subject subject) {
  switch (subject) {
    case Shape::Subject::center_of_mass: return "center_of_mass";
    case Shape::Subject::trail: return "trail";
    case Shape::Subject::effort: return "effort";
    case Shape::Subject::inertia: return "inertia";
    case Shape::Subject::energy: return "energy";
    case Shape::Subject::payload: return "payload";
    case Shape::Subject::flexible_link: break;
  }
  return "flexible_link";
}

std::int32_t type_of(Shape::Kind kind) {
  switch (kind) {
    case Shape::Kind::sphere: return Marker::SPHERE;
    case Shape::Kind::box: return Marker::CUBE;
    case Shape::Kind::line_strip: return Marker::LINE_STRIP;
    case Shape::Kind::arrow: return Marker::ARROW;
    case Shape::Kind::text: break;
  }
  return Marker::TEXT_VIEW_FACING;
}

const Color& color_of(const Shape& shape, const MarkerOptions& options) {
  if (shape.kind == Shape::Kind::text) return options.text_color;
  switch (shape.subject) {
    case Shape::Subject::center_of_mass: return options.center_color;
    case Shape::Subject::trail: return options.trail_color;
    case Shape::Subject::effort:
      return shape.exceeds_limit ? options.excess_color : options.effort_color;
    case Shape::Subject::inertia: return options.inertia_color;
    case Shape::Subject::payload: return options.payload_color;
    case Shape::Subject::flexible_link: return options.beam_color;
    case Shape::Subject::energy: break;
  }
  return options.text_color;
}

Marker to_marker(const Shape& shape, const MovingRobot& robot, const MarkerOptions& options) {
  Marker marker;
  marker.header.frame_id = options.frame_prefix + robot.model().base_link();
  marker.header.stamp = robot.stamp();
  marker.ns = name_of(shape.subject);
  marker.id = static_cast<std::int32_t>(shape.id);
  marker.type = type_of(shape.kind);
  marker.action = Marker::ADD;
  marker.pose.position = to_point(shape.pose.translation);
  const Eigen::Quaterniond rotation = Eigen::Quaterniond(shape.pose.rotation).normalized();
  marker.pose.orientation.x = rotation.x();
  marker.pose.orientation.y = rotation.y();
  marker.pose.orientation.z = rotation.z();
  marker.pose.orientation.w = rotation.w();
  marker.scale.x = shape.size.x();
  marker.scale.y = shape.size.y();
  marker.scale.z = shape.size.z();
  for (const Eigen::Vector3d& point : shape.points) marker.points.push_back(to_point(point));
  marker.text = shape.text;
  const Color& color = color_of(shape, options);
  marker.color.r = static_cast<float>(color[0]);
  marker.color.g = static_cast<float>(color[1]);
  marker.color.b = static_cast<float>(color[2]);
  marker.color.a = static_cast<float>(color[3]);
  const double whole = std::floor(options.lifetime);
  marker.lifetime.sec = static_cast<std::int32_t>(whole);
  marker.lifetime.nanosec = static_cast<std::uint32_t>(1e9 * (options.lifetime - whole));
  return marker;
}

}  // namespace

void Markers::follow(MovingRobot& robot, const MarkerOptions& options) {
  const double time = static_cast<double>(robot.stamp().sec) + 1e-9 * robot.stamp().nanosec;
  // a robot at rest keeps its trail
  const double step = 1e-4 * dynamics::reach(robot.model());
  trail_.add(time, robot.center_of_mass(), step, options.trail_length);
}

Markers::Array Markers::make(MovingRobot& robot, const MarkerOptions& options) {
  std::set<Name> shown;
  Array array = clear(robot, options);  // what was shown, less what is shown again
  auto& markers = array.markers;
  std::vector<Marker> now;
  for (const Shape& shape : dynamics::marker_shapes(robot, options, trail_)) {
    now.push_back(to_marker(shape, robot, options));
    shown.emplace(now.back().ns, now.back().id);
  }
  markers.erase(
      std::remove_if(
          markers.begin(), markers.end(),
          [&](const Marker& marker) {
            return marker.action == Marker::DELETE && shown.count({marker.ns, marker.id}) > 0;
          }),
      markers.end());
  markers.insert(markers.end(), now.begin(), now.end());
  shown_ = std::move(shown);
  return array;
}

Markers::Array Markers::clear(const MovingRobot& robot, const MarkerOptions& options) {
  Array array;
  const auto remove = [&](std::int32_t action) -> Marker& {
    Marker& marker = array.markers.emplace_back();
    marker.header.frame_id = options.frame_prefix + robot.model().base_link();
    marker.header.stamp = robot.stamp();
    marker.action = action;
    return marker;
  };
  if (first_) remove(Marker::DELETEALL);
  first_ = false;
  for (const Name& name : shown_) {
    Marker& marker = remove(Marker::DELETE);
    marker.ns = name.first;
    marker.id = name.second;
  }
  shown_.clear();
  return array;
}

}  // namespace dynamics_ros
