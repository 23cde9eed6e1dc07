// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eigenvalues, singular values, linear equations and axis rotations, compiled once, because each
// instantiation of Eigen's solvers takes seconds to compile. They allocate: not for control loops.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

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
/// The largest eigenvalue of K v = lambda M v, K symmetric, M positive definite.
double largest_generalized_eigenvalue(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);
/// A^-1 B by LU decomposition with partial pivoting.
Eigen::MatrixXd solve_linear(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// A^-1 b, A symmetric and positive semidefinite, by LDL^T decomposition with pivots.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// Singular values in descending order; NaN if A is not finite.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);
/// A P = Q R by Householder reflections: the pivots are the columns of A in the order of P, R has
/// the size of A. Columns after `rank` are combinations of the previous ones, up to a relative
/// threshold.
struct PivotedQr {
  std::vector<std::size_t> pivots;
  Eigen::MatrixXd R;
  std::size_t rank = 0;
};
PivotedQr pivoted_qr(const Eigen::MatrixXd& A, double threshold);

/// Rotation that maps Z to the unit vector `axis`; the identity for Z. If axis.z < 0, it is a flip
/// of Z to -Z and the shortest rotation from there, because the shortest rotation between nearly
/// opposite directions is ill-conditioned.
Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& axis);

}  // namespace dynamics
