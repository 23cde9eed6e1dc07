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

#include "papers/formulations/inertia_sum.hpp"

namespace dynamics::formulations {

namespace detail {

/// The three passes of the algorithm, one function per step of a link.
template <class S>
class NasserRecursion {
 public:
  explicit NasserRecursion(const DynamicsInput<S>& given)
      : input_(given), tree_(*given.tree), links_(tree_.size()) {}

  VectorX<S> accelerations(const VectorX<S>& tau, VectorX<S>* pivots) {
    const std::size_t n = tree_.size();
    for (std::size_t i = 0; i < n; ++i) {
      LineCounter::start_line("R, P, omega");
      set_kinematics(i);
      LineCounter::start_line("A, B of the link");
      set_own_inertia(i);
      set_own_bias(i);
      if (input_.has_wrenches()) subtract_wrench(i);
    }
    for (std::size_t i = n; i-- > 0;) {
      LineCounter::start_line("A*");
      links_[i].A.add_own(links_[i].own);
      LineCounter::start_line("L, G");
      const S pivot = set_pivot(i, tau[at(i)]);
      if (pivots != nullptr) (*pivots)[at(i)] = pivot;
      if (tree_[i].parent >= 0) propagate_to_previous(i, eliminate_joint(i, tau[at(i)]));
    }
    LineCounter::start_line("q, F, qdd");
    VectorX<S> qdd(at(n));
    for (std::size_t i = 0; i < n; ++i) {
      Link& link = links_[i];
      link.q = acceleration(i, qdd);
      // Z^T G F with F = A* q + B* (2.1.19.2), (2.1.20)
      qdd[at(i)] = -((dot(link.column, link.q) + link.F_joint) * link.pivot_inverse);
    }
    return qdd;
  }

 private:
  using LineCounter = counting::LineCounter<S>;

  struct Link {
    spatial::PlanarRotation<S> rotation;  // from the axes of link i to frame i-1
    Vec3<S> P;       // P*_{i-1}, from the frame of the previous joint to this frame ...
    Vec3<S> P_link;  // ... in the axes of that frame; P_link: in the axes of the link between
    Vec3<S> omega;   // omega_i
    Vec3<S> velocity_product;  // omega_{i-1} x z theta'
    SpatialVector<S> sigma;    // sigma*_{i-1,i-2} of the previous link, with this joint at P
    RigidInertia<S> own;       // inertia of the link alone, about the joint
    InertiaSum<S> A;           // A*_{i,i-1} (2.3.3)
    SpatialVector<S> B;        // B*_{i,i-1} without the control force of the joint
    SpatialVector<S> column;   // A* Z
    S F_joint, pivot_inverse;
    SpatialVector<S> q;  // q_{i-1,i-1}
  };

  /// A link without the motion along its joint, in the axes of the frame before the fixed rotation.
  struct Remainder {
    ArticulatedInertia<S> A;
    SpatialVector<S> B;
  };

  bool is_root(std::size_t i) const { return tree_[i].parent < 0; }
  /// Precondition: !is_root(i).
  std::size_t parent_of(std::size_t i) const { return static_cast<std::size_t>(tree_[i].parent); }
  /// Whether P_link has no y component.
  bool level(std::size_t i) const { return tree_[i].position[1] == 0.0; }
  bool at_fixed_base(std::size_t i) const { return is_root(i) && input_.base.not_rotating; }

  // R_{i-2,i-1} rotates about Z with the previous joint; P R = Rz P_link Rx
  template <class Rotated>
  void rotate_to_previous(std::size_t i, Rotated& rotated) const {
    if (is_root(i)) return;
    const auto& rotation = links_[parent_of(i)].rotation;
    rotate_about_z(rotation.c, rotation.s, rotated);
  }
  Vec3<S> rotate_from_previous(std::size_t i, Vec3<S> v) const {
    if (is_root(i)) return v;
    const auto& rotation = links_[parent_of(i)].rotation;
    const S x = v.x;
    v.x = rotation.c * x + rotation.s * v.y;
    v.y = rotation.c * v.y - rotation.s * x;
    return v;
  }

