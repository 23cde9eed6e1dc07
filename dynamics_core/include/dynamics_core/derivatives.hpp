// SPDX-License-Identifier: Apache-2.0
#pragma once

// Derivatives of inverse and forward dynamics: analytical, by recursion over composite bodies in
// O(n d), d the depth of the tree; no finite differences.
//
//   dynamics::DerivativeWorkspace workspace(model);          // once; allocates
//   Eigen::MatrixXd by_q(n, n), by_qd(n, n);                 // n = model.size()
//   dynamics::inverse_dynamics_derivatives(model, workspace, q, qd, qdd, by_q, by_qd);
//   // tau(q + dq, qd + dqd, qdd) = tau(q, qd, qdd) + by_q dq + by_qd dqd + ...

#include <Eigen/Core>
#include <memory>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// The scratch of the functions below, for one thread at a time; after construction they do not
/// allocate.
class DerivativeWorkspace {
 public:
  /// Allocates the memory for this model.
  explicit DerivativeWorkspace(const Model& model);
  ~DerivativeWorkspace();
  DerivativeWorkspace(DerivativeWorkspace&&) noexcept;
  DerivativeWorkspace& operator=(DerivativeWorkspace&&) noexcept;
  DerivativeWorkspace(const DerivativeWorkspace&) = delete;
  DerivativeWorkspace& operator=(const DerivativeWorkspace&) = delete;

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// d tau / d q and d tau / d qd of inverse_dynamics(), n x n: row i is of tau_i. d tau / d qdd is
/// the inertia matrix. Wrenches must be given in Axes::local: they turn with their links.
/// Throws ArgumentError for bad arguments.
void inverse_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector qdd,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_qd,
                                  const ExternalInputs& external = {});
Status try_inverse_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector qdd,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_q,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_qd,
                                        const ExternalInputs& external = {}) noexcept;

/// d qdd / d q, d qdd / d qd and d qdd / d tau of forward_dynamics(); the last is M^-1.
/// Throws as above, and StateError where forward dynamics has no answer.
void forward_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector tau,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_qd,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_tau,
                                  const ExternalInputs& external = {});
Status try_forward_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector tau,
                                        Eigen::Ref<Eigen::MatrixXd> qdd_by_q,
                                        Eigen::Ref<Eigen::MatrixXd> qdd_by_qd,
                                        Eigen::Ref<Eigen::MatrixXd> qdd_by_tau,
                                        const ExternalInputs& external = {}) noexcept;

}  // namespace dynamics
#pragma GCC visibility pop
