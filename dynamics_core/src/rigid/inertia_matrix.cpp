// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/rigid/inertia_matrix.hpp"

#include "coordinate_matrix.hpp"
#include "workspace_memory.hpp"

namespace dynamics {

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
  over_coordinates(model, memory, M, [&](double* matrix, std::size_t stride) {
    memory.kernels.inertia_matrix(model.tree(), memory.composite.data(), q, matrix, stride);
  });
}

}  // namespace dynamics
