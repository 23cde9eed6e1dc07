// SPDX-License-Identifier: Apache-2.0
// Robots with closed loops. Inputs have one entry per independent joint, then the loops are closed
// on the branch of the start; or one per joint of the tree, which must close the loops.
#include <fmt/format.h>

#include <algorithm>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/kinematics.hpp"
#include "operation.hpp"
#include "results.hpp"

namespace dynamics::python {
namespace {

using Vector = std::vector<double>;

/// The positions of all joints.
void close_positions(const Call& call, Scratch& scratch, const State& state, Vector& q) {
  const Mechanism& mechanism = *call.robot.mechanism();
  MechanismWorkspace& workspace = scratch.mechanism();
  const std::size_t joints = mechanism.tree().size();
  q.assign(mechanism.start().begin(), mechanism.start().end());
  if (call.widths[0] == 0) return;
  if (call.widths[0] != joints) {
    close_loops(mechanism, workspace, mechanism.start(), ConstVector(state.in[0], mechanism.size()),
                q);
    return;
  }
  std::copy(state.in[0], state.in[0] + joints, q.begin());
  const double error = loop_error(mechanism, workspace, q);
  if (!(error <= 1e-6)) {
    throw ArgumentError(
        "q", fmt::format("does not close the loops: the error is {:.3g} of the mechanism's size "
                         "and 1e-6 is allowed; give the independent joints only",
                         error));
  }
  project_on_loops(mechanism, workspace, q);
}

/// Of the independent joints, on all joints; the others are zero.
void spread(const Mechanism& mechanism, const double* values, Vector& all) {
  all.assign(mechanism.tree().size(), 0.0);
  for (std::size_t i = 0; i < mechanism.size(); ++i) all[mechanism.independent()[i]] = values[i];
}

void close_rates(const Call& call, Scratch& scratch, const State& state, Vector& q, Vector& qd) {
  const Mechanism& mechanism = *call.robot.mechanism();
  const std::size_t joints = mechanism.tree().size();
  if (call.widths[1] == joints && joints != mechanism.size()) {
    qd.assign(state.in[1], state.in[1] + joints);
    project_on_loops(mechanism, scratch.mechanism(), q, qd);
  } else {
    spread(mechanism, state.in[1], qd);
    close_velocities(mechanism, scratch.mechanism(), q, qd);
  }
}

/// qdd or tau of all joints.
void spread_last(const Call& call, const State& state, Vector& all) {
  const Mechanism& mechanism = *call.robot.mechanism();
  const std::size_t joints = mechanism.tree().size();
  if (call.widths[2] == joints && joints != mechanism.size()) {
    all.assign(state.in[2], state.in[2] + joints);
  } else {
    spread(mechanism, state.in[2], all);
  }
}

}  // namespace

void compute_loops(const Call& call, Scratch& scratch, const State& state) {
  const Mechanism& mechanism = *call.robot.mechanism();
  MechanismWorkspace& workspace = scratch.mechanism();
  const Model& tree = mechanism.tree();
  const std::size_t d = mechanism.size(), joints = tree.size();
  Vector &q = scratch.vectors[0], &qd = scratch.vectors[1], &last = scratch.vectors[2];
  Vector& result = scratch.vectors[3];
  const MutableVector out(state.out[0], d);
  close_positions(call, scratch, state, q);
  switch (call.operation) {
    case Operation::inverse:
      close_rates(call, scratch, state, q, qd);
      spread_last(call, state, last);
      close_accelerations(mechanism, workspace, q, qd, last);
      inverse_dynamics(mechanism, workspace, q, qd, last, out, call.external);
      return;
    case Operation::forward:
      close_rates(call, scratch, state, q, qd);
      spread_last(call, state, last);
      result.resize(joints);
      forward_dynamics(mechanism, workspace, q, qd, last, result, call.external);
      for (std::size_t i = 0; i < d; ++i) state.out[0][i] = result[mechanism.independent()[i]];
      return;
    case Operation::gravity: gravity_forces(mechanism, workspace, q, out); return;
    case Operation::bias:
      close_rates(call, scratch, state, q, qd);
      last.assign(joints, 0.0);
      close_accelerations(mechanism, workspace, q, qd, last);
      inverse_dynamics(mechanism, workspace, q, qd, last, out, call.external);
      return;
    case Operation::inertia: {
      ColumnMajor M(scratch, 0, d, d);
      inertia_matrix(mechanism, workspace, q, *M);
      M.write_rows(state.out[0]);
      return;
    }
    case Operation::coriolis: {
      close_rates(call, scratch, state, q, qd);
      ColumnMajor C(scratch, 0, d, d);
      coriolis_matrix(mechanism, workspace, q, qd, *C);
      C.write_rows(state.out[0]);
      return;
    }
    case Operation::energy: {
      close_rates(call, scratch, state, q, qd);
      const Energy now = energy(mechanism, workspace, q, qd);
      state.out[0][0] = now.kinetic;
      state.out[0][1] = now.potential;
      state.out[0][2] = 0.0;
      return;
    }
    case Operation::pose:
      write_pose(frame_pose(tree, tree_workspace(workspace), q, call.frame, call.external.base),
                 state.out[0]);
      return;
    case Operation::velocity: {
      close_rates(call, scratch, state, q, qd);
      Kinematics& kinematics = scratch.kinematics();
      forward_kinematics(tree, kinematics, q, qd, call.external.base);
      write_twist(frame_velocity(tree, kinematics, call.frame, call.axes), state.out[0]);
      return;
    }
    case Operation::jacobian: {
      // one column per independent joint: the velocity of the frame for its unit velocity
      ColumnMajor J(scratch, 0, 6, joints), independent(scratch, 1, 6, d);
      jacobian(tree, tree_workspace(workspace), q, call.frame, call.axes, *J);
      for (std::size_t i = 0; i < d; ++i) {
        qd.assign(joints, 0.0);
        qd[mechanism.independent()[i]] = 1.0;
        close_velocities(mechanism, workspace, q, qd);
        (*independent).col(static_cast<Eigen::Index>(i)) =
            *J * Eigen::Map<const Eigen::VectorXd>(qd.data(), static_cast<Eigen::Index>(joints));
      }
      independent.write_rows(state.out[0]);
      return;
    }
    case Operation::center_of_mass: {
      Kinematics& kinematics = scratch.kinematics();
      forward_kinematics(tree, kinematics, q, call.external.base);
      write_vector(center_of_mass(tree, kinematics), state.out[0]);
      return;
    }
    default: std::copy(q.begin(), q.end(), state.out[0]);  // joint_positions
  }
}

}  // namespace dynamics::python
