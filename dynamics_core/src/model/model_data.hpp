// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dynamics_core/model.hpp"
#include "model/tree.hpp"

namespace dynamics {

/// Contents of a Model. Filled once by Model's constructor, then shared and never changed.
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
  bool coordinates_are_bodies = true;  ///< one to one, in order
  bool frictionless = true;            ///< no joint has damping or friction
  bool has_massless_mimic = false;
  std::vector<bool> is_mimic;  ///< by body
  std::vector<std::size_t> pitch_coordinates;
  std::string singular_reason;

  // Equal for models with the same numbers: results kept in a Kinematics or an InertiaFactor are
  // those of another model only if these are equal.
  std::uint64_t motion_fingerprint = 0;   ///< of joints and frames
  std::uint64_t inertia_fingerprint = 0;  ///< of joints, frames, masses and rotor inertias
};

/// Indices of the joints of a valid description in tree order: depth first, parents before
/// children.
std::vector<std::size_t> order_joints(const RobotDescription& description);

/// The independent joint at the end of a chain of mimic joints, with the combined coefficients.
struct ResolvedMimic {
  std::size_t joint;  ///< index in description.joints; not a mimic joint
  double multiplier;
  double offset;
};
using JointIndex = std::unordered_map<std::string_view, std::size_t>;
/// One entry per joint of the description; a joint that is no mimic joint refers to itself. O(n).
/// Throws ModelError if the product of the multipliers overflows.
std::vector<ResolvedMimic> resolve_mimics(const RobotDescription& description,
                                          const JointIndex& index);

/// Fills bodies, coordinates, frames and tree of `data` from its description and payload.
void build_tree(Model::Data& data, const std::vector<std::size_t>& joint_order);

/// Computes the fingerprints of `data` from its tree, bodies and frames.
void set_fingerprints(Model::Data& data);

/// Computes the derived fields of TreeBody: kind of alpha, parent and child flags, slide and shift,
/// minimal inertial parameters.
void prepare_tree(Tree& tree);

}  // namespace dynamics
