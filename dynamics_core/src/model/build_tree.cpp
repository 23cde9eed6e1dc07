// SPDX-License-Identifier: Apache-2.0
// Builds the tree of bodies from links and joints. Links behind fixed joints are merged into their
// parent body, planar and floating joints are split into single-axis joints, and body frames are
// rotated so that Z is the joint axis and most joints are two planar rotations.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "model/coupling_bound.hpp"
#include "model/model_data.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A body under construction, in the frame of its link ("reference frame").
struct BodyBuilder {
  int parent;
  bool prismatic;
  Pose pose;             ///< reference frame at q = 0 in the parent's reference frame
  Eigen::Vector3d axis;  ///< unit vector in the reference frame
  double mass = 0.0;
  Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();  ///< about the reference origin
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();       ///< about the reference origin
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();      ///< body frame in the reference frame
};

/// Adds mass properties given in a frame with `pose` in the body's reference frame.
void add_inertial(BodyBuilder& body, const Pose& pose, const Inertial& inertial) {
  const Eigen::Vector3d center = pose * inertial.center;
  const Eigen::Matrix3d about_center = pose.rotation * inertial.inertia * pose.rotation.transpose();
  body.mass += inertial.mass;
  body.first_moment += inertial.mass * center;
  body.inertia +=
      about_center + inertial.mass * (center.squaredNorm() * Eigen::Matrix3d::Identity() -
                                      center * center.transpose());
}

Eigen::Matrix3d rotation_about_z(double cosine, double sine) {
  Eigen::Matrix3d r;
  r << cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0;
  return r;
}

/// Cosine and sine of the rotation about Z whose inverse moves a direction into the YZ plane.
std::pair<double, double> rotation_into_yz(const Eigen::Vector3d& direction) {
  const double size = std::hypot(direction.x(), direction.y());
  if (std::abs(direction.x()) <= 1e-15 || size <= 1e-15) return {1.0, 0.0};
  // Rz(phi)^T direction = (0, -size, z):  cos(phi) x + sin(phi) y = 0
  return {-direction.y() / size, direction.x() / size};
}

class TreeBuilder {
 public:
  explicit TreeBuilder(Model::Data& data) : data_(data) {
    for (std::size_t i = 0; i < data.description.joints.size(); ++i) {
      joint_index_.emplace(data.description.joints[i].name, i);
    }
    for (std::size_t i = 0; i < data.description.links.size(); ++i) {
      link_index_.emplace(data.description.links[i].name, i);
    }
  }

  void build(const std::vector<std::size_t>& order) {
    place_root(order);
    for (const std::size_t joint : order) add_joint(joint);
    resolve_couplings();
    add_payload();
    orient_bodies();
    for (std::size_t i = 0; i < builders_.size(); ++i) data_.tree.push_back(tree_body(i));
    prepare_tree(data_.tree);
    data_.frictionless = std::none_of(
        data_.tree.begin(), data_.tree.end(),
        [](const TreeBody& body) { return body.damping != 0.0 || body.friction != 0.0; });
    for (Frame& frame : data_.frames) {
      if (frame.body < 0) continue;
      const Eigen::Matrix3d to_body =
          builders_[static_cast<std::size_t>(frame.body)].axes.transpose();
      frame.pose = {to_body * frame.pose.rotation, to_body * frame.pose.translation};
    }
    for (std::size_t i = 0; i < data_.coordinates.size(); ++i) {
      data_.coordinate_index.emplace(data_.coordinates[i].name, i);
    }
    check_principal_moments();
    find_end_effector();
    find_massless_joints();
    limit_coupling_matrix();
  }

 private:
  const LinkDescription& link(const std::string& name) const {
    return data_.description.links[link_index_.at(name)];
  }

  void place_root(const std::vector<std::size_t>& order) {
    std::unordered_map<std::string_view, bool> is_child;
    for (const JointDescription& joint : data_.description.joints) is_child[joint.child] = true;
    for (const LinkDescription& candidate : data_.description.links) {
      if (!is_child.contains(candidate.name)) data_.base_link = candidate.name;
    }
    add_frame(data_.base_link, -1, Pose{});
    builders_.reserve(order.size());
  }

