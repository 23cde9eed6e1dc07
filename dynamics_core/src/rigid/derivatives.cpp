// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/derivatives.hpp"

#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

struct DerivativeWorkspace::Memory {
  explicit Memory(const Model& model)
      : rigid(model),
        bodies(model.body_count()),
        q(model.size()),
        qd(model.size()),
        qdd(model.size()),
        solved(static_cast<Eigen::Index>(model.size()), static_cast<Eigen::Index>(model.size())),
        by_qd(rigid.memory().over_bodies.rows(), rigid.memory().over_bodies.cols()) {}

  Workspace rigid;
  std::vector<kernel::DerivativeScratch<double>> bodies;
  std::vector<double> q, qd, qdd;  ///< copies: outputs may share memory with the arguments
  Eigen::MatrixXd solved;
  Eigen::MatrixXd by_qd;  ///< over bodies, beside Workspace::Memory::over_bodies
};

DerivativeWorkspace::DerivativeWorkspace(const Model& model)
    : memory_(std::make_unique<Memory>(model)) {}
DerivativeWorkspace::~DerivativeWorkspace() = default;
DerivativeWorkspace::DerivativeWorkspace(DerivativeWorkspace&&) noexcept = default;
DerivativeWorkspace& DerivativeWorkspace::operator=(DerivativeWorkspace&&) noexcept = default;

Problem& problem_of(DerivativeWorkspace& workspace) noexcept {
  return workspace.memory().rigid.memory().problem;
}

Status try_inverse_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector qdd,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_q,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_qd,
                                        const ExternalInputs& external) noexcept {
  DerivativeWorkspace::Memory& memory = workspace.memory();
  Workspace::Memory& rigid = memory.rigid.memory();
  const std::size_t n = rigid.size;
  const Status status =
      check_workspace(model, rigid)
          .vector("q", q, n)
          .vector("qd", qd, n)
          .vector("qdd", qdd, n)
          .matrix("tau_by_q", tau_by_q, n, n)
          .matrix("tau_by_qd", tau_by_qd, n, n)
          .separate("tau_by_q", memory_rows(tau_by_q), "tau_by_qd", memory_rows(tau_by_qd))
          .external_inputs(model, external)
          .local_axes("inverse_dynamics_derivatives", external.wrenches)
          .status();
  if (status != Status::ok) return status;

  const double* positions = body_positions(model, q, rigid.q);
  const double* rates = body_rates(model, qd, rigid.qd);
  const double* accelerations = body_rates(model, qdd, rigid.qdd);
  const auto* wrenches = body_wrenches(model, rigid, positions, external.wrenches, external.base);
  const kernel::BaseState<double> base = base_state(model, external.base);
  const auto fill = [&](double* by_q, std::size_t q_stride, double* by_qd, std::size_t qd_stride) {
    rigid.kernels.inverse_dynamics_derivatives(model.tree(), memory.bodies.data(), base, wrenches,
                                               positions, rates, accelerations, by_q, q_stride,
                                               by_qd, qd_stride);
  };
  if (model.size() == model.body_count()) {
    fill(tau_by_q.data(), column_stride(tau_by_q), tau_by_qd.data(), column_stride(tau_by_qd));
    if (!model.coordinates_are_bodies()) {
      reorder(model, tau_by_q);
      reorder(model, tau_by_qd);
    }
  } else if (memory.by_qd.size() > 0) {
    fill(rigid.over_bodies.data(), rigid.body_count, memory.by_qd.data(), rigid.body_count);
    MimicAccumulator(model, tau_by_q).add(rigid.over_bodies);
    MimicAccumulator(model, tau_by_qd).add(memory.by_qd);
  } else {
    kernel::inverse_dynamics_derivatives<double>(
        model.tree(), memory.bodies.data(), base, wrenches, positions, rates, accelerations,
        MimicAccumulator(model, tau_by_q), MimicAccumulator(model, tau_by_qd));
  }
  if (!external.friction) return Status::ok;
  for (std::size_t i = 0; i < rigid.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    const Body& joint = model.bodies()[i];
    const auto k = static_cast<Eigen::Index>(joint.coordinate);
    tau_by_qd(k, k) += joint.multiplier * joint.multiplier *
                       kernel::friction_slope(body, rates[i], model.friction_velocity());
  }
  return Status::ok;
}

void inverse_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector qdd,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_qd,
                                  const ExternalInputs& external) {
  require(
      try_inverse_dynamics_derivatives(model, workspace, q, qd, qdd, tau_by_q, tau_by_qd, external),
      problem_of(workspace), model);
}

Status try_forward_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector tau,
                                        Eigen::Ref<Eigen::MatrixXd> qdd_by_q,
                                        Eigen::Ref<Eigen::MatrixXd> qdd_by_qd,
                                        // NOLINTNEXTLINE(performance-unnecessary-value-param)
                                        Eigen::Ref<Eigen::MatrixXd> qdd_by_tau,
                                        const ExternalInputs& external) noexcept {
  DerivativeWorkspace::Memory& memory = workspace.memory();
  Workspace::Memory& rigid = memory.rigid.memory();
  const std::size_t n = rigid.size;
  Status status =
      check_workspace(model, rigid)
          .matrix("qdd_by_q", qdd_by_q, n, n)
          .matrix("qdd_by_qd", qdd_by_qd, n, n)
          .matrix("qdd_by_tau", qdd_by_tau, n, n)
          .separate("qdd_by_q", memory_rows(qdd_by_q), "qdd_by_qd", memory_rows(qdd_by_qd))
          .separate("qdd_by_q", memory_rows(qdd_by_q), "qdd_by_tau", memory_rows(qdd_by_tau))
          .separate("qdd_by_qd", memory_rows(qdd_by_qd), "qdd_by_tau", memory_rows(qdd_by_tau))
          .local_axes("forward_dynamics_derivatives", external.wrenches)
          .status();
  if (status != Status::ok) return status;
  status = try_forward_dynamics(model, memory.rigid, q, qd, tau, memory.qdd, external);
  if (status != Status::ok) return status;
  // an overflow, before anything is written
  status = Checks(rigid.problem).vector("qdd", memory.qdd, n).status();
  if (status != Status::ok) return status;
  std::copy(q.begin(), q.end(), memory.q.begin());
  std::copy(qd.begin(), qd.end(), memory.qd.begin());
  status = try_inverse_inertia_matrix(model, memory.rigid, memory.q, qdd_by_tau);
  if (status != Status::ok) return status;
  status = try_inverse_dynamics_derivatives(model, workspace, memory.q, memory.qd, memory.qdd,
                                            qdd_by_q, qdd_by_qd, external);
  if (status != Status::ok) return status;
  // M qdd + ... = tau, differentiated: M dqdd = -dtau at constant qdd. The products are lazy: a
  // blocked one would allocate.
  memory.solved = -qdd_by_tau.lazyProduct(qdd_by_q);
  qdd_by_q = memory.solved;
  memory.solved = -qdd_by_tau.lazyProduct(qdd_by_qd);
  qdd_by_qd = memory.solved;
  return Status::ok;
}

void forward_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector tau,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_qd,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_tau,
                                  const ExternalInputs& external) {
  require(try_forward_dynamics_derivatives(model, workspace, q, qd, tau, qdd_by_q, qdd_by_qd,
                                           qdd_by_tau, external),
          problem_of(workspace), model);
}

}  // namespace dynamics