  // ---- outbound pass: positions, velocities, and the links alone

  void set_kinematics(std::size_t i) {
    const TreeBody& body = tree_[i];
    Link& link = links_[i];
    link.rotation = kernel::joint_rotation(body, input_.q[i]);
    link.P_link = constant<S>(body.position);
    if (!is_root(i) && tree_[parent_of(i)].prismatic) {
      link.P_link.z = link.P_link.z + input_.q[parent_of(i)];
    }
    link.P = link.P_link;
    if (!is_root(i) && level(i)) {
      const auto& rotation = links_[parent_of(i)].rotation;
      link.P.y = rotation.s * link.P_link.x;
      link.P.x = rotation.c * link.P_link.x;
    } else {
      rotate_to_previous(i, link.P);
    }
    const Vec3<S> omega = previous_angular_velocity(i);
    link.velocity_product = {omega.y * input_.qd[i], -(omega.x * input_.qd[i]), S(0.0)};
    link.omega = omega;
    if (!body.prismatic) link.omega.z = link.omega.z + input_.qd[i];  // (A.2.5)
  }

  /// omega_{i-1}, in frame i-1
  Vec3<S> previous_angular_velocity(std::size_t i) const {
    if (at_fixed_base(i)) return {S(0.0), S(0.0), S(0.0)};
    const Vec3<S>& omega = is_root(i) ? input_.base.angular_velocity : links_[parent_of(i)].omega;
    return fixed_to_joint(tree_[i], rotate_from_previous(i, omega));
  }

  /// A_{i,i-1} (2.1.7.4), rotated to frame i-1: mass, first moment h = m r and the lower right
  /// block I = J - m r x r x, whose zz entry is constant for a revolute joint
  void set_own_inertia(std::size_t i) {
    const TreeBody& body = tree_[i];
    Link& link = links_[i];
    link.own = rigid_inertia<S>(body);
    Vec3<S>& h = link.own.first_moment;
    Sym3<S>& I = link.own.inertia;
    rotate_about_z(link.rotation.c, link.rotation.s, h);
    rotate_about_z(link.rotation.c, link.rotation.s, I);
    if (body.prismatic) {  // translation along Z by q
      const S q = input_.q[i], mass_q = body.mass * q;
      const S added = q * (h.z + h.z + mass_q);
      I.xx = I.xx + added;
      I.yy = I.yy + added;
      I.xz = I.xz - h.x * q;
      I.yz = I.yz - h.y * q;
      h.z = h.z + mass_q;
    }
  }

  /// B_{i,i-1} (2.1.7.6, 2.2.4) with beta* + r x beta = omega x I omega + I velocity_product
  void set_own_bias(std::size_t i) {
    Link& link = links_[i];
    const Vec3<S>& h = link.own.first_moment;
    const Sym3<S>& I = link.own.inertia;
    Vec3<S> force = cross(link.omega, cross(link.omega, h));
    Vec3<S> torque = cross(link.omega, I * link.omega);
    const S &tx = link.velocity_product.x, &ty = link.velocity_product.y;
    if (tree_[i].prismatic) {
      // (2.2.1), (2.2.2): 2 m velocity_product, and 2 m r x velocity_product
      const double m = tree_[i].mass;
      const S x = tx + tx, y = ty + ty;
      force = plus_planar(force, {m * x, m * y, S(0.0)});
      torque += Vec3<S>{-(h.z * y), h.z * x, h.x * y - h.y * x};
    } else {  // (2.1.3.2), (2.1.6.2)
      force += Vec3<S>{ty * h.z, -(tx * h.z), tx * h.y - ty * h.x};
      torque += Vec3<S>{I.xx * tx + I.xy * ty, I.xy * tx + I.yy * ty, I.xz * tx + I.yz * ty};
    }
    link.B = {torque, force};
  }

