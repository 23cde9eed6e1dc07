// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/flexible_links.hpp"
#include "flexible/tree.hpp"

namespace dynamics {

/// A named frame, fixed to a body or to a cross-section of its beam.
struct FlexibleFrame {
  std::string name;
  int body;  ///< -1: the base
  BeamSection at;
  Pose pose;  ///< in the frame of the body, or of the cross-section `at`
  /// Center of mass of the frame's link: in the frame of the body, or of the cross-section
  /// `center_at`; the frame's origin for a link without mass.
  BeamSection center_at;
  Eigen::Vector3d center;
};

struct FlexibleModel::Data {
  Data(const Model& model, const FlexibleOptions& chosen) : rigid(model), options(chosen) {}

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

/// Builds tree, links, frames and names from the rigid model's description. Throws ModelError.
void build_flexible_tree(FlexibleModel::Data& data);

}  // namespace dynamics
