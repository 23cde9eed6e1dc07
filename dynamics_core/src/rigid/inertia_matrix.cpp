// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/inertia_matrix.hpp"

#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// Few coordinates and long chains of mimic joints: column j is the inverse dynamics of a unit
/// acceleration of coordinate j (Walker and Orin 1982, method 1), in O(bodies).
void fill_by_columns(const Model& model, Workspace::Memory& memory, const double* q,
                     Eigen::Ref<Eigen::MatrixXd>& M) {
  for (std::size_t j = 0; j < memory.size; ++j) {
    for (std::size_t i = 0; i < memory.body_count; ++i) {
      const Body& body = model.bodies()[i];
      memory.column[i] = body.coordinate == j ? body.multiplier : 0.0;
    }
    memory.kernels.inverse_dynamics(model.tree(), memory.inverse.data(), {}, nullptr, q,
                                    memory.zeros.data(), memory.column.data(), memory.tau.data());
    collect_forces(model, memory.tau.data(),
                   {M.col(static_cast<Eigen::Index>(j)).data(), memory.size});
  }
}

/// The kernel alone, where nothing else is needed; false: M has not been written.
inline bool run_fast(const Model& model, Workspace::Memory& memory, ConstVector q,
                     Eigen::Ref<Eigen::MatrixXd>& M) noexcept {
  const Model::Data& data = model.data();
  const std::size_t n = data.tree.size();
  const auto rows = static_cast<Eigen::Index>(n);
  if (!data.coordinates_are_bodies || memory.size != n || memory.body_count != n ||
      !(q.checked_size() == n) || M.rows() != rows || M.cols() != rows || !all_finite(n, q)) {
    return false;
  }
  memory.kernels.inertia_matrix(data.tree, memory.composite.data(), q.data(), M.data(),
                                column_stride(M));
  return true;
}

Status run_checked(const Model& model, Workspace::Memory& memory, ConstVector q,
                   Eigen::Ref<Eigen::MatrixXd>& M) noexcept {
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .matrix("M", M, memory.size, memory.size)
                            .status();
  if (status != Status::ok) return status;
  fill_inertia_matrix(model, memory, body_positions(model, q, memory.q), M);
  return Status::ok;
}

}  // namespace

Status try_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept {
  Workspace::Memory& memory = workspace.memory();
  if (run_fast(model, memory, q, M)) return Status::ok;
  return run_checked(model, memory, q, M);
}

void inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M) {
  Workspace::Memory& memory = workspace.memory();
  if (run_fast(model, memory, q, M)) return;
  require(run_checked(model, memory, q, M), memory.problem, model);
}

void fill_inertia_matrix(const Model& model, Workspace::Memory& memory, const double* q,
                         Eigen::Ref<Eigen::MatrixXd> M) noexcept {
  if (4 * memory.size * memory.body_count < memory.ancestor_count) {
    fill_by_columns(model, memory, q, M);
    return;
  }
  over_coordinates(
      model, memory.over_bodies, M,
      [&](double* matrix, std::size_t stride) {
        memory.kernels.inertia_matrix(model.tree(), memory.composite.data(), q, matrix, stride);
      },
      [&](const MimicAccumulator& add) {
        kernel::inertia_matrix<double>(model.tree(), memory.composite.data(), q,
                                       [&](std::size_t i, std::size_t j, double value) {
                                         add(i, j, value);
                                         if (i != j) add(j, i, value);
                                       });
      });
}

}  // namespace dynamics
