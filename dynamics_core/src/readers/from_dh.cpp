// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Geometry>
#include <limits>
#include <map>
#include <string>

#include "dynamics_core/readers.hpp"

namespace dynamics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Pose screw_z(double angle, double along) {
  return {Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix(), {0.0, 0.0, along}};
}
Pose screw_x(double angle, double along) {
  return {Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix(), {along, 0.0, 0.0}};
}

/// Transforms shapes from frame i+1 to the frame of link i.
void transform(std::vector<Visual>& visuals, const Pose& pose) {
  for (Visual& visual : visuals) {
    const Pose moved = pose * Pose{rotation_from_rpy(visual.rpy), visual.xyz};
    visual.xyz = moved.translation;
    visual.rpy = rpy_from_rotation(moved.rotation);
  }
}

}  // namespace

RobotDescription describe(const DhTable& table) {
  RobotDescription robot;
  robot.name = table.name;
  robot.source = table.name;
  robot.links.push_back({table.base_link, std::nullopt, table.base_visuals, {}, std::nullopt});
  std::string parent = table.base_link;
  Pose to_frame;                       // pose of frame i in the frame of link i-1
  std::map<std::string, Pose> frames;  // by link, what its constraints are given in
  for (const DhLink& row : table.links) {
    const bool prismatic = row.type == DhLink::JointType::prismatic;
    // the frame of a flexible link is at the root of its beam, which lies along X_{i+1}
    const Pose screw = screw_z(row.theta, row.b);
    const Pose next = row.flexible ? screw_x(row.alpha, row.a) : screw * screw_x(row.alpha, row.a);

    JointDescription joint;
    joint.name = row.joint;
    joint.type = prismatic ? JointType::prismatic : JointType::revolute;
    joint.parent = parent;
    joint.child = row.link;
    joint.origin = row.flexible ? to_frame * screw : to_frame;
    joint.axis = Eigen::Vector3d::UnitZ();
    joint.damping = row.damping;
    joint.friction = row.friction;
    joint.rotor_inertia = row.rotor_inertia;
    joint.mimic = row.mimic;
    joint.actuated = row.actuated;
    if (row.lower && row.upper) {
      joint.limits = JointLimits{*row.lower, *row.upper, row.velocity.value_or(infinity),
                                 row.effort.value_or(infinity)};
    } else if (!prismatic) {
      joint.type = JointType::continuous;
      if (row.velocity || row.effort) {
        joint.limits =
            JointLimits{0.0, 0.0, row.velocity.value_or(infinity), row.effort.value_or(infinity)};
      }
    }
    robot.joints.push_back(std::move(joint));

    LinkDescription link;
    link.name = row.link;
    link.inertial = Inertial{row.mass, next * Eigen::Vector3d(-row.r),
                             next.rotation * row.inertia * next.rotation.transpose()};
    link.visuals = row.visuals;
    transform(link.visuals, next);
    link.flexible = row.flexible;
    robot.links.push_back(std::move(link));

    parent = row.link;
    to_frame = next;
    frames[row.link] = next;
  }
  robot.links.push_back({table.tip_link, std::nullopt, {}, {}, std::nullopt});
  JointDescription tip;
  tip.name = table.tip_link + "_joint";
  tip.parent = parent;
  tip.child = table.tip_link;
  tip.origin = to_frame;
  robot.joints.push_back(std::move(tip));
  robot.constraints = table.constraints;
  for (ConstraintDescription& constraint : robot.constraints) {
    constraint.parent_origin = frames[constraint.parent] * constraint.parent_origin;
    constraint.child_origin = frames[constraint.child] * constraint.child_origin;
  }
  return robot;
}

Model model_from_dh(const DhTable& table) {
  ModelOptions options;
  options.gravity = table.gravity;
  return Model(describe(table), options);
}

}  // namespace dynamics
