// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/derivatives.hpp"

#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/udut.hpp"
#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

struct DerivativeWorkspace::Memory {
  explicit Memory(const Model& model)
      : rigid(model),
        bodies(model.body_count()),
        qdd(model.size()),
        solved(static_cast<Eigen::Index>(model.size()), static_cast<Eigen::Index>(model.size())) {}

  Workspace rigid;
  std::vector<kernel::DerivativeScratch<double>> bodies;
  std::vector<double> qdd;
  Eigen::MatrixXd solved;
};

DerivativeWorkspace::DerivativeWorkspace(const Model& model)
    : memory_(std::make_unique<Memory>(model)) {}
DerivativeWorkspace::~DerivativeWorkspace() = default;
DerivativeWorkspace::DerivativeWorkspace(DerivativeWorkspace&&) noexcept = default;
DerivativeWorkspace& DerivativeWorkspace::operator=(DerivativeWorkspace&&) noexcept = default;

namespace {

void require_local(std::span<const LinkWrench> wrenches) {
  for (const LinkWrench& wrench : wrenches) {
    if (wrench.axes != Axes::local) {
      throw ArgumentError(
          "the derivatives take wrenches that turn with their links: give them in Axes::local");
    }
  }
}

}  // namespace

void inverse_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector qdd,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_qd,
                                  const Conditions& conditions) {
  DerivativeWorkspace::Memory& memory = workspace.memory();
  Workspace::Memory& rigid = memory_for(model, memory.rigid);
  check_vector("q", q, rigid.size);
  check_vector("qd", qd, rigid.size);
  check_vector("qdd", qdd, rigid.size);
  check_matrix("tau_by_q", tau_by_q.rows(), tau_by_q.cols(), rigid.size, rigid.size);
  check_matrix("tau_by_qd", tau_by_qd.rows(), tau_by_qd.cols(), rigid.size, rigid.size);
  check_base(conditions.base);
  check_wrenches(model, conditions.wrenches);
  require_local(conditions.wrenches);

  const double* positions = body_positions(model, q, rigid.q);
  const double* rates = body_rates(model, qd, rigid.qd);
  const double* accelerations = body_rates(model, qdd, rigid.qdd);
  const auto* wrenches =
      body_wrenches(model, rigid, positions, conditions.wrenches, conditions.base);
  const kernel::BaseState<double> base = base_state(model, conditions.base);
  if (model.size() == model.body_count()) {
    rigid.kernels.inverse_dynamics_derivatives(
        model.tree(), memory.bodies.data(), base, wrenches, positions, rates, accelerations,
        tau_by_q.data(), static_cast<std::size_t>(tau_by_q.outerStride()), tau_by_qd.data(),
        static_cast<std::size_t>(tau_by_qd.outerStride()));
    if (!model.plain()) {
      reorder(model, tau_by_q);
      reorder(model, tau_by_qd);
    }
  } else {
    kernel::inverse_dynamics_derivatives<double>(model.tree(), memory.bodies.data(), base, wrenches,
                                                 positions, rates, accelerations,
                                                 Gather(model, tau_by_q), Gather(model, tau_by_qd));
  }
  if (!conditions.friction) return;
  for (std::size_t i = 0; i < rigid.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    const Body& joint = model.bodies()[i];
    const auto k = static_cast<Eigen::Index>(joint.coordinate);
    tau_by_qd(k, k) += joint.multiplier * joint.multiplier *
                       kernel::friction_slope(body, rates[i], model.friction_velocity());
  }
}

void forward_dynamics_derivatives(const Model& model, DerivativeWorkspace& workspace, ConstVector q,
                                  ConstVector qd, ConstVector tau,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_q,
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_qd,
                                  // NOLINTNEXTLINE(performance-unnecessary-value-param): a view
                                  Eigen::Ref<Eigen::MatrixXd> qdd_by_tau,
                                  const Conditions& conditions) {
  DerivativeWorkspace::Memory& memory = workspace.memory();
  const std::size_t n = memory_for(model, memory.rigid).size;
  check_matrix("qdd_by_q", qdd_by_q.rows(), qdd_by_q.cols(), n, n);
  check_matrix("qdd_by_qd", qdd_by_qd.rows(), qdd_by_qd.cols(), n, n);
  check_matrix("qdd_by_tau", qdd_by_tau.rows(), qdd_by_tau.cols(), n, n);
  require_local(conditions.wrenches);
  forward_dynamics(model, memory.rigid, q, qd, tau, memory.qdd, conditions);
  inverse_inertia_matrix(model, memory.rigid, q, qdd_by_tau);
  inverse_dynamics_derivatives(model, workspace, q, qd, memory.qdd, qdd_by_q, qdd_by_qd,
                               conditions);
  // M qdd + ... = tau, differentiated: M dqdd = -dtau at constant qdd. The products are lazy: a
  // blocked one would allocate.
  memory.solved = -qdd_by_tau.lazyProduct(qdd_by_q);
  qdd_by_q = memory.solved;
  memory.solved = -qdd_by_tau.lazyProduct(qdd_by_qd);
  qdd_by_qd = memory.solved;
}

}  // namespace dynamics
