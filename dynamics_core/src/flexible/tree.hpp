// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mechanism with flexible links as the recursions see it: bodies, parents before children, each
// with at most one joint coordinate and any number of amplitudes.

#include <cstddef>
#include <vector>

#include "dynamics_core/flexible_model.hpp"

namespace dynamics::flexible {

/// One entry of a matrix that is mostly zeros.
struct Entry {
  std::size_t row, column;
  double value;
};
using SparseMatrix = std::vector<Entry>;

/// A point of the beam that stands for the mass around it.
struct BeamNode {
  double x, mass;
  std::vector<double> shape;       ///< by amplitude
  std::vector<double> shortening;  ///< int_0^x s_j' s_k': row by row, zero between y and z
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
  std::vector<double> mass_matrix;  ///< M_dd: int s_j s_k within a direction; row by row
  bool stiffening = false;          ///< the foreshortening of Eq. (1b) is taken along
  std::vector<BeamNode> nodes;      ///< where it is, the same integrals point by point

  std::size_t modes() const { return modes_y + modes_z; }
};

/// Where a body hangs on its parent's beam.
struct Attachment : BeamSection {
  bool offset = false;  ///< the joint's origin is not on the beam's axis there
};

enum class JointKind { fixed, revolute, prismatic };

/// A body: its frame is its link's for a beam, else the joint's. From the parent's frame:
///
///   T(x + u) Rz(u_y') Ry(-u_z')   where the place on the parent's beam is and how it leans
///   Tp Rz(beta) Rx(alpha)         to the joint
///   Rz(offset + q) | Rz(offset) Tz(q) | Rz(offset)
///   axes^T                        from the joint's frame to the body's
struct ElasticBody {
  int parent = -1;  ///< -1: the base
  JointKind joint = JointKind::fixed;
  std::size_t coordinate = 0;  ///< index of the joint's coordinate; meaningless for a fixed one
  std::size_t amplitude = 0;   ///< index of the first amplitude, among amplitudes
  std::size_t matrix = 0;      ///< index of the first entry of its modes x modes block

  double cos_alpha = 1.0, sin_alpha = 0.0, cos_beta = 1.0, sin_beta = 0.0;
  double offset = 0.0, cos_offset = 1.0, sin_offset = 0.0;
  bool has_alpha = false;                        ///< alpha is not zero
  bool has_beta = false;                         ///< beta is not zero
  bool reframed = false;                         ///< axes is not the identity
  double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< from the body's axes to the joint's, by rows
  double position[3] = {0.0, 0.0, 0.0};          ///< p (m)
  double direction[3] = {0.0, 0.0, 1.0};  ///< of sliding, before the slopes: Rz(beta) Rx(alpha) z
  Attachment at;

  // the rigid part, about the body's origin
  double mass = 0.0;
  double first_moment[3] = {0.0, 0.0, 0.0};
  double inertia[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};  ///< xx xy xz yy yz zz
  Beam beam;

  double rotor_inertia = 0.0, damping = 0.0, friction = 0.0;
};

using Tree = std::vector<ElasticBody>;

}  // namespace dynamics::flexible
