// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <dynamics_core/energy.hpp>
#include <dynamics_core/external_inputs.hpp>
#include <vector>

#include "robot.hpp"

namespace dynamics_ros {

/// The terms of M qdd + C qd + g + friction = tau in one state.
struct DynamicsTerms {
  std::vector<std::size_t> coordinates;  ///< of rows, columns and entries
  Eigen::MatrixXd inertia, coriolis, jacobian;
  std::vector<double> gravity, friction;
  dynamics::Energy energy;
  Eigen::Vector3d center_of_mass;
};

/// The terms at q and qd, in model order, for these coordinates in this order; of a mechanism for
/// the independent ones among them, and q and qd close the loops. Throws Fault if a term is not
/// finite, StateError in singular positions of the loops.
DynamicsTerms terms_at(const Robot& robot, const std::vector<double>& q,
                       const std::vector<double>& qd, const std::vector<std::size_t>& coordinates,
                       std::size_t frame, dynamics::Axes axes);

}  // namespace dynamics_ros
