// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eigenvalues and axis rotations that models and checks need, compiled once: Eigen's templates
// behind them take seconds per file that instantiates them. They allocate; no control loop calls
// them.

#include <Eigen/Core>

namespace dynamics {

/// Eigenvalues of a symmetric 3 x 3 matrix in ascending order: principal moments of an inertia.
Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia);

/// J = axes * diag(moments) * axes^T, moments in ascending order.
struct PrincipalAxes {
  Eigen::Vector3d moments;
  Eigen::Matrix3d axes;
};
PrincipalAxes principal_axes(const Eigen::Matrix3d& inertia);

/// Eigenvalues in ascending order, one eigenvector per column.
struct SymmetricModes {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  bool converged = false;
};
/// A v = lambda v, A symmetric.
SymmetricModes symmetric_modes(const Eigen::MatrixXd& A);
/// The eigenvalues alone.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);
/// K v = lambda M v, K symmetric; not converged where M is not positive definite.
SymmetricModes generalized_modes(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);

/// The rotation that takes Z to the unit vector `axis`; the identity for Z itself. The shortest
/// rotation from Z or from -Z: between nearly opposite directions it is ill-conditioned.
Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& axis);

}  // namespace dynamics
