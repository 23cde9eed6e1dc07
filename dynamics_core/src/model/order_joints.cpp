// SPDX-License-Identifier: Apache-2.0
// Tree order of the joints and resolution of chains of mimic joints, for valid descriptions.

#include <algorithm>
#include <cmath>

#include "model/model_data.hpp"

namespace dynamics {

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

const char* to_string(ConstraintType type) {
  switch (type) {
    case ConstraintType::fixed: return "fixed";
    case ConstraintType::revolute: return "revolute";
    case ConstraintType::prismatic: return "prismatic";
    case ConstraintType::spherical: return "spherical";
    case ConstraintType::universal: return "universal";
    case ConstraintType::planar: return "planar";
    case ConstraintType::distance: return "distance";
  }
  return "unknown";
}

std::vector<ResolvedMimic> resolve_mimics(const RobotDescription& description,
                                          const JointIndex& index) {
  const std::size_t count = description.joints.size();
  std::vector<bool> done(count, false);
  std::vector<ResolvedMimic> resolved(count);
  std::vector<std::size_t> path;
  for (std::size_t start = 0; start < count; ++start) {
    // follow the chain to an independent or resolved joint, then resolve it backward
    std::size_t at = start;
    path.clear();
    while (!done[at]) {
      const JointDescription& joint = description.joints[at];
      if (!joint.mimic || joint.type == JointType::fixed) {
        resolved[at] = {at, 1.0, 0.0};
        done[at] = true;
        break;
      }
      path.push_back(at);
      at = index.at(joint.mimic->joint);
    }
    for (std::size_t i = path.size(); i-- > 0; at = path[i]) {
      const Mimic& mimic = *description.joints[path[i]].mimic;
      const ResolvedMimic& leader = resolved[at];
      resolved[path[i]] = {leader.joint, mimic.multiplier * leader.multiplier,
                           mimic.multiplier * leader.offset + mimic.offset};
      if (!std::isfinite(resolved[path[i]].multiplier) ||
          !std::isfinite(resolved[path[i]].offset)) {
        throw ModelError("joint '" + description.joints[path[i]].name + "'",
                         "mimic multiplier or offset, combined over the chain of mimic joints, "
                         "exceeds the range of a double");
      }
      done[path[i]] = true;
    }
  }
  return resolved;
}

std::vector<std::size_t> order_joints(const RobotDescription& description) {
  std::unordered_map<std::string_view, std::size_t> links;
  for (std::size_t i = 0; i < description.links.size(); ++i) {
    links.emplace(description.links[i].name, i);
  }
  std::vector<std::vector<std::size_t>> children(description.links.size());
  std::vector<bool> is_child(description.links.size(), false);
  for (std::size_t i = 0; i < description.joints.size(); ++i) {
    children[links.at(description.joints[i].parent)].push_back(i);
    is_child[links.at(description.joints[i].child)] = true;
  }
  const auto root = static_cast<std::size_t>(std::find(is_child.begin(), is_child.end(), false) -
                                             is_child.begin());

  // depth first, the joints of one link in file order
  std::vector<std::size_t> order, stack(children[root].rbegin(), children[root].rend());
  order.reserve(description.joints.size());
  while (!stack.empty()) {
    const std::size_t joint = stack.back();
    stack.pop_back();
    order.push_back(joint);
    const auto& next = children[links.at(description.joints[joint].child)];
    stack.insert(stack.end(), next.rbegin(), next.rend());
  }
  return order;
}

}  // namespace dynamics
