// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/markers.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

namespace dynamics_ros {
namespace {

using dynamics::JointType;
using dynamics::Pose;
using visualization_msgs::msg::Marker;

constexpr std::size_t beam_places = 17;
constexpr double smallest_share = 1e-3;  // of the full effort, below which none is drawn
constexpr double full_sweep = 300.0 / 180.0 * std::numbers::pi;  // of a torque's arc
constexpr double longest_slide = 100.0;     // stops beyond mean that there is none (m)
constexpr double payload_density = 1000.0;  // of the sphere that stands for a point mass (kg/m^3)

geometry_msgs::msg::Point to_point(const Eigen::Vector3d& v) {
  geometry_msgs::msg::Point point;
  point.x = v.x();
  point.y = v.y();
  point.z = v.z();
  return point;
}

void set_pose(Marker& marker, const Pose& pose) {
  marker.pose.position = to_point(pose.translation);
  const Eigen::Quaterniond turn = Eigen::Quaterniond(pose.rotation).normalized();
  marker.pose.orientation.x = turn.x();
  marker.pose.orientation.y = turn.y();
  marker.pose.orientation.z = turn.z();
  marker.pose.orientation.w = turn.w();
}

void set_scale(Marker& marker, const Eigen::Vector3d& scale) {
  marker.scale.x = scale.x();
  marker.scale.y = scale.y();
  marker.scale.z = scale.z();
}

/// Makes the markers of one array.
class Scene {
 public:
  Scene(MovingRobot& robot, const MarkerOptions& options)
      : robot_(robot),
        options_(options),
        reach_(reach(robot.model())),
        size_(options.scale * reach_) {}

  std::vector<Marker> take() { return std::move(markers_); }

  void centre_of_mass() {
    Marker& marker = add("centre_of_mass", 0, Marker::SPHERE, options_.centre_colour);
    marker.pose.position = to_point(robot_.mass_centre());
    set_scale(marker, Eigen::Vector3d::Constant(0.04 * size_));
  }

  void trail(const std::deque<Eigen::Vector3d>& places) {
    if (places.size() < 2) return;
    Marker& marker = add("trail", 0, Marker::LINE_STRIP, options_.trail_colour);
    marker.scale.x = 0.006 * size_;
    for (const auto& place : places) marker.points.push_back(to_point(place));
  }

  void efforts() {
    const auto coordinates = robot_.model().coordinates();
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const double effort = robot_.effort()[i];
      const auto* joint = described(coordinates[i].joint);
      if (std::isnan(effort) || joint == nullptr) continue;
      const double limit = coordinates[i].effort;
      const bool limited = std::isfinite(limit) && limit > 0.0;
      double full = coordinates[i].prismatic ? options_.full_force : options_.full_torque;
      if (options_.efforts_by_limits && limited) full = limit;
      const double share = std::clamp(effort / full, -1.0, 1.0);
      if (std::abs(share) < smallest_share) continue;
      const Colour& colour =
          limited && std::abs(effort) > limit ? options_.excess_colour : options_.effort_colour;
      const auto id = static_cast<std::int32_t>(2 * i);
      if (joint->type == JointType::prismatic) {
        force(*joint, share, colour, id);
      } else if (joint->type == JointType::revolute || joint->type == JointType::continuous) {
        torque(*joint, robot_.position()[i], share, colour, id);
      }
    }
  }

  void inertias() {
    const auto& links = robot_.model().description().links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto& link = links[i];
      if (!link.inertial || link.inertial->mass <= 0.0 || bends(link.name)) continue;
      box("inertia", static_cast<std::int32_t>(i), link.name, link.inertial->mass,
          link.inertial->center, link.inertial->inertia, options_.inertia_colour);
    }
  }

  void energies() {
    const auto energy = robot_.energy();
    std::string text = std::isnan(energy.kinetic)
                           ? "kinetic: no velocities\n"
                           : fmt::format("kinetic {:.4g} J\n", energy.kinetic);
    text += fmt::format("potential {:.4g} J", energy.potential + 0.0);  // -0 reads as 0
    if (robot_.flexible() != nullptr) text += fmt::format("\nstrain {:.4g} J", energy.strain);
    if (!std::isnan(energy.kinetic)) text += fmt::format("\ntotal {:.6g} J", energy.total());
    Marker& marker = add("energy", 0, Marker::TEXT_VIEW_FACING, options_.text_colour);
    marker.text = text;
    marker.scale.z = 0.05 * size_;
    marker.pose.position = to_point(reach_ * Eigen::Vector3d::Map(options_.energy_place.data()));
  }

