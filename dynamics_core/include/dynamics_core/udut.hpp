// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decomposition M = U D U^T of the generalized inertia matrix (Saha 2003, section 2.1), and
// what follows from it.

#include <Eigen/Core>
#include <span>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// U unit upper triangular, d the diagonal of D. For trees of single-axis joints the entries come
/// from the articulated bodies in closed form (Eqs. 25 to 28); for robots with mimic or floating
/// joints, whose coordinates are not the bodies' one to one, by reverse Gaussian elimination of M.
void udut(const Model& model, Workspace& workspace, ConstVector q, Eigen::Ref<Eigen::MatrixXd> U,
          MutableVector d);

/// x with M x = phi, in O(n).
void solve_inertia(const Model& model, Workspace& workspace, ConstVector q, ConstVector phi,
                   MutableVector x);

/// M^-1 = U^-T D^-1 U^-1, full and symmetric, in O(n^2).
void inverse_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                            Eigen::Ref<Eigen::MatrixXd> inverse);

/// The articulated quantities of one body, about the joint's origin, in the axes of the body's
/// frame (Body::axes): six-vectors have the angular part on top.
struct ArticulatedBody {
  Eigen::Matrix<double, 6, 6, Eigen::DontAlign> inertia;  ///< M^_i, Eq. (28)
  Eigen::Matrix<double, 6, 1, Eigen::DontAlign> psi;      ///< psi_i, Eq. (27)
  double pivot;  ///< m^_i, Eq. (26), rotor inertia included
};
/// The articulated bodies of all joints, one per entry of Model::bodies(). O(n).
void articulated_bodies(const Model& model, Workspace& workspace, ConstVector q,
                        std::span<ArticulatedBody> bodies);

}  // namespace dynamics
