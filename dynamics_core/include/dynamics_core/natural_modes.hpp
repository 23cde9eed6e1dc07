// SPDX-License-Identifier: Apache-2.0
#pragma once

// Natural modes: small vibrations of a robot with flexible links about a configuration.
//
//   const auto modes = dynamics::natural_modes(arm, q, dynamics::Joints::clamped);
//   const double lowest = modes.frequencies[0];  // rad/s
//
// q has one entry per coordinate of the model. These functions allocate and solve eigenvalue
// problems in O(n^3): they are for analysis, not for real-time loops. Errors: ArgumentError for
// wrong sizes, StateError for a singular inertia matrix.

#include <Eigen/Core>
#include <complex>

#include "dynamics_core/export.hpp"
#include "dynamics_core/flexible_model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// What the joints do while the beams vibrate.
enum class Joints {
  free,    ///< the joints move without torque
  clamped  ///< the joints are locked: only the beams vibrate
};

/// Natural frequencies and mode shapes.
struct NaturalModes {
  Eigen::VectorXd frequencies;  ///< ascending (rad/s); negative where w^2 < 0 (unstable)
  Eigen::MatrixXd shapes;       ///< one column per mode, one row per coordinate; x^T M x = 1
};

/// Solves K x = w^2 M x at rest in q, with K the Hessian of gravity and strain energy. The forces
/// that keep the robot at q are taken as constant; damping is neglected.
NaturalModes natural_modes(const FlexibleModel& model, ConstVector q, Joints joints);

/// Eigenvalues of the linearized equations of the amplitudes at constant joint velocities
/// `joint_qd` (one entry per joint): M x'' + (dF/dx') x' + (dF/dx) x = 0, F being the bias forces
/// with centrifugal, gyroscopic and damping terms. Sorted by the magnitude of the imaginary part.
/// Example: the spinning beam with centrifugal stiffening.
Eigen::VectorXcd spinning_eigenvalues(const FlexibleModel& model, ConstVector q,
                                      ConstVector joint_qd);

/// Static deflection under gravity with the joints fixed: q with its amplitudes replaced by those
/// of the equilibrium. Throws ArgumentError if Newton's method does not converge.
Eigen::VectorXd static_deflection(const FlexibleModel& model, ConstVector q);

}  // namespace dynamics
