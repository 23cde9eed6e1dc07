// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds descriptions link by link.

#include <optional>
#include <string>
#include <utility>

#include "dynamics_core/description.hpp"

namespace dynamics::test {

inline Inertial body(double mass, const Eigen::Vector3d& center,
                     const Eigen::Vector3d& principal = Eigen::Vector3d::Zero()) {
  return {mass, center, principal.asDiagonal()};
}

/// Starts with a link `base`; add() adds a joint and a link.
class RobotBuilder {
 public:
  explicit RobotBuilder(const std::string& name = "robot") {
    robot_.name = name;
    robot_.source = "test";
    LinkDescription base;
    base.name = "base";
    robot_.links.push_back(base);
  }

  /// Joint `name` from `parent` to the new link `child`.
  RobotBuilder& add(JointType type, const std::string& name, const std::string& parent,
                    const std::string& child, const Eigen::Vector3d& axis,
                    std::optional<Inertial> inertial, const Pose& origin = {}) {
    JointDescription joint;
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.axis = axis;
    joint.origin = origin;
    if (type == JointType::revolute || type == JointType::prismatic) {
      joint.limits = JointLimits{-3.0, 3.0, 10.0, 100.0};
    }
    robot_.joints.push_back(joint);
    LinkDescription link;
    link.name = child;
    link.inertial = std::move(inertial);
    robot_.links.push_back(link);
    return *this;
  }

  /// The last added joint.
  JointDescription& joint() { return robot_.joints.back(); }
  RobotDescription& robot() { return robot_; }
  operator RobotDescription() const { return robot_; }  // NOLINT(google-explicit-constructor)

 private:
  RobotDescription robot_;
};

/// A planar arm without mass in its last link: joint `second` has no inertia.
inline RobotDescription arm_with_massless_hand() {
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  return RobotBuilder()
      .add(JointType::revolute, "first", "base", "arm", z, body(1.0, {1, 0, 0}, {1, 1, 1}))
      .add(JointType::revolute, "second", "arm", "hand", z, std::nullopt);
}

/// A chain of three joints, the last of the given type.
inline RobotBuilder three_joints(JointType last) {
  const Pose step{Eigen::Matrix3d::Identity(), {0.3, 0.0, 0.1}};
  return RobotBuilder("three_joints")
      .add(JointType::continuous, "one", "base", "a", {0, 0, 1},
           body(2.0, {0.1, 0.0, 0.05}, {0.02, 0.03, 0.04}))
      .add(JointType::continuous, "two", "a", "b", {0, 1, 0},
           body(1.0, {0.1, 0.02, 0.0}, {0.01, 0.02, 0.02}), step)
      .add(last, "three", "b", "c", {1, 0, 0}, body(0.5, {0.05, 0.0, 0.03}, {0.01, 0.01, 0.01}),
           step);
}

}  // namespace dynamics::test
