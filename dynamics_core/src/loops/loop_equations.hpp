// SPDX-License-Identifier: Apache-2.0
#pragma once

// The constraint equations of a cluster, phi(q) = 0, with phi' = G qd and phi'' = G qdd + gamma.
// Columns of G are scaled: joint positions in rad, or in units of the mechanism's length.

#include <Eigen/Core>

#include "loops/mechanism_data.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// phi, after world_motion() with q. `q`: joint positions of all bodies.
void loop_errors(const Mechanism::Data& data, const LoopCluster& cluster,
                 const Kinematics::Memory& motion, const double* q,
                 Eigen::Ref<Eigen::VectorXd> phi) noexcept;

/// True if the frames of fixed and prismatic constraints have the same orientation: their equations
/// hold for opposite directions too. A revolute or planar constraint has an axis without direction.
bool directions_agree(const Mechanism::Data& data, const LoopCluster& cluster,
                      const Kinematics::Memory& motion) noexcept;

/// G, rows x bodies, after world_motion() with q. Writes the entries of loop_pattern() only; the
/// others must be zero.
void loop_jacobian(const Mechanism::Data& data, const LoopCluster& cluster,
                   const Kinematics::Memory& motion, Eigen::Ref<Eigen::MatrixXd> G) noexcept;

/// The entries of G that are not zero in all positions, column by column.
std::vector<bool> loop_pattern(const Mechanism::Data& data, const LoopCluster& cluster);

/// gamma, after world_motion() with q, qd and zero accelerations.
void loop_bias(const Mechanism::Data& data, const LoopCluster& cluster,
               const Kinematics::Memory& motion, Eigen::Ref<Eigen::VectorXd> gamma) noexcept;

/// The wrench on body B, about its point, in the world's axes, of multipliers of the rows of one
/// constraint: the power of the wrench is lambda^T phi'.
Wrench constraint_wrench(const Mechanism::Data& data, const LoopConstraint& constraint,
                         const Kinematics::Memory& motion,
                         const Eigen::Ref<const Eigen::VectorXd>& lambda) noexcept;

/// Position of point B of a constraint in the world.
Eigen::Vector3d point_b_in_world(const LoopConstraint& constraint,
                                 const Kinematics::Memory& motion) noexcept;

}  // namespace dynamics
