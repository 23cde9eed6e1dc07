// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated-body algorithm (Featherstone 1983): O(n) forward dynamics with 6x6 spatial
// matrices in the bodies' frames. Six-vectors have the angular part on top.

#include <vector>

#include "dynamics_core/formulations/situation.hpp"

namespace dynamics::formulations {

/// Featherstone's v x, for motions; for forces it is minus its transpose.
template <class S>
Matrix6<S> motion_cross(const Vector6<S>& v) {
  Matrix6<S> m = Matrix6<S>::Zero();
  m.template topLeftCorner<3, 3>() = m.template bottomRightCorner<3, 3>() =
      cross_matrix<S>(v.template head<3>());
  m.template bottomLeftCorner<3, 3>() = cross_matrix<S>(v.template tail<3>());
  return m;
}

/// qdd for the joint forces tau; `pivots`, where given, receives s^T I^A s of each joint.
template <class S>
VectorX<S> articulated_body(const Situation<S>& given, const VectorX<S>& tau,
                            VectorX<S>* pivots = nullptr) {
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  struct Body {
    Matrix6<S> X;        // from the parent's coordinates to the body's, motions
    Vector6<S> s, v, c;  // joint axis, velocity, velocity-product acceleration
    Matrix6<S> I;        // articulated inertia
    Vector6<S> p, U, a;  // bias force, I s, acceleration
    S D, u;
  };
  std::vector<Body> bodies(n);
  Vector6<S> base_velocity, base_acceleration;
  base_velocity << eigen(given.base.angular_velocity), Vector3<S>::Zero();
  base_acceleration << eigen(given.base.angular_acceleration), eigen(given.base.acceleration);

  for (std::size_t i = 0; i < n; ++i) {
    Body& body = bodies[i];
    const BodyPlacement<S> place = body_placement<S>(tree[i], given.q[i]);
    const Matrix3<S> E = place.rotation.transpose();
    body.X.setZero();
    body.X.template topLeftCorner<3, 3>() = body.X.template bottomRightCorner<3, 3>() = E;
    body.X.template bottomLeftCorner<3, 3>() = -E * cross_matrix(place.position);
    body.s.setZero();
    body.s[tree[i].prismatic ? 5 : 2] = S(1.0);
    const Vector6<S>& parent =
        tree[i].parent < 0 ? base_velocity : bodies[static_cast<std::size_t>(tree[i].parent)].v;
    const Vector6<S> rate = body.s * given.qd[i];
    body.v = body.X * parent + rate;
    body.c = motion_cross(body.v) * rate;
    const auto& j = tree[i].inertia;
    Matrix3<S> J;
    J << S(j[0]), S(j[1]), S(j[2]), S(j[1]), S(j[3]), S(j[4]), S(j[2]), S(j[4]), S(j[5]);
    const auto& h = tree[i].moment;
    const Matrix3<S> H = cross_matrix<S>(Vector3<S>(S(h[0]), S(h[1]), S(h[2])));
    body.I << J, H, -H, Matrix3<S>(Matrix3<S>::Identity() * S(tree[i].mass));
    body.p = -(motion_cross(body.v).transpose() * (body.I * body.v));
    if (given.has_wrenches()) {
      body.p.template head<3>() -= eigen(given.wrenches[i].moment);
      body.p.template tail<3>() -= eigen(given.wrenches[i].force);
    }
  }

  for (std::size_t i = n; i-- > 0;) {
    Body& body = bodies[i];
    body.U = body.I * body.s;
    body.D = body.s.dot(body.U) + S(tree[i].rotor_inertia);
    body.u = tau[at(i)] - body.s.dot(body.p);
    if (pivots != nullptr) (*pivots)[at(i)] = body.D;
    if (tree[i].parent < 0) continue;
    Body& parent = bodies[static_cast<std::size_t>(tree[i].parent)];
    const Matrix6<S> I = body.I - body.U * body.U.transpose() / body.D;
    const Vector6<S> p = body.p + I * body.c + body.U * (body.u / body.D);
    parent.I += body.X.transpose() * I * body.X;
    parent.p += body.X.transpose() * p;
  }

  VectorX<S> qdd(at(n));
  for (std::size_t i = 0; i < n; ++i) {
    Body& body = bodies[i];
    const Vector6<S>& parent =
        tree[i].parent < 0 ? base_acceleration : bodies[static_cast<std::size_t>(tree[i].parent)].a;
    const Vector6<S> carried = body.X * parent + body.c;
    qdd[at(i)] = (body.u - body.U.dot(carried)) / body.D;
    body.a = carried + body.s * qdd[at(i)];
  }
  return qdd;
}

}  // namespace dynamics::formulations
