// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eigenvalues, linear equations and axis rotations, compiled once, because each instantiation of
// Eigen's solvers takes seconds to compile. They allocate: not for control loops.

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
struct Eigenpairs {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  bool converged = false;
};
/// A v = lambda v, A symmetric.
Eigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& A);
/// Eigenvalues only.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);
/// K v = lambda M v, K symmetric; not converged if M is not positive definite.
Eigenpairs generalized_eigenpairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);

/// Eigenvalues of any square matrix, in no particular order.
Eigen::VectorXcd general_eigenvalues(const Eigen::MatrixXd& A);
/// A^-1 B by LU decomposition with partial pivoting.
Eigen::MatrixXd solve_linear(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// Rotation that maps Z to the unit vector `axis`; the identity for Z. If axis.z < 0, it is a flip
/// of Z to -Z and the shortest rotation from there, because the shortest rotation between nearly
/// opposite directions is ill-conditioned.
Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& axis);

}  // namespace dynamics
