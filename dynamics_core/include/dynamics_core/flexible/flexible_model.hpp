// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot some of whose links are slender beams (Mohan and Saha): immutable, cheap to copy, shared
// between threads.
//
//   dynamics::FlexibleModel arm(dynamics::model_from_dh(dynamics::built_in_robot("canadarm")));
//   dynamics::FlexibleWorkspace workspace(arm);
//   dynamics::forward_dynamics(arm, workspace, q, qd, tau, qdd);
//
// Coordinates: the joints in the order of Model, then the amplitudes, link by link in the order of
// the tree, bending along y before bending along z. Links without modes are rigid.

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/flexible/beam_basis.hpp"
#include "dynamics_core/model/model.hpp"

namespace dynamics {

namespace flexible {
struct ElasticBody;
}

struct FlexibleOptions {
  std::shared_ptr<const BeamBasis> basis;  ///< for all beams; none: the one each link names
  std::optional<bool> stiffening;          ///< for all beams; none: as each link says
  std::size_t quadrature_points = 32;      ///< along a beam
};

struct FlexibleLink {
  std::string name;
  std::size_t body;  ///< of FlexibleModel::tree()
  double length;
  std::size_t modes_y, modes_z;
  std::size_t first;  ///< index of its first amplitude among all coordinates
  std::size_t modes() const { return modes_y + modes_z; }
};

class FlexibleModel {
 public:
  /// Throws ModelError naming the link or joint that cannot be.
  explicit FlexibleModel(const Model& model, const FlexibleOptions& options = {});

  /// Whether any link of a robot has modes.
  static bool has_modes(const Model& model);

  const Model& rigid() const;  ///< the same robot with stiff links
  const FlexibleOptions& options() const;
  std::size_t size() const;         ///< joints and amplitudes
  std::size_t joint_count() const;  ///< as rigid().size()
  std::size_t amplitude_count() const;
  std::span<const FlexibleLink> links() const;    ///< those with modes
  std::size_t link(std::string_view name) const;  ///< index into links(); throws ArgumentError
  std::span<const Note> notes() const;
  /// The bodies as the recursions use them (flexible/tree.hpp, not installed), parents first.
  const std::vector<flexible::ElasticBody>& tree() const;
  /// Joint names, then e_LINK_y1, ...
  std::vector<std::string> coordinate_names() const;
  /// "e_LINK_y1", ...
  std::span<const std::string> amplitude_names() const;
  const BeamBasis& basis(std::size_t link) const;
  /// The coordinates block by block: body by body its joint and its amplitudes, parents first. In
  /// this order U of the decomposition is upper triangular.
  std::span<const std::size_t> block_order() const;

  struct Data;
  const Data& data() const { return *data_; }  ///< for the library's own code

 private:
  std::shared_ptr<const Data> data_;
};

}  // namespace dynamics
