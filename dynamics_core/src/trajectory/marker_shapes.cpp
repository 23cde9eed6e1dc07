// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/marker_shapes.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Subject = Shape::Subject;
using Kind = Shape::Kind;

constexpr std::size_t beam_points = 17;
constexpr double smallest_share = 1e-3;  // of the full effort, below which none is drawn
constexpr double full_sweep = 300.0 / 180.0 * std::numbers::pi;  // of a torque's arc
constexpr double longest_stroke = 100.0;    // prismatic limits beyond mean "none" (m)
constexpr double payload_density = 1000.0;  // of the sphere for a point mass (kg/m^3)

/// Collects the shapes of one state.
class Scene {
 public:
  Scene(RobotState& state, const ShapeOptions& options)
      : state_(state),
        options_(options),
        reach_(reach(state.model())),
        size_(options.scale * reach_) {}

  std::vector<Shape> take() { return std::move(shapes_); }

  void center_of_mass() {
    Shape& shape = add(Subject::center_of_mass, 0, Kind::sphere);
    shape.pose.translation = state_.center_of_mass();
    shape.size.setConstant(0.04 * size_);
  }

  void trail(const std::deque<Eigen::Vector3d>& points) {
    if (points.size() < 2) return;
    Shape& shape = add(Subject::trail, 0, Kind::line_strip);
    shape.size.x() = 0.006 * size_;
    shape.points.assign(points.begin(), points.end());
  }

  void efforts() {
    const auto coordinates = state_.model().coordinates();
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const double effort = state_.efforts()[i];
      const JointDescription* joint = find_joint(coordinates[i].joint);
      if (std::isnan(effort) || joint == nullptr) continue;
      const double limit = coordinates[i].effort;
      const bool limited = std::isfinite(limit) && limit > 0.0;
      double full = coordinates[i].prismatic ? options_.full_force : options_.full_torque;
      if (options_.efforts_by_limits && limited) full = limit;
      const double share = std::clamp(effort / full, -1.0, 1.0);
      if (std::abs(share) < smallest_share) continue;
      const std::size_t first = shapes_.size();
      if (joint->type == JointType::prismatic) {
        force(*joint, share, 2 * i);
      } else if (joint->type == JointType::revolute || joint->type == JointType::continuous) {
        torque(*joint, state_.positions()[i], share, 2 * i);
      }
      for (std::size_t k = first; k < shapes_.size(); ++k) {
        shapes_[k].exceeds_limit = limited && std::abs(effort) > limit;
      }
    }
  }

  void inertias() {
    const auto& links = state_.model().description().links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto& inertial = links[i].inertial;
      if (!inertial || inertial->mass <= 0.0 || is_flexible(links[i].name)) continue;
      box(Subject::inertia, i, links[i].name, inertial->mass, inertial->center, inertial->inertia);
    }
  }

  void energies() {
    // RViz draws with a proportional font, in which the digits are of one width and these letters
    // are too: K, P, S, E. All values have the same decimals.
    const auto energy = state_.energy();
    const bool moving = !std::isnan(energy.kinetic), flexible = state_.flexible() != nullptr;
    double largest = std::abs(energy.potential);
    if (moving) largest = std::max({largest, energy.kinetic, std::abs(energy.total())});
    if (flexible) largest = std::max(largest, energy.strain);
    const int decimals =
        largest >= 1e-6 && std::isfinite(largest)
            ? std::clamp(3 - static_cast<int>(std::floor(std::log10(largest))), 0, 9)
            : 3;
    std::string text;
    const auto line = [&](char letter, double value) {
      const double rest = std::abs(value) < 0.5 * std::pow(10.0, -decimals) ? 0.0 : value;
      text += fmt::format("{}{} {:.{}f} J", text.empty() ? "" : "\n", letter, rest, decimals);
    };
    if (moving) line('K', energy.kinetic);
    line('P', energy.potential);
    if (flexible) line('S', energy.strain);
    if (moving) line('E', energy.total());
    label(Subject::energy, 0, text, 0.02 * size_, reach_ * options_.energy_place);
  }

  void payload() {
    const auto& payload = state_.model().payload();
    if (!payload || payload->mass <= 0.0) return;
    const Eigen::Vector3d center = state_.pose(payload->frame) * payload->center;
    double extent = 0.0;
    if (payload->inertia.isZero(0.0)) {
      Shape& shape = add(Subject::payload, 0, Kind::sphere);
      extent = std::cbrt(6.0 * payload->mass / (std::numbers::pi * payload_density));
      shape.pose.translation = center;
      shape.size.setConstant(extent);
    } else {
      extent =
          box(Subject::payload, 0, payload->frame, payload->mass, payload->center, payload->inertia)
              .size.maxCoeff();
    }
    const double height = 0.04 * size_;
    label(Subject::payload, 1, fmt::format("{:.4g} kg", payload->mass), height,
          center + (0.5 * extent + height) * Eigen::Vector3d::UnitZ());
  }

  void flexible_links() {
    if (state_.flexible() == nullptr) return;
    for (std::size_t i = 0; i < state_.flexible()->links().size(); ++i) {
      Shape& shape = add(Subject::flexible_link, i, Kind::line_strip);
      shape.size.x() = 0.01 * size_;
      shape.points = state_.beam(i, beam_points);
    }
  }

 private:
  Shape& add(Subject subject, std::size_t id, Kind kind) {
    Shape& shape = shapes_.emplace_back();
    shape.subject = subject;
    shape.id = id;
    shape.kind = kind;
    return shape;
  }

  void label(Subject subject, std::size_t id, const std::string& text, double height,
             const Eigen::Vector3d& place) {
    Shape& shape = add(subject, id, Kind::text);
    shape.text = text;
    shape.size.z() = height;
    shape.pose.translation = place;
  }

  const JointDescription* find_joint(const std::string& name) const {
    const auto& joints = state_.model().description().joints;
    const auto found = std::find_if(joints.begin(), joints.end(),
                                    [&](const auto& joint) { return joint.name == name; });
    return found == joints.end() ? nullptr : &*found;
  }

  bool is_flexible(const std::string& name) const {
    if (state_.flexible() == nullptr) return false;
    const auto links = state_.flexible()->links();
    return std::any_of(links.begin(), links.end(),
                       [&](const auto& link) { return link.name == name; });
  }

  /// An arrow along the axis that starts at the joint.
  void force(const JointDescription& joint, double share, std::size_t id) {
    const Pose& child = state_.pose(joint.child);
    const Eigen::Vector3d axis = child.rotation * joint.axis.normalized();
    const double length = 0.3 * size_ * share;
    Shape& shape = add(Subject::effort, id, Kind::arrow);
    shape.points = {child.translation, child.translation + length * axis};
    shape.size = {0.012 * size_, 0.03 * size_, 0.3 * std::abs(length)};
  }

  /// An arc about the axis, in the sense of the torque by the right hand, with an arrow head.
  void torque(const JointDescription& joint, double angle, double share, std::size_t id) {
    const Pose& child = state_.pose(joint.child);
    const Eigen::Vector3d own_axis = joint.axis.normalized();
    // the arc starts in a direction that does not rotate with the joint
    const Eigen::Vector3d start =
        child.rotation * (Eigen::AngleAxisd(-angle, own_axis) * own_axis.unitOrthogonal());
    const Eigen::Vector3d axis = child.rotation * own_axis;
    const double radius = 0.1 * size_, sweep = share * full_sweep, head = 0.035 * size_;
    const auto point = [&](double rotation) -> Eigen::Vector3d {
      return child.translation + radius * (Eigen::AngleAxisd(rotation, axis) * start);
    };
    Shape& arc = add(Subject::effort, id, Kind::line_strip);
    arc.size.x() = 0.012 * size_;
    const auto pieces = static_cast<int>(std::ceil(48.0 * std::abs(share))) + 1;
    for (int k = 0; k <= pieces; ++k) arc.points.push_back(point(sweep * k / pieces));
    Shape& arrow = add(Subject::effort, id + 1, Kind::arrow);
    const Eigen::Vector3d tip = point(sweep);
    const Eigen::Vector3d along =
        std::copysign(1.0, share) * axis.cross((tip - child.translation) / radius);
    arrow.points = {tip, tip + head * along};
    arrow.size = {0.001 * size_, head, head};  // all head, no shaft
  }

  /// The uniform box of a mass on a link.
  const Shape& box(Subject subject, std::size_t id, const std::string& link, double mass,
                   const Eigen::Vector3d& center, const Eigen::Matrix3d& inertia) {
    const PrincipalAxes principal = principal_axes(inertia);
    Pose own{principal.axes, center};
    if (own.rotation.determinant() < 0.0) own.rotation.col(2) *= -1.0;
    Shape& shape = add(subject, id, Kind::box);
    shape.pose = state_.pose(link) * own;
    // a box without thickness is not drawn
    const double thinnest = 0.002 * reach_;
    shape.size = box_sides(mass, principal.moments).cwiseMax(thinnest);
    return shape;
  }

  RobotState& state_;
  const ShapeOptions& options_;
  double reach_, size_;
  std::vector<Shape> shapes_;
};

}  // namespace

