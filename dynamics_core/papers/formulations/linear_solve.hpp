// SPDX-License-Identifier: Apache-2.0
#pragma once

// The two methods of the papers to solve M x = b for a symmetric positive definite M. Both return
// false and leave x unspecified if a pivot is not positive. O(n^3).

#include <cmath>

#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

/// Gaussian elimination without pivoting (Turney 1980, section 7).
template <class S>
bool solve_by_elimination(MatrixX<S> M, VectorX<S> b, VectorX<S>& x) {
  const Eigen::Index n = M.rows();
  for (Eigen::Index k = 0; k < n; ++k) {
    if (!(M(k, k) > S(0.0))) return false;
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const S factor = M(i, k) / M(k, k);
      for (Eigen::Index j = k + 1; j < n; ++j) M(i, j) -= factor * M(k, j);
      b[i] -= factor * b[k];
    }
  }
  x.resize(n);
  for (Eigen::Index i = n; i-- > 0;) {
    S sum = b[i];
    for (Eigen::Index j = i + 1; j < n; ++j) sum -= M(i, j) * x[j];
    x[i] = sum / M(i, i);
  }
  return true;
}

/// Cholesky decomposition M = L L^T (Walker and Orin 1982).
template <class S>
bool solve_by_cholesky(MatrixX<S> M, VectorX<S> b, VectorX<S>& x) {
  using std::sqrt;
  const Eigen::Index n = M.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index k = 0; k < j; ++k) M(j, j) -= M(j, k) * M(j, k);
    if (!(M(j, j) > S(0.0))) return false;
    M(j, j) = sqrt(M(j, j));
    for (Eigen::Index i = j + 1; i < n; ++i) {
      for (Eigen::Index k = 0; k < j; ++k) M(i, j) -= M(i, k) * M(j, k);
      M(i, j) /= M(j, j);
    }
  }
  x = b;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) x[i] -= M(i, j) * x[j];
    x[i] /= M(i, i);
  }
  for (Eigen::Index i = n; i-- > 0;) {
    for (Eigen::Index j = i + 1; j < n; ++j) x[i] -= M(j, i) * x[j];
    x[i] /= M(i, i);
  }
  return true;
}

}  // namespace dynamics::formulations
