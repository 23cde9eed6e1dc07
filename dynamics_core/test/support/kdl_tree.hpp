// SPDX-License-Identifier: Apache-2.0
#pragma once

// KDL trees from a description, independent of the library under test.

#include <cmath>
#include <kdl/tree.hpp>
#include <map>
#include <stdexcept>
#include <string>

#include "dynamics_core/description.hpp"

namespace dynamics::test {

inline KDL::Vector to_kdl(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline KDL::Rotation to_kdl(const Eigen::Matrix3d& r) {
  return {r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)};
}
inline KDL::Frame to_kdl(const Pose& pose) {
  return {to_kdl(pose.rotation), to_kdl(pose.translation)};
}
inline Eigen::Vector3d from_kdl(const KDL::Vector& v) { return {v.x(), v.y(), v.z()}; }
inline Eigen::Matrix3d from_kdl(const KDL::Rotation& r) {
  Eigen::Matrix3d result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result(i, j) = r(i, j);
  }
  return result;
}

inline KDL::RigidBodyInertia to_kdl(const std::optional<Inertial>& inertial) {
  if (!inertial) return KDL::RigidBodyInertia::Zero();
  const Eigen::Matrix3d& i = inertial->inertia;
  return KDL::RigidBodyInertia(
      inertial->mass, to_kdl(inertial->center),
      KDL::RotationalInertia(i(0, 0), i(1, 1), i(2, 2), i(0, 1), i(0, 2), i(1, 2)));
}

inline KDL::Joint to_kdl(const JointDescription& joint) {
  const KDL::Vector origin = to_kdl(joint.origin.translation);
  const KDL::Vector axis = to_kdl(Eigen::Vector3d(joint.origin.rotation * joint.axis.normalized()));
  switch (joint.type) {
    case JointType::fixed: return KDL::Joint(joint.name, KDL::Joint::Fixed);
    case JointType::revolute:
    case JointType::continuous:
      return {joint.name, origin, axis, KDL::Joint::RotAxis, 1.0, 0.0, joint.rotor_inertia};
    case JointType::prismatic:
      return {joint.name, origin, axis, KDL::Joint::TransAxis, 1.0, 0.0, joint.rotor_inertia};
    default:
      throw std::invalid_argument("KDL does not support the type of joint '" + joint.name + "'");
  }
}

/// KDL has no friction, damping or mimic joints: they are ignored.
inline KDL::Tree kdl_tree(const RobotDescription& robot) {
  std::map<std::string, const LinkDescription*> links;
  std::map<std::string, bool> is_child;
  for (const auto& link : robot.links) links[link.name] = &link;
  for (const auto& joint : robot.joints) is_child[joint.child] = true;
  std::string root;
  for (const auto& link : robot.links) {
    if (!is_child[link.name]) root = link.name;
  }
  KDL::Tree tree(root);
  // children may come before their parents in the description
  std::size_t added = 0;
  std::map<std::string, bool> present = {{root, true}};
  while (added < robot.joints.size()) {
    const std::size_t before = added;
    for (const auto& joint : robot.joints) {
      if (present[joint.child] || !present[joint.parent]) continue;
      const KDL::Segment segment(joint.child, to_kdl(joint), to_kdl(joint.origin),
                                 to_kdl(links.at(joint.child)->inertial));
      if (!tree.addSegment(segment, joint.parent)) throw std::runtime_error("KDL: addSegment");
      present[joint.child] = true;
      ++added;
    }
    if (added == before) throw std::runtime_error("KDL: not a tree");
  }
  return tree;
}

}  // namespace dynamics::test
