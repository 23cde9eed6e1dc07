// SPDX-License-Identifier: Apache-2.0
// Robots with flexible links. Inputs with one entry per joint have amplitudes of zero.
#include <algorithm>

#include "dynamics_core/error.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "operation.hpp"
#include "results.hpp"

namespace dynamics::python {
namespace {

/// Input `index` with one entry per coordinate.
ConstVector full(const Call& call, Scratch& scratch, const State& state, std::size_t index) {
  const std::size_t n = call.robot.size();
  if (call.widths[index] == n || call.widths[index] == 0) return {state.in[index], n};
  std::vector<double>& vector = scratch.vectors[index];
  vector.assign(state.in[index], state.in[index] + call.widths[index]);
  vector.resize(n, 0.0);
  return vector;
}

}  // namespace

void compute_flexible(const Call& call, Scratch& scratch, const State& state) {
  const FlexibleModel& model = *call.robot.flexible();
  FlexibleWorkspace& workspace = scratch.flexible();
  const std::size_t n = model.size(), joints = model.joint_count();
  const ConstVector q = full(call, scratch, state, 0), qd = full(call, scratch, state, 1);
  const MutableVector out(state.out[0], n);
  const bool friction = call.external.friction;
  if (call.external.base) {
    throw ArgumentError("base",
                        "is not supported for robots with flexible links: load the robot "
                        "with rigid=True");
  }
  // J^T w of the wrenches
  std::vector<double>& forces = scratch.vectors[3];
  forces.assign(n, 0.0);
  if (!call.wrenches.empty()) wrenches_to_joint_torques(model, workspace, q, call.wrenches, forces);
  switch (call.operation) {
    case Operation::inverse: {
      if (call.widths[2] == n) {
        inverse_dynamics(model, workspace, q, qd, ConstVector(state.in[2], n), out, friction);
        for (std::size_t i = 0; i < n; ++i) state.out[0][i] -= forces[i];
        return;
      }
      std::vector<double>& amplitudes = scratch.vectors[4];
      amplitudes.resize(n - joints);
      joint_torques(model, workspace, q, qd, ConstVector(state.in[2], joints),
                    MutableVector(state.out[0], joints), amplitudes, friction,
                    ConstVector(forces.data() + joints, amplitudes.size()));
      for (std::size_t i = 0; i < joints; ++i) state.out[0][i] -= forces[i];
      return;
    }
    case Operation::forward: {
      const std::size_t width = call.widths[2] == 0 ? joints : call.widths[2];
      for (std::size_t i = 0; i < width; ++i) forces[i] += state.in[2][i];
      if (call.cholesky) {
        forward_dynamics_cholesky(model, workspace, q, qd, forces, out, friction);
      } else {
        forward_dynamics(model, workspace, q, qd, forces, out, friction);
      }
      return;
    }
    case Operation::gravity: static_forces(model, workspace, q, out); return;
    case Operation::bias:
      bias_forces(model, workspace, q, qd, out, friction);
      for (std::size_t i = 0; i < n; ++i) state.out[0][i] -= forces[i];
      return;
    case Operation::inertia: {
      ColumnMajor M(scratch, 0, n, n);
      inertia_matrix(model, workspace, q, *M);
      M.write_rows(state.out[0]);
      return;
    }
    case Operation::energy: {
      const FlexibleEnergy now = energy(model, workspace, q, qd);
      state.out[0][0] = now.kinetic;
      state.out[0][1] = now.potential;
      state.out[0][2] = now.strain;
      return;
    }
    case Operation::pose:
      write_pose(frame_pose(model, workspace, q, call.frame), state.out[0]);
      return;
    case Operation::center_of_mass:
      write_vector(center_of_mass(model, workspace, q), state.out[0]);
      return;
    default: std::copy(state.in[0], state.in[0] + joints, state.out[0]);  // joint_positions
  }
}

}  // namespace dynamics::python
