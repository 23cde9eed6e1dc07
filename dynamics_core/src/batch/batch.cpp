// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/batch.hpp"

#include "batch/batch_call.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"

namespace dynamics::batch {
namespace {

/// Throws where a call has failed.
void require(Status status, const Model& model, BatchWorkspace& workspace) {
  if (status != Status::ok) raise(workspace.memory().problem, model);
}

// The functions on doubles and floats.

template <class Real>
Status run_inverse_dynamics(const Model& model, BatchWorkspace& workspace, BatchView<const Real> q,
                            BatchView<const Real> qd, BatchView<const Real> qdd,
                            BatchView<Real> tau, const ExternalInputs& external) noexcept {
  Workspace& single = workspace.memory().single;
  Call<Real> call(model, workspace, q);
  call.rates(qd).input("qdd", qdd).output("tau", tau, 1).under(external);
  return call.run(&BatchKernelTable<Real>::inverse_dynamics, single.memory().problem,
                  [&](std::size_t k) {
                    return dynamics::try_inverse_dynamics(model, single, call.q(k), call.qd(k),
                                                          call.input(k), call.output(k), external);
                  });
}

template <class Real>
Status run_gravity_forces(const Model& model, BatchWorkspace& workspace, BatchView<const Real> q,
                          BatchView<Real> g) noexcept {
  Workspace& single = workspace.memory().single;
  Call<Real> call(model, workspace, q);
  call.output("g", g, 1);
  return call.run(&BatchKernelTable<Real>::gravity_forces, single.memory().problem,
                  [&](std::size_t k) {
                    return dynamics::try_gravity_forces(model, single, call.q(k), call.output(k));
                  });
}

template <class Real>
Status run_forward_dynamics(const Model& model, BatchWorkspace& workspace, BatchView<const Real> q,
                            BatchView<const Real> qd, BatchView<const Real> tau,
                            BatchView<Real> qdd, const ExternalInputs& external) noexcept {
  Workspace& single = workspace.memory().single;
  Call<Real> call(model, workspace, q);
  call.rates(qd).input("tau", tau).output("qdd", qdd, 1).under(external).regular();
  return call.run(&BatchKernelTable<Real>::forward_dynamics, single.memory().problem,
                  [&](std::size_t k) {
                    return dynamics::try_forward_dynamics(model, single, call.q(k), call.qd(k),
                                                          call.input(k), call.output(k), external);
                  });
}

template <class Real>
Status run_inertia_matrix(const Model& model, BatchWorkspace& workspace, BatchView<const Real> q,
                          BatchView<Real> M) noexcept {
  Workspace& single = workspace.memory().single;
  Call<Real> call(model, workspace, q);
  call.output("M", M, model.size());
  return call.run(
      &BatchKernelTable<Real>::inertia_matrix, single.memory().problem, [&](std::size_t k) {
        if constexpr (std::is_same_v<Real, double>) {
          return dynamics::try_inertia_matrix(model, single, call.q(k), call.matrix(0, k));
        } else {
          // the only reason is a number that is not finite
          return dynamics::try_gravity_forces(model, single, call.q(k), call.output(k));
        }
      });
}

}  // namespace

// ---- doubles

Status try_inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                            ConstBatch qd, ConstBatch qdd, MutableBatch tau,
                            const ExternalInputs& external) noexcept {
  return run_inverse_dynamics<double>(model, workspace, q, qd, qdd, tau, external);
}
void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch qdd, MutableBatch tau, const ExternalInputs& external) {
  require(try_inverse_dynamics(model, workspace, q, qd, qdd, tau, external), model, workspace);
}

Status try_gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                          MutableBatch g) noexcept {
  return run_gravity_forces<double>(model, workspace, q, g);
}
void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch g) {
  require(try_gravity_forces(model, workspace, q, g), model, workspace);
}

Status try_forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                            ConstBatch qd, ConstBatch tau, MutableBatch qdd,
                            const ExternalInputs& external) noexcept {
  return run_forward_dynamics<double>(model, workspace, q, qd, tau, qdd, external);
}
void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch tau, MutableBatch qdd, const ExternalInputs& external) {
  require(try_forward_dynamics(model, workspace, q, qd, tau, qdd, external), model, workspace);
}

