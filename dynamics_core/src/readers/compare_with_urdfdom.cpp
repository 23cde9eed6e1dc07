// SPDX-License-Identifier: Apache-2.0
// Compares a description with what urdfdom reads from the same text. After a difference the robot
// here would not be the robot of robot_state_publisher, KDL or MoveIt.

#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <cmath>
#include <exception>
#include <new>

#include "readers/urdf_reader.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Severity = Finding::Severity;
using Kind = Finding::Kind;

Vector3d vector(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Matrix3d rotation(const urdf::Rotation& r) {
  return Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix();
}

bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(a) || a == b; }
bool same(const Vector3d& a, const Vector3d& b) {
  return same(a.x(), b.x()) && same(a.y(), b.y()) && same(a.z(), b.z());
}
bool same(const Matrix3d& a, const Matrix3d& b, double scale) {
  return (a - b).cwiseAbs().maxCoeff() <= 1e-9 * scale;
}

JointType type_of(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE: return JointType::revolute;
    case urdf::Joint::CONTINUOUS: return JointType::continuous;
    case urdf::Joint::PRISMATIC: return JointType::prismatic;
    case urdf::Joint::PLANAR: return JointType::planar;
    case urdf::Joint::FLOATING: return JointType::floating;
    default: return JointType::fixed;
  }
}

class Comparison {
 public:
  explicit Comparison(std::vector<Finding>& findings) : findings_(findings) {}

  void compare(const LinkDescription& ours, const urdf::LinkConstSharedPtr& theirs) {
    at_ = {Kind::link, ours.name, ours.line};
    if (!theirs) return differs("name");
    if (ours.inertial.has_value() != static_cast<bool>(theirs->inertial)) {
      return differs("inertial");
    }
    if (!ours.inertial) return;
    const Inertial& a = *ours.inertial;
    const urdf::Inertial& b = *theirs->inertial;
    if (!same(a.mass, b.mass)) differs("mass", a.mass, b.mass);
    if (!same(a.center, vector(b.origin.position))) differs("mass center");
    Matrix3d tensor;
    tensor << b.ixx, b.ixy, b.ixz, b.ixy, b.iyy, b.iyz, b.ixz, b.iyz, b.izz;
    const Matrix3d R = rotation(b.origin.rotation);
    if (!same(a.inertia, R * tensor * R.transpose(), tensor.cwiseAbs().maxCoeff())) {
      differs("inertia tensor");
    }
  }

  void compare(const JointDescription& ours, const urdf::JointConstSharedPtr& theirs) {
    at_ = {Kind::joint, ours.name, ours.line};
    if (!theirs) return differs("name");
    const urdf::Joint& b = *theirs;
    if (ours.type != type_of(b)) return differs("type");
    if (ours.parent != b.parent_link_name) differs("parent link");
    if (ours.child != b.child_link_name) differs("child link");
    const urdf::Pose& origin = b.parent_to_joint_origin_transform;
    if (!same(ours.origin.translation, vector(origin.position))) differs("origin");
    if (!same(ours.origin.rotation, rotation(origin.rotation), 1.0)) differs("orientation");
    const bool has_axis = ours.type != JointType::fixed && ours.type != JointType::floating;
    if (has_axis && !same(ours.axis, vector(b.axis))) differs("axis");
    compare_limits(ours, b);
    if (b.dynamics) {
      if (!same(ours.damping, b.dynamics->damping)) {
        differs("damping", ours.damping, b.dynamics->damping);
      }
      if (!same(ours.friction, b.dynamics->friction)) {
        differs("friction", ours.friction, b.dynamics->friction);
      }
    } else if (ours.damping != 0.0 || ours.friction != 0.0) {
      differs("dynamics");
    }
    if (ours.mimic.has_value() != static_cast<bool>(b.mimic)) return differs("mimic");
    if (ours.mimic && (ours.mimic->joint != b.mimic->joint_name ||
                       !same(ours.mimic->multiplier, b.mimic->multiplier) ||
                       !same(ours.mimic->offset, b.mimic->offset))) {
      differs("mimic");
    }
  }

 private:
  void compare_limits(const JointDescription& ours, const urdf::Joint& b) {
    if (ours.limits.has_value() != static_cast<bool>(b.limits)) return differs("limit");
    if (!ours.limits) return;
    const JointLimits& a = *ours.limits;
    if (!same(a.lower, b.limits->lower)) differs("lower limit", a.lower, b.limits->lower);
    if (!same(a.upper, b.limits->upper)) differs("upper limit", a.upper, b.limits->upper);
    // URDF 1.0 requires a number where 1.2 has none
    if (std::isfinite(a.velocity) && !same(a.velocity, b.limits->velocity)) {
      differs("velocity limit", a.velocity, b.limits->velocity);
    }
    if (std::isfinite(a.effort) && !same(a.effort, b.limits->effort)) {
      differs("effort limit", a.effort, b.limits->effort);
    }
  }

  void differs(const std::string& what) {
    add(what + " is read differently by urdfdom, which other ROS packages use");
  }
  void differs(const std::string& what, double ours, double theirs) {
    add(fmt::format("{} is read as {} here and as {} by urdfdom, which other ROS packages use",
                    what, ours, theirs));
  }
  void add(std::string message) {
    findings_.push_back({Severity::error, at_.kind, at_.name, "urdfdom", std::move(message),
                         "write the value so that both readers agree", false, at_.line});
  }

  struct Place {
    Kind kind;
    std::string name;
    std::size_t line;
  };
  std::vector<Finding>& findings_;
  Place at_{};
};

}  // namespace

void compare_with_urdfdom(const std::string& urdf_1_0, const RobotDescription& description,
                          std::vector<Finding>& findings) {
  // TinyXML reads a text without XML declaration as Latin-1
  const std::string_view start =
      std::string_view(urdf_1_0).substr(std::min(urdf_1_0.find('<'), urdf_1_0.size()));
  const bool has_declaration = start.starts_with("<?xml") || urdf_1_0.starts_with("\xEF\xBB\xBF");
  urdf::ModelInterfaceSharedPtr theirs;
  try {
    theirs = urdf::parseURDF(has_declaration ? urdf_1_0 : "<?xml version=\"1.0\"?>" + urdf_1_0);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // reported below
  }
  if (!theirs) {
    findings.push_back({Severity::warning, Kind::file, description.source, "urdfdom",
                        "urdfdom, which other ROS packages use, rejects the file; its message is "
                        "on stderr",
                        "", false, 0});
    return;
  }
  Comparison comparison(findings);
  for (const LinkDescription& link : description.links) {
    comparison.compare(link, theirs->getLink(link.name));
  }
  for (const JointDescription& joint : description.joints) {
    comparison.compare(joint, theirs->getJoint(joint.name));
  }
}

}  // namespace dynamics
