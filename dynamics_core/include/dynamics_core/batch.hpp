// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many states at once: several in the lanes of one SIMD register, chunks of them on several
// threads.
//
//   dynamics::BatchWorkspace workspace(model, {.threads = 2});
//   dynamics::batch::inverse_dynamics(model, workspace, q, qd, qdd, tau);
//
// With n = model.size() an argument is a vector of n numbers per state, state after state
// (coordinate j of state k is q[k * n + j]), or a column-major n x N matrix with one column per
// state, also as a block of a larger one (X.topRows(n)), or a row-major N x n matrix with one row
// per state; see batch_view.hpp. Results that are matrices have n * n numbers per state,
// column by column as for one state (see view.hpp): entry (i, j) of state k is
// M[(k * n + j) * n + i] of a vector, M(j * n + i, k) of an (n * n) x N matrix. N is any number of
// states.
//
// The numbers are those of the functions for one state (rigid/), but for rounding; they do not
// depend on the number of threads, nor on which other states are in the batch. ExternalInputs hold
// for all states; wrenches must be in Axes::local.
//
// An argument of a wrong size or shape throws ArgumentError naming it, and nothing is written. A
// state that has no answer (a number that is not finite, a singular inertia matrix) does not stop
// the others: its results are NaN, those of all others are written, and then BatchError is thrown,
// naming it. Nothing is allocated where no error is thrown.

#include <cstddef>
#include <memory>
#include <string>

#include "dynamics_core/batch_view.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Options of a BatchWorkspace.
struct BatchOptions {
  /// Threads that work on a call, the calling one included; 0: one for each processor. Never more
  /// than there are processors.
  std::size_t threads = 1;
};

/// Scratch and threads of the functions below, for one call at a time; between calls the threads
/// sleep. It may be kept, and used for any model of the same structure.
class BatchWorkspace {
 public:
  /// Allocates the memory for this model and starts the threads.
  explicit BatchWorkspace(const Model& model, const BatchOptions& options = {});
  ~BatchWorkspace();
  BatchWorkspace(BatchWorkspace&&) noexcept;
  BatchWorkspace& operator=(BatchWorkspace&&) noexcept;
  BatchWorkspace(const BatchWorkspace&) = delete;
  BatchWorkspace& operator=(const BatchWorkspace&) = delete;

  std::size_t threads() const;    ///< that work on a call
  std::size_t pack_size() const;  ///< states per SIMD register

  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Some states of a batch have no answer; all others have been written.
class BatchError : public StateError {
 public:
  /// Names the first such state and how many there are.
  BatchError(const std::string& what, std::size_t state, std::size_t count)
      : StateError(what), state_(state), count_(count) {}
  std::size_t state() const { return state_; }  ///< the first one of them
  std::size_t count() const { return count_; }  ///< how many

 private:
  std::size_t state_, count_;
};

namespace batch {

/// tau of every state, as dynamics::inverse_dynamics().
void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch qdd, MutableBatch tau, const ExternalInputs& external = {});

/// g of every state, as dynamics::gravity_forces().
void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch g);

/// qdd of every state, as dynamics::forward_dynamics().
void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch tau, MutableBatch qdd, const ExternalInputs& external = {});

/// M of every state, as dynamics::inertia_matrix().
void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch M);

/// d tau / d q and d tau / d qd of every state, as dynamics::inverse_dynamics_derivatives().
void inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                  MutableBatch tau_by_qd, const ExternalInputs& external = {});

/// d qdd / d q, d qdd / d qd and d qdd / d tau of every state, as
/// dynamics::forward_dynamics_derivatives().
void forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                  MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                  const ExternalInputs& external = {});

}  // namespace batch
}  // namespace dynamics
