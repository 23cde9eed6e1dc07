// SPDX-License-Identifier: Apache-2.0
#pragma once

// What forward dynamics and solutions with M have in common: where there is no answer, and mimic
// joints as couplings of an O(n) solution over all bodies.

#include <cmath>

#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// Throws StateError where M is singular by the model, or by a floating joint's orientation.
void require_regular(const Model& model, ConstVector q);
/// Throws StateError where a pivot of the decomposition is not above zero.
[[noreturn]] void refuse_pivot(const Model& model, std::size_t body, double pivot);
inline void require_pivot(const Model& model, std::size_t body, double pivot) {
  if (!(pivot > 0.0 && std::isfinite(pivot))) refuse_pivot(model, body, pivot);
}

// A mimic joint is a row of A: x_follower - multiplier x_leader = 0. With x0 = M^-1 phi over all
// bodies, x = x0 - M^-1 A^T (A M^-1 A^T)^-1 A x0 keeps the couplings.

/// The columns M^-1 A^T and the matrix A M^-1 A^T, by the O(n) solution.
void factor_couplings(const Model& model, Workspace::Memory& memory, const double* q);
/// x0 -> x, once after factor_couplings().
void apply_couplings(const Model& model, Workspace::Memory& memory, double* x);

/// Over coordinates, by Cholesky: x = phi -> x = M^-1 phi.
void solve_dense(const Model& model, Workspace::Memory& memory, const double* q, double* x);

}  // namespace dynamics