  void subtract_wrench(std::size_t i) {
    Link& link = links_[i];
    Vec3<S> force = input_.wrenches[i].force;
    Vec3<S> torque = input_.wrenches[i].moment;
    rotate_about_z(link.rotation.c, link.rotation.s, force);
    rotate_about_z(link.rotation.c, link.rotation.s, torque);
    if (tree_[i].prismatic) torque += cross(Vec3<S>{S(0.0), S(0.0), input_.q[i]}, force);
    link.B.linear -= force;
    link.B.angular -= torque;
  }

  // ---- inbound pass: the links with all that follows them

  /// A* Z, the force along the joint, and the divisor A*_zz + J^a, which is returned.
  S set_pivot(std::size_t i, const S& tau) {
    Link& link = links_[i];
    const bool prismatic = tree_[i].prismatic;
    link.column = joint_column(link.A.value(), prismatic);
    S pivot = prismatic ? link.column.linear.z : link.column.angular.z;
    if (tree_[i].rotor_inertia != 0.0) pivot = pivot + tree_[i].rotor_inertia;
    link.pivot_inverse = S(1.0) / pivot;
    link.F_joint = (prismatic ? link.B.linear.z : link.B.angular.z) - tau;
    return pivot;
  }

  /// L_i = I - Z Z^T - A* Z Z^T - Z Z^T J^a (2.1.19.1) differs from the identity in one column,
  /// and gamma removes the entry of the joint axis from U: the force along the axis on the
  /// previous link is the control force minus the inertial force of the actuator. Therefore
  ///   gamma G A* = A* - A* Z (A* Z)^T / (A*_zz + J^a)    gamma G B* = B* - A* Z B*_z / (...)
  /// Row and column Z are zero if J^a = 0.
  Remainder eliminate_joint(std::size_t i, const S& tau) const {
    const Link& link = links_[i];
    if (tree_[i].prismatic || tree_[i].rotor_inertia != 0.0) {
      const SpatialVector<S> scaled = link.pivot_inverse * link.column;
      ArticulatedInertia<S> A = link.A.value();
      subtract_outer(A, link.column, scaled);
      const Vec3<S> force = link.B.linear - link.F_joint * scaled.linear;
      const Vec3<S> torque = link.B.angular - link.F_joint * scaled.angular;
      LineCounter::start_line("A*");
      return {fixed_to_parent(tree_[i], A), {torque, force}};
    }
    const SpatialVector<S>& u = link.column;
    const S& d = link.pivot_inverse;
    const SpatialVector<S> scaled = {{d * u.angular.x, d * u.angular.y, S(1.0)}, d * u.linear};
    const spatial::ReducedInertia<S> rest = eliminate_revolute(link.A.value(), u, scaled);
    const Vec3<S> force = link.B.linear - link.F_joint * scaled.linear;
    const Vec3<S> torque = {link.B.angular.x - link.F_joint * scaled.angular.x,
                            link.B.angular.y - link.F_joint * scaled.angular.y, tau};
    LineCounter::start_line("A*");
    return {fixed_to_parent(tree_[i], rest), {torque, force}};
  }

  /// Adds the remainder of link i to the previous link.
  void propagate_to_previous(std::size_t i, const Remainder& remainder) {
    Link& link = links_[i];
    Link& previous = links_[parent_of(i)];
    // (2.1.19.4)
    ArticulatedInertia<S> A =
        level(i) ? translate_xz(link.P_link, remainder.A) : translate(link.P_link, remainder.A);
    rotate_to_previous(i, A);
    previous.A.add_child(A);
    LineCounter::start_line("B*");
    // (2.1.19.7), (2.1.19.6), (2.3.4), with the control force on the previous link
    SpatialVector<S> B = {fixed_to_parent(tree_[i], remainder.B.angular),
                          fixed_to_parent(tree_[i], remainder.B.linear)};
    B = level(i) ? translate_force_xz(link.P_link, B) : translate_force(link.P_link, B);
    rotate_to_previous(i, B);
    link.sigma = sigma_star(parent_of(i), link.P);
    previous.B = previous.B + (B + times_sigma(A, link.sigma));
  }