  void payload() {
    const auto& payload = robot_.model().payload();
    if (!payload || payload->mass <= 0.0) return;
    const Pose& frame = robot_.pose(payload->frame);
    double half = 0.0;
    if (payload->inertia.isZero(0.0)) {
      const double radius = std::cbrt(0.75 * payload->mass / (std::numbers::pi * payload_density));
      Marker& marker = add("payload", 0, Marker::SPHERE, options_.payload_colour);
      marker.pose.position = to_point(frame * payload->center);
      set_scale(marker, Eigen::Vector3d::Constant(2.0 * radius));
      half = radius;
    } else {
      const Marker& marker = box("payload", 0, payload->frame, payload->mass, payload->center,
                                 payload->inertia, options_.payload_colour);
      half = 0.5 * std::max({marker.scale.x, marker.scale.y, marker.scale.z});
    }
    Marker& label = add("payload", 1, Marker::TEXT_VIEW_FACING, options_.text_colour);
    label.text = fmt::format("{:.4g} kg", payload->mass);
    label.scale.z = 0.04 * size_;
    label.pose.position =
        to_point(frame * payload->center + (half + label.scale.z) * Eigen::Vector3d::UnitZ());
  }

  void flexible_links() {
    if (robot_.flexible() == nullptr) return;
    for (std::size_t i = 0; i < robot_.flexible()->links().size(); ++i) {
      Marker& marker = add("flexible_link", static_cast<std::int32_t>(i), Marker::LINE_STRIP,
                           options_.beam_colour);
      marker.scale.x = 0.01 * size_;
      for (const auto& place : robot_.beam(i, beam_places)) {
        marker.points.push_back(to_point(place));
      }
    }
  }

 private:
  Marker& add(const std::string& name, std::int32_t id, std::int32_t type, const Colour& colour) {
    Marker& marker = markers_.emplace_back();
    marker.header.frame_id = options_.frame_prefix + robot_.model().base_link();
    marker.header.stamp = robot_.stamp();
    marker.ns = name;
    marker.id = id;
    marker.type = type;
    marker.action = Marker::ADD;
    marker.pose.orientation.w = 1.0;
    marker.color.r = static_cast<float>(colour[0]);
    marker.color.g = static_cast<float>(colour[1]);
    marker.color.b = static_cast<float>(colour[2]);
    marker.color.a = static_cast<float>(colour[3]);
    const double whole = std::floor(options_.lifetime);
    marker.lifetime.sec = static_cast<std::int32_t>(whole);
    marker.lifetime.nanosec = static_cast<std::uint32_t>(1e9 * (options_.lifetime - whole));
    return marker;
  }

  const dynamics::JointDescription* described(const std::string& name) const {
    const auto& joints = robot_.model().description().joints;
    const auto found = std::find_if(joints.begin(), joints.end(),
                                    [&](const auto& joint) { return joint.name == name; });
    return found == joints.end() ? nullptr : &*found;
  }

  bool bends(const std::string& name) const {
    if (robot_.flexible() == nullptr) return false;
    const auto links = robot_.flexible()->links();
    return std::any_of(links.begin(), links.end(),
                       [&](const auto& link) { return link.name == name; });
  }

  /// An arrow along the axis, its foot in the joint.
  void force(const dynamics::JointDescription& joint, double share, const Colour& colour,
             std::int32_t id) {
    const Pose& child = robot_.pose(joint.child);
    const Eigen::Vector3d axis = child.rotation * joint.axis.normalized();
    Marker& marker = add("effort", id, Marker::ARROW, colour);
    marker.points = {to_point(child.translation),
                     to_point(child.translation + 0.3 * size_ * share * axis)};
    set_scale(marker, size_ * Eigen::Vector3d(0.012, 0.03, 0.3 * std::abs(share) * 0.3));
  }

