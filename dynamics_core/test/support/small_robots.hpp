// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds descriptions link by link.

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

}  // namespace dynamics::test
