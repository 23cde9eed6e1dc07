// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/flexible_model.hpp"
#include "flexible/tree.hpp"

namespace dynamics {

/// A named frame: fixed to a body, or to a place on its beam.
struct FlexibleFrame {
  std::string name;
  int body;  ///< -1: the base
  BeamSection at;
  Pose pose;  ///< in the body's frame, or in the cross-section's at the place `at`
};

struct FlexibleModel::Data {
  Data(const Model& model, const FlexibleOptions& given) : rigid(model), options(given) {}

  Model rigid;
  FlexibleOptions options;
  flexible::Tree tree;
  std::vector<FlexibleLink> links;
  std::vector<std::shared_ptr<const BeamBasis>> bases;  ///< by link
  std::vector<FlexibleFrame> frames;                    ///< in the order of rigid.frames()
  std::vector<Note> notes;
  std::vector<std::string> amplitude_names;
  std::vector<std::size_t> block_order;
};

/// Fills everything from the rigid model's description.
void build_flexible_tree(FlexibleModel::Data& data);

}  // namespace dynamics
