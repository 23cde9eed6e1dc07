// SPDX-License-Identifier: Apache-2.0
#pragma once

// Status: the result of functions for control loops, which must not throw.
//
//   if (try_inverse_dynamics(model, workspace, q, qd, qdd, tau) != Status::ok) hold_position();
//
//   const Status status = try_forward_dynamics(model, workspace, q, qd, tau, qdd);
//   if (status != Status::ok) log(to_string(status));          // "singular inertia matrix"
//
// Each function below has a variant try_NAME with the same arguments that returns a Status:
//
//   inverse_dynamics.hpp   inverse_dynamics, gravity_forces, bias_forces, friction_forces,
//                          wrenches_to_joint_torques
//   forward_dynamics.hpp   forward_dynamics
//   inertia_matrix.hpp     inertia_matrix
//   coriolis_matrix.hpp    coriolis_matrix
//   udut.hpp               udut, solve_inertia, inverse_inertia_matrix, decompose_inertia
//   kinematics.hpp         forward_kinematics, frame_pose, frame_velocity, jacobian, jacobian_rate
//   energy.hpp             energy, momentum, center_of_mass_jacobian
//
// A result that NAME returns is the last output argument of try_NAME (before the base motion).
// All of them are noexcept, never allocate, and write no output unless they return Status::ok (one
// exception for large robots: see udut()). NAME calls try_NAME and throws: ArgumentError for the
// statuses from wrong_workspace to wrong_axes, StateError for not_computed and singular.

#include <string_view>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The result of a function that does not throw.
// clang-format off
enum class [[nodiscard]] Status {
  ok,
  wrong_workspace,  ///< the workspace, Kinematics or InertiaFactor was made for another model
  wrong_size,       ///< a vector or matrix of the wrong size, or with a stride
  not_finite,       ///< an argument has a NaN or an infinity
  unknown_frame,    ///< an index outside of Model::frames()
  not_a_rotation,   ///< the base's rotation matrix is not orthogonal
  wrong_axes,       ///< a wrench in other axes than the function takes
  not_computed,     ///< a query before the pass that computes its answer
  singular,         ///< the inertia matrix is singular in this position
};
// clang-format on

/// A few words, such as "not finite".
std::string_view to_string(Status status) noexcept;

}  // namespace dynamics
