// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kinetic and potential energy of a tree, in one sweep outward with all vectors in the bodies' own
// axes: the velocities of each body, and gravity g and the product g . p with its origin p.
//
//   T = sum of m v.v / 2 + v.(w x h) + w.(I w) / 2 + rotor qd^2 / 2,     V = -sum of m g.p + g.h

#include "rigid/recursions/joints.hpp"

namespace dynamics::kernel {

/// What a body passes to its children, in its own axes.
template <class S>
struct EnergyMotion {
  Vec3<S> omega, velocity, gravity;
  S depth;  ///< g . p
};

template <class S>
struct EnergyScratch {
  JointTransform<S> at;
  EnergyMotion<S> motion;
};

template <class S>
struct Energies {
  S kinetic, potential;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
Energies<S> energy(const Tree& tree, EnergyScratch<S>* scratch, const EnergyMotion<S>& base,
                   const S* q, const S* qd) {
  joint_rotations(tree.data(), tree.size(), scratch, q);
  Energies<S> sum = {S(0.0), S(0.0)};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    JointTransform<S>& at = scratch[i].at;
    if (body.prismatic) {
      at = prismatic_transform(body, q[i]);
    } else {
      at.r = constant_position<S>(body);
    }
    const EnergyMotion<S>& parent = is_root(body) ? base : scratch[body.parent].motion;
    EnergyMotion<S>& m = scratch[i].motion;
    m.depth = parent.depth + dot(parent.gravity, at.r);
    const Vec3<S> velocity = parent.velocity + cross(parent.omega, at.r);
    with_rotation(body, at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
      m.omega = rotation.to_body(parent.omega);
      m.velocity = rotation.to_body(velocity);
      m.gravity = rotation.to_body(parent.gravity);
    });
    if (body.prismatic) {
      m.velocity.z = m.velocity.z + qd[i];
    } else {
      m.omega.z = m.omega.z + qd[i];
    }
    const Vec3<double> h = constant(body.first_moment);
    const Vec3<S> momentum = constant(body.inertia) * m.omega;  // angular
    sum.kinetic = sum.kinetic +
                  0.5 * (body.mass * dot(m.velocity, m.velocity) + dot(m.omega, momentum)) +
                  dot(m.velocity, cross(m.omega, h));
    if (body.rotor_inertia != 0.0)
      sum.kinetic = sum.kinetic + 0.5 * body.rotor_inertia * qd[i] * qd[i];
    sum.potential = sum.potential - (body.mass * m.depth + dot(m.gravity, h));
  }
  return sum;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
