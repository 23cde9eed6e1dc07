// SPDX-License-Identifier: Apache-2.0
#pragma once

// The modified Newton-Euler equations (Turney 1980, section 5): the inertia torque of a link
// follows from A_i K_i with A_i b = omega x (omega x b) + alpha x b. The counted lines are the rows
// of the paper's Table 4. Cost for n general revolute joints: 98n - 31 multiplications, 85n - 29
// additions.

#include <vector>

#include "papers/formulations/serial_arm.hpp"

namespace dynamics::formulations {

/// First term of (5.2): ((A K)_zy - (A K)_yz, ...) with K_i = Tr{I}/2 E - I.
template <class S>
Vec3<S> inertia_torque(const Mat3<S>& A, const SerialLink<S>& link) {
  const Sym3<double>& I = link.inertia;
  const auto& [x, y, z] = link.K_diagonal;
  if (link.principal) {
    return {A.zy * y - A.yz * z, A.xz * z - A.zx * x, A.yx * x - A.xy * y};
  }
  return {A.zy * y - A.yz * z - I.xy * A.zx + I.xz * A.yx + I.yz * (A.yy - A.zz),
          A.xz * z - A.zx * x + I.xy * A.zy - I.yz * A.xy + I.xz * (A.zz - A.xx),
          A.yx * x - A.xy * y - I.xz * A.yz + I.yz * A.xz + I.xy * (A.xx - A.yy)};
}

/// tau of the joints from `first_wanted` on, for a base and joints before `first_moving` at rest:
/// links that do not move are skipped.
template <class S>
std::vector<S> modified_newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                                     const std::vector<S>& qdd, std::size_t first_moving,
                                     std::size_t first_wanted) {
  using Vec = Vec3<S>;
  using LineCounter = counting::LineCounter<S>;
  const std::size_t n = arm.links.size();
  std::vector<Vec> force(n), torque(n);  // m_i a_bar_i, Tr{A_i K_i sigma^t}
  Vec omega = arm.omega_0, alpha = arm.alpha_0, a = arm.a_0;
  for (std::size_t i = first_moving; i < n; ++i) {
    const SerialLink<S>& link = arm.links[i];
    link.add_sliding(qd[i], qdd[i], omega, a);
    link.propagate_rotation(qd[i], qdd[i], omega, alpha);
    LineCounter::start_line("A_i");
    const Mat3<S> A = acceleration_matrix(omega, alpha);
    LineCounter::start_line("a_i");
    const Vec a_previous = link.from_previous(a);
    if (i + 1 < n) a = A * link.r + a_previous;
    LineCounter::start_line("m_i a_bar_i");
    force[i] = link.mass * (A * link.r_center + a_previous);  // (5.1)
    LineCounter::start_line("Tr{A_i K_i sigma^t}");
    torque[i] = inertia_torque(A, link);
  }

  std::vector<S> tau(n);
  Vec f, m;
  for (std::size_t i = n; i-- > first_wanted;) {
    const SerialLink<S>& link = arm.links[i];
    Vec own_torque;
    if (i >= first_moving) {
      LineCounter::start_line("m (r_i + r_bar_i) x a_bar_i");
      const Vec own = cross(link.r_center, force[i]);
      LineCounter::start_line("add n");
      own_torque = torque[i] + own;
    }
    if (i + 1 == n) {
      f = force[i];
      m = own_torque;
    } else {
      const Transmitted<S> next = transmitted(arm, i, f, m);
      f = i >= first_moving ? force[i] + next.force : next.force;
      LineCounter::start_line("add n");
      m = next.lever + next.torque;  // (5.2)
      if (i >= first_moving) m += own_torque;
    }
    tau[i] = joint_torque(arm, i, qdd[i], f, m);
  }
  return tau;
}

template <class S>
std::vector<S> modified_newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                                     const std::vector<S>& qdd) {
  return modified_newton_euler(arm, qd, qdd, 0, 0);
}

}  // namespace dynamics::formulations
