// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive Newton-Euler forward dynamics by 6x6 matrices (Nasser 1990): rotational and
// translational joints, trees, prescribed base motion, actuator inertia.
//
// The equations of link i are written in "the i-1 frame": Z along joint i, fixed to the link
// before. In a tree each joint of a link has such a frame of its own on it (section 2.3). Here
// index i names a joint, its frame i-1, and the link beyond. The paper's 6x6 matrices are written
// out by blocks: R*_{i-1,i} turns each of them, P_i shifts.

#include <vector>

#include "papers/formulations/situation.hpp"

namespace dynamics::formulations {

/// qdd for the joint forces tau; `pivots`, where given, receives what each joint's acceleration is
/// divided by.
template <class S>
VectorX<S> nasser(const Situation<S>& given, const VectorX<S>& tau, VectorX<S>* pivots = nullptr) {
  using Ledger = counting::Ledger<S>;
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  struct Link {
    spatial::PlanarRotation<S> turn;  // from link i's axes to frame i-1
    Vec3<S> P;                        // P*_{i-1}, from the previous joint's frame to this one...
    Vec3<S> P_link;                   // ... in its axes, and in those of the link between them
    Vec3<S> omega;                    // omega_i
    Vec3<S> turning;                  // omega_{i-1} x z theta'
    SpatialVector<S> sigma;           // sigma*_{i-1,i-2} of the link before, with this joint at P
    RigidInertia<S> own;              // of the link alone, about the joint
    ArticulatedInertia<S> A;          // A*_{i,i-1}, of the links beyond first
    bool carries = false;             // whether there are any
    SpatialVector<S> B;               // B*_{i,i-1} without the joint's own control force
    SpatialVector<S> column;          // A* Z
    S F_joint, pivot_inverse;
    SpatialVector<S> q;  // q_{i-1,i-1}
  };
  std::vector<Link> links(n);

  // R_{i-2,i-1} turns about Z with the joint before; P R = Rz P_link Rx
  const auto turn_with_previous = [&](std::size_t i, auto& any) {
    if (tree[i].parent < 0) return;
    const auto& turn = links[static_cast<std::size_t>(tree[i].parent)].turn;
    rotate_about_z(turn.c, turn.s, any);
  };
  const auto turn_back = [&](std::size_t i, Vec3<S> v) {
    if (tree[i].parent < 0) return v;
    const auto& turn = links[static_cast<std::size_t>(tree[i].parent)].turn;
    const S x = v.x;
    v.x = turn.c * x + turn.s * v.y;
    v.y = turn.c * v.y - turn.s * x;
    return v;
  };
  // sigma*_{i,i-1} for the next joint at P (2.1.13.2, its lower part positive; 2.2.6)
  const auto sigma_star = [&](std::size_t i, const Vec3<S>& P) {
    const Link& link = links[i];
    const Vec3<S> centripetal = cross(link.omega, cross(link.omega, P));
    if (!tree[i].prismatic) return SpatialVector<S>{link.turning, centripetal};
    const Vec3<S> twice = {link.turning.x + link.turning.x, link.turning.y + link.turning.y, zero};
    return SpatialVector<S>{{zero, zero, zero}, plus_planar(centripetal, twice)};
  };

  for (std::size_t i = 0; i < n; ++i) {
    Ledger::line("R, P, omega");
    const TreeBody& body = tree[i];
    const bool root = body.parent < 0;
    const auto before = static_cast<std::size_t>(root ? 0 : body.parent);
    Link& link = links[i];
    link.turn = kernel::joint_rotation(body, given.q[i]);
    link.P_link = constant<S>(body.position);
    if (!root && tree[before].prismatic) link.P_link.z = link.P_link.z + given.q[before];
    link.P = link.P_link;
    if (!root && body.position[1] == 0.0) {
      link.P.y = links[before].turn.s * link.P_link.x;
      link.P.x = links[before].turn.c * link.P_link.x;
    } else {
      turn_with_previous(i, link.P);
    }
    const Vec3<S> omega = root && given.base.not_rotating
                              ? Vec3<S>{zero, zero, zero}
                              : fixed_to_joint(body, turn_back(i, root ? given.base.angular_velocity
                                                                       : links[before].omega));
    link.turning = {omega.y * given.qd[i], -(omega.x * given.qd[i]), zero};
    link.omega = omega;
    if (!body.prismatic) link.omega.z = link.omega.z + given.qd[i];  // (A.2.5)

    // A_{i,i-1} (2.1.7.4), the link turned to frame i-1: mass, moment m r and the lower right
    // I = J - m r x r x, which about the axis of a rotational joint is a constant
    Ledger::line("A, B of the link");
    const double m = body.mass;
    link.own = rigid_inertia<S>(body);
    Vec3<S>& h = link.own.first_moment;
    Sym3<S>& I = link.own.inertia;
    rotate_about_z(link.turn.c, link.turn.s, h);
    rotate_about_z(link.turn.c, link.turn.s, I);
    if (body.prismatic) {  // moved along Z by q
      const S q = given.q[i], slid = m * q;
      const S added = q * (h.z + h.z + slid);
      I.xx = I.xx + added;
      I.yy = I.yy + added;
      I.xz = I.xz - h.x * q;
      I.yz = I.yz - h.y * q;
      h.z = h.z + slid;
    }
    // B_{i,i-1} (2.1.7.6, 2.2.4), beta* + r x beta being omega x I omega + I turning
    Vec3<S> force = cross(link.omega, cross(link.omega, h));
    Vec3<S> moment = cross(link.omega, I * link.omega);
    const S &tx = link.turning.x, &ty = link.turning.y;
    if (body.prismatic) {  // (2.2.1), (2.2.2): 2 m turning, and 2 m r x turning
      const S x = tx + tx, y = ty + ty;
      force = plus_planar(force, {m * x, m * y, zero});
      moment += Vec3<S>{-(h.z * y), h.z * x, h.x * y - h.y * x};
    } else {  // (2.1.3.2), (2.1.6.2)
      force += Vec3<S>{ty * h.z, -(tx * h.z), tx * h.y - ty * h.x};
      moment += Vec3<S>{I.xx * tx + I.xy * ty, I.xy * tx + I.yy * ty, I.xz * tx + I.yz * ty};
    }
    link.B = {moment, force};
    if (given.has_wrenches()) {
      Vec3<S> push = given.wrenches[i].force, twist = given.wrenches[i].moment;
      rotate_about_z(link.turn.c, link.turn.s, push);
      rotate_about_z(link.turn.c, link.turn.s, twist);
      if (body.prismatic) twist += cross(Vec3<S>{zero, zero, given.q[i]}, push);
      link.B.linear -= push;
      link.B.angular -= twist;
    }
  }

  // inbound
  for (std::size_t i = n; i-- > 0;) {
    Link& link = links[i];
    Ledger::line("A*");
    if (link.carries) {
      link.A += link.own;  // (2.3.3)
    } else {
      link.A = spatial::articulated_inertia<S>(link.own);
    }
    Ledger::line("L, G");
    // L_i = I - Z Z^T - A* Z Z^T - Z Z^T J^a (2.1.19.1) is the identity but for one column, and
    // gamma takes the drive's entry out of U: what passes to the link before along the drive is
    // the control force, less what the actuator's own inertia takes. So
    //   gamma G A* = A* - A* Z (A* Z)^T / (A*_zz + J^a)    gamma G B* = B* - A* Z B*_z / (...)
    // whose row and column Z are zero without J^a.
    const bool prismatic = tree[i].prismatic;
    link.column = joint_column(link.A, prismatic);
    S pivot = prismatic ? link.column.linear.z : link.column.angular.z;
    if (tree[i].rotor_inertia != 0.0) pivot = pivot + tree[i].rotor_inertia;
    if (pivots != nullptr) (*pivots)[at(i)] = pivot;
    link.pivot_inverse = S(1.0) / pivot;
    link.F_joint = (prismatic ? link.B.linear.z : link.B.angular.z) - tau[at(i)];
    if (tree[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    const bool reduced = !prismatic && tree[i].rotor_inertia == 0.0;
    ArticulatedInertia<S> A{};
    spatial::ReducedInertia<S> rest{};
    Vec3<S> f, m;
    if (reduced) {
      const SpatialVector<S>& u = link.column;
      const S& d = link.pivot_inverse;
      const SpatialVector<S> scaled = {{d * u.angular.x, d * u.angular.y, S(1.0)}, d * u.linear};
      rest = eliminate_revolute(link.A, u, scaled);
      f = link.B.linear - link.F_joint * scaled.linear;
      m = {link.B.angular.x - link.F_joint * scaled.angular.x,
           link.B.angular.y - link.F_joint * scaled.angular.y, tau[at(i)]};
    } else {
      const SpatialVector<S> scaled = link.pivot_inverse * link.column;
      A = link.A;
      subtract_outer(A, link.column, scaled);
      f = link.B.linear - link.F_joint * scaled.linear;
      m = link.B.angular - link.F_joint * scaled.angular;
    }
    Ledger::line("A*");  // (2.1.19.4)
    A = reduced ? fixed_to_parent(tree[i], rest) : fixed_to_parent(tree[i], A);
    const bool level = tree[i].position[1] == 0.0;
    A = level ? translate_xz(link.P_link, A) : translate(link.P_link, A);
    turn_with_previous(i, A);
    if (links[parent].carries) {
      links[parent].A += A;
    } else {
      links[parent].A = A;
      links[parent].carries = true;
    }
    Ledger::line("B*");
    // (2.1.19.7), (2.1.19.6), (2.3.4), with the control force on the link before
    SpatialVector<S> B = {fixed_to_parent(tree[i], m), fixed_to_parent(tree[i], f)};
    B = level ? translate_force_xz(link.P_link, B) : translate_force(link.P_link, B);
    turn_with_previous(i, B);
    link.sigma = sigma_star(parent, link.P);
    const SpatialVector<S>& sigma = link.sigma;
    SpatialVector<S> carried = times_planar(A, sigma);  // A* sigma*, the latter's n having no z
    const Sym3<S>& l = A.M;
    carried.linear += Vec3<S>{l.xz * sigma.linear.z, l.yz * sigma.linear.z, l.zz * sigma.linear.z};
    const Mat3<S>& k = A.H;
    carried.angular += Vec3<S>{k.xz * sigma.linear.z, k.yz * sigma.linear.z, k.zz * sigma.linear.z};
    links[parent].B = links[parent].B + (B + carried);
  }

  // outbound
  Ledger::line("q, F, qdd");
  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    Link& link = links[i];
    const bool root = tree[i].parent < 0;
    if (root && given.base.not_rotating) {
      link.q = {{zero, zero, zero}, fixed_to_joint(tree[i], given.base.acceleration)};
    } else {
      // (2.1.13): R^T P^T (q + Z qdd + sigma*)
      SpatialVector<S> q;
      if (root) {
        q = {given.base.angular_acceleration,
             given.base.acceleration +
                 cross(given.base.angular_velocity, cross(given.base.angular_velocity, link.P))};
      } else {
        const auto parent = static_cast<std::size_t>(tree[i].parent);
        q = links[parent].q;
        S& along = tree[parent].prismatic ? q.linear.z : q.angular.z;
        along = along + qdd[at(parent)];
        if (!tree[parent].prismatic) q.angular = plus_planar(q.angular, link.sigma.angular);
        q.linear += link.sigma.linear;
      }
      const Vec3<S> alpha = turn_back(i, q.angular), a = turn_back(i, q.linear);
      const bool level = tree[i].position[1] == 0.0;
      const Vec3<S> moved = level
                                ? Vec3<S>{a.x + alpha.y * link.P_link.z,
                                          a.y + (alpha.z * link.P_link.x - alpha.x * link.P_link.z),
                                          a.z - alpha.y * link.P_link.x}
                                : a + cross(alpha, link.P_link);
      link.q = {fixed_to_joint(tree[i], alpha), fixed_to_joint(tree[i], moved)};
    }
    // Z^T G F with F = A* q + B* (2.1.19.2), (2.1.20)
    qdd[at(i)] = -((dot(link.column, link.q) + link.F_joint) * link.pivot_inverse);
  }
  return qdd;
}

}  // namespace dynamics::formulations
