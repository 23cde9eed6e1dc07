// SPDX-License-Identifier: Apache-2.0
#pragma once

// The regressor Y: joint torques are linear in the inertial parameters of the bodies, tau = Y pi.
// Base parameters: the combinations of these parameters that motions of the robot can identify.
//
//   const Eigen::MatrixXd Y = dynamics::regressor(model, q, qd, qdd);
//   const Eigen::VectorXd tau = Y * dynamics::parameters(model);  // as inverse_dynamics()

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// Of each body, in its frame (Body::axes) and about its origin, in this order.
enum class InertialParameter { mass, hx, hy, hz, xx, xy, xz, yy, yz, zz };

/// Ten for each body: mass, mass times center, tensor about the origin; then one for each body:
/// damping; one for each: Coulomb friction; one for each: rotor inertia.
std::size_t parameter_count(const Model& model);
std::vector<std::string> parameter_names(const Model& model);
Eigen::VectorXd parameters(const Model& model);

/// Y, n x parameter_count(): inverse_dynamics(q, qd, qdd) = Y parameters(), for the model's gravity
/// and the given base motion, no wrenches. O(n d), d the depth of the tree. Does not allocate.
/// Throws ArgumentError for bad arguments.
void regressor(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
               ConstVector qdd, Eigen::Ref<Eigen::MatrixXd> Y,
               const std::optional<BaseMotion>& base = std::nullopt);
Status try_regressor(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     ConstVector qdd, Eigen::Ref<Eigen::MatrixXd> Y,
                     const std::optional<BaseMotion>& base = std::nullopt) noexcept;
/// The same for a single answer: allocates Y and a workspace.
Eigen::MatrixXd regressor(const Model& model, ConstVector q, ConstVector qd, ConstVector qdd,
                          const std::optional<BaseMotion>& base = std::nullopt);

/// Which inertial parameters (friction and rotors aside) the joint forces depend on.
struct BaseParameters {
  std::size_t count = 0;             ///< the rank of Y over all motions
  std::vector<std::size_t> columns;  ///< of Y: an independent set of that many
  /// count x columns of Y: the base parameters are combination * parameters().
  Eigen::MatrixXd combination;
};

/// By a rank-revealing QR decomposition of Y, scaled columns, over `samples` random states.
BaseParameters base_parameters(const Model& model, std::size_t samples = 60);

}  // namespace dynamics
#pragma GCC visibility pop
