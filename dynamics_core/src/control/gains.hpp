// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointGains: the gains of all joints, from the user's Gains (controllers.hpp).

#include <span>
#include <string>
#include <vector>

#include "dynamics_core/controllers.hpp"

namespace dynamics {

/// Throws ArgumentError for numbers that are negative or not finite, and for gains given twice.
void check_gains(const Gains& gains);

struct JointGains {
  std::vector<double> kp, kd;

  /// Gains for joints with the inertias `inertia`. Throws ArgumentError, naming the list, for one
  /// that has neither one entry nor one per joint.
  JointGains() = default;
  JointGains(const Gains& gains, std::span<const double> inertia);

  /// kp e + kd e' of joint i.
  double feedback(std::size_t i, const ControlInput& now) const {
    return kp[i] * (now.q_ref[i] - now.q[i]) + kd[i] * (now.qd_ref[i] - now.qd[i]);
  }
};

/// "bandwidth 10, damping 1" or "kp 100, kd 20".
std::string to_string(const Gains& gains);

/// One entry for all joints or one per joint; `fallback` if empty. Throws ArgumentError.
std::vector<double> per_joint(const char* name, const std::vector<double>& given,
                              std::size_t joints, double fallback);

}  // namespace dynamics
