// SPDX-License-Identifier: Apache-2.0
#include "model/parsed_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <variant>

namespace dynamics {
namespace {

using Eigen::Vector3d;

void add_shape(ParsedLink& link, const Visual& visual) {
  const double pi = std::numbers::pi;
  Vector3d half = Vector3d::Zero();
  if (const auto* box = std::get_if<Visual::Box>(&visual.geometry)) {
    half = 0.5 * box->size;
    link.volume += box->size.prod();
  } else if (const auto* cylinder = std::get_if<Visual::Cylinder>(&visual.geometry)) {
    half = {cylinder->radius, cylinder->radius, 0.5 * cylinder->length};
    link.volume += pi * cylinder->radius * cylinder->radius * cylinder->length;
  } else if (const auto* capsule = std::get_if<Visual::Capsule>(&visual.geometry)) {
    const double r = capsule->radius;
    half = {r, r, 0.5 * capsule->length + r};
    link.volume += pi * r * r * (capsule->length + 4.0 / 3.0 * r);
  } else {
    const double radius = std::get<Visual::Sphere>(visual.geometry).radius;
    half.setConstant(radius);
    link.volume += 4.0 / 3.0 * pi * radius * radius * radius;
  }
  const Vector3d half_extent = rotation_from_rpy(visual.rpy).cwiseAbs() * half;
  link.geometry.add(visual.xyz - half_extent);
  link.geometry.add(visual.xyz + half_extent);
}

}  // namespace

const char* to_string(Finding::Severity severity) {
  switch (severity) {
    case Finding::Severity::information: return "information";
    case Finding::Severity::warning: return "warning";
    case Finding::Severity::error: return "error";
  }
  return "unknown";
}

const char* to_string(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::file: return "file";
    case Finding::Kind::robot: return "robot";
    case Finding::Kind::link: return "link";
    case Finding::Kind::joint: return "joint";
    case Finding::Kind::constraint: return "constraint";
  }
  return "unknown";
}

Finding& ParsedRobot::report(Finding::Severity severity, Finding::Kind kind,
                             const std::string& element, const char* code, std::string message,
                             std::string repair, std::size_t line) {
  findings.push_back(
      {severity, kind, element, code, std::move(message), std::move(repair), false, line});
  return findings.back();
}

Finding& ParsedRobot::report(Finding::Severity severity, const ParsedLink& link, const char* code,
                             std::string message, std::string repair) {
  return report(severity, Finding::Kind::link, link.name, code, std::move(message),
                std::move(repair), link.line);
}

Finding& ParsedRobot::report(Finding::Severity severity, const ParsedJoint& joint, const char* code,
                             std::string message, std::string repair) {
  return report(severity, Finding::Kind::joint, joint.name, code, std::move(message),
                std::move(repair), joint.line);
}

Finding& ParsedRobot::report(Finding::Severity severity, const ParsedConstraint& constraint,
                             const char* code, std::string message, std::string repair) {
  return report(severity, Finding::Kind::constraint, constraint.name, code, std::move(message),
                std::move(repair), constraint.line);
}

void ParsedRobot::fix(Finding& finding, Edit edit) {
  finding.fixable = true;
  repairs.push_back(std::move(edit));
}

const Finding* ParsedRobot::first_error() const {
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Finding::Severity::error;
  });
  return found == findings.end() ? nullptr : &*found;
}

ErrorText error_text(const Finding& finding, const std::string& source) {
  const bool named = finding.kind == Finding::Kind::link || finding.kind == Finding::Kind::joint ||
                     finding.kind == Finding::Kind::constraint;
  const std::string element = named && !finding.name.empty()
                                  ? fmt::format("{} '{}'", to_string(finding.kind), finding.name)
                                  : "";
  const std::string message =
      finding.message + (finding.repair.empty() ? "" : ": " + finding.repair);
  if (finding.line == 0) return {element.empty() ? source : element, message};
  return {fmt::format("{}:{}", source, finding.line),
          element.empty() ? message : element + ": " + message};
}

