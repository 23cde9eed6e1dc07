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

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

namespace flexible {
struct ElasticBody;
}  // namespace flexible

// Shape functions of a beam that is clamped at its root: the deflection is the sum of shapes times
// amplitudes (Mohan and Saha, Eq. 1c).

struct BeamShape {
  double value;      ///< s
  double slope;      ///< ds/dx (1/m)
  double curvature;  ///< d2s/dx2 (1/m^2)
};

/// A basis of one's own: derive, and hand it over in FlexibleOptions::basis.
class BeamBasis {
 public:
  virtual ~BeamBasis() = default;
  virtual std::string name() const = 0;
  /// Shape number `mode` (from 0) at x from 0 to length. Value and slope must be zero at x = 0.
  virtual BeamShape at(int mode, double x, double length) const = 0;
};

/// The eigenfunctions of a uniform cantilever, s = sin z - sinh z - sigma (cos z - cosh z) with
/// z = m_j x/length and cos m_j cosh m_j = -1 (Mohan and Saha, Eq. 43), evaluated without the
/// cancellation that the formula has for high modes. Any number of modes.
std::shared_ptr<const BeamBasis> clamped_free_basis();

/// xi^2 times Jacobi polynomials, orthogonal over the length, 1 at the tip. Unlike the cantilever's
/// modes they can carry a moment at the tip: two of them hold the exact static shape of a beam
/// loaded at its end, so that robots with joints at the tip need fewer of them.
std::shared_ptr<const BeamBasis> polynomial_basis();

/// "clamped-free" or "polynomial"; throws ArgumentError listing them.
std::shared_ptr<const BeamBasis> beam_basis(const std::string& name);

/// Root number `mode` (from 0) of cos m cosh m = -1: 1.8751, 4.6941, ...
double clamped_free_root(int mode);

/// A cross-section of a beam: what the beam's amplitudes do there (flexible_dynamics.hpp,
/// cross_section()).
struct BeamSection {
  bool bends = false;              ///< amplitudes move it; false at the beam's root
  double x = 0.0;                  ///< along the beam (m)
  std::vector<double> shape;       ///< one entry per amplitude
  std::vector<double> slope;       ///< one entry per amplitude (1/m)
  std::vector<double> shortening;  ///< m x m entries for m amplitudes (1/m), or empty
};

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
