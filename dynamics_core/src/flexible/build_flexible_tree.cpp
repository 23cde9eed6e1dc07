// SPDX-License-Identifier: Apache-2.0
// Builds the bodies of the recursions from links and joints. Links on fixed joints are merged into
// their parent, except beams and masses on beams: these are bodies without a joint coordinate.

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

/// Placement of a frame: on a body, or on the body's beam at x (then `pose` is relative to the
/// cross-section).
struct Placement {
  int body = -1;
  bool on_beam = false;
  double x = 0.0;
  Pose pose;
};

class FlexibleTreeBuilder {
 public:
  explicit FlexibleTreeBuilder(FlexibleModel::Data& data)
      : data_(data), description_(data.rigid.description()) {
    for (const LinkDescription& link : description_.links) links_.emplace(link.name, &link);
  }

  void build() {
    placements_[data_.rigid.base_link()] = Placement{};
    for (const std::size_t joint : order_joints(description_)) {
      add_joint(description_.joints[joint]);
    }
    add_payload();
    add_frames();
    number_amplitudes();
  }

 private:
  static bool has_modes(const LinkDescription& link) {
    return link.flexible && (link.flexible->modes_y > 0 || link.flexible->modes_z > 0);
  }

  /// The placement of a frame that is fixed to a link at `origin`.
  Placement placement_on(const std::string& link, const Pose& origin) const {
    Placement placement = placements_.at(link);
    // frames on a beam are attached to the cross-section at their x
    if (is_beam_link(link)) {
      const double length = links_.at(link)->flexible->length;
      placement.x = std::clamp(origin.translation.x(), 0.0, length);
      placement.on_beam = placement.x > 0.0;
      placement.pose = origin;
      placement.pose.translation.x() -= placement.on_beam ? placement.x : 0.0;
      if (placement.on_beam && placement.pose.translation.norm() < 1e-12 * length) {
        placement.pose.translation.setZero();
      }
      return placement;
    }
    placement.pose = placement.pose * origin;
    return placement;
  }

  bool is_beam_link(const std::string& link) const { return beam_links_.contains(link); }

  void add_joint(const JointDescription& joint) {
    if (joint.mimic && joint.type != JointType::fixed) {
      throw ModelError("joint '" + joint.name + "'",
                       "is a mimic joint: robots with flexible links cannot have mimic joints");
    }
    const Placement placement = placement_on(joint.parent, joint.origin);
    const LinkDescription& child = *links_.at(joint.child);
    const auto add_prismatic = [&](const char* part, const Eigen::Vector3d& axis,
                                   const Placement& at) {
      return Placement{add_body(at, joint, joint.name + part, true, axis), false, 0.0, {}};
    };
    switch (joint.type) {
      case JointType::fixed: {
        const bool has_mass = child.inertial && child.inertial->mass > 0.0;
        if (has_modes(child) || (placement.on_beam && has_mass)) {
          add_link(child, add_body(placement, joint, "", false, Eigen::Vector3d::UnitZ()), Pose{});
        } else {
          add_link(child, placement.body, placement.pose, placement.on_beam, placement.x);
        }
        return;
      }
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic:
        finish_link(child, placement, joint, joint.name, joint.type == JointType::prismatic,
                    joint.axis.normalized());
        return;
      case JointType::planar: {
        const Eigen::Matrix3d plane = rotation_from_z(joint.axis.normalized());
        const Placement x =
            in_link_axes(add_prismatic("/x", plane.col(0), placement), plane.col(0));
        const Placement y = in_link_axes(add_prismatic("/y", plane.col(1), x), plane.col(1));
        finish_link(child, y, joint, joint.name + "/yaw", false, plane.col(2));
        return;
      }
      case JointType::floating: {
        const Eigen::Vector3d e[3] = {Eigen::Vector3d::UnitX(), Eigen::Vector3d::UnitY(),
                                      Eigen::Vector3d::UnitZ()};
        Placement at = in_link_axes(add_prismatic("/x", e[0], placement), e[0]);
        at = in_link_axes(add_prismatic("/y", e[1], at), e[1]);
        at = in_link_axes(add_prismatic("/z", e[2], at), e[2]);
        const auto add_revolute = [&](const char* part, const Eigen::Vector3d& axis) {
          at = in_link_axes(
              Placement{add_body(at, joint, joint.name + part, false, axis), false, 0.0, {}}, axis);
        };
        add_revolute("/yaw", e[2]);
        add_revolute("/pitch", e[1]);
        finish_link(child, at, joint, joint.name + "/roll", false, e[0]);
        return;
      }
    }
  }