ParsedRobot to_parsed(const RobotDescription& description) {
  ParsedRobot robot;
  robot.name = description.name;
  robot.source = description.source;
  for (const LinkDescription& given : description.links) {
    ParsedLink link;
    link.name = given.name;
    link.line = link.inertial_line = given.line;
    if (given.inertial) {
      link.has_inertial = true;
      link.mass = given.inertial->mass;
      link.center = given.inertial->center;
      link.tensor = link.inertia = given.inertial->inertia;
    }
    link.visuals = given.visuals;
    link.meshes = given.meshes;
    for (const Visual& visual : given.visuals) add_shape(link, visual);
    link.has_meshes = !given.meshes.empty();
    link.flexible = given.flexible;
    robot.links.push_back(std::move(link));
  }
  for (const JointDescription& given : description.joints) {
    ParsedJoint joint;
    joint.name = given.name;
    joint.line = joint.axis_line = joint.limit_line = given.line;
    joint.type = given.type;
    joint.parent = given.parent;
    joint.child = given.child;
    joint.position = given.origin.translation;
    joint.rotation = given.origin.rotation;
    joint.axis_element = joint.has_axis = true;
    joint.axis = given.axis;
    if (given.limits) {
      joint.has_limit = true;
      joint.lower = given.limits->lower;
      joint.upper = given.limits->upper;
      joint.velocity = given.limits->velocity;
      joint.effort = given.limits->effort;
      joint.extra_limits = *given.limits;
    }
    joint.damping = given.damping;
    joint.friction = given.friction;
    joint.rotor_inertia = given.rotor_inertia;
    joint.mimic = given.mimic;
    joint.actuated = given.actuated;
    joint.in_ros2_control = given.in_ros2_control;
    robot.joints.push_back(std::move(joint));
  }
  for (const ConstraintDescription& given : description.constraints) {
    ParsedConstraint constraint;
    constraint.name = given.name;
    constraint.line = given.line;
    constraint.type = given.type;
    constraint.parent = given.parent;
    constraint.child = given.child;
    constraint.parent_origin = given.parent_origin;
    constraint.child_origin = given.child_origin;
    constraint.has_parent_axis = constraint.has_child_axis = true;
    constraint.parent_axis = given.parent_axis;
    constraint.child_axis = given.child_axis;
    constraint.has_distance = true;
    constraint.distance = given.distance;
    robot.constraints.push_back(std::move(constraint));
  }
  return robot;
}

RobotDescription to_description(ParsedRobot robot) {
  const double infinity = std::numeric_limits<double>::infinity();
  RobotDescription description;
  description.name = std::move(robot.name);
  description.source = std::move(robot.source);
  for (ParsedLink& given : robot.links) {
    LinkDescription& link = description.links.emplace_back();
    link.name = std::move(given.name);
    link.line = given.line;
    if (given.has_inertial) link.inertial = Inertial{*given.mass, *given.center, *given.inertia};
    link.visuals = std::move(given.visuals);
    link.meshes = std::move(given.meshes);
    link.flexible = std::move(given.flexible);
  }
  for (ParsedJoint& given : robot.joints) {
    JointDescription& joint = description.joints.emplace_back();
    joint.name = std::move(given.name);
    joint.line = given.line;
    joint.type = *given.type;
    joint.parent = std::move(given.parent);
    joint.child = std::move(given.child);
    joint.origin = {*given.rotation, *given.position};
    if (given.axis) joint.axis = *given.axis;
    if (given.has_limit) {
      joint.limits = given.extra_limits;
      joint.limits->lower = given.lower.value_or(0.0);
      joint.limits->upper = given.upper.value_or(0.0);
      joint.limits->velocity = given.velocity.value_or(infinity);
      joint.limits->effort = given.effort.value_or(infinity);
    }
    joint.damping = given.damping;
    joint.friction = given.friction;
    joint.rotor_inertia = given.rotor_inertia;
    joint.mimic = std::move(given.mimic);
    joint.actuated = given.actuated;
    joint.in_ros2_control = given.in_ros2_control;
  }
  for (ParsedConstraint& given : robot.constraints) {
    ConstraintDescription& constraint = description.constraints.emplace_back();
    constraint.name = std::move(given.name);
    constraint.line = given.line;
    constraint.type = *given.type;
    constraint.parent = std::move(given.parent);
    constraint.child = std::move(given.child);
    constraint.parent_origin = *given.parent_origin;
    constraint.child_origin = *given.child_origin;
    if (given.parent_axis) constraint.parent_axis = *given.parent_axis;
    // one axis is enough, except for universal joints
    constraint.child_axis = given.child_axis ? *given.child_axis : constraint.parent_axis;
    constraint.distance = given.distance.value_or(0.0);
  }
  return description;
}

BoundingBox joint_bounding_box(const ParsedRobot& robot, std::size_t link) {
  BoundingBox box;
  box.add(Vector3d::Zero());
  for (const std::size_t joint : robot.children[link]) {
    if (robot.joints[joint].position) box.add(*robot.joints[joint].position);
  }
  return box;
}

std::string suggest_tensor(const ParsedRobot& robot, std::size_t link) {
  const ParsedLink& given = robot.links[link];
  const double mass = given.mass.value_or(0.0);
  const BoundingBox box = given.geometry.empty() ? joint_bounding_box(robot, link) : given.geometry;
  const Vector3d size = box.high - box.low;
  if (mass <= 0.0 || box.diagonal() <= 0.0) return "take the tensor from the CAD model";
  const auto moment = [&](Eigen::Index i, Eigen::Index j) {
    return mass / 12.0 * (size[i] * size[i] + size[j] * size[j]);
  };
  return fmt::format("a uniform box around the {} has ixx {:.3g}, iyy {:.3g}, izz {:.3g}",
                     given.geometry.empty() ? "joints" : "shapes", moment(1, 2), moment(0, 2),
                     moment(0, 1));
}

void validate(ParsedRobot& robot) {
  validate_tree(robot);
  validate_links(robot);
  validate_joints(robot);
  validate_constraints(robot);
}

}  // namespace dynamics
