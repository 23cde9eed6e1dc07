// SPDX-License-Identifier: Apache-2.0
#pragma once

// Energy, momentum, center of mass and power of the moving bodies. The base link is not counted.
//
//   dynamics::forward_kinematics(model, kinematics, q, qd);              // see kinematics.hpp
//   Eigen::Vector3d center = dynamics::center_of_mass(model, kinematics);
//   dynamics::center_of_mass_jacobian(model, kinematics, J);             // 3 x n
//   // center_of_mass_velocity() = J qd, momentum().linear = mass J qd for a base at rest
//
// All vectors are in the world's axes. The functions that take a Workspace and q (and qd) instead
// of a Kinematics are for a single answer. Arguments and errors as in kinematics.hpp; nothing is
// allocated. For try_NAME see error.hpp.

#include <Eigen/Core>
#include <optional>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

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
Status try_energy(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                  Energy& energy, const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// Sums over all moving bodies.
struct Momentum {
  double mass = 0.0;                                          ///< (kg)
  Eigen::Vector3d center = Eigen::Vector3d::Zero();           ///< center of mass (m)
  Eigen::Vector3d center_velocity = Eigen::Vector3d::Zero();  ///< (m/s)
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();           ///< (kg m/s)
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();  ///< about the center of mass (kg m^2/s)
};
/// Momentum, center of mass and its velocity, after a pass with q and qd. O(n).
Momentum momentum(const Model& model, const Kinematics& kinematics);
/// The same in one call.
Momentum momentum(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                  const std::optional<BaseMotion>& base = std::nullopt);
Status try_momentum(const Model& model, const Kinematics& kinematics, Momentum& momentum) noexcept;
Status try_momentum(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                    Momentum& momentum,
                    const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// c = sum(m_i c_i) / sum(m_i) (m), after a pass with q; zero for a robot without moving mass.
/// O(n).
Eigen::Vector3d center_of_mass(const Model& model, const Kinematics& kinematics);
Status try_center_of_mass(const Model& model, const Kinematics& kinematics,
                          Eigen::Vector3d& center) noexcept;
/// dc/dt (m/s), after a pass with q and qd. O(n).
Eigen::Vector3d center_of_mass_velocity(const Model& model, const Kinematics& kinematics);
Status try_center_of_mass_velocity(const Model& model, const Kinematics& kinematics,
                                   Eigen::Vector3d& velocity) noexcept;

/// The 3 x n Jacobian J of the center of mass: dc/dt = J qd for a base at rest. After a pass with
/// q. O(n d), d the depth of the tree.
void center_of_mass_jacobian(const Model& model, const Kinematics& kinematics,
                             Eigen::Ref<Eigen::MatrixXd> J);
void center_of_mass_jacobian(const Model& model, Workspace& workspace, ConstVector q,
                             Eigen::Ref<Eigen::MatrixXd> J);
Status try_center_of_mass_jacobian(const Model& model, const Kinematics& kinematics,
                                   Eigen::Ref<Eigen::MatrixXd> J) noexcept;
Status try_center_of_mass_jacobian(const Model& model, Workspace& workspace, ConstVector q,
                                   Eigen::Ref<Eigen::MatrixXd> J) noexcept;

/// Power supplied and dissipated at the joints.
struct Power {
  double actuators = 0.0;  ///< tau . qd, the power that the actuators supply (W)
  double friction = 0.0;   ///< the power that friction dissipates, zero or more (W)
};
/// Power at joint velocities qd and joint torques tau. O(n).
Power power(const Model& model, Workspace& workspace, ConstVector qd, ConstVector tau);
Status try_power(const Model& model, Workspace& workspace, ConstVector qd, ConstVector tau,
                 Power& power) noexcept;

}  // namespace dynamics
#pragma GCC visibility pop
