// SPDX-License-Identifier: Apache-2.0
#pragma once

// FlexibleModel: a robot with flexible links, modeled as slender beams in bending with assumed
// modes (Mohan and Saha). Immutable, cheap to copy, may be shared between threads.
//
//   dynamics::FlexibleModel arm(dynamics::model_from_dh(dynamics::built_in_robot("canadarm")));
//   dynamics::FlexibleWorkspace workspace(arm);
//   dynamics::forward_dynamics(arm, workspace, q, qd, tau, qdd);
//
// Coordinates: the joints in the order of Model, then the modal amplitudes, link by link in the
// order of the tree, modes along y before modes along z. Links without modes are rigid. SI units.

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

namespace flexible {
struct ElasticBody;
}  // namespace flexible

// Shape functions of a beam that is clamped at its root: the deflection is u(x, t) = sum_j s_j(x)
// d_j(t) with the amplitudes d_j (Mohan and Saha, Eq. 1c).

/// A shape function at one x.
struct BeamShape {
  double value;      ///< s
  double slope;      ///< ds/dx (1/m)
  double curvature;  ///< d2s/dx2 (1/m^2)
};

/// Basis of shape functions. User-defined: derive from it and set FlexibleOptions::basis.
class BeamBasis {
 public:
  virtual ~BeamBasis() = default;
  /// Name of the basis, for messages.
  virtual std::string name() const = 0;
  /// Shape function `mode` (from 0) at x, 0 <= x <= length. Value and slope must be zero at x = 0.
  virtual BeamShape at(int mode, double x, double length) const = 0;
};

/// Eigenfunctions of a uniform cantilever: s = sin z - sinh z - sigma (cos z - cosh z) with z = m_j
/// x/length and cos m_j cosh m_j = -1 (Mohan and Saha, Eq. 43), evaluated without the cancellation
/// of this formula for high modes.
std::shared_ptr<const BeamBasis> clamped_free_basis();

/// Polynomials: (x/length)^2 times Jacobi polynomials, orthogonal over the length, 1 at the tip.
/// Unlike the cantilever's eigenfunctions they have curvature at the tip: two of them contain the
/// exact static shape of a beam loaded at its end, so that links with a joint at the tip need fewer
/// modes.
std::shared_ptr<const BeamBasis> polynomial_basis();

/// Basis by name: "clamped-free" or "polynomial". Throws ArgumentError listing them.
std::shared_ptr<const BeamBasis> beam_basis(const std::string& name);

/// Root `mode` (from 0) of cos m cosh m = -1: 1.8751, 4.6941, ...
double clamped_free_root(int mode);

/// A cross-section of a beam: the shape functions at its x. See cross_section() in
/// flexible_dynamics.hpp.
struct BeamSection {
  bool deflects = false;      ///< false at the beam's root, where all shapes are zero
  double x = 0.0;             ///< along the beam (m)
  std::vector<double> shape;  ///< s_j, one entry per amplitude
  std::vector<double> slope;  ///< s_j', one entry per amplitude (1/m)
  std::vector<double>
      shortening;  ///< int_0^x s_j' s_k', m x m for m amplitudes (1/m); may be empty
};

/// Options of a FlexibleModel.
struct FlexibleOptions {
  std::shared_ptr<const BeamBasis> basis;  ///< for all beams; null: the basis named by each link
  std::optional<bool> stiffening;  ///< foreshortening, for all beams; unset: as set by each link
  std::size_t quadrature_points = 32;  ///< per beam
};

/// A link with modes.
struct FlexibleLink {
  std::string name;
  std::size_t body;  ///< index into FlexibleModel::tree()
  double length;     ///< (m)
  std::size_t modes_y, modes_z;
  std::size_t first;  ///< index of its first amplitude among all coordinates
  /// Number of modes in both directions.
  std::size_t modes() const { return modes_y + modes_z; }
};

/// A robot with flexible links: immutable, shared by threads. See the example above.
class FlexibleModel {
 public:
  /// Throws ModelError naming the invalid link or joint.
  explicit FlexibleModel(const Model& model, const FlexibleOptions& options = {});

  /// Whether any link of the model has modes.
  static bool has_modes(const Model& model);

  // References and views refer to the model's data, as those of Model; on a temporary they do not
  // compile.

  const Model& rigid() const&;  ///< the same robot with rigid links
  /// The options that the model was built with.
  const FlexibleOptions& options() const&;
  std::size_t size() const;         ///< number of coordinates: joints and amplitudes
  std::size_t joint_count() const;  ///< rigid().size()
  /// Number of amplitudes, size() - joint_count().
  std::size_t amplitude_count() const;
  std::span<const FlexibleLink> links() const&;   ///< the links with modes
  std::size_t link(std::string_view name) const;  ///< index into links(); throws ArgumentError
  std::span<const Note> notes() const&;           ///< warnings of the construction
  /// The bodies of the recursions (src/flexible/tree.hpp, not installed), parents first.
  const std::vector<flexible::ElasticBody>& tree() const&;
  /// Joint names, then amplitude_names().
  std::vector<std::string> coordinate_names() const;
  /// "e_LINK_y1", "e_LINK_y2", ..., "e_LINK_z1", ...
  std::span<const std::string> amplitude_names() const&;
  /// The basis of a link of links().
  const BeamBasis& basis(std::size_t link) const&;
  /// The coordinates ordered by body, parents first: the joint of each body, then its amplitudes.
  /// In this order the U of udut() is upper triangular.
  std::span<const std::size_t> block_order() const&;

  const Model& rigid() const&& = delete;
  const FlexibleOptions& options() const&& = delete;
  std::span<const FlexibleLink> links() const&& = delete;
  std::span<const Note> notes() const&& = delete;
  const std::vector<flexible::ElasticBody>& tree() const&& = delete;
  std::span<const std::string> amplitude_names() const&& = delete;
  const BeamBasis& basis(std::size_t link) const&& = delete;
  std::span<const std::size_t> block_order() const&& = delete;

  struct Data;
  const Data& data() const& { return *data_; }  ///< internal
  const Data& data() const&& = delete;

 private:
  std::shared_ptr<const Data> data_;
};

}  // namespace dynamics
