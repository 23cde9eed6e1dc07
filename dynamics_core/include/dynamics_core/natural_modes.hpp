// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small vibrations of a robot with flexible links about a configuration. These functions allocate:
// they are for analysis, not for loops in real time.

#include <Eigen/Core>
#include <complex>

#include "dynamics_core/export.hpp"
#include "dynamics_core/flexible_model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

enum class Joints {
  free,    ///< they move, without any torque
  clamped  ///< brakes on: only the beams vibrate
};

struct NaturalModes {
  Eigen::VectorXd frequencies;  ///< ascending (rad/s); of an unstable direction: -|.|
  Eigen::MatrixXd shapes;       ///< column by column over all coordinates, x^T M x = 1
};

/// K x = w^2 M x at rest in q, with K the second derivative of gravity's and strain's energy (the
/// forces that hold q still are taken as constant). Damping is left out.
NaturalModes natural_modes(const FlexibleModel& model, ConstVector q, Joints joints);

/// Eigenvalues of the amplitudes' linear equations while the joints turn at the constant rates
/// `joint_qd` (one entry a joint): M x'' + (dF/dx') x' + (dF/dx) x = 0 with the centrifugal and
/// gyroscopic terms of that motion and the beams' damping. Sorted by the size of the imaginary
/// part. The spinning beam: what centrifugal stiffening is for.
Eigen::VectorXcd spinning_eigenvalues(const FlexibleModel& model, ConstVector q,
                                      ConstVector joint_qd);

/// The amplitudes at which the beams rest under gravity while the joints stand at q: q with its
/// amplitudes replaced. Throws ArgumentError where Newton's method finds none.
Eigen::VectorXd static_deflection(const FlexibleModel& model, ConstVector q);

}  // namespace dynamics
