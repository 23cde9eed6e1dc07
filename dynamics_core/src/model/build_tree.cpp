// SPDX-License-Identifier: Apache-2.0
// From links and joints to bodies moved along Z axes: fixed joints merged, planar and floating ones
// taken apart, frames turned so that most joints are two planar rotations.

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

/// A body while it is put together, in its link's frame ("reference frame").
struct Draft {
  int parent;
  bool prismatic;
  Pose pose;             ///< of the reference frame at zero position, in the parent's one
  Eigen::Vector3d axis;  ///< unit, in the reference frame
  double mass = 0.0;
  Eigen::Vector3d first_moment = Eigen::Vector3d::Zero();  ///< about the reference origin
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();       ///< about the reference origin
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();      ///< of the body's frame
};

/// Adds a load, given in a frame that has `pose` in the body's reference frame.
void add_inertial(Draft& body, const Pose& pose, const Inertial& inertial) {
  const Eigen::Vector3d centre = pose * inertial.centre;
  const Eigen::Matrix3d about_centre = pose.rotation * inertial.inertia * pose.rotation.transpose();
  body.mass += inertial.mass;
  body.first_moment += inertial.mass * centre;
  body.inertia +=
      about_centre + inertial.mass * (centre.squaredNorm() * Eigen::Matrix3d::Identity() -
                                      centre * centre.transpose());
}

Eigen::Matrix3d about_z(double cosine, double sine) {
  Eigen::Matrix3d r;
  r << cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0;
  return r;
}

/// Cosine and sine of the turn about Z that brings a direction into the YZ plane.
std::pair<double, double> turn_into_yz(const Eigen::Vector3d& direction) {
  const double size = std::hypot(direction.x(), direction.y());
  if (std::abs(direction.x()) <= 1e-15 || size <= 1e-15) return {1.0, 0.0};
  // Rz(phi)^T direction = (0, -size, z):  cos(phi) x + sin(phi) y = 0
  return {-direction.y() / size, direction.x() / size};
}

class Builder {
 public:
  explicit Builder(Model::Data& data) : data_(data) {
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
    for (std::size_t i = 0; i < drafts_.size(); ++i) data_.tree.push_back(tree_body(i));
    prepare_tree(data_.tree);
    data_.frictionless = std::none_of(
        data_.tree.begin(), data_.tree.end(),
        [](const TreeBody& body) { return body.damping != 0.0 || body.friction != 0.0; });
    for (Frame& frame : data_.frames) {
      if (frame.body < 0) continue;
      const Eigen::Matrix3d to_body =
          drafts_[static_cast<std::size_t>(frame.body)].axes.transpose();
      frame.pose = {to_body * frame.pose.rotation, to_body * frame.pose.translation};
    }
    for (std::size_t i = 0; i < data_.coordinates.size(); ++i) {
      data_.coordinate_index.emplace(data_.coordinates[i].name, i);
    }
    check_principal_moments();
    find_end_effector();
    find_singular_leaf();
    bound_couplings();
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
    drafts_.reserve(order.size());
  }

  void add_frame(const std::string& name, int body, const Pose& pose) {
    data_.frame_index.emplace(name, data_.frames.size());
    data_.frames.push_back({name, body, pose});
    if (const auto& inertial = link(name).inertial) {
      data_.total_mass += inertial->mass;
      if (body >= 0) add_inertial(drafts_[static_cast<std::size_t>(body)], pose, *inertial);
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

  /// Two slides in the plane, then a turn about its normal.
  void add_planar(std::size_t index, int parent, const Pose& pose) {
    const JointDescription& joint = data_.description.joints[index];
    const Eigen::Matrix3d plane = rotation_from_z(joint.axis.normalized());
    const std::string& name = joint.name;
    int body = add_body(index, name + "/x", "", parent, pose, true, plane.col(0));
    body = add_body(index, name + "/y", "", body, Pose{}, true, plane.col(1));
    body = add_body(index, name + "/yaw", joint.child, body, Pose{}, false, plane.col(2));
    add_frame(joint.child, body, Pose{});
  }

  /// Three slides, then yaw, pitch and roll; the coordinates in the order x y z roll pitch yaw.
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
    drafts_.push_back({.parent = parent, .prismatic = prismatic, .pose = pose, .axis = axis});
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
    return static_cast<int>(drafts_.size()) - 1;
  }

  void resolve_couplings() {
    std::unordered_map<std::size_t, std::size_t> coordinate_of;  // of description joints
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
        data_.plain = false;
    }
  }

