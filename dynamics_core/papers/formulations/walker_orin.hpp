// SPDX-License-Identifier: Apache-2.0
#pragma once

// Walker and Orin (1982), third method: M from composite bodies, bias torques from the Newton-Euler
// equations with zero accelerations, solution by Cholesky factorization. For trees, in the frames
// of the bodies: origin on the joint, Z along its axis.

#include <vector>

#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

/// M from composite bodies: mass, first moment and inertia of the subtree of every joint. O(n^2)
/// for a chain.
template <class S>
MatrixX<S> walker_orin_inertia_matrix(const DynamicsInput<S>& input) {
  using LineCounter = counting::LineCounter<S>;
  const Tree& tree = *input.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  std::vector<RigidInertia<S>> composite(n);
  std::vector<JointTransform<S>> place(n);
  for (std::size_t i = 0; i < n; ++i) {
    place[i] = joint_transform(tree[i], input.q[i]);
    composite[i] = rigid_inertia<S>(tree[i]);
  }
  LineCounter::start_line("composite bodies");
  for (std::size_t i = n; i-- > 0;) {
    if (tree[i].parent < 0) continue;
    const RigidInertia<S> rotated = {composite[i].mass,
                                     to_parent(tree[i], place[i], composite[i].first_moment),
                                     to_parent(tree[i], place[i], composite[i].inertia)};
    composite[static_cast<std::size_t>(tree[i].parent)] +=
        r_y_is_zero(tree[i]) ? translate_xz(place[i].r, rotated) : translate(place[i].r, rotated);
  }
  LineCounter::start_line("columns");
  MatrixX<S> M = MatrixX<S>::Constant(at(n), at(n), zero);
  for (std::size_t j = 0; j < n; ++j) {
    // force on composite body j for a unit acceleration of joint j
    const bool prismatic = tree[j].prismatic;
    SpatialVector<S> f = joint_column(composite[j], prismatic);
    S& own = M(at(j), at(j));
    own = prismatic ? f.linear.z : f.angular.z;
    if (tree[j].rotor_inertia != 0.0) own = own + S(tree[j].rotor_inertia);
    for (std::size_t k = j; tree[k].parent >= 0;) {
      f = {to_parent(tree[k], place[k], f.angular), to_parent(tree[k], place[k], f.linear)};
      f = r_y_is_zero(tree[k]) ? translate_force_xz(place[k].r, f) : translate_force(place[k].r, f);
      k = static_cast<std::size_t>(tree[k].parent);
      M(at(k), at(j)) = M(at(j), at(k)) = tree[k].prismatic ? f.linear.z : f.angular.z;
    }
  }
  return M;
}

/// Bias torques C qd + g - J^T w (tau for zero accelerations) by the Newton-Euler equations about
/// mass centers (Luh, Walker and Paul 1980), for trees. O(n).
template <class S>
VectorX<S> walker_orin_bias(const DynamicsInput<S>& input) {
  counting::LineCounter<S>::start_line("bias");
  const Tree& tree = *input.tree;
  const std::size_t n = tree.size();
  struct BodyMotion {
    Vec3<S> omega, alpha, a;
  };
  const BodyMotion base = {input.base.angular_velocity, input.base.angular_acceleration,
                           input.base.acceleration};
  std::vector<BodyMotion> motion(n);
  std::vector<JointTransform<S>> place(n);
  std::vector<Vec3<S>> force(n), torque(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    const BodyMotion& parent =
        body.parent < 0 ? base : motion[static_cast<std::size_t>(body.parent)];
    place[i] = joint_transform(body, input.q[i]);
    const Vec3<S>& p = place[i].r;
    BodyMotion& own = motion[i];
    own.omega = to_body(body, place[i], parent.omega);
    own.alpha = to_body(body, place[i], parent.alpha);
    own.a =
        to_body(body, place[i],
                parent.a + cross(parent.alpha, p) + cross(parent.omega, cross(parent.omega, p)));
    const S &qd = input.qd[i], &wx = own.omega.x, &wy = own.omega.y;
    if (body.prismatic) {
      const S twice = qd + qd;
      own.a = plus_planar(own.a, {wy * twice, -(wx * twice), S(0.0)});
    } else {
      own.alpha = plus_planar(own.alpha, {wy * qd, -(wx * qd), S(0.0)});
      own.omega.z = own.omega.z + qd;
    }
    const BodyMass mass = body_mass(body);
    const Vec3<double> c = {mass.center.x(), mass.center.y(), mass.center.z()};
    const Eigen::Matrix3d& j = mass.inertia;
    const Sym3<double> I = {j(0, 0), j(0, 1), j(0, 2), j(1, 1), j(1, 2), j(2, 2)};
    force[i] = mass.mass * (own.a + cross(own.alpha, c) + cross(own.omega, cross(own.omega, c)));
    torque[i] = I * own.alpha + cross(own.omega, I * own.omega) + cross(c, force[i]);
    if (input.has_wrenches()) {
      force[i] -= input.wrenches[i].force;
      torque[i] -= input.wrenches[i].moment;
    }
  }
  VectorX<S> tau(at(n));
  for (std::size_t i = n; i-- > 0;) {
    tau[at(i)] = tree[i].prismatic ? force[i].z : torque[i].z;
    if (tree[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    const Vec3<S> f = to_parent(tree[i], place[i], force[i]);
    force[parent] += f;
    torque[parent] += to_parent(tree[i], place[i], torque[i]) + cross(place[i].r, f);
  }
  return tau;
}

}  // namespace dynamics::formulations
