// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/flexible/flexible_model.hpp"

namespace dynamics {

struct FlexibleModel::Data {
  Data(const Model& model, const FlexibleOptions& given) : rigid(model), options(given) {}

  Model rigid;
  FlexibleOptions options;
  flexible::Tree tree;
  std::vector<FlexibleLink> links;
  std::vector<std::shared_ptr<const BeamBasis>> bases;  ///< by link
  std::vector<FlexibleFrame> frames;
  std::vector<Note> notes;
  std::vector<std::string> amplitude_names;
  std::vector<std::size_t> block_order;
};

/// Fills everything from the rigid model's description.
void build_flexible_tree(FlexibleModel::Data& data);

}  // namespace dynamics
