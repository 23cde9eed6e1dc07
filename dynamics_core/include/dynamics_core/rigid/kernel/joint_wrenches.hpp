// SPDX-License-Identifier: Apache-2.0
#pragma once

// The wrenches that the joints transmit: inverse dynamics as in kernel/inverse_dynamics.hpp, with
// the bodies' own inertias and all components.

#include "dynamics_core/rigid/kernel/inverse_dynamics.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct WrenchScratch {
  Placement<S> at;
  Motion<S> motion;
  Vec3<S> f, n;  ///< transmitted by the joint to the body, about the body's origin
};

/// f and n of every body into its scratch; `wrenches` from outside may be null.
template <class S>
void joint_wrenches(const Tree& tree, WrenchScratch<S>* scratch, const BaseState<S>& base,
                    const BodyWrench<S>* wrenches, const S* q, const S* qd, const S* qdd) {
  const S zero(0.0);
  Motion<S> ground;
  ground.omega = ground.alpha = {zero, zero, zero};
  if (!base.still) {
    ground.omega = base.angular_velocity;
    ground.alpha = base.angular_acceleration;
  }
  ground.a = base.acceleration;
  ground.spin = spin_of(ground.omega, ground.alpha);

  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    WrenchScratch<S>& link = scratch[i];
    link.at = place(body, q[i]);
    link.motion = body.parent < 0 ? ground : scratch[body.parent].motion;
    if (body.prismatic) {
      advance_prismatic(body, link.at, qd[i], qdd[i], link.motion);
    } else {
      const Turn<TreeBody::Twist::general, S> turn{body, link.at.c, link.at.s};
      advance_revolute(turn, qd[i], qdd[i], link.motion);
    }
    full_inertia(body.mass, body.moment, body.pseudo_inertia, link.motion, link.f, link.n);
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
