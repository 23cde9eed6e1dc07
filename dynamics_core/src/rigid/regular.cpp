// SPDX-License-Identifier: Apache-2.0
#include "rigid/regular.hpp"

#include "rigid/coordinate_matrix.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// The Cholesky factor in place.
Status factor_in_place(Eigen::MatrixXd& matrix, Problem& problem) noexcept {
  if (cholesky(matrix)) return Status::ok;
  problem.kind = Problem::Kind::massless;
  return Status::singular;
}

}  // namespace

void require_regular(const Model& model, ConstVector q) {
  Problem problem;
  require(Checks(problem).regular(model, q).status(), problem, model);
}

void require_pivot(const Model& model, std::size_t body, double pivot) {
  if (is_regular(pivot)) return;
  Problem problem;
  problem.kind = Problem::Kind::pivot;
  problem.index = body;
  problem.value = pivot;
  raise(problem, model);
}

Status factor_couplings(const Model& model, Workspace::Memory& memory, const double* q) noexcept {
  memory.kernels.decompose(model.tree(), memory.udut.data(), q, false);
  const Status status = check_pivots(memory.udut, memory.problem);
  if (status != Status::ok || memory.followers.empty()) return status;
  for (std::size_t k = 0; k < memory.followers.size(); ++k) {
    auto column = memory.coupling_columns.col(index(k));
    const std::size_t follower = memory.followers[k];
    column.setZero();
    column[index(follower)] = 1.0;
    column[index(memory.leaders[k])] -= model.bodies()[follower].multiplier;
    memory.kernels.solve(model.tree(), memory.udut.data(), column.data(), column.data());
  }
  for (std::size_t k = 0; k < memory.followers.size(); ++k) {
    const std::size_t follower = memory.followers[k];
    memory.coupling_matrix.row(index(k)) =
        memory.coupling_columns.row(index(follower)) -
        model.bodies()[follower].multiplier * memory.coupling_columns.row(index(memory.leaders[k]));
  }
  return factor_in_place(memory.coupling_matrix, memory.problem);
}

void apply_couplings(const Model& model, Workspace::Memory& memory, double* x) noexcept {
  for (std::size_t k = 0; k < memory.followers.size(); ++k) {
    const std::size_t follower = memory.followers[k];
    memory.coupling_force[index(k)] =
        -(x[follower] - model.bodies()[follower].multiplier * x[memory.leaders[k]]);
  }
  solve_cholesky(memory.coupling_matrix, memory.coupling_force);
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    double sum = 0.0;
    for (Eigen::Index k = 0; k < memory.coupling_force.size(); ++k) {
      sum += memory.coupling_columns(index(i), k) * memory.coupling_force[k];
    }
    x[i] += sum;
  }
}

Status factor_dense(const Model& model, Workspace::Memory& memory, const double* q) noexcept {
  fill_inertia_matrix(model, memory, q, memory.dense);
  return factor_in_place(memory.dense, memory.problem);
}

void solve_dense(Workspace::Memory& memory, double* x) noexcept {
  Eigen::Map<Eigen::VectorXd> solution(x, index(memory.size));
  solve_cholesky(memory.dense, solution);
}

Status factor_inertia(const Model& model, Workspace::Memory& memory, const double* q) noexcept {
  return solves_over_coordinates(model) ? factor_dense(model, memory, q)
                                        : factor_couplings(model, memory, q);
}

void solve_factored(const Model& model, Workspace::Memory& memory, const double* phi) noexcept {
  if (solves_over_coordinates(model)) {
    std::copy(phi, phi + memory.size, memory.result.begin());
    solve_dense(memory, memory.result.data());
    return;
  }
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    memory.tau[i] = model.is_mimic(i) ? 0.0 : phi[model.bodies()[i].coordinate];
  }
  memory.kernels.solve(model.tree(), memory.udut.data(), memory.tau.data(), memory.qdd.data());
  if (!memory.followers.empty()) apply_couplings(model, memory, memory.qdd.data());
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    if (!model.is_mimic(i)) memory.result[model.bodies()[i].coordinate] = memory.qdd[i];
  }
}

}  // namespace dynamics
