// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cholesky decomposition A = L L^T in place, compiled once:
//
//   if (!cholesky(A)) return Status::singular;   // L replaces the lower triangle of A
//   solve_cholesky(A, x);                        // x := A^-1 x
//
// For control loops: no exception, and no allocation up to about 300 rows.

#include <Eigen/Core>

namespace dynamics {

/// Replaces the lower triangle of a symmetric matrix by L; false if it is not positive definite.
bool cholesky(Eigen::Ref<Eigen::MatrixXd> A) noexcept;

/// x := (L L^T)^-1 x.
void solve_cholesky(const Eigen::Ref<const Eigen::MatrixXd>& L,
                    Eigen::Ref<Eigen::VectorXd> x) noexcept;

}  // namespace dynamics