  void add_frame(const std::string& name, int body, const Pose& pose) {
    data_.frame_index.emplace(name, data_.frames.size());
    data_.frames.push_back({name, body, pose});
    if (const auto& inertial = link(name).inertial) {
      data_.total_mass += inertial->mass;
      if (body >= 0) add_inertial(builders_[static_cast<std::size_t>(body)], pose, *inertial);
    }
  }

  void add_joint(std::size_t index) {
    const JointDescription& joint = data_.description.joints[index];
    const Frame parent = data_.frames[data_.frame_index.at(joint.parent)];
    const Pose pose = parent.pose * joint.origin;
    switch (joint.type) {
      case JointType::fixed:
        if (link(joint.child).inertial && link(joint.child).inertial->mass > 0.0) {
          data_.notes.push_back(
              {Note::Severity::information, joint.child,
               "merged into its parent '" + joint.parent + "' (fixed joint '" + joint.name + "')"});
        }
        add_frame(joint.child, parent.body, pose);
        return;
      case JointType::revolute:
      case JointType::continuous:
      case JointType::prismatic: {
        const int body = add_body(index, joint.name, joint.child, parent.body, pose,
                                  joint.type == JointType::prismatic, joint.axis.normalized());
        add_frame(joint.child, body, Pose{});
        return;
      }
      case JointType::planar: add_planar(index, parent.body, pose); return;
      case JointType::floating: add_floating(index, parent.body, pose); return;
    }
  }

  /// Two prismatic joints in the plane, then a revolute joint about its normal.
  void add_planar(std::size_t index, int parent, const Pose& pose) {
    const JointDescription& joint = data_.description.joints[index];
    const Eigen::Matrix3d plane = rotation_from_z(joint.axis.normalized());
    const std::string& name = joint.name;
    int body = add_body(index, name + "/x", "", parent, pose, true, plane.col(0));
    body = add_body(index, name + "/y", "", body, Pose{}, true, plane.col(1));
    body = add_body(index, name + "/yaw", joint.child, body, Pose{}, false, plane.col(2));
    add_frame(joint.child, body, Pose{});
  }

  /// Bodies in the order x y z yaw pitch roll; coordinates in the order x y z roll pitch yaw.
  void add_floating(std::size_t index, int parent, const Pose& pose) {
    const std::string& name = data_.description.joints[index].name;
    const std::string& child = data_.description.joints[index].child;
    int body = add_body(index, name + "/x", "", parent, pose, true, Eigen::Vector3d::UnitX());
    body = add_body(index, name + "/y", "", body, Pose{}, true, Eigen::Vector3d::UnitY());
    body = add_body(index, name + "/z", "", body, Pose{}, true, Eigen::Vector3d::UnitZ());
    body = add_body(index, name + "/yaw", "", body, Pose{}, false, Eigen::Vector3d::UnitZ());
    body = add_body(index, name + "/pitch", "", body, Pose{}, false, Eigen::Vector3d::UnitY());
    body = add_body(index, name + "/roll", child, body, Pose{}, false, Eigen::Vector3d::UnitX());
    std::swap(data_.coordinates.end()[-3], data_.coordinates.end()[-1]);
    std::swap(data_.bodies.end()[-3].coordinate, data_.bodies.end()[-1].coordinate);
    data_.pitch_coordinates.push_back(data_.coordinates.size() - 2);
    add_frame(child, body, Pose{});
  }

