// SPDX-License-Identifier: Apache-2.0
// Robots without flexible links and closed loops.
#include <algorithm>

#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/regressor.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "operation.hpp"
#include "results.hpp"

namespace dynamics::python {
namespace {

void copy(const Eigen::VectorXd& values, double* out) {
  std::copy(values.data(), values.data() + values.size(), out);
}

void compute_kinematics(const Call& call, Scratch& scratch, const State& state) {
  const Model& model = call.robot.model();
  const std::size_t n = model.size();
  const ConstVector q(state.in[0], n), qd(state.in[1], n);
  Workspace& workspace = scratch.workspace();
  switch (call.operation) {
    case Operation::pose:
      write_pose(frame_pose(model, workspace, q, call.frame, call.external.base), state.out[0]);
      return;
    case Operation::velocity: {
      Kinematics& kinematics = scratch.kinematics();
      forward_kinematics(model, kinematics, q, qd, call.external.base);
      write_twist(frame_velocity(model, kinematics, call.frame, call.axes), state.out[0]);
      return;
    }
    case Operation::jacobian: {
      ColumnMajor J(scratch, 0, 6, n);
      jacobian(model, workspace, q, call.frame, call.axes, *J);
      J.write_rows(state.out[0]);
      return;
    }
    case Operation::jacobian_rate: {
      ColumnMajor J(scratch, 0, 6, n);
      jacobian_rate(model, workspace, q, qd, call.frame, call.axes, *J);
      J.write_rows(state.out[0]);
      return;
    }
    default: {
      Kinematics& kinematics = scratch.kinematics();
      forward_kinematics(model, kinematics, q, call.external.base);
      write_vector(center_of_mass(model, kinematics), state.out[0]);
      return;
    }
  }
}

void compute_derivatives(const Call& call, Scratch& scratch, const State& state) {
  const Model& model = call.robot.model();
  const std::size_t n = model.size();
  const ConstVector q(state.in[0], n), qd(state.in[1], n), last(state.in[2], n);
  ColumnMajor a(scratch, 0, n, n), b(scratch, 1, n, n), c(scratch, 2, n, n);
  if (call.operation == Operation::inverse_derivatives) {
    inverse_dynamics_derivatives(model, scratch.derivatives(), q, qd, last, *a, *b, call.external);
  } else {
    forward_dynamics_derivatives(model, scratch.derivatives(), q, qd, last, *a, *b, *c,
                                 call.external);
    c.write_rows(state.out[2]);
  }
  a.write_rows(state.out[0]);
  b.write_rows(state.out[1]);
}

}  // namespace

void compute_rigid(const Call& call, Scratch& scratch, const State& state) {
  const Model& model = call.robot.model();
  const std::size_t n = model.size();
  const ConstVector q(state.in[0], n), qd(state.in[1], n), last(state.in[2], n);
  const MutableVector out(state.out[0], n);
  switch (call.operation) {
    case Operation::inverse:
      if (call.algorithm != nullptr) {
        copy(formulations::inverse_dynamics(*call.algorithm, model, q, qd, last, call.external),
             state.out[0]);
      } else {
        inverse_dynamics(model, scratch.workspace(), q, qd, last, out, call.external);
      }
      return;
    case Operation::forward:
      if (call.algorithm != nullptr) {
        copy(formulations::forward_dynamics(*call.algorithm, model, q, qd, last, call.external),
             state.out[0]);
      } else {
        forward_dynamics(model, scratch.workspace(), q, qd, last, out, call.external);
      }
      return;
    case Operation::gravity: gravity_forces(model, scratch.workspace(), q, out); return;
    case Operation::bias:
      bias_forces(model, scratch.workspace(), q, qd, out, call.external);
      return;
    case Operation::friction:
      friction_forces(model, scratch.workspace(), q, out);  // its only input are the velocities
      return;
    case Operation::inertia: {
      ColumnMajor M(scratch, 0, n, n);
      inertia_matrix(model, scratch.workspace(), q, *M);
      M.write_rows(state.out[0]);
      return;
    }
    case Operation::inverse_inertia: {
      ColumnMajor M(scratch, 0, n, n);
      inverse_inertia_matrix(model, scratch.workspace(), q, *M);
      M.write_rows(state.out[0]);
      return;
    }
    case Operation::udut: {
      ColumnMajor U(scratch, 0, n, n);
      udut(model, scratch.workspace(), q, *U, MutableVector(state.out[1], n));
      U.write_rows(state.out[0]);
      return;
    }
    case Operation::coriolis: {
      ColumnMajor C(scratch, 0, n, n);
      coriolis_matrix(model, scratch.workspace(), q, qd, *C, call.coriolis);
      C.write_rows(state.out[0]);
      return;
    }
    case Operation::inverse_derivatives:
    case Operation::forward_derivatives: compute_derivatives(call, scratch, state); return;
    case Operation::regressor: {
      ColumnMajor Y(scratch, 0, n, parameter_count(model));
      regressor(model, scratch.workspace(), q, qd, last, *Y, call.external.base);
      Y.write_rows(state.out[0]);
      return;
    }
    case Operation::energy: {
      const Energy now = energy(model, scratch.workspace(), q, qd, call.external.base);
      state.out[0][0] = now.kinetic;
      state.out[0][1] = now.potential;
      state.out[0][2] = 0.0;
      return;
    }
    case Operation::joint_positions: std::copy(state.in[0], state.in[0] + n, state.out[0]); return;
    default: compute_kinematics(call, scratch, state);
  }
}

}  // namespace dynamics::python
