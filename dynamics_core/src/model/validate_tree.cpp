// SPDX-License-Identifier: Apache-2.0
// Errors of the structure: names must exist and be unique, links and joints must form one tree.

#include <fmt/format.h>

#include "model/parsed_robot.hpp"

namespace dynamics {
namespace {

constexpr auto error = Finding::Severity::error;

/// Fills the index of the links or joints by name.
template <class Element, class Index>
void index_names(ParsedRobot& robot, const std::vector<Element>& elements, Index& index,
                 const char* kind, const char* attributes) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Element& element = elements[i];
    if (element.name.empty()) {
      robot.report(error, element, "name-missing", fmt::format("{} {} has no name", kind, i + 1),
                   fmt::format("write <{} {}>", kind, attributes));
    } else if (!index.emplace(element.name, i).second) {
      robot.report(error, element, "name-twice", "name is used twice",
                   fmt::format("{} names must be unique", kind));
    }
  }
}

void check_names(ParsedRobot& robot) {
  if (robot.links.empty()) {
    robot.report(error, Finding::Kind::robot, robot.name, "no-links", "the robot has no links",
                 "at least one <link> is required");
  }
  index_names(robot, robot.links, robot.link_index, "link", "name=\"...\"");
  index_names(robot, robot.joints, robot.joint_index, "joint", "name=\"...\" type=\"...\"");
}

void connect(ParsedRobot& robot) {
  robot.children.resize(robot.links.size());
  robot.parent_joint.assign(robot.links.size(), -1);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const ParsedJoint& joint = robot.joints[i];
    const auto end = [&](const std::string& link, const char* which) {
      const auto found = robot.link_index.find(link);
      if (found != robot.link_index.end()) return static_cast<int>(found->second);
      if (link.empty()) {
        robot.report(error, joint, "end-missing",
                     fmt::format("<{} link=\"...\"/> is missing", which),
                     "give the name of the link");
      } else {
        robot.report(error, joint, "end-unknown",
                     fmt::format("{} link '{}' does not exist", which, link),
                     "correct the name or add the link");
      }
      return -1;
    };
    const int parent = end(joint.parent, "parent"), child = end(joint.child, "child");
    if (parent >= 0) robot.children[static_cast<std::size_t>(parent)].push_back(i);
    if (child < 0) continue;
    int& above = robot.parent_joint[static_cast<std::size_t>(child)];
    if (above >= 0) {
      robot.report(error, robot.links[static_cast<std::size_t>(child)], "two-parents",
                   fmt::format("is the child of joints '{}' and '{}'",
                               robot.joints[static_cast<std::size_t>(above)].name, joint.name),
                   "a URDF describes a tree: closed loops are not possible");
    } else {
      above = static_cast<int>(i);
    }
  }
}

/// There must be exactly one root. Links that cannot be reached from a root are part of a loop.
void check_roots(ParsedRobot& robot) {
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.parent_joint[i] < 0) roots.push_back(i);
  }
  std::vector<bool> reached(robot.links.size(), false);
  std::vector<std::size_t> stack = roots;
  while (!stack.empty()) {
    const std::size_t link = stack.back();
    stack.pop_back();
    if (reached[link]) continue;
    reached[link] = true;
    for (const std::size_t joint : robot.children[link]) {
      const auto child = robot.link_index.find(robot.joints[joint].child);
      if (child != robot.link_index.end()) stack.push_back(child->second);
    }
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (reached[i]) continue;
    robot.report(error, robot.links[i], "loop", "is part of a closed loop of joints",
                 "a URDF describes a tree: remove a joint of the loop");
  }
  for (std::size_t i = 1; i < roots.size(); ++i) {
    robot.report(error, robot.links[roots[i]], "second-root",
                 fmt::format("is a second root link beside '{}': there are {} root links",
                             robot.links[roots[0]].name, roots.size()),
                 "connect it with a joint or remove it");
  }
}

}  // namespace

void validate_tree(ParsedRobot& robot) {
  check_names(robot);
  connect(robot);
  check_roots(robot);
}

}  // namespace dynamics
