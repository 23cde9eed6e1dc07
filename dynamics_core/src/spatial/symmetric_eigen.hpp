// SPDX-License-Identifier: Apache-2.0
#pragma once

// Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi's method, compiled once:
//
//   if (!symmetric_eigen(A, values, vectors)) return Status::singular;   // A is overwritten
//
// For control loops: no exception, no allocation. Small eigenvalues of a positive definite matrix
// are accurate relative to themselves (Demmel and Veselic 1992). Eigen's SelfAdjointEigenSolver
// takes ten seconds to compile for each type of matrix.

#include <Eigen/Core>

namespace dynamics {

/// A = vectors * diag(values) * vectors^T, values in ascending order. False, with NaN in `values`,
/// if A is not finite.
bool symmetric_eigen(Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::VectorXd> values,
                     Eigen::Ref<Eigen::MatrixXd> vectors) noexcept;

}  // namespace dynamics
