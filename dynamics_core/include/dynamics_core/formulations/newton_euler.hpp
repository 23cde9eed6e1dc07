// SPDX-License-Identifier: Apache-2.0
#pragma once

// Newton-Euler (Turney 1980, section 3, after Luh, Walker and Paul): O(n), link frames, everything
// about mass centres. Prismatic joints as Luh et al. add them.

#include <vector>

#include "dynamics_core/formulations/serial_arm.hpp"

namespace dynamics::formulations {

template <class S>
std::vector<S> newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                            const std::vector<S>& qdd) {
  using kernel::cross;
  using Vec = kernel::Vec3<S>;
  const std::size_t n = arm.links.size();
  std::vector<Vec> force(n), moment(n);  // m_i a_bar_i, and I_i alpha_i + omega_i x I_i omega_i
  Vec omega = arm.omega_0, alpha = arm.alpha_0, a = arm.a_0;
  for (std::size_t i = 0; i < n; ++i) {
    const SerialLink<S>& link = arm.links[i];
    Vec a_previous = a;
    if (link.prismatic) {
      const S twice = qd[i] + qd[i];  // 2 omega x z d' + z d''
      a_previous.x = a_previous.x + twice * omega.y;
      a_previous.y = a_previous.y - twice * omega.x;
      a_previous.z = a_previous.z + qdd[i];
      omega = link.from_previous(omega);
      alpha = link.from_previous(alpha);
    } else {
      // (3.16), with omega_{i-1}
      alpha.x = alpha.x + omega.y * qd[i];
      alpha.y = alpha.y - omega.x * qd[i];
      alpha.z = alpha.z + qdd[i];
      alpha = link.from_previous(alpha);
      omega.z = omega.z + qd[i];
      omega = link.from_previous(omega);  // (3.15)
    }
    // (3.17)
    a = cross(omega, cross(omega, link.r)) + cross(alpha, link.r) + link.from_previous(a_previous);
    // (3.18), with r_bar
    const Vec a_bar = cross(omega, cross(omega, link.r_bar)) + cross(alpha, link.r_bar) + a;
    force[i] = link.mass * a_bar;
    moment[i] = link.inertia * alpha + cross(omega, link.inertia * omega);
  }

  std::vector<S> tau(n);
  const S zero(0.0);
  Vec f = {zero, zero, zero}, m = {zero, zero, zero};  // f_{n+1}, n_{n+1}
  for (std::size_t i = n; i-- > 0;) {
    const SerialLink<S>& link = arm.links[i];
    if (i + 1 < n) {
      f = arm.links[i + 1].to_previous(f);
      m = arm.links[i + 1].to_previous(m);
    }
    const Vec arm_to_centre = {link.r.x + link.r_bar.x, link.r.y + link.r_bar.y,
                               link.r.z + link.r_bar.z};
    // (3.20) before (3.19): it takes f_{i+1}
    m = moment[i] + cross(arm_to_centre, force[i]) + cross(link.r, f) + m;
    f = force[i] + f;
    if (!arm.wrenches.empty()) {
      f -= arm.wrenches[i].force;
      m -= arm.wrenches[i].moment;
    }
    tau[i] = link.along_joint(link.prismatic ? f : m);  // (3.21)
    if (link.rotor_inertia != 0.0) tau[i] = tau[i] + link.rotor_inertia * qdd[i];
  }
  return tau;
}

}  // namespace dynamics::formulations
