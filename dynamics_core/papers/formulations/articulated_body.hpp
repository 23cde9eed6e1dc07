// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated-body algorithm (Featherstone 1983): O(n) forward dynamics with spatial vectors
// and inertias about the bodies' origins, in their axes. Its 6x6 matrices are written out by
// blocks: a transformation of them is two planar turns and a shift.

#include <vector>

#include "papers/formulations/situation.hpp"

namespace dynamics::formulations {

/// qdd for the joint forces tau; `pivots`, where given, receives s^T I^A s of each joint.
template <class S>
VectorX<S> articulated_body(const Situation<S>& given, const VectorX<S>& tau,
                            VectorX<S>* pivots = nullptr) {
  using Ledger = counting::Ledger<S>;
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  struct Body {
    JointTransform<S> at;
    SpatialVector<S> v, c;          // velocity, velocity-product acceleration
    ArticulatedInertia<S> inertia;  // I^A, of the children first
    bool carries = false;           // whether there are any
    SpatialVector<S> p, U, scaled;  // bias force, I^A s, I^A s / D
    S u, D_inverse;
    SpatialVector<S> a;  // acceleration
  };
  std::vector<Body> bodies(n);
  const SpatialVector<S> base_velocity = {given.base.angular_velocity, {zero, zero, zero}};

  for (std::size_t i = 0; i < n; ++i) {
    Ledger::line("X");
    Body& body = bodies[i];
    body.at = joint_transform(tree[i], given.q[i]);
    Ledger::line("v, c, p");
    const bool root = tree[i].parent < 0;
    const bool prismatic = tree[i].prismatic;
    const SpatialVector<S>& parent =
        root ? base_velocity : bodies[static_cast<std::size_t>(tree[i].parent)].v;
    if (root && given.base.not_rotating) {
      body.v = {{zero, zero, zero}, {zero, zero, zero}};
    } else {
      body.v = transform_to_body(tree[i], body.at, parent);
    }
    S& along = prismatic ? body.v.linear.z : body.v.angular.z;
    along = along + given.qd[i];
    // c = v x s qd
    const Vec3<S>&w = body.v.angular, &v = body.v.linear;
    const Vec3<S> across = {w.y * given.qd[i], -(w.x * given.qd[i]), zero};
    if (prismatic) {
      body.c = {{zero, zero, zero}, across};
    } else {
      body.c = {across, {v.y * given.qd[i], -(v.x * given.qd[i]), zero}};
    }
    // p = v x* I v
    const auto& [mass, h, J] = rigid_inertia(tree[i]);
    const Vec3<S> momentum = mass * v + cross(w, h);
    const Vec3<S> angular_momentum = J * w + cross(h, v);
    body.p = {cross(w, angular_momentum) + cross(v, momentum), cross(w, momentum)};
    if (given.has_wrenches()) {
      body.p.angular -= given.wrenches[i].moment;
      body.p.linear -= given.wrenches[i].force;
    }
  }

  for (std::size_t i = n; i-- > 0;) {
    Body& body = bodies[i];
    const bool prismatic = tree[i].prismatic;
    Ledger::line("I^A");
    if (body.carries) {
      body.inertia += rigid_inertia(tree[i]);
    } else {
      body.inertia = spatial::articulated_inertia<S>(rigid_inertia(tree[i]));
    }
    Ledger::line("U, D, u");
    body.U = joint_column(body.inertia, prismatic);
    S D = prismatic ? body.U.linear.z : body.U.angular.z;
    if (tree[i].rotor_inertia != 0.0) D = D + tree[i].rotor_inertia;
    if (pivots != nullptr) (*pivots)[at(i)] = D;
    body.D_inverse = S(1.0) / D;
    body.scaled = body.D_inverse * body.U;
    body.u = tau[at(i)] - (prismatic ? body.p.linear.z : body.p.angular.z);
    if (tree[i].parent < 0) continue;
    Body& parent = bodies[static_cast<std::size_t>(tree[i].parent)];
    Ledger::line("I^a");
    ArticulatedInertia<S> rest = body.inertia;
    subtract_outer(rest, body.U, body.scaled);
    Ledger::line("I^a c");
    const SpatialVector<S> carried = times_planar(rest, body.c) + body.p;
    Ledger::line("X^T I^a X");
    const ArticulatedInertia<S> carried_inertia = propagate_to_parent(tree[i], body.at, rest);
    if (parent.carries) {
      parent.inertia += carried_inertia;
    } else {
      parent.inertia = carried_inertia;
      parent.carries = true;
    }
    Ledger::line("X^T p^a");
    const SpatialVector<S> p =
        propagate_to_parent(tree[i], body.at, carried + body.u * body.scaled);
    Ledger::line("v, c, p");
    parent.p += p;
  }

  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    Ledger::line("a, qdd");
    Body& body = bodies[i];
    const bool root = tree[i].parent < 0;
    const bool still = root && given.base.not_rotating;
    const S driven = body.u * body.D_inverse;
    if (still) {
      Ledger::line("v, c, p");  // gravity is part of phi
      body.a = {{zero, zero, zero}, to_body(tree[i], body.at, given.base.acceleration)};
    } else {
      const SpatialVector<S>& parent =
          root ? SpatialVector<S>{given.base.angular_acceleration, given.base.acceleration}
               : bodies[static_cast<std::size_t>(tree[i].parent)].a;
      body.a = transform_to_body(tree[i], body.at, parent);
    }
    Ledger::line("v, c, p");
    if (!tree[i].prismatic) body.a.angular = plus_planar(body.a.angular, body.c.angular);
    body.a.linear = plus_planar(body.a.linear, body.c.linear);
    if (!still) Ledger::line("a, qdd");
    qdd[at(i)] = driven - dot(body.scaled, body.a);
    S& along = tree[i].prismatic ? body.a.linear.z : body.a.angular.z;
    along = along + qdd[at(i)];
  }
  return qdd;
}

}  // namespace dynamics::formulations
