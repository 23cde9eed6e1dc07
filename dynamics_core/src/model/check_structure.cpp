// SPDX-License-Identifier: Apache-2.0
// Refuses what cannot be a robot, naming the link or joint; notes what is only suspicious.

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "model_data.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Severity = Note::Severity;

std::string link_name(const std::string& name) { return "link '" + name + "'"; }
std::string joint_name(const std::string& name) { return "joint '" + name + "'"; }

void check_inertial(const LinkDescription& link, std::vector<Note>& notes) {
  if (!link.inertial) return;
  const Inertial& inertial = *link.inertial;
  const auto element = link_name(link.name);
  if (!std::isfinite(inertial.mass)) throw ModelError(element, "its mass is not a finite number");
  if (inertial.mass < 0.0) {
    throw ModelError(element,
                     fmt::format("its mass is {} kg; a mass is zero or more", inertial.mass));
  }
  if (!inertial.centre.allFinite()) {
    throw ModelError(element, "its mass centre is not finite: give three finite coordinates");
  }
  if (!inertial.inertia.allFinite()) {
    throw ModelError(element, "its inertia is not finite: give six finite moments");
  }
  if (!inertial.inertia.isApprox(inertial.inertia.transpose(), 1e-9)) {
    throw ModelError(element, "its inertia is not symmetric: ixy, ixz and iyz stand on both sides");
  }
  const auto warn = [&](std::string message) {
    notes.push_back({Severity::warning, link.name, std::move(message)});
  };
  if (inertial.inertia.isZero(0.0)) {
    if (inertial.mass > 0.0)
      warn(fmt::format("has a mass of {} kg but no inertia: treated as a point", inertial.mass));
    return;
  }
  if (inertial.mass == 0.0) warn("has an inertia but no mass");
  const Eigen::Vector3d principal = principal_moments(inertial.inertia);
  const double largest = principal.cwiseAbs().maxCoeff();
  if (principal[0] < -1e-9 * largest) {
    warn(fmt::format("has a negative principal moment of inertia ({:.6g} kg m^2)", principal[0]));
  } else if (principal[0] + principal[1] < principal[2] - 1e-6 * largest) {
    warn(
        fmt::format("violates the triangle inequality: principal moments {:.6g}, {:.6g}, {:.6g} "
                    "kg m^2, but no body has one larger than the sum of the others",
                    principal[0], principal[1], principal[2]));
  }
}

void check_joint(JointDescription const& joint, std::vector<Note>& notes) {
  const auto element = joint_name(joint.name);
  if (!joint.origin.translation.allFinite() || !joint.origin.rotation.allFinite()) {
    throw ModelError(element, "its origin is not finite: give xyz and rpy as finite numbers");
  }
  if (!is_rotation(joint.origin.rotation)) {
    throw ModelError(element, "its origin's rotation is not a rotation matrix");
  }
  if (joint.type == JointType::fixed) {
    if (joint.mimic) {
      notes.push_back({Severity::warning, joint.name,
                       "is fixed: that it mimics '" + joint.mimic->joint + "' means nothing"});
    }
    return;
  }
  const std::pair<const char*, double> coefficients[] = {{"damping", joint.damping},
                                                         {"friction", joint.friction},
                                                         {"rotor inertia", joint.rotor_inertia}};
  for (const auto& [what, value] : coefficients) {
    if (!std::isfinite(value) || value < 0.0) {
      throw ModelError(element, fmt::format("its {} is {}; it must be zero or more", what, value));
    }
  }
  const auto warn = [&](std::string message) {
    notes.push_back({Severity::warning, joint.name, std::move(message)});
  };
  const bool composed = joint.type == JointType::planar || joint.type == JointType::floating;
  if (composed && (joint.friction > 0.0 || joint.rotor_inertia > 0.0)) {
    warn(fmt::format("is {}: its Coulomb friction and rotor inertia are left out",
                     to_string(joint.type)));
  }
  if (joint.type == JointType::floating) return;
  if (!joint.axis.allFinite()) throw ModelError(element, "its axis is not finite");
  if (joint.axis.norm() < 1e-9) {
    throw ModelError(element, "its axis is zero: give a direction such as \"0 0 1\"");
  }
  if (!joint.limits) return;
  const JointLimits& limits = *joint.limits;
  if (!std::isfinite(limits.lower) || !std::isfinite(limits.upper)) {
    throw ModelError(element,
                     "its limits are not finite: use type continuous for a joint without stops");
  }
  if (limits.lower > limits.upper) {
    throw ModelError(element, fmt::format("its lower limit {} is above its upper limit {}",
                                          limits.lower, limits.upper));
  }
  if (std::isnan(limits.velocity) || std::isnan(limits.effort) || limits.velocity < 0.0 ||
      limits.effort < 0.0) {
    throw ModelError(element,
                     fmt::format("its velocity limit {} and effort limit {} must be zero or more",
                                 limits.velocity, limits.effort));
  }
  if (limits.effort == 0.0) warn("has an effort limit of 0: it can exert nothing");
  if (limits.velocity == 0.0) warn("has a velocity limit of 0: it can never move");
}

