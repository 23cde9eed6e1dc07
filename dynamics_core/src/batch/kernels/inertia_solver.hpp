// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batch/kernels/pack_of_states.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Solves M x = phi for a pack of states, mimic joints included (see rigid/regular.hpp).
class InertiaSolver {
 public:
  InertiaSolver(const BatchJob& job, const PackScratch& scratch) : job_(job), scratch_(scratch) {}

  /// Decomposes M over bodies, or with massless mimic joints over coordinates.
  void factor(const Pack* q, PackOfStates& states);
  /// x = phi -> x = M^-1 phi, over coordinates, after factor().
  void solve_coordinates(Pack* x);
  /// Adds to the accelerations x of the bodies, computed without the couplings, the effect of the
  /// coupling forces. After factor().
  void apply_couplings(Pack* x);

 private:
  void factor_couplings(PackOfStates& states);
  void factor_dense(const Pack* q, PackOfStates& states);
  /// A row of the couplings times x: zero where the follower moves as its leader demands.
  Pack violation(Size coupling, const Pack* x) const;

  const BatchJob& job_;
  const PackScratch& scratch_;
};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
