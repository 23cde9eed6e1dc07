// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive Newton-Euler forward dynamics with 6x6 matrices (Nasser 1990) in O(n): revolute and
// prismatic joints, trees, prescribed base motion, actuator inertia.
//
// The equations of link i are written in frame i-1: Z along joint i, fixed to the previous link. In
// a tree every child joint of a link has its own such frame (section 2.3). Here index i denotes a
// joint, its frame i-1 and its child link. The paper's 6x6 matrices are written as 3x3 blocks:
// R*_{i-1,i} rotates every block, P_i translates.

#include <vector>

#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

/// qdd for the joint torques tau. `pivots`, unless null, receives the divisor A*_zz + J^a per
/// joint. Cost for n general revolute joints: 247n - 184 multiplications and divisions, 223n - 178
/// additions.
template <class S>
VectorX<S> nasser(const DynamicsInput<S>& input, const VectorX<S>& tau,
                  VectorX<S>* pivots = nullptr) {
  using LineCounter = counting::LineCounter<S>;
  const Tree& tree = *input.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  struct Link {
    spatial::PlanarRotation<S> rotation;  // from the axes of link i to frame i-1
    Vec3<S> P;       // P*_{i-1}, from the frame of the previous joint to this frame ...
    Vec3<S> P_link;  // ... in the axes of that frame; P_link: in the axes of the link between
    Vec3<S> omega;   // omega_i
    Vec3<S> velocity_product;   // omega_{i-1} x z theta'
    SpatialVector<S> sigma;     // sigma*_{i-1,i-2} of the previous link, with this joint at P
    RigidInertia<S> own;        // inertia of the link alone, about the joint
    ArticulatedInertia<S> A;    // A*_{i,i-1}; the sum over the children first
    bool has_children = false;  // whether the sum has been started
    SpatialVector<S> B;         // B*_{i,i-1} without the control force of the joint
    SpatialVector<S> column;    // A* Z
    S F_joint, pivot_inverse;
    SpatialVector<S> q;  // q_{i-1,i-1}
  };
  std::vector<Link> links(n);

  // R_{i-2,i-1} rotates about Z with the previous joint; P R = Rz P_link Rx
  const auto rotate_to_previous = [&](std::size_t i, auto& any) {
    if (tree[i].parent < 0) return;
    const auto& rotation = links[static_cast<std::size_t>(tree[i].parent)].rotation;
    rotate_about_z(rotation.c, rotation.s, any);
  };
  const auto rotate_from_previous = [&](std::size_t i, Vec3<S> v) {
    if (tree[i].parent < 0) return v;
    const auto& rotation = links[static_cast<std::size_t>(tree[i].parent)].rotation;
    const S x = v.x;
    v.x = rotation.c * x + rotation.s * v.y;
    v.y = rotation.c * v.y - rotation.s * x;
    return v;
  };
  // sigma*_{i,i-1} for the next joint at P (2.1.13.2 with a positive lower part; 2.2.6)
  const auto sigma_star = [&](std::size_t i, const Vec3<S>& P) {
    const Link& link = links[i];
    const Vec3<S> centripetal = cross(link.omega, cross(link.omega, P));
    if (!tree[i].prismatic) return SpatialVector<S>{link.velocity_product, centripetal};
    const Vec3<S> twice = {link.velocity_product.x + link.velocity_product.x,
                           link.velocity_product.y + link.velocity_product.y, zero};
    return SpatialVector<S>{{zero, zero, zero}, plus_planar(centripetal, twice)};
  };

  for (std::size_t i = 0; i < n; ++i) {
    LineCounter::start_line("R, P, omega");
    const TreeBody& body = tree[i];
    const bool root = body.parent < 0;
    const auto previous = static_cast<std::size_t>(root ? 0 : body.parent);
    Link& link = links[i];
    link.rotation = kernel::joint_rotation(body, input.q[i]);
    link.P_link = constant<S>(body.position);
    if (!root && tree[previous].prismatic) link.P_link.z = link.P_link.z + input.q[previous];
    link.P = link.P_link;
    if (!root && body.position[1] == 0.0) {
      link.P.y = links[previous].rotation.s * link.P_link.x;
      link.P.x = links[previous].rotation.c * link.P_link.x;
    } else {
      rotate_to_previous(i, link.P);
    }
    const Vec3<S> omega =
        root && input.base.not_rotating
            ? Vec3<S>{zero, zero, zero}
            : fixed_to_joint(body, rotate_from_previous(i, root ? input.base.angular_velocity
                                                                : links[previous].omega));
    link.velocity_product = {omega.y * input.qd[i], -(omega.x * input.qd[i]), zero};
    link.omega = omega;
    if (!body.prismatic) link.omega.z = link.omega.z + input.qd[i];  // (A.2.5)

    // A_{i,i-1} (2.1.7.4), rotated to frame i-1: mass, first moment h = m r and the lower right
    // block I = J - m r x r x, whose zz entry is constant for a revolute joint
    LineCounter::start_line("A, B of the link");
    const double m = body.mass;
    link.own = rigid_inertia<S>(body);
    Vec3<S>& h = link.own.first_moment;
    Sym3<S>& I = link.own.inertia;
    rotate_about_z(link.rotation.c, link.rotation.s, h);
    rotate_about_z(link.rotation.c, link.rotation.s, I);
    if (body.prismatic) {  // translation along Z by q
      const S q = input.q[i], mass_q = m * q;
      const S added = q * (h.z + h.z + mass_q);
      I.xx = I.xx + added;
      I.yy = I.yy + added;
      I.xz = I.xz - h.x * q;
      I.yz = I.yz - h.y * q;
      h.z = h.z + mass_q;
    }
    // B_{i,i-1} (2.1.7.6, 2.2.4) with beta* + r x beta = omega x I omega + I velocity_product
    Vec3<S> force = cross(link.omega, cross(link.omega, h));
    Vec3<S> torque = cross(link.omega, I * link.omega);
    const S &tx = link.velocity_product.x, &ty = link.velocity_product.y;
    if (body.prismatic) {  // (2.2.1), (2.2.2): 2 m velocity_product, and 2 m r x velocity_product
      const S x = tx + tx, y = ty + ty;
      force = plus_planar(force, {m * x, m * y, zero});
      torque += Vec3<S>{-(h.z * y), h.z * x, h.x * y - h.y * x};
    } else {  // (2.1.3.2), (2.1.6.2)
      force += Vec3<S>{ty * h.z, -(tx * h.z), tx * h.y - ty * h.x};
      torque += Vec3<S>{I.xx * tx + I.xy * ty, I.xy * tx + I.yy * ty, I.xz * tx + I.yz * ty};
    }
    link.B = {torque, force};
    if (input.has_wrenches()) {
      Vec3<S> external_force = input.wrenches[i].force;
      Vec3<S> external_torque = input.wrenches[i].moment;
      rotate_about_z(link.rotation.c, link.rotation.s, external_force);
      rotate_about_z(link.rotation.c, link.rotation.s, external_torque);
      if (body.prismatic) {
        external_torque += cross(Vec3<S>{zero, zero, input.q[i]}, external_force);
      }
      link.B.linear -= external_force;
      link.B.angular -= external_torque;
    }
  }

  // inbound pass
  for (std::size_t i = n; i-- > 0;) {
    Link& link = links[i];
    LineCounter::start_line("A*");
    if (link.has_children) {
      link.A += link.own;  // (2.3.3)
    } else {
      link.A = spatial::articulated_inertia<S>(link.own);
    }
    LineCounter::start_line("L, G");
    // L_i = I - Z Z^T - A* Z Z^T - Z Z^T J^a (2.1.19.1) differs from the identity in one column,
    // and gamma removes the entry of the joint axis from U: the force along the axis on the
    // previous link is the control force minus the inertial force of the actuator. Therefore
    //   gamma G A* = A* - A* Z (A* Z)^T / (A*_zz + J^a)    gamma G B* = B* - A* Z B*_z / (...)
    // Row and column Z are zero if J^a = 0.
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
    LineCounter::start_line("A*");  // (2.1.19.4)
    A = reduced ? fixed_to_parent(tree[i], rest) : fixed_to_parent(tree[i], A);
    const bool level = tree[i].position[1] == 0.0;
    A = level ? translate_xz(link.P_link, A) : translate(link.P_link, A);
    rotate_to_previous(i, A);
    if (links[parent].has_children) {
      links[parent].A += A;
    } else {
      links[parent].A = A;
      links[parent].has_children = true;
    }
    LineCounter::start_line("B*");
    // (2.1.19.7), (2.1.19.6), (2.3.4), with the control force on the previous link
    SpatialVector<S> B = {fixed_to_parent(tree[i], m), fixed_to_parent(tree[i], f)};
    B = level ? translate_force_xz(link.P_link, B) : translate_force(link.P_link, B);
    rotate_to_previous(i, B);
    link.sigma = sigma_star(parent, link.P);
    const SpatialVector<S>& sigma = link.sigma;
    SpatialVector<S> A_sigma = times_planar(A, sigma);  // A* sigma*; sigma.angular.z = 0
    const Sym3<S>& l = A.M;
    A_sigma.linear += Vec3<S>{l.xz * sigma.linear.z, l.yz * sigma.linear.z, l.zz * sigma.linear.z};
    const Mat3<S>& k = A.H;
    A_sigma.angular += Vec3<S>{k.xz * sigma.linear.z, k.yz * sigma.linear.z, k.zz * sigma.linear.z};
    links[parent].B = links[parent].B + (B + A_sigma);
  }

  // outbound pass
  LineCounter::start_line("q, F, qdd");
  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    Link& link = links[i];
    const bool root = tree[i].parent < 0;
    if (root && input.base.not_rotating) {
      link.q = {{zero, zero, zero}, fixed_to_joint(tree[i], input.base.acceleration)};
    } else {
      // (2.1.13): R^T P^T (q + Z qdd + sigma*)
      SpatialVector<S> q;
      if (root) {
        q = {input.base.angular_acceleration,
             input.base.acceleration +
                 cross(input.base.angular_velocity, cross(input.base.angular_velocity, link.P))};
      } else {
        const auto parent = static_cast<std::size_t>(tree[i].parent);
        q = links[parent].q;
        S& along = tree[parent].prismatic ? q.linear.z : q.angular.z;
        along = along + qdd[at(parent)];
        if (!tree[parent].prismatic) q.angular = plus_planar(q.angular, link.sigma.angular);
        q.linear += link.sigma.linear;
      }
      const Vec3<S> alpha = rotate_from_previous(i, q.angular),
                    a = rotate_from_previous(i, q.linear);
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
