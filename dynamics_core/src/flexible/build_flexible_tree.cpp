// SPDX-License-Identifier: Apache-2.0
// From links and joints to bodies with amplitudes. Fixed joints are merged, except for what cannot
// be: a beam, and a mass that sits on a beam, are bodies of their own without a joint coordinate.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "flexible/flexible_model_data.hpp"
#include "flexible/make_beam.hpp"
#include "model/model_data.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using flexible::Attachment;
using flexible::JointKind;

/// Where a frame is: on a body, or on the body's beam at x (then `pose` is in the cross-section).
struct Place {
  int body = -1;
  bool on_beam = false;
  double x = 0.0;
  Pose pose;
};

class Builder {
 public:
  explicit Builder(FlexibleModel::Data& data)
      : data_(data), description_(data.rigid.description()) {
    for (const LinkDescription& link : description_.links) links_.emplace(link.name, &link);
  }

  void build() {
    places_[data_.rigid.base_link()] = Place{};
    for (const std::size_t joint : order_joints(description_)) {
      add_joint(description_.joints[joint]);
    }
    add_payload();
    add_frames();
    number_amplitudes();
  }

 private:
  static bool bends(const LinkDescription& link) {
    return link.flexible && (link.flexible->modes_y > 0 || link.flexible->modes_z > 0);
  }

  /// The place of a joint's child frame at zero position.
  Place child_place(const JointDescription& joint) const {
    Place place = places_.at(joint.parent);
    const LinkDescription& parent = *links_.at(joint.parent);
    // a beam's own frame is its body's; what hangs on it hangs on a place along it
    if (place.body >= 0 && !place.on_beam && bends(parent) && is_root_frame(joint.parent)) {
      place.x = std::clamp(joint.origin.translation.x(), 0.0, parent.flexible->length);
      place.on_beam = place.x > 0.0;
      place.pose = joint.origin;
      place.pose.translation.x() -= place.on_beam ? place.x : 0.0;
      if (place.on_beam && place.pose.translation.norm() < 1e-12 * parent.flexible->length) {
        place.pose.translation.setZero();
      }
      return place;
    }
    place.pose = place.pose * joint.origin;
    return place;
  }

  bool is_root_frame(const std::string& link) const { return beam_links_.contains(link); }

