// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated-body algorithm (Featherstone 1983): O(n) forward dynamics with spatial vectors
// and inertias about the origins and in the axes of the bodies. The 6x6 matrices are written as 3x3
// blocks: their transformation is two planar rotations and a translation.

#include <vector>

#include "papers/formulations/inertia_sum.hpp"

namespace dynamics::formulations {

/// qdd for the joint torques tau. `pivots`, unless null, receives s^T I^A s per joint.
/// Cost for n general revolute joints: 263n - 195 multiplications and divisions, 253n - 206
/// additions.
template <class S>
VectorX<S> articulated_body(const DynamicsInput<S>& input, const VectorX<S>& tau,
                            VectorX<S>* pivots = nullptr) {
  using LineCounter = counting::LineCounter<S>;
  const Tree& tree = *input.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  struct Body {
    JointTransform<S> at;
    SpatialVector<S> v, c;          // velocity, velocity-product acceleration
    InertiaSum<S> inertia;          // I^A
    SpatialVector<S> p, U, scaled;  // bias force, I^A s, I^A s / D
    S u, D_inverse;
    SpatialVector<S> a;  // acceleration
  };
  std::vector<Body> bodies(n);
  const SpatialVector<S> base_velocity = {input.base.angular_velocity, {zero, zero, zero}};

  for (std::size_t i = 0; i < n; ++i) {
    LineCounter::start_line("X");
    Body& body = bodies[i];
    body.at = joint_transform(tree[i], input.q[i]);
    LineCounter::start_line("v, c, p");
    const bool root = tree[i].parent < 0;
    const bool prismatic = tree[i].prismatic;
    const SpatialVector<S>& parent =
        root ? base_velocity : bodies[static_cast<std::size_t>(tree[i].parent)].v;
    if (root && input.base.not_rotating) {
      body.v = {{zero, zero, zero}, {zero, zero, zero}};
    } else {
      body.v = transform_to_body(tree[i], body.at, parent);
    }
    S& along = prismatic ? body.v.linear.z : body.v.angular.z;
    along = along + input.qd[i];
    // c = v x s qd
    const Vec3<S>&w = body.v.angular, &v = body.v.linear;
    const Vec3<S> cross_axis = {w.y * input.qd[i], -(w.x * input.qd[i]), zero};
    if (prismatic) {
      body.c = {{zero, zero, zero}, cross_axis};
    } else {
      body.c = {cross_axis, {v.y * input.qd[i], -(v.x * input.qd[i]), zero}};
    }
    // p = v x* I v
    const auto& [mass, h, J] = rigid_inertia(tree[i]);
    const Vec3<S> momentum = mass * v + cross(w, h);
    const Vec3<S> angular_momentum = J * w + cross(h, v);
    body.p = {cross(w, angular_momentum) + cross(v, momentum), cross(w, momentum)};
    if (input.has_wrenches()) {
      body.p.angular -= input.wrenches[i].moment;
      body.p.linear -= input.wrenches[i].force;
    }
  }

  for (std::size_t i = n; i-- > 0;) {
    Body& body = bodies[i];
    const bool prismatic = tree[i].prismatic;
    LineCounter::start_line("I^A");
    body.inertia.add_own(rigid_inertia(tree[i]));
    LineCounter::start_line("U, D, u");
    body.U = joint_column(body.inertia.value(), prismatic);
    S D = prismatic ? body.U.linear.z : body.U.angular.z;
    if (tree[i].rotor_inertia != 0.0) D = D + tree[i].rotor_inertia;
    if (pivots != nullptr) (*pivots)[at(i)] = D;
    body.D_inverse = S(1.0) / D;
    body.scaled = body.D_inverse * body.U;
    body.u = tau[at(i)] - (prismatic ? body.p.linear.z : body.p.angular.z);
    if (tree[i].parent < 0) continue;
    Body& parent = bodies[static_cast<std::size_t>(tree[i].parent)];
    LineCounter::start_line("I^a");
    ArticulatedInertia<S> rest = body.inertia.value();
    subtract_outer(rest, body.U, body.scaled);
    LineCounter::start_line("I^a c");
    const SpatialVector<S> bias = times_planar(rest, body.c) + body.p;
    LineCounter::start_line("X^T I^a X");
    const ArticulatedInertia<S> in_parent = propagate_to_parent(tree[i], body.at, rest);
    parent.inertia.add_child(in_parent);
    LineCounter::start_line("X^T p^a");
    const SpatialVector<S> p = propagate_to_parent(tree[i], body.at, bias + body.u * body.scaled);
    LineCounter::start_line("v, c, p");
    parent.p += p;
  }

  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    LineCounter::start_line("a, qdd");
    Body& body = bodies[i];
    const bool root = tree[i].parent < 0;
    const bool base_not_rotating = root && input.base.not_rotating;
    const S u_over_D = body.u * body.D_inverse;
    if (base_not_rotating) {
      LineCounter::start_line("v, c, p");  // gravity is part of phi
      body.a = {{zero, zero, zero}, to_body(tree[i], body.at, input.base.acceleration)};
    } else {
      const SpatialVector<S>& parent =
          root ? SpatialVector<S>{input.base.angular_acceleration, input.base.acceleration}
               : bodies[static_cast<std::size_t>(tree[i].parent)].a;
      body.a = transform_to_body(tree[i], body.at, parent);
    }
    LineCounter::start_line("v, c, p");
    if (!tree[i].prismatic) body.a.angular = plus_planar(body.a.angular, body.c.angular);
    body.a.linear = plus_planar(body.a.linear, body.c.linear);
    if (!base_not_rotating) LineCounter::start_line("a, qdd");
    qdd[at(i)] = u_over_D - dot(body.scaled, body.a);
    S& along = tree[i].prismatic ? body.a.linear.z : body.a.angular.z;
    along = along + qdd[at(i)];
  }
  return qdd;
}

}  // namespace dynamics::formulations