Status try_inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                          MutableBatch M) noexcept {
  return run_inertia_matrix<double>(model, workspace, q, M);
}
void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch M) {
  require(try_inertia_matrix(model, workspace, q, M), model, workspace);
}

Status try_inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                        ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                        MutableBatch tau_by_qd,
                                        const ExternalInputs& external) noexcept {
  DerivativeWorkspace& single = workspace.memory().derivative;
  Call<double> call(model, workspace, q);
  call.rates(qd).input("qdd", qdd);
  call.output("tau_by_q", tau_by_q, model.size()).output("tau_by_qd", tau_by_qd, model.size());
  call.under(external);
  return call.run(&BatchKernelTable<double>::inverse_dynamics_derivatives, problem_of(single),
                  [&](std::size_t k) {
                    return dynamics::try_inverse_dynamics_derivatives(
                        model, single, call.q(k), call.qd(k), call.input(k), call.matrix(0, k),
                        call.matrix(1, k), external);
                  });
}

void inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                  MutableBatch tau_by_qd, const ExternalInputs& external) {
  require(
      try_inverse_dynamics_derivatives(model, workspace, q, qd, qdd, tau_by_q, tau_by_qd, external),
      model, workspace);
}

Status try_forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                        ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                        MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                        const ExternalInputs& external) noexcept {
  DerivativeWorkspace& single = workspace.memory().derivative;
  Call<double> call(model, workspace, q);
  call.rates(qd).input("tau", tau);
  call.output("qdd_by_q", qdd_by_q, model.size()).output("qdd_by_qd", qdd_by_qd, model.size());
  call.output("qdd_by_tau", qdd_by_tau, model.size());
  call.under(external).regular();
  return call.run(&BatchKernelTable<double>::forward_dynamics_derivatives, problem_of(single),
                  [&](std::size_t k) {
                    return dynamics::try_forward_dynamics_derivatives(
                        model, single, call.q(k), call.qd(k), call.input(k), call.matrix(0, k),
                        call.matrix(1, k), call.matrix(2, k), external);
                  });
}

void forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                  MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                  const ExternalInputs& external) {
  require(try_forward_dynamics_derivatives(model, workspace, q, qd, tau, qdd_by_q, qdd_by_qd,
                                           qdd_by_tau, external),
          model, workspace);
}

// ---- floats

Status try_inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                            ConstFloatBatch qd, ConstFloatBatch qdd, MutableFloatBatch tau,
                            const ExternalInputs& external) noexcept {
  return run_inverse_dynamics<float>(model, workspace, q, qd, qdd, tau, external);
}
void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                      ConstFloatBatch qd, ConstFloatBatch qdd, MutableFloatBatch tau,
                      const ExternalInputs& external) {
  require(try_inverse_dynamics(model, workspace, q, qd, qdd, tau, external), model, workspace);
}

Status try_gravity_forces(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                          MutableFloatBatch g) noexcept {
  return run_gravity_forces<float>(model, workspace, q, g);
}
void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                    MutableFloatBatch g) {
  require(try_gravity_forces(model, workspace, q, g), model, workspace);
}

Status try_forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                            ConstFloatBatch qd, ConstFloatBatch tau, MutableFloatBatch qdd,
                            const ExternalInputs& external) noexcept {
  return run_forward_dynamics<float>(model, workspace, q, qd, tau, qdd, external);
}
void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                      ConstFloatBatch qd, ConstFloatBatch tau, MutableFloatBatch qdd,
                      const ExternalInputs& external) {
  require(try_forward_dynamics(model, workspace, q, qd, tau, qdd, external), model, workspace);
}

Status try_inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                          MutableFloatBatch M) noexcept {
  return run_inertia_matrix<float>(model, workspace, q, M);
}
void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstFloatBatch q,
                    MutableFloatBatch M) {
  require(try_inertia_matrix(model, workspace, q, M), model, workspace);
}

}  // namespace dynamics::batch