  /// Placement for the next part of a multi-coordinate joint: the body's frame has z along the
  /// axis, the next part is defined in the link's axes.
  static Placement in_link_axes(Placement placement, const Eigen::Vector3d& axis) {
    placement.pose.rotation = rotation_from_z(axis).transpose();
    return placement;
  }

  void finish_link(const LinkDescription& child, const Placement& placement,
                   const JointDescription& joint, const std::string& coordinate, bool prismatic,
                   const Eigen::Vector3d& axis) {
    const int body = add_body(placement, joint, coordinate, prismatic, axis);
    Pose pose;
    const Eigen::Matrix3d to_joint = rotation_from_z(axis).transpose();
    if (has_modes(child)) {  // the body's frame is the link's
      flexible::ElasticBody& added = data_.tree[static_cast<std::size_t>(body)];
      added.has_axes_rotation = !to_joint.isIdentity(0.0);
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(added.axes) = to_joint;
    } else {
      pose.rotation = to_joint;
    }
    add_link(child, body, pose);
  }

  /// Adds a body and returns its index. Empty `coordinate`: fixed joint.
  int add_body(const Placement& placement, const JointDescription& joint,
               const std::string& coordinate, bool prismatic, const Eigen::Vector3d& axis) {
    flexible::ElasticBody body;
    body.parent = placement.body;
    if (!coordinate.empty()) {
      body.joint = prismatic ? JointKind::prismatic : JointKind::revolute;
      body.coordinate = data_.rigid.coordinate(coordinate);
      const bool has_one_coordinate =
          joint.type != JointType::planar && joint.type != JointType::floating;
      body.damping = joint.damping;
      body.friction = has_one_coordinate ? joint.friction : 0.0;
      body.rotor_inertia = has_one_coordinate ? joint.rotor_inertia : 0.0;
    }
    Eigen::Vector3d position = placement.pose.translation;
    if (placement.on_beam) {
      body.at = Attachment{section(placement)};
      body.at.offset = !position.isZero(0.0);
    }
    Eigen::Map<Eigen::Vector3d>(body.position) = position;

    // rotation = Rz(beta) Rx(alpha) Rz(offset)
    const Eigen::Matrix3d rotation = placement.pose.rotation * rotation_from_z(axis);
    const double horizontal = std::hypot(rotation(0, 2), rotation(1, 2));
    double cos_beta = 1.0, sin_beta = 0.0;
    if (horizontal > 1e-15 && std::abs(rotation(0, 2)) > 1e-15) {
      cos_beta = -rotation(1, 2) / horizontal;
      sin_beta = rotation(0, 2) / horizontal;
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

  BeamSection section(const Placement& placement) const {
    const auto& [given, basis] = beams_.at(placement.body);
    return flexible::beam_section(*given, *basis, data_.options,
                                  flexible::has_stiffening(*given, data_.options), placement.x);
  }

  void add_link(const LinkDescription& link, int body, const Pose& pose, bool on_beam = false,
                double x = 0.0) {
    placements_[link.name] = Placement{body, on_beam, x, pose};
    if (has_modes(link)) {
      add_beam(link, body);
      return;
    }
    if (link.flexible) check_mass(link);
    if (link.inertial && body >= 0) {
      if (on_beam && link.inertial->inertia.norm() > 0.0) {
        throw ModelError("link '" + link.name + "'",
                         "is attached to a beam and has an inertia but no mass: give it a mass");
      }
      add_inertial(data_.tree[static_cast<std::size_t>(body)], pose, *link.inertial);
    }
  }

  static void add_inertial(flexible::ElasticBody& body, const Pose& pose,
                           const Inertial& inertial) {
    const Eigen::Vector3d com = pose * inertial.center;
    const Eigen::Matrix3d tensor =
        pose.rotation * inertial.inertia * pose.rotation.transpose() +
        inertial.mass * (com.squaredNorm() * Eigen::Matrix3d::Identity() - com * com.transpose());
    body.mass += inertial.mass;
    Eigen::Map<Eigen::Vector3d>(body.first_moment) += inertial.mass * com;
    const double entries[6] = {tensor(0, 0), tensor(0, 1), tensor(0, 2),
                               tensor(1, 1), tensor(1, 2), tensor(2, 2)};
    for (std::size_t k = 0; k < 6; ++k) body.inertia[k] += entries[k];
  }

  /// Readers that ignore the beam must get the same mass from <inertial>.
  static void check_mass(const LinkDescription& link) {
    const BeamDescription& given = *link.flexible;
    const double mass = given.mass_per_length * given.length + given.tip_mass + given.hub_mass;
    const double other = link.inertial ? link.inertial->mass : 0.0;
    if (std::abs(mass - other) > 1e-6 * std::max(mass, other)) {
      throw ModelError(
          "link '" + link.name + "'",
          fmt::format("its beam has {:.9g} kg (mass_per_length * length{}), its inertial "
                      "element {:.9g} kg: both must have the same mass",
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
    const Eigen::Vector3d hub_moment = given.hub_mass * given.hub_center;
    Eigen::Map<Eigen::Vector3d>(body.first_moment) += hub_moment;
    const Eigen::Vector3d& c = given.hub_center;
    const double hub[6] = {given.hub_inertia.x(), -hub_moment.x() * c.y(), -hub_moment.x() * c.z(),
                           given.hub_inertia.y(), -hub_moment.y() * c.z(), given.hub_inertia.z()};
    for (std::size_t k = 0; k < 6; ++k) body.inertia[k] += hub[k];
    // a slender beam has no inertia about its own axis: that of the link's tensor is kept
    const Eigen::Vector3d& com = link.inertial->center;
    const double roll = link.inertial->inertia(0, 0) +
                        link.inertial->mass * (com.y() * com.y() + com.z() * com.z());
    body.inertia[0] += std::max(0.0, roll - given.hub_inertia.x());
    const Eigen::Vector3d expected =
        (Eigen::Vector3d(body.beam.first, 0.0, 0.0) + hub_moment) / link.inertial->mass;
    if ((com - expected).norm() > 1e-3 * given.length) {
      data_.notes.push_back(
          {Note::Severity::warning, link.name,
           fmt::format("the center of mass of its inertial element is {:.6g}, {:.6g}, {:.6g}, that "
                       "of its beam {:.6g}, {:.6g}, {:.6g}: the beam's is used",
                       com.x(), com.y(), com.z(), expected.x(), expected.y(), expected.z())});
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
    Placement placement = placements_.at(payload->frame);
    if (placement.body < 0) return;
    if (placement.on_beam) {
      const JointDescription none;
      placement.body = add_body(placement, none, "", false, Eigen::Vector3d::UnitZ());
      placement.pose = Pose{};
    }
    add_inertial(data_.tree[static_cast<std::size_t>(placement.body)], placement.pose,
                 {payload->mass, payload->center, payload->inertia});
  }

  void add_frames() {
    for (const Frame& frame : data_.rigid.frames()) {
      const Placement& placement = placements_.at(frame.name);
      const auto& inertial = links_.at(frame.name)->inertial;
      Pose center_in_link;
      if (inertial) center_in_link.translation = inertial->center;
      const Placement center = placement_on(frame.name, center_in_link);
      FlexibleFrame added{frame.name, placement.body,         {}, placement.pose,
                          {},         center.pose.translation};
      if (placement.on_beam) added.at = section(placement);
      if (center.on_beam) added.center_at = section(center);
      data_.frames.push_back(std::move(added));
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
  std::unordered_map<std::string, Placement> placements_;
  std::unordered_map<int, std::pair<const BeamDescription*, const BeamBasis*>> beams_;  ///< by body
  std::unordered_map<std::string, bool> beam_links_;
};

}  // namespace

void build_flexible_tree(FlexibleModel::Data& data) { FlexibleTreeBuilder(data).build(); }

}  // namespace dynamics
