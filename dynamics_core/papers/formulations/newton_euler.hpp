// SPDX-License-Identifier: Apache-2.0
#pragma once

// Newton-Euler equations (Turney 1980, section 3, after Luh, Walker and Paul) in link frames and
// about mass centers, with prismatic joints as in Luh et al. As in the paper's Table 3, whose rows
// are the counted lines, A_i b = omega x (omega x b) + alpha x b.

#include <vector>

#include "papers/formulations/serial_arm.hpp"

namespace dynamics::formulations {

/// tau for the velocities qd and accelerations qdd.
/// Cost for n general revolute joints: 107n - 22 multiplications, 88n - 20 additions.
template <class S>
std::vector<S> newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                            const std::vector<S>& qdd) {
  using Vec = Vec3<S>;
  using LineCounter = counting::LineCounter<S>;
  const std::size_t n = arm.links.size();
  std::vector<Vec> force(n), torque(n);  // m_i a_bar_i, and I_i alpha_i + omega_i x I_i omega_i
  Vec omega = arm.omega_0, alpha = arm.alpha_0, a = arm.a_0;
  for (std::size_t i = 0; i < n; ++i) {
    const SerialLink<S>& link = arm.links[i];
    Vec a_previous = a;
    link.add_sliding(qd[i], qdd[i], omega, a_previous);
    link.propagate_rotation(qd[i], qdd[i], omega, alpha);
    LineCounter::start_line("A_i");
    const Mat3<S> A = acceleration_matrix(omega, alpha);
    LineCounter::start_line("a_i");
    a = A * link.r + link.from_previous(a_previous);  // (3.17)
    LineCounter::start_line("a_bar_i");
    const Vec a_bar = A * link.r_bar + a;  // (3.18), with r_bar
    LineCounter::start_line("f_i");
    force[i] = link.mass * a_bar;
    LineCounter::start_line("I_i alpha_i");
    const Vec inertial = link.inertia * alpha;
    LineCounter::start_line("omega_i x (I_i omega_i)");
    const Vec gyroscopic = cross(omega, link.inertia * omega);
    LineCounter::start_line("add n");
    torque[i] = inertial + gyroscopic;
  }

  std::vector<S> tau(n);
  Vec f, m;
  for (std::size_t i = n; i-- > 0;) {
    const SerialLink<S>& link = arm.links[i];
    // (3.20) before (3.19): it needs f_{i+1}
    LineCounter::start_line("m (r_i + r_bar_i) x a_bar_i");
    const Vec own = cross(link.r_center, force[i]);
    LineCounter::start_line("add n");
    const Vec own_torque = torque[i] + own;
    if (i + 1 == n) {
      f = force[i];
      m = own_torque;
    } else {
      const Transmitted<S> next = transmitted(arm, i, f, m);
      f = force[i] + next.force;
      LineCounter::start_line("add n");
      m = own_torque + next.lever + next.torque;
    }
    tau[i] = joint_torque(arm, i, qdd[i], f, m);
  }
  return tau;
}

}  // namespace dynamics::formulations
