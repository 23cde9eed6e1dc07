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

#include "dynamics_core/formulations/situation.hpp"

namespace dynamics::formulations {

/// qdd for the joint forces tau; `pivots`, where given, receives what each joint's acceleration is
/// divided by.
template <class S>
VectorX<S> nasser(const Situation<S>& given, const VectorX<S>& tau, VectorX<S>* pivots = nullptr) {
  using kernel::cross;
  using Ledger = counting::Ledger<S>;
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  struct Link {
    Link(const TreeBody& body, const S& position) : mounting(body), turn(body, position) {}
    Mounting mounting;       // from frame i-1 to the link before
    JointTurn<S> turn;       // from link i's axes to frame i-1
    Vec<S> P;                // P*_{i-1}, from the previous joint's frame to this one...
    Vec<S> P_link;           // ... in its axes, and in those of the link between them
    Vec<S> omega;            // omega_i
    Vec<S> turning;          // omega_{i-1} x z theta'
    SpatialVector<S> sigma;  // sigma*_{i-1,i-2} of the link before, with this joint at P
    Symmetric<S> I;          // of the link alone, about the joint
    Vec<S> h;
    SpatialInertia<S> A;      // A*_{i,i-1}, of the links beyond first
    bool carries = false;     // whether there are any
    SpatialVector<S> B;       // B*_{i,i-1} without the joint's own control force
    SpatialVector<S> column;  // A* Z
    S F_joint, pivot_inverse;
    SpatialVector<S> q;  // q_{i-1,i-1}
  };
  std::vector<Link> links;
  links.reserve(n);

  // R_{i-2,i-1} turns about Z with the joint before; P R = Rz P_link Rx
  const auto turn_with_previous = [&](std::size_t i, auto& any) {
    if (tree[i].parent < 0) return;
    const JointTurn<S>& turn = links[static_cast<std::size_t>(tree[i].parent)].turn;
    about_z(turn.c, turn.s, any);
  };
  const auto turn_back = [&](std::size_t i, Vec<S> v) {
    if (tree[i].parent < 0) return v;
    const JointTurn<S>& turn = links[static_cast<std::size_t>(tree[i].parent)].turn;
    const S x = v.x;
    v.x = turn.c * x + turn.s * v.y;
    v.y = turn.c * v.y - turn.s * x;
    return v;
  };
  // sigma*_{i,i-1} for the next joint at P (2.1.13.2, its lower part positive; 2.2.6)
  const auto sigma_star = [&](std::size_t i, const Vec<S>& P) {
    const Link& link = links[i];
    const Vec<S> centripetal = cross(link.omega, cross(link.omega, P));
    if (!tree[i].prismatic) return SpatialVector<S>{link.turning, centripetal};
    const Vec<S> twice = {link.turning.x + link.turning.x, link.turning.y + link.turning.y, zero};
    return SpatialVector<S>{{zero, zero, zero}, plus_planar(centripetal, twice)};
  };

  for (std::size_t i = 0; i < n; ++i) {
    Ledger::line("R, P, omega");
    const TreeBody& body = tree[i];
    const bool root = body.parent < 0;
    const auto before = static_cast<std::size_t>(root ? 0 : body.parent);
    links.emplace_back(body, given.q[i]);
    Link& link = links[i];
    link.P_link = constant<S>(body.position);
    if (!root && tree[before].prismatic) link.P_link.z = link.P_link.z + given.q[before];
    link.P = link.P_link;
    if (!root && body.position[1] == 0.0) {
      link.P.y = links[before].turn.s * link.P_link.x;
      link.P.x = links[before].turn.c * link.P_link.x;
    } else {
      turn_with_previous(i, link.P);
    }
    const Vec<S> omega = root && given.base.still
                             ? Vec<S>{zero, zero, zero}
                             : link.mounting.from_parent(turn_back(
                                   i, root ? given.base.angular_velocity : links[before].omega));
    link.turning = {omega.y * given.qd[i], -(omega.x * given.qd[i]), zero};
    link.omega = omega;
    if (!body.prismatic) link.omega.z = link.omega.z + given.qd[i];  // (A.2.5)

    // A_{i,i-1} (2.1.7.4), the link turned to frame i-1: mass, moment m r and the lower right
    // I = J - m r x r x, which about the axis of a rotational joint is a constant
    Ledger::line("A, B of the link");
    const double m = body.mass;
    link.h = constant<S>(body.moment);
    about_z(link.turn.c, link.turn.s, link.h);
    Symmetric<S>& I = link.I;
    I = constant<S>(body.inertia);
    about_z(link.turn.c, link.turn.s, I);
    Vec<S>& h = link.h;
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
    Vec<S> force = cross(link.omega, cross(link.omega, h));
    Vec<S> moment = cross(link.omega, I * link.omega);
    const S &tx = link.turning.x, &ty = link.turning.y;
    if (body.prismatic) {  // (2.2.1), (2.2.2): 2 m turning, and 2 m r x turning
      const S x = tx + tx, y = ty + ty;
      force = plus_planar(force, {m * x, m * y, zero});
      moment += Vec<S>{-(h.z * y), h.z * x, h.x * y - h.y * x};
    } else {  // (2.1.3.2), (2.1.6.2)
      force += Vec<S>{ty * h.z, -(tx * h.z), tx * h.y - ty * h.x};
      moment += Vec<S>{I.xx * tx + I.xy * ty, I.xy * tx + I.yy * ty, I.xz * tx + I.yz * ty};
    }
    link.B = {moment, force};
    if (given.has_wrenches()) {
      Vec<S> push = given.wrenches[i].force, twist = given.wrenches[i].moment;
      about_z(link.turn.c, link.turn.s, push);
      about_z(link.turn.c, link.turn.s, twist);
      if (body.prismatic) twist += cross(Vec<S>{zero, zero, given.q[i]}, push);
      link.B.linear -= push;
      link.B.angular -= twist;
    }
  }

  // inbound
  for (std::size_t i = n; i-- > 0;) {
    Link& link = links[i];
    Ledger::line("A*");
    if (link.carries) {
      add_rigid(link.A, link.I, link.h, tree[i].mass);  // (2.3.3)
    } else {
      link.A = rigid_inertia<S>(link.I, link.h, tree[i].mass);
    }
    Ledger::line("L, G");
    // L_i = I - Z Z^T - A* Z Z^T - Z Z^T J^a (2.1.19.1) is the identity but for one column, and
    // gamma takes the drive's entry out of U: what passes to the link before along the drive is
    // the control force, less what the actuator's own inertia takes. So
    //   gamma G A* = A* - A* Z (A* Z)^T / (A*_zz + J^a)    gamma G B* = B* - A* Z B*_z / (...)
    // whose row and column Z are zero without J^a.
    const bool prismatic = tree[i].prismatic;
    link.column = z_column(link.A, prismatic);
    S pivot = prismatic ? link.column.linear.z : link.column.angular.z;
    if (tree[i].rotor_inertia != 0.0) pivot = pivot + tree[i].rotor_inertia;
    if (pivots != nullptr) (*pivots)[at(i)] = pivot;
    link.pivot_inverse = S(1.0) / pivot;
    link.F_joint = (prismatic ? link.B.linear.z : link.B.angular.z) - tau[at(i)];
    if (tree[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    const bool reduced = !prismatic && tree[i].rotor_inertia == 0.0;
    SpatialInertia<S> A;
    Vec<S> f, m;
    if (reduced) {
      const SpatialVector<S>& u = link.column;
      const S& d = link.pivot_inverse;
      const SpatialVector<S> scaled = {{d * u.angular.x, d * u.angular.y, S(1.0)}, d * u.linear};
      A = minus_outer_without_z(link.A, u, scaled);
      f = link.B.linear - link.F_joint * scaled.linear;
      m = {link.B.angular.x - link.F_joint * scaled.angular.x,
           link.B.angular.y - link.F_joint * scaled.angular.y, tau[at(i)]};
    } else {
      const SpatialVector<S> scaled = link.pivot_inverse * link.column;
      A = minus_outer(link.A, link.column, scaled);
      f = link.B.linear - link.F_joint * scaled.linear;
      m = link.B.angular - link.F_joint * scaled.angular;
    }
    Ledger::line("A*");  // (2.1.19.4)
    if (reduced) {
      A = link.mounting.to_parent_without_z(A);
    } else {
      A = {link.mounting.to_parent(A.angular), link.mounting.to_parent(A.coupling),
           link.mounting.to_parent(A.linear)};
    }
    const bool level = tree[i].position[1] == 0.0;
    A = level ? shifted_level(A, link.P_link) : shifted(A, link.P_link);
    turn_with_previous(i, A.angular);
    turn_with_previous(i, A.coupling);
    turn_with_previous(i, A.linear);
    if (links[parent].carries) {
      links[parent].A += A;
    } else {
      links[parent].A = A;
      links[parent].carries = true;
    }
    Ledger::line("B*");
    // (2.1.19.7), (2.1.19.6), (2.3.4), with the control force on the link before
    f = link.mounting.to_parent(f);
    m = with_lever(link.mounting.to_parent(m), link.P_link, f, level);
    turn_with_previous(i, f);
    turn_with_previous(i, m);
    link.sigma = sigma_star(parent, link.P);
    const SpatialVector<S>& sigma = link.sigma;
    SpatialVector<S> carried = times_planar(A, sigma);  // A* sigma*, the latter's n having no z
    const Symmetric<S>& l = A.linear;
    carried.linear += Vec<S>{l.xz * sigma.linear.z, l.yz * sigma.linear.z, l.zz * sigma.linear.z};
    const General<S>& k = A.coupling;
    carried.angular += Vec<S>{k.xz * sigma.linear.z, k.yz * sigma.linear.z, k.zz * sigma.linear.z};
    links[parent].B = links[parent].B + (SpatialVector<S>{m, f} + carried);
  }

  // outbound
  Ledger::line("q, F, qdd");
  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    Link& link = links[i];
    const bool root = tree[i].parent < 0;
    if (root && given.base.still) {
      link.q = {{zero, zero, zero}, link.mounting.from_parent(given.base.acceleration)};
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
      const Vec<S> alpha = turn_back(i, q.angular), a = turn_back(i, q.linear);
      const bool level = tree[i].position[1] == 0.0;
      const Vec<S> moved = level ? Vec<S>{a.x + alpha.y * link.P_link.z,
                                          a.y + (alpha.z * link.P_link.x - alpha.x * link.P_link.z),
                                          a.z - alpha.y * link.P_link.x}
                                 : a + cross(alpha, link.P_link);
      link.q = {link.mounting.from_parent(alpha), link.mounting.from_parent(moved)};
    }
    // Z^T G F with F = A* q + B* (2.1.19.2), (2.1.20)
    qdd[at(i)] = -((dot(link.column, link.q) + link.F_joint) * link.pivot_inverse);
  }
  return qdd;
}

}  // namespace dynamics::formulations