  void add_payload() {
    if (!data_.payload) return;
    const Payload& payload = *data_.payload;
    const auto found = data_.frame_index.find(payload.frame);
    if (found == data_.frame_index.end()) {
      throw ModelError("payload", "its frame '" + payload.frame + "' does not exist");
    }
    const Frame& frame = data_.frames[found->second];
    data_.total_mass += payload.mass;
    if (frame.body < 0) return;
    add_inertial(drafts_[static_cast<std::size_t>(frame.body)], frame.pose,
                 {payload.mass, payload.centre, payload.inertia});
  }

  /// Z onto the joint's axis, X across the axis of the first child.
  void orient_bodies() {
    for (Draft& body : drafts_) body.axes = rotation_from_z(body.axis);
    std::vector<bool> oriented(drafts_.size(), false);
    for (const Draft& child : drafts_) {
      if (child.parent < 0 || oriented[static_cast<std::size_t>(child.parent)]) continue;
      Draft& parent = drafts_[static_cast<std::size_t>(child.parent)];
      oriented[static_cast<std::size_t>(child.parent)] = true;
      const auto [cosine, sine] =
          turn_into_yz(parent.axes.transpose() * (child.pose.rotation * child.axis));
      if (sine != 0.0 || cosine != 1.0) parent.axes = parent.axes * about_z(cosine, sine);
    }
  }

  TreeBody tree_body(std::size_t index) {
    const Draft& draft = drafts_[index];
    TreeBody body;
    body.parent = draft.parent;
    body.prismatic = draft.prismatic;
    const Eigen::Matrix3d parent_axes = draft.parent < 0
                                            ? Eigen::Matrix3d::Identity()
                                            : drafts_[static_cast<std::size_t>(draft.parent)].axes;

    // rotation = Rz(beta) Rx(alpha) Rz(offset)
    const Eigen::Matrix3d rotation = parent_axes.transpose() * draft.pose.rotation * draft.axes;
    const auto [cos_beta, sin_beta] = turn_into_yz(rotation.col(2));
    body.has_beta = sin_beta != 0.0 || cos_beta != 1.0;
    body.cos_beta = cos_beta;
    body.sin_beta = sin_beta;
    const Eigen::Matrix3d untwisted = about_z(cos_beta, sin_beta).transpose() * rotation;
    const double size = std::hypot(untwisted(1, 2), untwisted(2, 2));
    body.cos_alpha = untwisted(2, 2) / size;
    body.sin_alpha = -untwisted(1, 2) / size;
    // a right angle that is one but for the last digit of the number it was given as
    for (double* small : {&body.cos_alpha, &body.sin_alpha}) {
      double& other = small == &body.cos_alpha ? body.sin_alpha : body.cos_alpha;
      if (std::abs(*small) > 1e-15) continue;
      *small = 0.0;
      other = std::copysign(1.0, other);
    }
    body.offset = std::atan2(body.cos_alpha * untwisted(1, 0) + body.sin_alpha * untwisted(2, 0),
                             untwisted(0, 0));
    if (std::abs(body.offset) < 1e-15) body.offset = 0.0;
    body.cos_offset = std::cos(body.offset);
    body.sin_offset = std::sin(body.offset);
    Eigen::Map<Eigen::Vector3d>(body.position) = parent_axes.transpose() * draft.pose.translation;

    const Eigen::Vector3d moment = draft.axes.transpose() * draft.first_moment;
    const Eigen::Matrix3d inertia = draft.axes.transpose() * draft.inertia * draft.axes;
    body.mass = draft.mass;
    Eigen::Map<Eigen::Vector3d>(body.first_moment) = moment;
    const double entries[6] = {inertia(0, 0), inertia(0, 1), inertia(0, 2),
                               inertia(1, 1), inertia(1, 2), inertia(2, 2)};
    std::copy(std::begin(entries), std::end(entries), body.inertia);
    const Eigen::Matrix3d pseudo = 0.5 * inertia.trace() * Eigen::Matrix3d::Identity() - inertia;
    const double pseudo_entries[6] = {pseudo(0, 0), pseudo(0, 1), pseudo(0, 2),
                                      pseudo(1, 1), pseudo(1, 2), pseudo(2, 2)};
    std::copy(std::begin(pseudo_entries), std::end(pseudo_entries), body.pseudo_inertia);
    body.centre_shift = draft.mass > 0.0 ? moment.squaredNorm() / draft.mass : 0.0;

    const JointDescription& joint = data_.description.joints[joint_of_[index]];
    const bool single = joint.type != JointType::planar && joint.type != JointType::floating;
    body.rotor_inertia = single ? joint.rotor_inertia : 0.0;
    body.damping = joint.damping;
    body.friction = single ? joint.friction : 0.0;
    Body& listed = data_.bodies[index];
    listed.axes = draft.axes;
    listed.damping = body.damping;
    listed.friction = body.friction;
    listed.rotor_inertia = body.rotor_inertia;
    return body;
  }

