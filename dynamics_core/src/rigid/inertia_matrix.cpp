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

}  // namespace

Status try_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                          // NOLINTNEXTLINE(performance-unnecessary-value-param): a view
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .matrix("M", M, memory.size, memory.size)
                            .status();
  if (status != Status::ok) return status;
  fill_inertia_matrix(model, memory, body_positions(model, q, memory.q), M);
  return Status::ok;
}

void inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M) {
  require(try_inertia_matrix(model, workspace, q, M), workspace.memory().problem, model);
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
