// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamics_core/model.hpp"
#include "model/tree.hpp"

namespace dynamics {

struct Model::Data {
  RobotDescription description;
  ModelOptions options;
  std::optional<Payload> payload;

  std::string base_link;
  std::vector<Coordinate> coordinates;
  std::vector<Body> bodies;
  std::vector<Frame> frames;
  std::vector<Note> notes;
  Tree tree;
  std::unordered_map<std::string, std::size_t> coordinate_index, frame_index;
  std::size_t end_effector = 0;
  double total_mass = 0.0;
  bool plain = true;
  bool frictionless = true;  ///< no joint has damping or friction
  bool has_massless_mimic = false;
  std::vector<bool> is_mimic;  ///< by body
  std::vector<std::size_t> pitch_coordinates;
  std::string singular_reason;
};

/// The joints of a valid description in tree order (indices), parents before children, depth first.
std::vector<std::size_t> order_joints(const RobotDescription& description);

/// What single-axis joint a mimic joint follows in the end, and how.
struct ResolvedMimic {
  std::size_t joint;  ///< index into description.joints, not a mimic joint itself
  double multiplier;
  double offset;
};
using JointIndex = std::unordered_map<std::string_view, std::size_t>;
/// For every joint of the description; one that mimics nothing follows itself. O(n).
/// Throws ModelError where the product of the multipliers is beyond the range of a double.
std::vector<ResolvedMimic> resolve_mimics(const RobotDescription& description,
                                          const JointIndex& index);

/// Fills bodies, coordinates, frames and tree of `data` from its description and payload.
void build_tree(Model::Data& data, const std::vector<std::size_t>& joint_order);

/// Fills what the recursions read beside the bodies themselves: kinds of twists, who follows whom,
/// minimal inertial parameters.
void prepare_tree(Tree& tree);

}  // namespace dynamics
