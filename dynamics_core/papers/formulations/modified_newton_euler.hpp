// SPDX-License-Identifier: Apache-2.0
#pragma once

// The modified Newton-Euler set (Turney 1980, section 5): omega x (omega x .) + alpha x . as one
// matrix A_i, and the moment of a turning link from A_i K_i. The rows of the paper's Table 4 are
// this file's lines.

#include <vector>

#include "papers/formulations/serial_arm.hpp"

namespace dynamics::formulations {

/// The first term of (5.2): (A K)_zy - (A K)_yz and its like, with K_i = Tr{I}/2 E - I.
template <class S>
Vec3<S> turning_moment(const Mat3<S>& A, const SerialLink<S>& link) {
  const Sym3<double>& I = link.inertia;
  const auto& [x, y, z] = link.K_diagonal;
  if (link.principal) {
    return {A.zy * y - A.yz * z, A.xz * z - A.zx * x, A.yx * x - A.xy * y};
  }
  return {A.zy * y - A.yz * z - I.xy * A.zx + I.xz * A.yx + I.yz * (A.yy - A.zz),
          A.xz * z - A.zx * x + I.xy * A.zy - I.yz * A.xy + I.xz * (A.zz - A.xx),
          A.yx * x - A.xy * y - I.xz * A.yz + I.yz * A.xz + I.xy * (A.xx - A.yy)};
}

/// Where the base and all joints before `first` stand still: what does not move costs nothing. The
/// forces of the joints from `wanted` on.
template <class S>
std::vector<S> modified_newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                                     const std::vector<S>& qdd, std::size_t first,
                                     std::size_t wanted) {
  using Vec = Vec3<S>;
  using Ledger = counting::Ledger<S>;
  const std::size_t n = arm.links.size();
  std::vector<Vec> force(n), moment(n);  // m_i a_bar_i, Tr{A_i K_i sigma^t}
  Vec omega = arm.omega_0, alpha = arm.alpha_0, a = arm.a_0;
  for (std::size_t i = first; i < n; ++i) {
    const SerialLink<S>& link = arm.links[i];
    if (link.prismatic) {
      Ledger::line("a_i");
      const S twice = qd[i] + qd[i];
      a.x = a.x + twice * omega.y;
      a.y = a.y - twice * omega.x;
      a.z = a.z + qdd[i];
    } else {
      Ledger::line("alpha_i");
      alpha.x = alpha.x + omega.y * qd[i];
      alpha.y = alpha.y - omega.x * qd[i];
      alpha.z = alpha.z + qdd[i];
      Ledger::line("omega_i");
      omega.z = omega.z + qd[i];
    }
    Ledger::line("alpha_i");
    alpha = link.from_previous(alpha);
    Ledger::line("omega_i");
    omega = link.from_previous(omega);
    Ledger::line("A_i");
    const Mat3<S> A = acceleration_matrix(omega, alpha);
    Ledger::line("a_i");
    const Vec carried = link.from_previous(a);
    if (i + 1 < n) a = A * link.r + carried;
    Ledger::line("m_i a_bar_i");
    force[i] = link.mass * (A * link.r_centre + carried);  // (5.1)
    Ledger::line("Tr{A_i K_i sigma^t}");
    moment[i] = turning_moment(A, link);
  }

  std::vector<S> tau(n);
  Vec f, m;
  for (std::size_t i = n; i-- > wanted;) {
    const SerialLink<S>& link = arm.links[i];
    Vec own_moment;
    if (i >= first) {
      Ledger::line("m (r_i + r_bar_i) x a_bar_i");
      const Vec own = cross(link.r_centre, force[i]);
      Ledger::line("add n");
      own_moment = moment[i] + own;
    }
    if (i + 1 == n) {
      f = force[i];
      m = own_moment;
    } else {
      const SerialLink<S>& next = arm.links[i + 1];
      Ledger::line("f_i");
      const Vec transmitted = next.to_previous(f);
      f = i >= first ? force[i] + transmitted : transmitted;
      Ledger::line("r_i x R f_{i+1}");
      const Vec lever = cross(link.r, transmitted);
      Ledger::line("R n_{i+1}");
      m = next.to_previous(m);
      Ledger::line("add n");
      m = lever + m;  // (5.2)
      if (i >= first) m += own_moment;
    }
    if (!arm.wrenches.empty()) {
      f -= arm.wrenches[i].force;
      m -= arm.wrenches[i].moment;
    }
    Ledger::line("tau_i");
    tau[i] = link.along_joint(link.prismatic ? f : m);
    if (link.rotor_inertia != 0.0) tau[i] = tau[i] + link.rotor_inertia * qdd[i];
  }
  return tau;
}

template <class S>
std::vector<S> modified_newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                                     const std::vector<S>& qdd) {
  return modified_newton_euler(arm, qd, qdd, 0, 0);
}

}  // namespace dynamics::formulations
