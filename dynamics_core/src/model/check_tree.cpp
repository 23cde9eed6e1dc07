// SPDX-License-Identifier: Apache-2.0
// Checks of names and of who hangs on whom; and a survey of a description that is already one.

#include <fmt/format.h>

#include <numbers>
#include <variant>

#include "check_survey.hpp"
#include "dynamics_core/spatial/pose.hpp"

namespace dynamics::check {
namespace {

void grow(LinkSurvey& link, const Visual& visual) {
  Eigen::Vector3d half = Eigen::Vector3d::Zero();
  if (const auto* box = std::get_if<Visual::Box>(&visual.geometry)) {
    half = 0.5 * box->size;
    link.volume += box->size.prod();
  } else if (const auto* cylinder = std::get_if<Visual::Cylinder>(&visual.geometry)) {
    half = {cylinder->radius, cylinder->radius, 0.5 * cylinder->length};
    link.volume += std::numbers::pi * cylinder->radius * cylinder->radius * cylinder->length;
  } else {
    const double radius = std::get<Visual::Sphere>(visual.geometry).radius;
    half.setConstant(radius);
    link.volume += 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  }
  const Eigen::Vector3d reach = rotation_from_rpy(visual.rpy).cwiseAbs() * half;
  link.geometry.add(visual.xyz - reach);
  link.geometry.add(visual.xyz + reach);
}

void check_names(Survey& survey) {
  for (std::size_t i = 0; i < survey.links.size(); ++i) {
    const LinkSurvey& link = survey.links[i];
    if (link.name.empty()) {
      survey.report(Severity::error, link, "name-missing",
                    fmt::format("link {} has no name", i + 1), "write <link name=\"...\">");
    } else if (!survey.link_index.emplace(link.name, i).second) {
      survey.report(Severity::error, link, "name-twice", "is defined twice",
                    "names of links must differ");
    }
  }
  for (std::size_t i = 0; i < survey.joints.size(); ++i) {
    const JointSurvey& joint = survey.joints[i];
    if (joint.name.empty()) {
      survey.report(Severity::error, joint, "name-missing",
                    fmt::format("joint {} has no name", i + 1),
                    "write <joint name=\"...\" type=\"...\">");
    } else if (!survey.joint_index.emplace(joint.name, i).second) {
      survey.report(Severity::error, joint, "name-twice", "is defined twice",
                    "names of joints must differ");
    }
  }
}

/// Links that no root leads to hang on a loop.
void check_roots(Survey& survey) {
  std::vector<std::size_t> roots, stack;
  for (std::size_t i = 0; i < survey.links.size(); ++i) {
    if (survey.parent_joint[i] < 0) roots.push_back(i);
  }
  std::vector<bool> reached(survey.links.size(), false);
  stack = roots;
  while (!stack.empty()) {
    const std::size_t link = stack.back();
    stack.pop_back();
    if (reached[link]) continue;
    reached[link] = true;
    for (const std::size_t joint : survey.children[link]) {
      const auto child = survey.link_index.find(survey.joints[joint].child);
      if (child != survey.link_index.end()) stack.push_back(child->second);
    }
  }
  for (std::size_t i = 0; i < survey.links.size(); ++i) {
    if (reached[i]) continue;
    survey.report(Severity::error, survey.links[i], "loop",
                  "is part of a loop of joints that no root leads to",
                  "a URDF is a tree: cut the loop");
  }
  if (roots.size() > 1) {
    for (std::size_t i = 1; i < roots.size(); ++i) {
      survey.report(Severity::error, survey.links[roots[i]], "second-root",
                    fmt::format("is a root beside '{}'", survey.links[roots[0]].name),
                    "connect it with a joint, or remove it");
    }
  }
}

}  // namespace

void survey_description(const RobotDescription& description, Survey& survey) {
  survey.robot = description.name;
  survey.source = description.source;
  for (const LinkDescription& given : description.links) {
    LinkSurvey link;
    link.name = given.name;
    if (given.inertial) {
      link.has_inertial = true;
      link.mass = given.inertial->mass;
      link.centre = given.inertial->centre;
      link.tensor = link.inertia = given.inertial->inertia;
    }
    for (const Visual& visual : given.visuals) grow(link, visual);
    link.meshes = !given.meshes.empty();
    link.flexible = given.flexible;
    survey.links.push_back(std::move(link));
  }
  for (const JointDescription& given : description.joints) {
    JointSurvey joint;
    joint.name = given.name;
    joint.type = given.type;
    joint.parent = given.parent;
    joint.child = given.child;
    joint.position = given.origin.translation;
    joint.has_axis = true;
    joint.axis = given.axis;
    if (given.limits) {
      joint.has_limit = true;
      joint.lower = given.limits->lower;
      joint.upper = given.limits->upper;
      joint.velocity = given.limits->velocity;
      joint.effort = given.limits->effort;
    }
    joint.damping = given.damping;
    joint.friction = given.friction;
    joint.rotor_inertia = given.rotor_inertia;
    joint.mimic = given.mimic;
    survey.joints.push_back(std::move(joint));
  }
}

void check_tree(Survey& survey) {
  check_names(survey);
  survey.children.resize(survey.links.size());
  survey.parent_joint.assign(survey.links.size(), -1);
  for (std::size_t i = 0; i < survey.joints.size(); ++i) {
    const JointSurvey& joint = survey.joints[i];
    const auto end = [&](const std::string& link, const char* which) {
      const auto found = survey.link_index.find(link);
      if (found != survey.link_index.end()) return static_cast<int>(found->second);
      if (link.empty()) {
        survey.report(Severity::error, joint, "end-missing",
                      fmt::format("has no <{} link=\"...\"/>", which), "name the link");
      } else {
        survey.report(Severity::error, joint, "end-unknown",
                      fmt::format("its {} link '{}' does not exist", which, link),
                      "correct the name, or add the link");
      }
      return -1;
    };
    const int parent = end(joint.parent, "parent"), child = end(joint.child, "child");
    if (parent >= 0) survey.children[static_cast<std::size_t>(parent)].push_back(i);
    if (child < 0) continue;
    int& above = survey.parent_joint[static_cast<std::size_t>(child)];
    if (above >= 0) {
      survey.report(Severity::error, survey.links[static_cast<std::size_t>(child)], "two-parents",
                    fmt::format("is the child of joints '{}' and '{}'",
                                survey.joints[static_cast<std::size_t>(above)].name, joint.name),
                    "a URDF is a tree: a closed loop cannot be described");
    } else {
      above = static_cast<int>(i);
    }
  }
  check_roots(survey);
}

}  // namespace dynamics::check