/// The joint that a mimic joint follows.
std::size_t next_leader(const RobotDescription& description, const JointIndex& index,
                        std::size_t joint) {
  const JointDescription& follower = description.joints[joint];
  const auto element = joint_name(follower.name);
  const Mimic& mimic = *follower.mimic;
  if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset)) {
    throw ModelError(element, "its mimic multiplier or offset is not finite");
  }
  const auto leader = index.find(mimic.joint);
  if (leader == index.end()) {
    throw ModelError(element, "mimics joint '" + mimic.joint + "', which does not exist");
  }
  const JointType type = description.joints[leader->second].type;
  const bool single =
      type == JointType::revolute || type == JointType::continuous || type == JointType::prismatic;
  if (!single) {
    throw ModelError(element, fmt::format("mimics joint '{}', which is {}: only a revolute, "
                                          "continuous or prismatic joint can be mimicked",
                                          mimic.joint, to_string(type)));
  }
  return leader->second;
}

}  // namespace

const char* to_string(JointType type) {
  switch (type) {
    case JointType::revolute: return "revolute";
    case JointType::continuous: return "continuous";
    case JointType::prismatic: return "prismatic";
    case JointType::fixed: return "fixed";
    case JointType::planar: return "planar";
    case JointType::floating: return "floating";
  }
  return "unknown";
}

std::vector<ResolvedMimic> resolve_mimics(const RobotDescription& description,
                                          const JointIndex& index) {
  const std::size_t count = description.joints.size();
  enum class State { unseen, open, done };
  std::vector<State> state(count, State::unseen);
  std::vector<ResolvedMimic> resolved(count);
  std::vector<std::size_t> path;
  for (std::size_t start = 0; start < count; ++start) {
    // up to a joint that is free or resolved already, then back
    std::size_t at = start;
    for (path.clear(); state[at] == State::unseen; at = next_leader(description, index, at)) {
      state[at] = State::open;
      path.push_back(at);
      const JointDescription& joint = description.joints[at];
      if (joint.mimic && joint.type != JointType::fixed) continue;
      resolved[at] = {at, 1.0, 0.0};
      state[at] = State::done;
      path.pop_back();
      break;
    }
    if (state[at] == State::open) {
      throw ModelError(joint_name(description.joints[at].name),
                       "mimics itself through other mimic joints");
    }
    for (std::size_t i = path.size(); i-- > 0; at = path[i]) {
      const Mimic& mimic = *description.joints[path[i]].mimic;
      const ResolvedMimic& leader = resolved[at];
      resolved[path[i]] = {leader.joint, mimic.multiplier * leader.multiplier,
                           mimic.multiplier * leader.offset + mimic.offset};
      if (!std::isfinite(resolved[path[i]].multiplier) ||
          !std::isfinite(resolved[path[i]].offset)) {
        throw ModelError(joint_name(description.joints[path[i]].name),
                         "its mimic multiplier or offset, over all it follows, is beyond the "
                         "range of a double");
      }
      state[path[i]] = State::done;
    }
  }
  return resolved;
}

