// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data structure of the recursions for flexible links: a list of bodies, parents before children,
// each with at most one joint coordinate and any number of modal amplitudes. SI units.

#include <cstddef>
#include <vector>

#include "dynamics_core/flexible_links.hpp"

namespace dynamics::flexible {

/// Nonzero entry of a sparse matrix.
struct Entry {
  std::size_t row, column;
  double value;
};
using SparseMatrix = std::vector<Entry>;

/// A point mass on the beam's axis (quadrature point of the mass distribution).
struct BeamNode {
  double x, mass;
  std::vector<double> shape;       ///< by amplitude
  std::vector<double> shortening;  ///< G: int_0^x s_j' s_k', row-major, zero between y and z
};

/// A beam along x from the body's origin. Amplitudes: bending along y first, then along z. The
/// integrals are over the mass per length, the tip's point mass included.
struct Beam {
  std::size_t modes_y = 0, modes_z = 0;
  double length = 0.0;
  double mass = 0.0, first = 0.0, second = 0.0;  ///< int 1, x, x^2
  std::vector<double> shape_integral;            ///< int s_j
  std::vector<double> moment_integral;           ///< int x s_j
  SparseMatrix product_integrals;                ///< int s_j s_k, also between y and z
  SparseMatrix stiffness, damping;
  std::vector<double> mass_matrix;  ///< M_dd: int s_j s_k within a direction, row-major
  bool stiffening = false;          ///< with the foreshortening of Eq. (1b)
  std::vector<BeamNode> nodes;      ///< with stiffening only: the mass distribution

  std::size_t modes() const { return modes_y + modes_z; }
};

/// The station on the parent's beam to which a body is attached.
struct Attachment : BeamSection {
  bool offset = false;  ///< the joint's origin is off the beam's axis
};

enum class JointKind { fixed, revolute, prismatic };

/// A body. Its frame is the link's frame for a beam, otherwise the joint's. Transform from the
/// parent's frame:
///
///   T(x + u) Rz(u_y') Ry(-u_z')   position and rotation of the cross-section of the parent's beam
///   T(p) Rz(beta) Rx(alpha)       to the joint
///   Rz(offset + q) | Rz(offset) Tz(q) | Rz(offset)
///   axes^T                        from the joint's frame to the body's
struct ElasticBody {
  int parent = -1;  ///< -1: the base
  JointKind joint = JointKind::fixed;
  std::size_t coordinate = 0;  ///< index of the joint's coordinate; unused for fixed
  std::size_t amplitude = 0;   ///< index of its first amplitude among all amplitudes
  std::size_t matrix = 0;      ///< index of its modes x modes block in Scratch::matrices

  double cos_alpha = 1.0, sin_alpha = 0.0, cos_beta = 1.0, sin_beta = 0.0;
  double offset = 0.0, cos_offset = 1.0, sin_offset = 0.0;
  bool has_alpha = false;          ///< alpha is not zero
  bool has_beta = false;           ///< beta is not zero
  bool has_axes_rotation = false;  ///< axes is not the identity
  double axes[9] = {1, 0, 0, 0, 1,
                    0, 0, 0, 1};  ///< rotation from the body's axes to the joint's, row-major
  double position[3] = {0.0, 0.0, 0.0};   ///< p (m)
  double direction[3] = {0.0, 0.0, 1.0};  ///< of a prismatic joint: Rz(beta) Rx(alpha) e_z
  Attachment at;

  // rigid part, about the body's origin, in its axes
  double mass = 0.0;
  double first_moment[3] = {0.0, 0.0, 0.0};
  double inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< xx xy xz yy yz zz
  Beam beam;

  double rotor_inertia = 0.0, damping = 0.0, friction = 0.0;
};

using Tree = std::vector<ElasticBody>;

}  // namespace dynamics::flexible