  /// An arc about the axis, turning as the torque does by the right hand, with a head.
  void torque(const dynamics::JointDescription& joint, double angle, double share,
              const Colour& colour, std::int32_t id) {
    const Pose& child = robot_.pose(joint.child);
    const Eigen::Vector3d own_axis = joint.axis.normalized();
    // from a direction that does not turn with the joint
    const Eigen::Vector3d start =
        child.rotation * (Eigen::AngleAxisd(-angle, own_axis) * own_axis.unitOrthogonal());
    const Eigen::Vector3d axis = child.rotation * own_axis;
    const double radius = 0.1 * size_, sweep = share * full_sweep, head = 0.035 * size_;
    const auto place = [&](double turn) -> Eigen::Vector3d {
      return child.translation + radius * (Eigen::AngleAxisd(turn, axis) * start);
    };
    Marker& arc = add("effort", id, Marker::LINE_STRIP, colour);
    arc.scale.x = 0.012 * size_;
    const auto pieces = static_cast<int>(std::ceil(48.0 * std::abs(share))) + 1;
    for (int k = 0; k <= pieces; ++k) arc.points.push_back(to_point(place(sweep * k / pieces)));
    Marker& arrow = add("effort", id + 1, Marker::ARROW, colour);
    const Eigen::Vector3d tip = place(sweep);
    const Eigen::Vector3d along =
        std::copysign(1.0, share) * axis.cross((tip - child.translation) / radius);
    arrow.points = {to_point(tip), to_point(tip + head * along)};
    set_scale(arrow, {0.001 * size_, head, head});  // all head, no shaft
  }

  /// The uniform box of a mass on a link.
  Marker& box(const std::string& name, std::int32_t id, const std::string& link, double mass,
              const Eigen::Vector3d& centre, const Eigen::Matrix3d& inertia, const Colour& colour) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia);
    Pose own{principal.eigenvectors(), centre};
    if (own.rotation.determinant() < 0.0) own.rotation.col(2) *= -1.0;
    Marker& marker = add(name, id, Marker::CUBE, colour);
    set_pose(marker, robot_.pose(link) * own);
    // a box without thickness is not drawn
    const double thinnest = 0.002 * reach_;
    set_scale(marker, box_sides(mass, principal.eigenvalues()).cwiseMax(thinnest));
    return marker;
  }

  MovingRobot& robot_;
  const MarkerOptions& options_;
  double reach_, size_;
  std::vector<Marker> markers_;
};

}  // namespace

Eigen::Vector3d box_sides(double mass, const Eigen::Vector3d& moments) {
  const double sum = moments.sum();
  return (6.0 / mass * (Eigen::Vector3d::Constant(sum) - 2.0 * moments)).cwiseMax(0.0).cwiseSqrt();
}

double reach(const dynamics::Model& model) {
  std::map<std::string, double> distance;  // of links from the base, along the origins
  double longest = 0.0;
  const auto& joints = model.description().joints;
  for (std::size_t pass = 0; pass < joints.size(); ++pass) {  // joints come in any order
    bool changed = false;
    for (const auto& joint : joints) {
      double stop = 0.0;
      if (joint.type == JointType::prismatic && joint.limits) {
        stop = std::max(std::abs(joint.limits->lower), joint.limits->upper);
        if (!(stop < longest_slide)) stop = 0.0;
      }
      const double here = distance[joint.parent] + joint.origin.translation.norm() + stop;
      changed = changed || here > distance[joint.child];
      distance[joint.child] = here;
      longest = std::max(longest, here);
    }
    if (!changed) break;
  }
  for (const auto& link : model.description().links) {  // what hangs on the last joint
    if (!link.inertial) continue;
    longest = std::max(longest, distance[link.name] + link.inertial->center.norm());
  }
  return longest > 0.0 && std::isfinite(longest) ? longest : 1.0;
}

void Markers::follow(MovingRobot& robot, const MarkerOptions& options) {
  const double time = static_cast<double>(robot.stamp().sec) + 1e-9 * robot.stamp().nanosec;
  if (time < trail_time_) trail_.clear();
  trail_time_ = time;
  const Eigen::Vector3d centre = robot.mass_centre();
  // a robot at rest keeps its trail
  const double step = 1e-4 * reach(robot.model());
  if (trail_.empty() || (centre - trail_.back()).norm() > step) trail_.push_back(centre);
  while (trail_.size() > options.trail_length) trail_.pop_front();
}

void Markers::forget() {
  trail_.clear();
  trail_time_ = 0.0;
}

Markers::Array Markers::make(MovingRobot& robot, const MarkerOptions& options) {
  Scene scene(robot, options);
  if (options.centre_of_mass) scene.centre_of_mass();
  if (options.trail) scene.trail(trail_);
  if (options.efforts) scene.efforts();
  if (options.inertias) scene.inertias();
  if (options.energies) scene.energies();
  if (options.payload) scene.payload();
  if (options.flexible_links) scene.flexible_links();

  std::set<Name> shown;
  Array array = clear(robot, options);  // what was there, less what is still
  auto& markers = array.markers;
  std::vector<Marker> now = scene.take();
  for (const Marker& marker : now) shown.emplace(marker.ns, marker.id);
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