void check_numbers(const RobotDescription& description, std::vector<Note>& notes) {
  for (const LinkDescription& link : description.links) check_inertial(link, notes);
  for (const JointDescription& joint : description.joints) check_joint(joint, notes);
}

std::vector<std::size_t> order_joints(const RobotDescription& description) {
  if (description.links.empty()) {
    throw ModelError(description.source, "the robot has no links; it needs at least one");
  }
  std::unordered_map<std::string_view, std::size_t> links;
  for (std::size_t i = 0; i < description.links.size(); ++i) {
    const LinkDescription& link = description.links[i];
    if (link.name.empty())
      throw ModelError(description.source, fmt::format("link {} has no name", i + 1));
    if (!links.emplace(link.name, i).second) {
      throw ModelError(link_name(link.name), "is defined twice: names of links must differ");
    }
  }

  std::unordered_map<std::string_view, std::size_t> joints;
  std::vector<std::vector<std::size_t>> children(description.links.size());
  std::vector<const JointDescription*> parent_joint(description.links.size(), nullptr);
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    const JointDescription& joint = description.joints[i];
    if (joint.name.empty())
      throw ModelError(description.source, fmt::format("joint {} has no name", i + 1));
    const auto element = joint_name(joint.name);
    if (!joints.emplace(joint.name, i).second) {
      throw ModelError(element, "is defined twice: names of joints must differ");
    }
    const auto parent = links.find(joint.parent), child = links.find(joint.child);
    if (parent == links.end()) {
      throw ModelError(element, "its parent link '" + joint.parent + "' does not exist");
    }
    if (child == links.end()) {
      throw ModelError(element, "its child link '" + joint.child + "' does not exist");
    }
    if (parent_joint[child->second] != nullptr) {
      throw ModelError(link_name(joint.child),
                       fmt::format("is the child of joints '{}' and '{}': a URDF is a tree, loops "
                                   "cannot be described",
                                   parent_joint[child->second]->name, joint.name));
    }
    parent_joint[child->second] = &joint;
    children[parent->second].push_back(i);
    const bool composed = joint.type == JointType::planar || joint.type == JointType::floating;
    if (joint.mimic && composed) {
      throw ModelError(element, fmt::format("is {} and mimics another joint: only revolute, "
                                            "continuous and prismatic joints can",
                                            to_string(joint.type)));
    }
  }

  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < description.links.size(); ++i) {
    if (parent_joint[i] == nullptr) roots.push_back(i);
  }
  if (roots.empty()) {
    throw ModelError(link_name(description.links[0].name),
                     "every link is the child of a joint: the joints form a loop without a root");
  }
  if (roots.size() > 1) {
    throw ModelError(
        link_name(description.links[roots[1]].name),
        fmt::format("there are {} root links ('{}', '{}'{}): connect them with joints",
                    roots.size(), description.links[roots[0]].name,
                    description.links[roots[1]].name, roots.size() > 2 ? ", ..." : ""));
  }

  // depth first, the joints of one link in the order of the file
  std::vector<std::size_t> order, stack(children[roots[0]].rbegin(), children[roots[0]].rend());
  order.reserve(description.joints.size());
  while (!stack.empty()) {
    const std::size_t joint = stack.back();
    stack.pop_back();
    order.push_back(joint);
    const auto& next = children[links.at(description.joints[joint].child)];
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  if (order.size() != description.joints.size()) {
    std::vector<bool> seen(description.joints.size(), false);
    for (const std::size_t joint : order) seen[joint] = true;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (!seen[i]) {
        throw ModelError(joint_name(description.joints[i].name),
                         "is part of a loop that no root leads to");
      }
    }
  }
  return order;
}

}  // namespace dynamics
