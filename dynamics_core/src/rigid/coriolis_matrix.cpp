// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/coriolis_matrix.hpp"

#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/coriolis_matrix.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_matrix("C", C.rows(), C.cols(), memory.size, memory.size);
  const double *positions = body_positions(model, q, memory.q),
               *rates = body_rates(model, qd, memory.qd);
  const bool christoffel = kind == CoriolisKind::christoffel;
  over_coordinates(
      model, C,
      [&](double* matrix, std::size_t stride) {
        memory.kernels.coriolis_matrix(model.tree(), memory.coriolis.data(), christoffel, positions,
                                       rates, matrix, stride);
      },
      [&](const Gather& gather) {
        kernel::coriolis_matrix<double>(model.tree(), memory.coriolis.data(), {0.0, 0.0, 0.0},
                                        christoffel, positions, rates, gather);
      });
}

}  // namespace dynamics
