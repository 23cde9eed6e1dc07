// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointResistance: damping and Coulomb friction by coordinate, mimic joints included.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {

struct JointResistance {
  std::vector<double> damping;   ///< (N m s/rad or N s/m)
  std::vector<double> friction;  ///< Coulomb (N m or N)
  bool damped = false;           ///< some damping is not zero

  explicit JointResistance(const Model& model)
      : damping(model.size(), 0.0), friction(model.size(), 0.0) {
    for (const Body& body : model.bodies()) {
      damping[body.coordinate] += body.multiplier * body.multiplier * body.damping;
      friction[body.coordinate] += std::abs(body.multiplier) * body.friction;
      damped = damped || body.damping != 0.0;
    }
  }

  /// tau minus the damping forces, in `result`. Entries of tau behind those of the joints are
  /// copied. Vectors of another size than one per joint or that of `result` are left to the
  /// function that gets them, which names them: then the result is tau.
  ConstVector without_damping(ConstVector qd, ConstVector tau, std::span<double> result) const {
    const std::size_t joints = damping.size();
    if (!damped || (tau.size() != joints && tau.size() != result.size()) || qd.size() < joints)
      return tau;
    std::copy(tau.begin(), tau.end(), result.begin());
    for (std::size_t i = 0; i < joints; ++i) result[i] -= damping[i] * qd[i];
    return result.first(tau.size());
  }

  /// Adds the damping forces to `tau`.
  void add_damping(ConstVector qd, MutableVector tau) const {
    if (!damped) return;
    for (std::size_t i = 0; i < damping.size(); ++i) tau[i] += damping[i] * qd[i];
  }

  /// Adds the damping coefficients to the diagonal of D.
  void add_damping(Eigen::Ref<Eigen::MatrixXd> D) const {
    for (std::size_t i = 0; i < damping.size(); ++i)
      D(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) += damping[i];
  }

  /// Power that damping dissipates (W).
  double damping_power(ConstVector qd) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < damping.size(); ++i) sum += damping[i] * qd[i] * qd[i];
    return sum;
  }
};

}  // namespace dynamics