  /// sigma*_{i,i-1} for the next joint at P (2.1.13.2 with a positive lower part; 2.2.6)
  SpatialVector<S> sigma_star(std::size_t i, const Vec3<S>& P) const {
    const Link& link = links_[i];
    const Vec3<S> centripetal = cross(link.omega, cross(link.omega, P));
    if (!tree_[i].prismatic) return {link.velocity_product, centripetal};
    const Vec3<S> twice = {link.velocity_product.x + link.velocity_product.x,
                           link.velocity_product.y + link.velocity_product.y, S(0.0)};
    return {{S(0.0), S(0.0), S(0.0)}, plus_planar(centripetal, twice)};
  }

  /// A* sigma*, where sigma.angular.z = 0
  static SpatialVector<S> times_sigma(const ArticulatedInertia<S>& A,
                                      const SpatialVector<S>& sigma) {
    SpatialVector<S> product = times_planar(A, sigma);
    const Sym3<S>& l = A.M;
    product.linear += Vec3<S>{l.xz * sigma.linear.z, l.yz * sigma.linear.z, l.zz * sigma.linear.z};
    const Mat3<S>& k = A.H;
    product.angular += Vec3<S>{k.xz * sigma.linear.z, k.yz * sigma.linear.z, k.zz * sigma.linear.z};
    return product;
  }

  // ---- outbound pass: accelerations

  /// q_{i-1,i-1} = R^T P^T (q + Z qdd + sigma*) of the previous link (2.1.13)
  SpatialVector<S> acceleration(std::size_t i, const VectorX<S>& qdd) const {
    if (at_fixed_base(i)) {
      return {{S(0.0), S(0.0), S(0.0)}, fixed_to_joint(tree_[i], input_.base.acceleration)};
    }
    const SpatialVector<S> q = is_root(i) ? base_acceleration(i) : previous_acceleration(i, qdd);
    const Vec3<S> alpha = rotate_from_previous(i, q.angular), a = rotate_from_previous(i, q.linear);
    const Vec3<S>& P = links_[i].P_link;
    const Vec3<S> moved = level(i)
                              ? Vec3<S>{a.x + alpha.y * P.z, a.y + (alpha.z * P.x - alpha.x * P.z),
                                        a.z - alpha.y * P.x}
                              : a + cross(alpha, P);
    return {fixed_to_joint(tree_[i], alpha), fixed_to_joint(tree_[i], moved)};
  }

  SpatialVector<S> base_acceleration(std::size_t i) const {
    const auto& base = input_.base;
    return {base.angular_acceleration,
            base.acceleration +
                cross(base.angular_velocity, cross(base.angular_velocity, links_[i].P))};
  }

  /// q + Z qdd + sigma* of the previous link
  SpatialVector<S> previous_acceleration(std::size_t i, const VectorX<S>& qdd) const {
    const std::size_t parent = parent_of(i);
    const SpatialVector<S>& sigma = links_[i].sigma;
    SpatialVector<S> q = links_[parent].q;
    S& along = tree_[parent].prismatic ? q.linear.z : q.angular.z;
    along = along + qdd[at(parent)];
    if (!tree_[parent].prismatic) q.angular = plus_planar(q.angular, sigma.angular);
    q.linear += sigma.linear;
    return q;
  }

  const DynamicsInput<S>& input_;
  const Tree& tree_;
  std::vector<Link> links_;
};

}  // namespace detail

/// qdd for the joint torques tau. `pivots`, unless null, receives the divisor A*_zz + J^a per
/// joint. Cost for n general revolute joints: 247n - 184 multiplications and divisions, 223n - 178
/// additions.
template <class S>
VectorX<S> nasser(const DynamicsInput<S>& input, const VectorX<S>& tau,
                  VectorX<S>* pivots = nullptr) {
  return detail::NasserRecursion<S>(input).accelerations(tau, pivots);
}

}  // namespace dynamics::formulations
