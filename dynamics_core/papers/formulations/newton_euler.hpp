// SPDX-License-Identifier: Apache-2.0
#pragma once

// Newton-Euler (Turney 1980, section 3, after Luh, Walker and Paul): O(n), link frames, everything
// about mass centres. Prismatic joints as Luh et al. add them. As in the paper's Table 3, whose
// rows are this file's lines, omega x (omega x .) + alpha x . is one matrix A_i.

#include <vector>

#include "papers/formulations/serial_arm.hpp"

namespace dynamics::formulations {

template <class S>
std::vector<S> newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                            const std::vector<S>& qdd) {
  using Vec = Vec3<S>;
  using Ledger = counting::Ledger<S>;
  const std::size_t n = arm.links.size();
  std::vector<Vec> force(n), moment(n);  // m_i a_bar_i, and I_i alpha_i + omega_i x I_i omega_i
  Vec omega = arm.omega_0, alpha = arm.alpha_0, a = arm.a_0;
  for (std::size_t i = 0; i < n; ++i) {
    const SerialLink<S>& link = arm.links[i];
    Vec a_previous = a;
    if (link.prismatic) {
      Ledger::line("a_i");
      const S twice = qd[i] + qd[i];  // 2 omega x z d' + z d''
      a_previous.x = a_previous.x + twice * omega.y;
      a_previous.y = a_previous.y - twice * omega.x;
      a_previous.z = a_previous.z + qdd[i];
    } else {
      Ledger::line("alpha_i");  // (3.16), with omega_{i-1}
      alpha.x = alpha.x + omega.y * qd[i];
      alpha.y = alpha.y - omega.x * qd[i];
      alpha.z = alpha.z + qdd[i];
      Ledger::line("omega_i");
      omega.z = omega.z + qd[i];
    }
    Ledger::line("alpha_i");
    alpha = link.from_previous(alpha);
    Ledger::line("omega_i");
    omega = link.from_previous(omega);  // (3.15)
    Ledger::line("A_i");
    const Mat3<S> A = acceleration_matrix(omega, alpha);
    Ledger::line("a_i");
    a = A * link.r + link.from_previous(a_previous);  // (3.17)
    Ledger::line("a_bar_i");
    const Vec a_bar = A * link.r_bar + a;  // (3.18), with r_bar
    Ledger::line("f_i");
    force[i] = link.mass * a_bar;
    Ledger::line("I_i alpha_i");
    const Vec turning = link.inertia * alpha;
    Ledger::line("omega_i x (I_i omega_i)");
    const Vec gyroscopic = cross(omega, link.inertia * omega);
    Ledger::line("add n");
    moment[i] = turning + gyroscopic;
  }

  std::vector<S> tau(n);
  Vec f, m;
  for (std::size_t i = n; i-- > 0;) {
    const SerialLink<S>& link = arm.links[i];
    // (3.20) before (3.19): it takes f_{i+1}
    Ledger::line("m (r_i + r_bar_i) x a_bar_i");
    const Vec own = cross(link.r_centre, force[i]);
    Ledger::line("add n");
    const Vec own_moment = moment[i] + own;
    if (i + 1 == n) {
      f = force[i];
      m = own_moment;
    } else {
      const SerialLink<S>& next = arm.links[i + 1];
      Ledger::line("f_i");
      const Vec transmitted = next.to_previous(f);
      f = force[i] + transmitted;
      Ledger::line("r_i x R f_{i+1}");
      const Vec lever = cross(link.r, transmitted);
      Ledger::line("R n_{i+1}");
      m = next.to_previous(m);
      Ledger::line("add n");
      m = own_moment + lever + m;
    }
    if (!arm.wrenches.empty()) {
      f -= arm.wrenches[i].force;
      m -= arm.wrenches[i].moment;
    }
    Ledger::line("tau_i");
    tau[i] = link.along_joint(link.prismatic ? f : m);  // (3.21)
    if (link.rotor_inertia != 0.0) tau[i] = tau[i] + link.rotor_inertia * qdd[i];
  }
  return tau;
}

}  // namespace dynamics::formulations
