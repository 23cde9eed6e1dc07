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
  CoordinateMatrix out(model, M);
  kernel::inertia_matrix<double>(model.tree(), memory.composite.data(), q,
                                 [&](std::size_t i, std::size_t j, double value) {
                                   out.add(i, j, value);
                                   if (i != j) out.add(j, i, value);
                                 });
}

}  // namespace dynamics
