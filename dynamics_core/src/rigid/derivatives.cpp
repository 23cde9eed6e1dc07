// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/derivatives.hpp"

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

namespace {

/// Whether the derivatives of forward dynamics are solved row by row, in O(n p), p the number of
/// pairs of a body and one that carries it. Otherwise column by column with the recursion in O(n):
/// for mimic joints, for long chains, and where the rows would take much memory.
bool solves_rows(const Model& model) {
  const std::size_t n = model.size();
  if (n == 0 || n != model.body_count() || n > 512) return false;
  std::size_t pairs = 0;
  for (const TreeBody& body : model.tree()) {
    for (int k = body.parent; k >= 0; k = model.tree()[static_cast<std::size_t>(k)].parent) ++pairs;
  }
  return pairs <= 100 * n;  // by operations, the two are equal at a mean depth of about 100
}

}  // namespace

struct DerivativeWorkspace::Memory {
  explicit Memory(const Model& model)
      : rigid(model),
        bodies(model.body_count()),
        q(model.size()),
        qd(model.size()),
        qdd(model.size()),
        by_qd(rigid.memory().over_bodies.rows(), rigid.memory().over_bodies.cols()) {
    if (!solves_rows(model)) return;
    const std::size_t n = model.size(), stride = kernel::row_stride(n);
    row_lines.resize(n * stride / 8);
    unit.resize(n * n);
    unused.resize(n);
    subtree_end.resize(n);
    slopes.resize(n);
    rows = {unit.data(), reinterpret_cast<double*>(row_lines.data()), stride, subtree_end.data(),
            unused.data()};
  }

  Workspace rigid;
  std::vector<kernel::DerivativeScratch<double>> bodies;
  std::vector<double> q, qd, qdd;  ///< copies: outputs may share memory with the arguments
  Eigen::MatrixXd by_qd;           ///< over bodies, beside Workspace::Memory::over_bodies

  /// A cache line, so that rows of it start at one.
  struct alignas(64) CacheLine {
    double values[8];
  };

  // only where solves_rows():
  kernel::RowScratch<double> rows = {};
  std::vector<CacheLine> row_lines;
  std::vector<double> unit, unused, slopes;
  std::vector<std::size_t> subtree_end;
};

DerivativeWorkspace::DerivativeWorkspace(const Model& model)
    : memory_(std::make_unique<Memory>(model)) {}
DerivativeWorkspace::~DerivativeWorkspace() = default;
DerivativeWorkspace::DerivativeWorkspace(DerivativeWorkspace&&) noexcept = default;
DerivativeWorkspace& DerivativeWorkspace::operator=(DerivativeWorkspace&&) noexcept = default;

Problem& problem_of(DerivativeWorkspace& workspace) noexcept {
  return workspace.memory().rigid.memory().problem;
}

namespace {

bool has_friction(const TreeBody& body) { return body.damping != 0.0 || body.friction != 0.0; }

using Matrix = Eigen::Ref<Eigen::MatrixXd>;

/// After forward dynamics, which leaves its factor in the workspace.
void run_over_rows(const Model& model, DerivativeWorkspace::Memory& memory, Matrix& by_q,
                   Matrix& by_qd, Matrix& by_tau, const ExternalInputs& external) noexcept {
  Workspace::Memory& rigid = memory.rigid.memory();
  const double* positions = body_positions(model, memory.q, rigid.q);
  const double* rates = body_rates(model, memory.qd, rigid.qd);
  const double* accelerations = body_rates(model, memory.qdd, rigid.qdd);
  const auto* wrenches = body_wrenches(model, rigid, positions, external.wrenches, external.base);
  const double* slopes = nullptr;
  if (external.friction && !model.data().frictionless) {
    for (std::size_t i = 0; i < rigid.body_count; ++i) {
      const TreeBody& body = model.tree()[i];
      memory.slopes[i] = has_friction(body)
                             ? kernel::friction_slope(body, rates[i], model.friction_velocity())
                             : 0.0;
    }
    slopes = memory.slopes.data();
  }
  rigid.kernels.forward_dynamics_derivatives(
      model.tree(), rigid.forward.data(), memory.bodies.data(), base_state(model, external.base),
      wrenches, positions, rates, accelerations, slopes, memory.rows, by_q.data(),
      column_stride(by_q), by_qd.data(), column_stride(by_qd), by_tau.data(),
      column_stride(by_tau));
  if (model.coordinates_are_bodies()) return;
  for (Matrix* matrix : {&by_q, &by_qd, &by_tau}) reorder(model, *matrix);
}

/// matrix := -M^-1 matrix, after the decomposition of M.
void solve_columns(const Model& model, Workspace::Memory& rigid, Matrix& matrix) noexcept {
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    solve_factored(model, rigid, matrix.col(j).data());
    matrix.col(j) = -Eigen::Map<const Eigen::VectorXd>(rigid.result.data(), matrix.rows());
  }
}

}  // namespace

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
    if (!has_friction(model.tree()[i])) continue;
    const Body& joint = model.bodies()[i];
    const auto k = static_cast<Eigen::Index>(joint.coordinate);
    tau_by_qd(k, k) += joint.multiplier * joint.multiplier *
                       kernel::friction_slope(model.tree()[i], rates[i], model.friction_velocity());
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
  if (!memory.subtree_end.empty()) {
    run_over_rows(model, memory, qdd_by_q, qdd_by_qd, qdd_by_tau, external);
    return Status::ok;
  }
  status = try_inverse_inertia_matrix(model, memory.rigid, memory.q, qdd_by_tau);
  if (status != Status::ok) return status;
  status = try_inverse_dynamics_derivatives(model, workspace, memory.q, memory.qd, memory.qdd,
                                            qdd_by_q, qdd_by_qd, external);
  if (status != Status::ok) return status;
  // M qdd + ... = tau, differentiated: M dqdd = -dtau at constant qdd
  solve_columns(model, rigid, qdd_by_q);
  solve_columns(model, rigid, qdd_by_qd);
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