std::vector<Shape> marker_shapes(RobotState& state, const ShapeOptions& options,
                                 const Trail& trail) {
  Scene scene(state, options);
  if (options.center_of_mass) scene.center_of_mass();
  if (options.trail) scene.trail(trail.points());
  if (options.efforts) scene.efforts();
  if (options.inertias) scene.inertias();
  if (options.energies) scene.energies();
  if (options.payload) scene.payload();
  if (options.flexible_links) scene.flexible_links();
  return scene.take();
}

void Trail::add(double time, const Eigen::Vector3d& point, double step, std::size_t length) {
  if (time < time_) points_.clear();
  time_ = time;
  if (points_.empty() || (point - points_.back()).norm() > step) points_.push_back(point);
  while (points_.size() > length) points_.pop_front();
}

void Trail::clear() {
  points_.clear();
  time_ = 0.0;
}

Eigen::Vector3d box_sides(double mass, const Eigen::Vector3d& moments) {
  const double sum = moments.sum();
  return (6.0 / mass * (Eigen::Vector3d::Constant(sum) - 2.0 * moments)).cwiseMax(0.0).cwiseSqrt();
}

double reach(const Model& model) {
  std::map<std::string, double> distance;  // of links from the base, along the origins
  double longest = 0.0;
  const auto& joints = model.description().joints;
  for (std::size_t pass = 0; pass < joints.size(); ++pass) {  // joints come in any order
    bool changed = false;
    for (const auto& joint : joints) {
      double stroke = 0.0;
      if (joint.type == JointType::prismatic && joint.limits) {
        stroke = std::max(std::abs(joint.limits->lower), joint.limits->upper);
        if (!(stroke < longest_stroke)) stroke = 0.0;
      }
      const double here = distance[joint.parent] + joint.origin.translation.norm() + stroke;
      changed = changed || here > distance[joint.child];
      distance[joint.child] = here;
      longest = std::max(longest, here);
    }
    if (!changed) break;
  }
  for (const auto& link : model.description().links) {  // from the last joint to the mass
    if (!link.inertial) continue;
    longest = std::max(longest, distance[link.name] + link.inertial->center.norm());
  }
  return longest > 0.0 && std::isfinite(longest) ? longest : 1.0;
}

}  // namespace dynamics