  void add_joint(const JointDescription& joint) {
    if (joint.mimic && joint.type != JointType::fixed) {
      throw ModelError("joint '" + joint.name + "'",
                       "mimics another one: robots with flexible links cannot have mimic joints");
    }
    const Place place = child_place(joint);
    const LinkDescription& child = *links_.at(joint.child);
    const auto slide = [&](const char* part, const Eigen::Vector3d& axis, const Place& at) {
      return Place{add_body(at, joint, joint.name + part, true, axis), false, 0.0, {}};
    };
    switch (joint.type) {
      case JointType::fixed: {
        const bool heavy = child.inertial && child.inertial->mass > 0.0;
        if (bends(child) || (place.on_beam && heavy)) {
          add_link(child, add_body(place, joint, "", false, Eigen::Vector3d::UnitZ()), Pose{});
        } else {
          add_link(child, place.body, place.pose, place.on_beam, place.x);
        }
        return;
      }
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic:
        finish_link(child, place, joint, joint.name, joint.type == JointType::prismatic,
                    joint.axis.normalized());
        return;
      case JointType::planar: {
        const Eigen::Matrix3d plane = rotation_from_z(joint.axis.normalized());
        const Place x = in_link_axes(slide("/x", plane.col(0), place), plane.col(0));
        const Place y = in_link_axes(slide("/y", plane.col(1), x), plane.col(1));
        finish_link(child, y, joint, joint.name + "/yaw", false, plane.col(2));
        return;
      }
      case JointType::floating: {
        const Eigen::Vector3d e[3] = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(),
                                      Eigen::Vector3d::UnitZ()};
        Place at = in_link_axes(slide("/x", e[0], place), e[0]);
        at = in_link_axes(slide("/y", e[1], at), e[1]);
        at = in_link_axes(slide("/z", e[2], at), e[2]);
        const auto turn = [&](const char* part, const Eigen::Vector3d& axis) {
          at = in_link_axes(
              Place{add_body(at, joint, joint.name + part, false, axis), false, 0.0, {}}, axis);
        };
        turn("/yaw", e[2]);
        turn("/pitch", e[1]);
        finish_link(child, at, joint, joint.name + "/roll", false, e[0]);
        return;
      }
    }
  }

  /// Between the parts of a joint: the body's frame has z along the axis; the next part is
  /// described in the link's axes.
  static Place in_link_axes(Place place, const Eigen::Vector3d& axis) {
    place.pose.rotation = rotation_from_z(axis).transpose();
    return place;
  }

  void finish_link(const LinkDescription& child, const Place& place, const JointDescription& joint,
                   const std::string& coordinate, bool prismatic, const Eigen::Vector3d& axis) {
    const int body = add_body(place, joint, coordinate, prismatic, axis);
    Pose pose;
    const Eigen::Matrix3d to_joint = rotation_from_z(axis).transpose();
    if (bends(child)) {  // the body's frame is the link's
      flexible::ElasticBody& made = data_.tree[static_cast<std::size_t>(body)];
      made.reframed = !to_joint.isIdentity(0.0);
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(made.axes) = to_joint;
    } else {
      pose.rotation = to_joint;
    }
    add_link(child, body, pose);
  }

  /// A new body; an empty coordinate: fixed.
  int add_body(const Place& place, const JointDescription& joint, const std::string& coordinate,
               bool prismatic, const Eigen::Vector3d& axis) {
    flexible::ElasticBody body;
    body.parent = place.body;
    if (!coordinate.empty()) {
      body.joint = prismatic ? JointKind::prismatic : JointKind::revolute;
      body.coordinate = data_.rigid.coordinate(coordinate);
      const bool single = joint.type != JointType::planar && joint.type != JointType::floating;
      body.damping = joint.damping;
      body.friction = single ? joint.friction : 0.0;
      body.rotor_inertia = single ? joint.rotor_inertia : 0.0;
    }
    Eigen::Vector3d position = place.pose.translation;
    if (place.on_beam) {
      body.at = attachment(place);
      body.at.offset = !position.isZero(0.0);
    }
    Eigen::Map<Eigen::Vector3d>(body.position) = position;

    // rotation = Rz(beta) Rx(alpha) Rz(offset)
    const Eigen::Matrix3d rotation = place.pose.rotation * rotation_from_z(axis);
    const double across = std::hypot(rotation(0, 2), rotation(1, 2));
    double cos_beta = 1.0, sin_beta = 0.0;
    if (across > 1e-15 && std::abs(rotation(0, 2)) > 1e-15) {
      cos_beta = -rotation(1, 2) / across;
      sin_beta = rotation(0, 2) / across;
    }
    body.cos_beta = cos_beta;
    body.sin_beta = sin_beta;
    body.has_beta = sin_beta != 0.0 || cos_beta != 1.0;
    Eigen::Matrix3d about_z;
    about_z << cos_beta, -sin_beta, 0.0, sin_beta, cos_beta, 0.0, 0.0, 0.0, 1.0;
    const Eigen::Matrix3d rest = about_z.transpose() * rotation;
    const double size = std::hypot(rest(1, 2), rest(2, 2));
    body.cos_alpha = rest(2, 2) / size;
    body.sin_alpha = -rest(1, 2) / size;
    if (std::abs(body.sin_alpha) < 1e-15) body.sin_alpha = 0.0;
    body.has_alpha = body.sin_alpha != 0.0 || body.cos_alpha < 0.0;
    body.offset = std::atan2(body.cos_alpha * rest(1, 0) + body.sin_alpha * rest(2, 0), rest(0, 0));
    if (std::abs(body.offset) < 1e-15) body.offset = 0.0;
    body.cos_offset = std::cos(body.offset);
    body.sin_offset = std::sin(body.offset);
    Eigen::Map<Eigen::Vector3d>(body.direction) = rotation.col(2);
    data_.tree.push_back(std::move(body));
    return static_cast<int>(data_.tree.size()) - 1;
  }

  Attachment attachment(const Place& place) const {
    const auto& [given, basis] = beams_.at(place.body);
    return {flexible::attach(*given, *basis, data_.options,
                             flexible::stiffens(*given, data_.options), place.x)};
  }

  void add_link(const LinkDescription& link, int body, const Pose& pose, bool on_beam = false,
                double x = 0.0) {
    places_[link.name] = Place{body, on_beam, x, pose};
    if (bends(link)) {
      add_beam(link, body);
      return;
    }
    if (link.flexible) check_mass(link);
    if (link.inertial && body >= 0) {
      if (on_beam && link.inertial->inertia.norm() > 0.0) {
        throw ModelError("link '" + link.name + "'",
                         "sits on a beam with an inertia but no mass: give it one");
      }
      add_inertial(data_.tree[static_cast<std::size_t>(body)], pose, *link.inertial);
    }
  }

  static void add_inertial(flexible::ElasticBody& body, const Pose& pose,
                           const Inertial& inertial) {
    const Eigen::Vector3d centre = pose * inertial.centre;
    const Eigen::Matrix3d tensor =
        pose.rotation * inertial.inertia * pose.rotation.transpose() +
        inertial.mass *
            (centre.squaredNorm() * Eigen::Matrix3d::Identity() - centre * centre.transpose());
    body.mass += inertial.mass;
    Eigen::Map<Eigen::Vector3d>(body.first_moment) += inertial.mass * centre;
    const double entries[6] = {tensor(0, 0), tensor(0, 1), tensor(0, 2),
                               tensor(1, 1), tensor(1, 2), tensor(2, 2)};
    for (std::size_t k = 0; k < 6; ++k) body.inertia[k] += entries[k];
  }

  /// A reader that ignores the beam must see the same mass.
  static void check_mass(const LinkDescription& link) {
    const BeamDescription& given = *link.flexible;
    const double mass = given.mass_per_length * given.length + given.tip_mass + given.hub_mass;
    const double other = link.inertial ? link.inertial->mass : 0.0;
    if (std::abs(mass - other) > 1e-6 * std::max(mass, other)) {
      throw ModelError(
          "link '" + link.name + "'",
          fmt::format("its beam has {:.9g} kg (mass_per_length * length{}) but its inertial "
                      "element {:.9g} kg: give both the same mass",
                      mass, given.tip_mass + given.hub_mass > 0.0 ? " + tip and hub" : "", other));
    }
  }

  void add_beam(const LinkDescription& link, int index) {
    const BeamDescription& given = *link.flexible;
    const auto basis = data_.options.basis ? data_.options.basis : named_basis(link);
    flexible::ElasticBody& body = data_.tree[static_cast<std::size_t>(index)];
    body.beam = flexible::make_beam(link.name, given, *basis, data_.options);
    check_mass(link);
    body.mass += given.hub_mass;
    body.inertia[0] += given.hub_inertia.x();
    body.inertia[3] += given.hub_inertia.y();
    body.inertia[5] += given.hub_inertia.z();
    // a slender beam has no inertia about its own axis: what the link's tensor says stays with it
    const Eigen::Vector3d& centre = link.inertial->centre;
    const double roll = link.inertial->inertia(0, 0) +
                        link.inertial->mass * (centre.y() * centre.y() + centre.z() * centre.z());
    body.inertia[0] += std::max(0.0, roll - given.hub_inertia.x());
    const double expected = body.beam.first / link.inertial->mass;
    if ((centre - Eigen::Vector3d(expected, 0.0, 0.0)).norm() > 1e-3 * given.length) {
      data_.notes.push_back(
          {Note::Severity::warning, link.name,
           fmt::format("its inertial element has the mass centre at {:.6g}, {:.6g}, {:.6g}, its "
                       "beam at {:.6g}, 0, 0: the beam's is used",
                       centre.x(), centre.y(), centre.z(), expected)});
    }
    beams_.emplace(index, std::pair(&given, basis.get()));
    beam_links_.emplace(link.name, true);
    data_.links.push_back({link.name, static_cast<std::size_t>(index), given.length,
                           body.beam.modes_y, body.beam.modes_z, 0});
    data_.bases.push_back(basis);
  }

  static std::shared_ptr<const BeamBasis> named_basis(const LinkDescription& link) {
    try {
      return beam_basis(link.flexible->basis);
    } catch (const ArgumentError& error) {
      throw ModelError("link '" + link.name + "'", error.what());
    }
  }

  void add_payload() {
    const auto& payload = data_.rigid.payload();
    if (!payload || payload->mass == 0.0) return;
    Place place = places_.at(payload->frame);
    if (place.body < 0) return;
    if (place.on_beam) {
      const JointDescription none;
      place.body = add_body(place, none, "", false, Eigen::Vector3d::UnitZ());
      place.pose = Pose{};
    }
    add_inertial(data_.tree[static_cast<std::size_t>(place.body)], place.pose,
                 {payload->mass, payload->centre, payload->inertia});
  }

  void add_frames() {
    for (const Frame& frame : data_.rigid.frames()) {
      const Place& place = places_.at(frame.name);
      FlexibleFrame made{frame.name, place.body, {}, place.pose};
      if (place.on_beam) made.at = attachment(place);
      data_.frames.push_back(std::move(made));
    }
  }

  void number_amplitudes() {
    const std::size_t joints = data_.rigid.size();
    std::size_t amplitude = 0, matrix = 0;
    for (std::size_t i = 0; i < data_.tree.size(); ++i) {
      flexible::ElasticBody& body = data_.tree[i];
      body.amplitude = amplitude;
      body.matrix = matrix;
      amplitude += body.beam.modes();
      matrix += body.beam.modes() * body.beam.modes();
      if (body.joint != JointKind::fixed) data_.block_order.push_back(body.coordinate);
      for (std::size_t j = 0; j < body.beam.modes(); ++j) {
        data_.block_order.push_back(joints + body.amplitude + j);
      }
    }
    for (FlexibleLink& link : data_.links) {
      link.first = joints + data_.tree[link.body].amplitude;
      for (std::size_t j = 0; j < link.modes(); ++j) {
        const bool y = j < link.modes_y;
        data_.amplitude_names.push_back(
            fmt::format("e_{}_{}{}", link.name, y ? 'y' : 'z', y ? j + 1 : j - link.modes_y + 1));
      }
    }
  }

  FlexibleModel::Data& data_;
  const RobotDescription& description_;
  std::unordered_map<std::string, const LinkDescription*> links_;
  std::unordered_map<std::string, Place> places_;
  std::unordered_map<int, std::pair<const BeamDescription*, const BeamBasis*>> beams_;  ///< by body
  std::unordered_map<std::string, bool> beam_links_;
};

}  // namespace

void build_flexible_tree(FlexibleModel::Data& data) { Builder(data).build(); }

}  // namespace dynamics