  int add_body(std::size_t joint_index, std::string name, std::string child, int parent,
               const Pose& pose, bool prismatic, const Eigen::Vector3d& axis) {
    const JointDescription& joint = data_.description.joints[joint_index];
    builders_.push_back({.parent = parent, .prismatic = prismatic, .pose = pose, .axis = axis});
    joint_of_.push_back(joint_index);
    data_.is_mimic.push_back(joint.mimic.has_value());
    Body body{name, std::move(child), 0, 1.0, 0.0, Eigen::Matrix3d::Identity()};
    if (!joint.mimic) {
      body.coordinate = data_.coordinates.size();
      Coordinate coordinate{std::move(name), joint.name, prismatic, -infinity,
                            infinity,        infinity,   infinity};
      if (joint.limits) {
        if (joint.type == JointType::revolute || joint.type == JointType::prismatic) {
          coordinate.lower = joint.limits->lower;
          coordinate.upper = joint.limits->upper;
        }
        coordinate.velocity = joint.limits->velocity;
        coordinate.effort = joint.limits->effort;
      }
      data_.coordinates.push_back(std::move(coordinate));
    }
    data_.bodies.push_back(std::move(body));
    return static_cast<int>(builders_.size()) - 1;
  }

  void resolve_couplings() {
    std::unordered_map<std::size_t, std::size_t> coordinate_of;  // by description joint
    for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
      if (!data_.description.joints[joint_of_[i]].mimic) {
        coordinate_of[joint_of_[i]] = data_.bodies[i].coordinate;
      }
    }
    const auto resolved = resolve_mimics(data_.description, joint_index_);
    for (std::size_t i = 0; i < data_.bodies.size(); ++i) {
      Body& body = data_.bodies[i];
      if (data_.description.joints[joint_of_[i]].mimic) {
        const ResolvedMimic& mimic = resolved[joint_of_[i]];
        body.coordinate = coordinate_of.at(mimic.joint);
        body.multiplier = mimic.multiplier;
        body.offset = mimic.offset;
      }
      if (body.coordinate != i || data_.coordinates.size() != data_.bodies.size())
        data_.coordinates_are_bodies = false;
    }
  }

  void add_payload() {
    if (!data_.payload) return;
    const Payload& payload = *data_.payload;
    const auto found = data_.frame_index.find(payload.frame);
    if (found == data_.frame_index.end()) {
      throw ModelError("payload", "frame '" + payload.frame + "' does not exist");
    }
    const Frame& frame = data_.frames[found->second];
    data_.total_mass += payload.mass;
    if (frame.body < 0) return;
    add_inertial(builders_[static_cast<std::size_t>(frame.body)], frame.pose,
                 {payload.mass, payload.center, payload.inertia});
  }

  /// Z along the joint axis, X perpendicular to the joint axes of the body and of its first child.
  void orient_bodies() {
    for (BodyBuilder& body : builders_) body.axes = rotation_from_z(body.axis);
    std::vector<bool> oriented(builders_.size(), false);
    for (const BodyBuilder& child : builders_) {
      if (child.parent < 0 || oriented[static_cast<std::size_t>(child.parent)]) continue;
      BodyBuilder& parent = builders_[static_cast<std::size_t>(child.parent)];
      oriented[static_cast<std::size_t>(child.parent)] = true;
      const auto [cosine, sine] =
          rotation_into_yz(parent.axes.transpose() * (child.pose.rotation * child.axis));
      if (sine != 0.0 || cosine != 1.0) parent.axes = parent.axes * rotation_about_z(cosine, sine);
    }
  }

  TreeBody tree_body(std::size_t index) {
    const BodyBuilder& builder = builders_[index];
    TreeBody body;
    body.parent = builder.parent;
    body.prismatic = builder.prismatic;
    const Eigen::Matrix3d parent_axes =
        builder.parent < 0 ? Eigen::Matrix3d::Identity()
                           : builders_[static_cast<std::size_t>(builder.parent)].axes;

    // rotation = Rz(beta) Rx(alpha) Rz(offset)
    const Eigen::Matrix3d rotation = parent_axes.transpose() * builder.pose.rotation * builder.axes;
    const auto [cos_beta, sin_beta] = rotation_into_yz(rotation.col(2));
    body.has_beta = sin_beta != 0.0 || cos_beta != 1.0;
    body.cos_beta = cos_beta;
    body.sin_beta = sin_beta;
    const Eigen::Matrix3d without_beta =
        rotation_about_z(cos_beta, sin_beta).transpose() * rotation;
    const double size = std::hypot(without_beta(1, 2), without_beta(2, 2));
    body.cos_alpha = without_beta(2, 2) / size;
    body.sin_alpha = -without_beta(1, 2) / size;
    // snap to the right angle if the given number differs from it by round-off
    for (double* small : {&body.cos_alpha, &body.sin_alpha}) {
      double& other = small == &body.cos_alpha ? body.sin_alpha : body.cos_alpha;
      if (std::abs(*small) > 1e-15) continue;
      *small = 0.0;
      other = std::copysign(1.0, other);
    }
    body.offset =
        std::atan2(body.cos_alpha * without_beta(1, 0) + body.sin_alpha * without_beta(2, 0),
                   without_beta(0, 0));
    if (std::abs(body.offset) < 1e-15) body.offset = 0.0;
    body.cos_offset = std::cos(body.offset);
    body.sin_offset = std::sin(body.offset);
    Eigen::Map<Eigen::Vector3d>(body.position) = parent_axes.transpose() * builder.pose.translation;

    const Eigen::Vector3d moment = builder.axes.transpose() * builder.first_moment;
    const Eigen::Matrix3d inertia = builder.axes.transpose() * builder.inertia * builder.axes;
    body.mass = builder.mass;
    Eigen::Map<Eigen::Vector3d>(body.first_moment) = moment;
    const double entries[6] = {inertia(0, 0), inertia(0, 1), inertia(0, 2),
                               inertia(1, 1), inertia(1, 2), inertia(2, 2)};
    std::copy(std::begin(entries), std::end(entries), body.inertia);
    const Eigen::Matrix3d pseudo = 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
    const double pseudo_entries[6] = {pseudo(0, 0), pseudo(0, 1), pseudo(0, 2),
                                      pseudo(1, 1), pseudo(1, 2), pseudo(2, 2)};
    std::copy(std::begin(pseudo_entries), std::end(pseudo_entries), body.pseudo_inertia);
    body.center_shift = builder.mass > 0.0 ? moment.squaredNorm() / builder.mass : 0.0;

    const JointDescription& joint = data_.description.joints[joint_of_[index]];
    const bool single = joint.type != JointType::planar && joint.type != JointType::floating;
    body.rotor_inertia = single ? joint.rotor_inertia : 0.0;
    body.damping = joint.damping;
    body.friction = single ? joint.friction : 0.0;
    Body& listed = data_.bodies[index];
    listed.axes = builder.axes;
    listed.damping = body.damping;
    listed.friction = body.friction;
    listed.rotor_inertia = body.rotor_inertia;
    return body;
  }

  /// Throws if a merged body has a negative principal moment about its center of mass, or if finite
  /// numbers of the file overflow when multiplied.
  void check_principal_moments() const {
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      const BodyBuilder& body = builders_[i];
      if (!std::isfinite(body.mass) || !body.first_moment.allFinite() ||
          !body.inertia.allFinite() || !body.pose.translation.allFinite() ||
          !body.pose.rotation.allFinite()) {
        throw ModelError("link '" + data_.bodies[i].link + "'",
                         "mass, center of mass, inertia or joint origin is so large that the "
                         "dynamics exceed the range of a double: use SI units");
      }
      Eigen::Matrix3d inertia = body.inertia;
      if (body.mass > 0.0) {
        const Eigen::Vector3d center = body.first_moment / body.mass;
        inertia -= body.mass * (center.squaredNorm() * Eigen::Matrix3d::Identity() -
                                center * center.transpose());
      }
      const Eigen::Vector3d principal = principal_moments(inertia);
      // tolerance relative to the tensor about the origin, whose round-off remains
      if (principal[0] < -1e-9 * body.inertia.cwiseAbs().maxCoeff()) {
        throw ModelError(
            "link '" + data_.bodies[i].link + "'",
            fmt::format("inertia (including links fixed to it) has the negative principal moment "
                        "{:.6g} kg m^2: all three must be positive",
                        principal[0]));
      }
    }
  }

  void find_end_effector() {
    std::vector<std::size_t> depth(builders_.size(), 1);
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      if (builders_[i].parent >= 0)
        depth[i] = depth[static_cast<std::size_t>(builders_[i].parent)] + 1;
    }
    // the last frame of the deepest body, which includes frames behind fixed joints
    std::size_t deepest = 0;
    int body = -1;
    for (std::size_t i = 0; i < data_.frames.size(); ++i) {
      const int candidate = data_.frames[i].body;
      const std::size_t d = candidate < 0 ? 0 : depth[static_cast<std::size_t>(candidate)];
      if (d > deepest || (candidate == body)) {
        deepest = d;
        body = candidate;
        data_.end_effector = i;
      }
    }
  }

  /// A coordinate that moves no mass, neither by its joint nor by a mimic joint, makes the inertia
  /// matrix singular.
  void find_massless_joints() {
    std::vector<bool> moves_mass(builders_.size(), false);
    std::vector<bool> coordinate_moves(data_.coordinates.size(), false);
    for (std::size_t i = builders_.size(); i-- > 0;) {
      const TreeBody& body = data_.tree[i];
      const bool rotates_mass = !body.prismatic && has_inertia_about_axis(body);
      const bool translates_mass = body.prismatic && body.mass > 0.0;
      if (rotates_mass || translates_mass || body.rotor_inertia > 0.0) moves_mass[i] = true;
      if (moves_mass[i] && data_.bodies[i].multiplier != 0.0) {
        coordinate_moves[data_.bodies[i].coordinate] = true;
      }
      const bool any = body.mass > 0.0 || moves_mass[i];
      if (any && body.parent >= 0) moves_mass[static_cast<std::size_t>(body.parent)] = true;
    }
    for (std::size_t i = builders_.size(); i-- > 0;) {
      if (moves_mass[i]) continue;
      if (coordinate_moves[data_.bodies[i].coordinate]) {
        data_.has_massless_mimic = true;
      } else if (!data_.is_mimic[i] && data_.singular_reason.empty()) {
        data_.singular_reason = fmt::format(
            "joint '{}': moves no mass (link '{}'), so forward dynamics is not defined: give the "
            "link "
            "an <inertial> or the joint a rotor inertia, or make the joint fixed",
            data_.bodies[i].joint, data_.bodies[i].link);
      }
    }
  }

  /// Limits the size of the matrix that forward dynamics with mimic joints needs: bodies x mimic
  /// joints or coordinates x coordinates.
  void limit_coupling_matrix() {
    const std::size_t n = data_.coordinates.size(), mimics = data_.bodies.size() - n;
    const bool over_coordinates = data_.has_massless_mimic || mimics > n;
    const std::size_t entries = over_coordinates ? n * n : data_.bodies.size() * mimics;
    if (mimics == 0 || entries <= max_coupling_entries || !data_.singular_reason.empty()) return;
    data_.singular_reason = fmt::format(
        "robot '{}': forward dynamics with {} mimic joints and {} coordinates needs a matrix of {} "
        "entries, and {} are allowed: make some mimic joints independent or fixed",
        data_.description.name, mimics, n, entries, max_coupling_entries);
  }

  /// True if the inertia about the joint axis exceeds the round-off of rotating the tensor.
  static bool has_inertia_about_axis(const TreeBody& body) {
    const double largest = std::max({body.inertia[0], body.inertia[3], body.inertia[5]});
    return body.inertia[5] > 1e-14 * largest;
  }

  Model::Data& data_;
  JointIndex joint_index_;
  std::unordered_map<std::string_view, std::size_t> link_index_;
  std::vector<BodyBuilder> builders_;
  std::vector<std::size_t> joint_of_;  ///< index of the description joint, by body
};

}  // namespace

void build_tree(Model::Data& data, const std::vector<std::size_t>& joint_order) {
  TreeBuilder(data).build(joint_order);
}

}  // namespace dynamics
