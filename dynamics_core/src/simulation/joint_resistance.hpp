// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointResistance: damping and Coulomb friction by coordinate, mimic joints included.

#include <cmath>
#include <span>
#include <vector>

#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {

struct JointResistance {
  std::vector<double> damping;   ///< (N m s/rad or N s/m)
  std::vector<double> friction;  ///< Coulomb (N m or N)

  explicit JointResistance(const Model& model)
      : damping(model.size(), 0.0), friction(model.size(), 0.0) {
    for (const Body& body : model.bodies()) {
      damping[body.coordinate] += body.multiplier * body.multiplier * body.damping;
      friction[body.coordinate] += std::abs(body.multiplier) * body.friction;
    }
  }

  /// tau minus the damping forces, in `result`. Vectors that are too short are left to the function
  /// that gets them, which names them: then the result is tau.
  ConstVector without_damping(ConstVector qd, ConstVector tau, std::span<double> result) const {
    if (tau.size() != damping.size() || qd.size() < damping.size()) return tau;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = tau[i] - damping[i] * qd[i];
    return result;
  }

  /// Power that damping dissipates (W).
  double damping_power(ConstVector qd) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < damping.size(); ++i) sum += damping[i] * qd[i] * qd[i];
    return sum;
  }
};

}  // namespace dynamics
