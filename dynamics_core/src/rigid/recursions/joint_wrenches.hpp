// SPDX-License-Identifier: Apache-2.0
#pragma once

// The forces and torques that the joints transmit, all components: inverse dynamics with the
// bodies' complete inertial parameters instead of the minimal ones.

#include "rigid/recursions/inverse_dynamics.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Sets f and n of every body's scratch. External `wrenches`, one per body, may be null.
template <class S>
void joint_wrenches(const Tree& tree, WrenchScratch<S>* scratch, const BaseState<S>& base,
                    const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* qdd) {
  const S zero(0.0);
  BodyMotion<S> base_motion;
  base_motion.omega = base_motion.alpha = {zero, zero, zero};
  if (!base.not_rotating) {
    base_motion.omega = base.angular_velocity;
    base_motion.alpha = base.angular_acceleration;
  }
  base_motion.a = base.acceleration;
  base_motion.spin = spin_of(base_motion.omega, base_motion.alpha);

  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    WrenchScratch<S>& link = scratch[i];
    link.at = joint_transform(body, q[i]);
    link.motion = body.parent < 0 ? base_motion : scratch[body.parent].motion;
    if (body.prismatic) {
      advance_prismatic(body, link.at, qd[i], qdd[i], link.motion);
    } else {
      advance_revolute(general_rotation(body, link.at), qd[i], qdd[i], link.motion);
    }
    full_inertia(body.mass, body.first_moment, body.pseudo_inertia, link.motion, link.f, link.n);
    if (wrenches != nullptr) {
      link.f -= wrenches[i].force;
      link.n -= wrenches[i].moment;
    }
  }
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    if (body.parent < 0) continue;
    const WrenchScratch<S>& link = scratch[i];
    WrenchScratch<S>& parent = scratch[body.parent];
    const Vec3<S> f = to_parent(body, link.at, link.f);
    parent.f += f;
    parent.n += to_parent(body, link.at, link.n) + cross(link.at.r, f);
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
