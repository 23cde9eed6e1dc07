// SPDX-License-Identifier: Apache-2.0
#include "rigid/recursions/coriolis_matrix.hpp"

#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/coordinate_matrix.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

Status try_coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                           Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const std::size_t n = memory.size;
  const Status status = check_workspace(model, memory)
                            .vector("q", q, n)
                            .vector("qd", qd, n)
                            .matrix("C", C, n, n)
                            .status();
  if (status != Status::ok) return status;
  const double *positions = body_positions(model, q, memory.q),
               *rates = body_rates(model, qd, memory.qd);
  const bool christoffel = kind == CoriolisKind::christoffel;
  over_coordinates(
      model, memory.over_bodies, C,
      [&](double* matrix, std::size_t stride) {
        memory.kernels.coriolis_matrix(model.tree(), memory.coriolis.data(), christoffel, positions,
                                       rates, matrix, stride);
      },
      [&](const MimicAccumulator& add) {
        kernel::coriolis_matrix<double>(model.tree(), memory.coriolis.data(), {0.0, 0.0, 0.0},
                                        christoffel, positions, rates, add);
      });
  return Status::ok;
}

void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind) {
  require(try_coriolis_matrix(model, workspace, q, qd, C, kind), workspace.memory().problem, model);
}

}  // namespace dynamics
