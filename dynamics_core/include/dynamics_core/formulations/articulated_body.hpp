// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated-body algorithm (Featherstone 1983): O(n) forward dynamics with spatial vectors
// and inertias about the bodies' origins, in their axes. Its 6x6 matrices are written out by
// blocks: a transformation of them is two planar turns and a shift.

#include <vector>

#include "dynamics_core/formulations/situation.hpp"

namespace dynamics::formulations {

/// qdd for the joint forces tau; `pivots`, where given, receives s^T I^A s of each joint.
template <class S>
VectorX<S> articulated_body(const Situation<S>& given, const VectorX<S>& tau,
                            VectorX<S>* pivots = nullptr) {
  using kernel::cross;
  using Ledger = counting::Ledger<S>;
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  struct Body {
    Body(const TreeBody& body, const S& q) : at(body, q) {}
    Turning<S> at;
    SpatialVector<S> v, c;          // velocity, velocity-product acceleration
    SpatialInertia<S> inertia;      // I^A, of the children first
    bool carries = false;           // whether there are any
    SpatialVector<S> p, U, scaled;  // bias force, I^A s, I^A s / D
    S u, D_inverse;
    SpatialVector<S> a;  // acceleration
  };
  std::vector<Body> bodies;
  bodies.reserve(n);
  const SpatialVector<S> base_velocity = {given.base.angular_velocity, {zero, zero, zero}};

  for (std::size_t i = 0; i < n; ++i) {
    Ledger::line("X");
    bodies.emplace_back(tree[i], given.q[i]);
    Body& body = bodies[i];
    Ledger::line("v, c, p");
    const bool root = tree[i].parent < 0;
    const bool prismatic = tree[i].prismatic;
    const SpatialVector<S>& parent =
        root ? base_velocity : bodies[static_cast<std::size_t>(tree[i].parent)].v;
    if (root && given.base.still) {
      body.v = {{zero, zero, zero}, {zero, zero, zero}};
    } else {
      body.v.angular = body.at.to_body(parent.angular);
      body.v.linear = body.at.to_body(parent.linear + cross(parent.angular, body.at.r));
    }
    S& along = prismatic ? body.v.linear.z : body.v.angular.z;
    along = along + given.qd[i];
    // c = v x s qd
    const Vec<S>&w = body.v.angular, &v = body.v.linear;
    const Vec<S> across = {w.y * given.qd[i], -(w.x * given.qd[i]), zero};
    if (prismatic) {
      body.c = {{zero, zero, zero}, across};
    } else {
      body.c = {across, {v.y * given.qd[i], -(v.x * given.qd[i]), zero}};
    }
    // p = v x* I v
    const Vec<double> h = {tree[i].moment[0], tree[i].moment[1], tree[i].moment[2]};
    const auto& j = tree[i].inertia;
    const Symmetric<double> J = {j[0], j[1], j[2], j[3], j[4], j[5]};
    const Vec<S> momentum = tree[i].mass * v + cross(w, h);
    const Vec<S> angular_momentum = J * w + cross(h, v);
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
    const Symmetric<S> J = constant<S>(tree[i].inertia);
    const Vec<double> h = {tree[i].moment[0], tree[i].moment[1], tree[i].moment[2]};
    if (body.carries) {
      add_rigid(body.inertia, J, h, tree[i].mass);
    } else {
      body.inertia = rigid_inertia<S>(J, h, tree[i].mass);
    }
    Ledger::line("U, D, u");
    body.U = z_column(body.inertia, prismatic);
    S D = prismatic ? body.U.linear.z : body.U.angular.z;
    if (tree[i].rotor_inertia != 0.0) D = D + tree[i].rotor_inertia;
    if (pivots != nullptr) (*pivots)[at(i)] = D;
    body.D_inverse = S(1.0) / D;
    body.scaled = body.D_inverse * body.U;
    body.u = tau[at(i)] - (prismatic ? body.p.linear.z : body.p.angular.z);
    if (tree[i].parent < 0) continue;
    Body& parent = bodies[static_cast<std::size_t>(tree[i].parent)];
    Ledger::line("I^a");
    const SpatialInertia<S> rest = minus_outer(body.inertia, body.U, body.scaled);
    Ledger::line("I^a c");
    const SpatialVector<S> carried = times_planar(rest, body.c) + body.p;
    Ledger::line("X^T I^a X");
    const SpatialInertia<S> turned = {body.at.to_parent(rest.angular),
                                      body.at.to_parent(rest.coupling),
                                      body.at.to_parent(rest.linear)};
    const SpatialInertia<S> seen = shifted(turned, body.at.r);
    if (parent.carries) {
      parent.inertia += seen;
    } else {
      parent.inertia = seen;
      parent.carries = true;
    }
    Ledger::line("X^T p^a");
    const SpatialVector<S> p = carried + body.u * body.scaled;
    const Vec<S> force = body.at.to_parent(p.linear);
    const Vec<S> moment = body.at.to_parent(p.angular) + cross(body.at.r, force);
    Ledger::line("v, c, p");
    parent.p.linear += force;
    parent.p.angular += moment;
  }

  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    Ledger::line("a, qdd");
    Body& body = bodies[i];
    const bool root = tree[i].parent < 0;
    const bool still = root && given.base.still;
    const S driven = body.u * body.D_inverse;
    if (still) {
      Ledger::line("v, c, p");  // gravity is part of phi
      body.a = {{zero, zero, zero}, body.at.to_body(given.base.acceleration)};
    } else {
      const SpatialVector<S>& parent =
          root ? SpatialVector<S>{given.base.angular_acceleration, given.base.acceleration}
               : bodies[static_cast<std::size_t>(tree[i].parent)].a;
      body.a.angular = body.at.to_body(parent.angular);
      body.a.linear = body.at.to_body(parent.linear + cross(parent.angular, body.at.r));
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
