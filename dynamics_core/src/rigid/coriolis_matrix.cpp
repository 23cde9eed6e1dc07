// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/rigid/coriolis_matrix.hpp"

#include "coordinate_matrix.hpp"
#include "workspace_memory.hpp"

namespace dynamics {

void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_matrix("C", C.rows(), C.cols(), memory.size, memory.size);
  CoordinateMatrix out(model, C);
  kernel::coriolis_matrix<double>(
      model.tree(), memory.coriolis.data(), {0.0, 0.0, 0.0}, kind == CoriolisKind::christoffel,
      body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
      [&](std::size_t i, std::size_t j, double value) { out.add(i, j, value); });
}

}  // namespace dynamics