  /// A body whose merged inertia about its mass centre has a negative moment is none. Finite
  /// numbers of a file may be too large to be multiplied.
  void check_principal_moments() const {
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const Draft& body = drafts_[i];
      if (!std::isfinite(body.mass) || !body.first_moment.allFinite() ||
          !body.inertia.allFinite() || !body.pose.translation.allFinite() ||
          !body.pose.rotation.allFinite()) {
        throw ModelError("link '" + data_.bodies[i].link + "'",
                         "its mass, mass centre, inertia or joint origin is so large that its "
                         "dynamics are beyond the range of a double (SI units are meant)");
      }
      Eigen::Matrix3d inertia = body.inertia;
      if (body.mass > 0.0) {
        const Eigen::Vector3d centre = body.first_moment / body.mass;
        inertia -= body.mass * (centre.squaredNorm() * Eigen::Matrix3d::Identity() -
                                centre * centre.transpose());
      }
      const Eigen::Vector3d principal = principal_moments(inertia);
      // the merged tensor was larger by the shift: its round-off is what may be left
      if (principal[0] < -1e-9 * body.inertia.cwiseAbs().maxCoeff()) {
        throw ModelError(
            "link '" + data_.bodies[i].link + "'",
            fmt::format("its inertia (with what is fixed to it) has the negative principal "
                        "moment {:.6g} kg m^2; all three must be positive",
                        principal[0]));
      }
    }
  }

  void find_end_effector() {
    std::vector<std::size_t> depth(drafts_.size(), 1);
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      if (drafts_[i].parent >= 0) depth[i] = depth[static_cast<std::size_t>(drafts_[i].parent)] + 1;
    }
    // the last frame of the deepest body: the tip that hangs on it by fixed joints, if any
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

  /// A coordinate that moves no mass, by its own joint or by one that mimics it, has no
  /// acceleration to compute.
  void find_singular_leaf() {
    std::vector<bool> moves_mass(drafts_.size(), false);
    std::vector<bool> coordinate_moves(data_.coordinates.size(), false);
    for (std::size_t i = drafts_.size(); i-- > 0;) {
      const TreeBody& body = data_.tree[i];
      const bool leaf_turns = !body.prismatic && turns_mass(body);
      const bool leaf_slides = body.prismatic && body.mass > 0.0;
      if (leaf_turns || leaf_slides || body.rotor_inertia > 0.0) moves_mass[i] = true;
      if (moves_mass[i] && data_.bodies[i].multiplier != 0.0) {
        coordinate_moves[data_.bodies[i].coordinate] = true;
      }
      const bool any = body.mass > 0.0 || moves_mass[i];
      if (any && body.parent >= 0) moves_mass[static_cast<std::size_t>(body.parent)] = true;
    }
    for (std::size_t i = drafts_.size(); i-- > 0;) {
      if (moves_mass[i]) continue;
      if (coordinate_moves[data_.bodies[i].coordinate]) {
        data_.has_massless_mimic = true;
      } else if (!data_.is_mimic[i] && data_.singular_reason.empty()) {
        data_.singular_reason = fmt::format(
            "joint '{}': it moves no mass (link '{}'): forward dynamics needs an inertia about its "
            "axis; give the link an <inertial>, the joint a rotor inertia, or make it fixed",
            data_.bodies[i].joint, data_.bodies[i].link);
      }
    }
  }

  /// Forward dynamics needs a matrix over couplings of the bodies or over coordinates.
  void bound_couplings() {
    const std::size_t n = data_.coordinates.size(), mimics = data_.bodies.size() - n;
    const bool over_coordinates = data_.has_massless_mimic || mimics > n;
    const std::size_t entries = over_coordinates ? n * n : data_.bodies.size() * mimics;
    if (mimics == 0 || entries <= largest_coupling || !data_.singular_reason.empty()) return;
    data_.singular_reason = fmt::format(
        "robot '{}': forward dynamics of {} mimic joints beside {} others needs a matrix of {} "
        "entries; {} are allowed: make some of them joints of their own, or fixed",
        data_.description.name, mimics, n, entries, largest_coupling);
  }

  /// Whether there is an inertia about the joint's axis, beyond the round-off of turning the
  /// tensor.
  static bool turns_mass(const TreeBody& body) {
    const double largest = std::max({body.inertia[0], body.inertia[3], body.inertia[5]});
    return body.inertia[5] > 1e-14 * largest;
  }

  Model::Data& data_;
  JointIndex joint_index_;
  std::unordered_map<std::string_view, std::size_t> link_index_;
  std::vector<Draft> drafts_;
  std::vector<std::size_t> joint_of_;  ///< description joint of each body
};

}  // namespace

void build_tree(Model::Data& data, const std::vector<std::size_t>& joint_order) {
  Builder(data).build(joint_order);
}

}  // namespace dynamics
