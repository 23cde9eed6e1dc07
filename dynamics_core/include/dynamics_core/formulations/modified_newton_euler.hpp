// SPDX-License-Identifier: Apache-2.0
#pragma once

// The modified Newton-Euler set (Turney 1980, section 5): omega x (omega x .) + alpha x . as one
// matrix A_i, and the moment of a turning link from A_i K_i.

#include <vector>

#include "dynamics_core/formulations/serial_arm.hpp"

namespace dynamics::formulations {

template <class S>
std::vector<S> modified_newton_euler(const SerialArm<S>& arm, const std::vector<S>& qd,
                                     const std::vector<S>& qdd) {
  using kernel::cross;
  using Vec = kernel::Vec3<S>;
  const std::size_t n = arm.links.size();
  std::vector<Vec> force(n), moment(n);  // m_i a_bar_i, Tr{A_i K_i sigma^t}
  Vec omega = arm.omega_0, alpha = arm.alpha_0, a = arm.a_0;
  for (std::size_t i = 0; i < n; ++i) {
    const SerialLink<S>& link = arm.links[i];
    if (link.prismatic) {
      const S twice = qd[i] + qd[i];
      a.x = a.x + twice * omega.y;
      a.y = a.y - twice * omega.x;
      a.z = a.z + qdd[i];
      omega = link.from_previous(omega);
      alpha = link.from_previous(alpha);
    } else {
      alpha.x = alpha.x + omega.y * qd[i];
      alpha.y = alpha.y - omega.x * qd[i];
      alpha.z = alpha.z + qdd[i];
      alpha = link.from_previous(alpha);
      omega.z = omega.z + qd[i];
      omega = link.from_previous(omega);
    }
    // A_i, its (3,2) entry being omega_z omega_y + alpha_x
    const S xx = omega.x * omega.x, yy = omega.y * omega.y, zz = omega.z * omega.z;
    const S xy = omega.x * omega.y, xz = omega.x * omega.z, yz = omega.y * omega.z;
    const kernel::Mat3<S> A = {-(yy + zz),   xy - alpha.z, xz + alpha.y,  //
                               xy + alpha.z, -(zz + xx),   yz - alpha.x,  //
                               xz - alpha.y, yz + alpha.x, -(xx + yy)};
    const Vec carried = link.from_previous(a);
    const Vec to_centre = {link.r.x + link.r_bar.x, link.r.y + link.r_bar.y,
                           link.r.z + link.r_bar.z};
    const Vec a_bar = A * to_centre + carried;
    a = A * link.r + carried;
    force[i] = link.mass * a_bar;  // (5.1)
    // K_i = Tr{I}/2 E - I; the first term of (5.2) has the components (A K)_zy - (A K)_yz ...
    const kernel::Sym3<double>& I = link.inertia;
    const double half = 0.5 * (I.xx + I.yy + I.zz);
    const kernel::Sym3<double> K = {half - I.xx, -I.xy, -I.xz, half - I.yy, -I.yz, half - I.zz};
    moment[i] = {
        (A.zx * K.xy + A.zy * K.yy + A.zz * K.yz) - (A.yx * K.xz + A.yy * K.yz + A.yz * K.zz),
        (A.xx * K.xz + A.xy * K.yz + A.xz * K.zz) - (A.zx * K.xx + A.zy * K.xy + A.zz * K.xz),
        (A.yx * K.xx + A.yy * K.xy + A.yz * K.xz) - (A.xx * K.xy + A.xy * K.yy + A.xz * K.yz)};
  }

  std::vector<S> tau(n);
  const S zero(0.0);
  Vec f = {zero, zero, zero}, m = {zero, zero, zero};
  for (std::size_t i = n; i-- > 0;) {
    const SerialLink<S>& link = arm.links[i];
    if (i + 1 < n) {
      f = arm.links[i + 1].to_previous(f);
      m = arm.links[i + 1].to_previous(m);
    }
    const Vec to_centre = {link.r.x + link.r_bar.x, link.r.y + link.r_bar.y,
                           link.r.z + link.r_bar.z};
    m = moment[i] + cross(to_centre, force[i]) + cross(link.r, f) + m;  // (5.2)
    f = force[i] + f;
    if (!arm.wrenches.empty()) {
      f -= arm.wrenches[i].force;
      m -= arm.wrenches[i].moment;
    }
    tau[i] = link.along_joint(link.prismatic ? f : m);
    if (link.rotor_inertia != 0.0) tau[i] = tau[i] + link.rotor_inertia * qdd[i];
  }
  return tau;
}

}  // namespace dynamics::formulations
