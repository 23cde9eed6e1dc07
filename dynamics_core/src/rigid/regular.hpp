// SPDX-License-Identifier: Apache-2.0
#pragma once

// Solutions with M, for forward dynamics and for inertia_matrix.hpp: where there are none, and
// mimic joints as couplings of an O(n) solution over all bodies.
//
// A mimic joint is a row of A: x_follower - multiplier x_leader = 0. With x0 = M^-1 phi over all
// bodies, x = x0 - M^-1 A^T (A M^-1 A^T)^-1 A x0 satisfies the couplings.

#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// Status::singular where a pivot of the decomposition is not above zero.
template <class Scratch>
Status check_pivots(const std::vector<Scratch>& bodies, Problem& problem) noexcept {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (is_regular(bodies[i].pivot)) continue;
    problem.kind = Problem::Kind::pivot;
    problem.index = i;
    problem.value = bodies[i].pivot;
    return Status::singular;
  }
  return Status::ok;
}

/// Throws StateError where M is singular by the model, or by a floating joint's orientation.
void require_regular(const Model& model, ConstVector q);
/// Throws StateError where the pivot of a body is not above zero.
void require_pivot(const Model& model, std::size_t body, double pivot);

/// Decomposes M for solve_factored(): over bodies with couplings, or over coordinates by Cholesky.
/// `q` of bodies.
Status factor_inertia(const Model& model, Workspace::Memory& memory, const double* q) noexcept;
/// memory.result := M^-1 phi, over coordinates, after factor_inertia(). O(n).
void solve_factored(const Model& model, Workspace::Memory& memory, const double* phi) noexcept;

// The parts of these, for forward dynamics:

/// The couplings' columns M^-1 A^T and the Cholesky factor of A M^-1 A^T; decomposes M over bodies.
Status factor_couplings(const Model& model, Workspace::Memory& memory, const double* q) noexcept;
/// x0 -> x over bodies, after factor_couplings().
void apply_couplings(const Model& model, Workspace::Memory& memory, double* x) noexcept;
/// The Cholesky factor of M over coordinates, into memory.dense.
Status factor_dense(const Model& model, Workspace::Memory& memory, const double* q) noexcept;
/// x = phi -> x = M^-1 phi over coordinates, after factor_dense().
void solve_dense(Workspace::Memory& memory, double* x) noexcept;

}  // namespace dynamics
