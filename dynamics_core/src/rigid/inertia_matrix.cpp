// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/inertia_matrix.hpp"

#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// Few coordinates, long chains of joints that follow them: a column is what one acceleration takes
/// (Walker and Orin 1982, method 1), in O(bodies).
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

void inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                    // NOLINTNEXTLINE(performance-unnecessary-value-param): a view
                    Eigen::Ref<Eigen::MatrixXd> M) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_matrix("M", M.rows(), M.cols(), memory.size, memory.size);
  fill_inertia_matrix(model, memory, body_positions(model, q, memory.q), M);
}

void fill_inertia_matrix(const Model& model, Workspace::Memory& memory, const double* q,
                         Eigen::Ref<Eigen::MatrixXd> M) {
  if (4 * memory.size * memory.body_count < memory.ancestor_count) {
    fill_by_columns(model, memory, q, M);
    return;
  }
  over_coordinates(
      model, M,
      [&](double* matrix, std::size_t stride) {
        memory.kernels.inertia_matrix(model.tree(), memory.composite.data(), q, matrix, stride);
      },
      [&](const Gather& gather) {
        kernel::inertia_matrix<double>(model.tree(), memory.composite.data(), q,
                                       [&](std::size_t i, std::size_t j, double value) {
                                         gather(i, j, value);
                                         if (i != j) gather(j, i, value);
                                       });
      });
}

}  // namespace dynamics
