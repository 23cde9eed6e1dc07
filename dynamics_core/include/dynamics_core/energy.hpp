// SPDX-License-Identifier: Apache-2.0
#pragma once

// Energies, momentum, mass centre and power. The base link itself is not counted: it does not move
// by the joints.

#include <Eigen/Core>
#include <optional>

#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Energies of all bodies.
struct Energy {
  double kinetic = 0.0;    ///< rotor inertias included (J)
  double potential = 0.0;  ///< of gravity, zero at the world's origin (J)
  /// The sum of both (J).
  double total() const { return kinetic + potential; }
};
/// Kinetic and potential energy. O(n).
Energy energy(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
              const std::optional<BaseMotion>& base = std::nullopt);

/// Of all moving bodies together, in the world's axes.
struct Momentum {
  double mass = 0.0;                                          ///< of the moving bodies (kg)
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();           ///< mass centre (m)
  Eigen::Vector3d centre_velocity = Eigen::Vector3d::Zero();  ///< (m/s)
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();           ///< (kg m/s)
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();          ///< about the mass centre (kg m^2/s)
};
/// Momentum, center of mass and its velocity. O(n).
Momentum momentum(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                  const std::optional<BaseMotion>& base = std::nullopt);

/// Power supplied and dissipated at the joints.
struct Power {
  double actuators = 0.0;  ///< tau qd: what the joint forces put in (W)
  double friction = 0.0;   ///< what friction takes out, zero or more (W)
};
/// Power at joint velocities qd and joint torques tau. O(n).
Power power(const Model& model, Workspace& workspace, ConstVector qd, ConstVector tau);

}  // namespace dynamics
