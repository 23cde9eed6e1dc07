// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized momentum over coordinates, for a base at rest.
//
//   std::vector<kernel::MomentumScratch<double>> scratch(model.body_count());       // once
//   try_generalized_momentum(model, workspace, scratch, q, qd, momentum, rate);

#include <span>

#include "rigid/recursions/generalized_momentum.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// momentum = M qd and rate = C^T qd = dT/dq, T the kinetic energy, in O(n) and without the
/// matrices: dp/dt = tau + C^T qd - g - friction + J^T w. `scratch` has one entry per body;
/// `momentum` and `rate` must not share memory, but may be q and qd. Allocates nothing.
inline Status try_generalized_momentum(const Model& model, Workspace& workspace,
                                       std::span<kernel::MomentumScratch<double>> scratch,
                                       ConstVector q, ConstVector qd, MutableVector momentum,
                                       MutableVector rate) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const std::size_t n = memory.size;
  const Status status =
      check_workspace(model, memory)
          .output("scratch", scratch.size(), model.body_count())
          .vector("q", q, n)
          .vector("qd", qd, n)
          .output("momentum", momentum, n)
          .output("rate", rate, n)
          .separate("momentum", {momentum.data(), n, 1, 0}, "rate", {rate.data(), n, 1, 0})
          .status();
  if (status != Status::ok) return status;
  // of bodies, then of coordinates
  double *const momenta = memory.tau.data(), *const rates = memory.qdd.data();
  kernel::generalized_momentum(model.tree(), scratch.data(), body_positions(model, q, memory.q),
                               body_rates(model, qd, memory.qd), momenta, rates);
  collect_forces(model, momenta, momentum);
  collect_forces(model, rates, rate);
  return Status::ok;
}

}  // namespace dynamics
