// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generalized momentum p = M qd and C^T qd, without the matrices, for a base at rest. C^T qd is
// the derivative of the kinetic energy T by q, because dM/dt - 2C is antisymmetric. Two sweeps:
//
//   outward   the velocity v_i = (omega, velocity of the origin) of each body, in its own axes
//   inward    the momentum H_i of the body and of all that it carries, about the body's origin:
//             H_i = I_i v_i + sum of H_child;  p_i = s_i . H_i + rotor inertia * qd_i
//
// s_i is the unit motion of the joint, along Z. In the axes of body i the velocity that the parent
// gives to it is X(q_i) v_parent, whose derivative by q_i is v_i x s_i; the velocities of the
// bodies beyond follow as of a rigid body. Hence dT/dq_i = H_i . (v_i x s_i), with
//
//   revolute    v x s = (omega x z, velocity x z)      prismatic    v x s = (0, omega x z)

#include "rigid/recursions/joints.hpp"

namespace dynamics::kernel {

template <class S>
struct MomentumScratch {
  JointTransform<S> at;       ///< r for prismatic joints only
  SpatialVector<S> velocity;  ///< of the body's origin
  /// about the body's origin, of the body and of children that do not follow it
  SpatialVector<S> momentum;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// h . (v x z)
template <class S>
DYNAMICS_INLINE S dot_cross_z(const Vec3<S>& h, const Vec3<S>& v) {
  return h.x * v.y - h.y * v.x;
}

/// `momentum` and `rate` (C^T qd), one entry per body.
template <class S>
void generalized_momentum(const Tree& tree, MomentumScratch<S>* scratch, const S* q, const S* qd,
                          S* momentum, S* rate) {
  const TreeBody* const bodies = tree.data();  // local: stores to scratch cannot change it
  joint_rotations(bodies, tree.size(), scratch, q);
  SpatialVector<S> v;  // of the previous body
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = bodies[i];
    MomentumScratch<S>& link = scratch[i];
    if (body.prismatic) link.at = prismatic_transform(body, q[i]);
    if (is_root(body)) {
      v = zero6<S>();
    } else {
      if (!follows_parent(body, i)) v = scratch[body.parent].velocity;
      if (body.prismatic) {
        v = transform_to_body(body, link.at, v);
      } else {
        with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          transform_to_body(rotation, v);
        });
      }
    }
    add_along_joint(body, qd[i], v);
    link.velocity = v;
    link.momentum = rigid_inertia<S>(body) * v;
  }
  SpatialVector<S> h;  // passed on by the next body
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = bodies[i];
    const MomentumScratch<S>& link = scratch[i];
    // the body and its children
    if (body.next_is_child) {
      h += link.momentum;
    } else {
      h = link.momentum;
    }
    // its joint
    momentum[i] = along_joint(body, h);
    if (body.rotor_inertia != 0.0) momentum[i] = momentum[i] + body.rotor_inertia * qd[i];
    const SpatialVector<S>& own = link.velocity;
    rate[i] = body.prismatic
                  ? dot_cross_z(h.linear, own.angular)
                  : S(dot_cross_z(h.angular, own.angular) + dot_cross_z(h.linear, own.linear));
    if (is_root(body)) continue;
    // to the parent
    if (body.prismatic) {
      h = propagate_to_parent(body, link.at, h);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        propagate_to_parent(rotation, h);
      });
    }
    if (!follows_parent(body, i)) scratch[body.parent].momentum += h;
  }
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
