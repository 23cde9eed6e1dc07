// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recursive Newton-Euler forward dynamics by 6x6 matrices (Nasser 1990): rotational and
// translational joints, trees, prescribed base motion, actuator inertia.
//
// The equations of link i are written in "the i-1 frame": Z along joint i, fixed to the link
// before. In a tree each joint of a link has such a frame of its own on it (section 2.3). Here
// index i names a joint, its frame i-1, and the link beyond. Six-vectors have the linear part on
// top: reactions [f; n], accelerations [v'; omega'].

#include <vector>

#include "dynamics_core/formulations/situation.hpp"

namespace dynamics::formulations {

/// qdd for the joint forces tau; `pivots`, where given, receives what each joint's acceleration is
/// divided by.
template <class S>
VectorX<S> nasser(const Situation<S>& given, const VectorX<S>& tau, VectorX<S>* pivots = nullptr) {
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  struct Link {
    // seen from the previous link's own joint frame (the base for the first): where this frame is
    Matrix3<S> R;                      // R_{i-2,i-1}
    Vector3<S> P;                      // P*_{i-1}, from the previous joint's frame to this one
    Matrix3<S> turn;                   // from link i's axes to frame i-1
    Vector3<S> omega_previous, omega;  // omega_{i-1}, omega_i
    Vector6<S> Z;
    Matrix6<S> A;         // A*_{i,i-1}
    Vector6<S> B;         // B*_{i,i-1}
    Vector6<S> sigma;     // sigma*_{i,i-1} at the frame of this joint's link's next joint: less P
    Vector6<S> L_column;  // L_i = I - L_column Z^T
    S pivot;
    Vector6<S> q;  // q_{i-1,i-1}
  };
  std::vector<Link> links(n);
  const Vector3<S> z(S(0.0), S(0.0), S(1.0));
  const Vector3<S> base_omega = eigen(given.base.angular_velocity);

  // sigma*_{i,i-1} for the next joint at P (2.1.13.2, its lower part positive; 2.2.6)
  const auto sigma_star = [&](std::size_t i, const Vector3<S>& P) {
    const Link& link = links[i];
    const Vector3<S> turning = link.omega_previous.cross(z) * given.qd[i];
    Vector6<S> sigma;
    if (tree[i].prismatic) {
      sigma << link.omega.cross(link.omega.cross(P)) + S(2.0) * turning, Vector3<S>::Zero();
    } else {
      sigma << link.omega.cross(link.omega.cross(P)), turning;
    }
    return sigma;
  };
  // P_i (2.1.13.3)
  const auto shift = [](const Vector3<S>& P) {
    Matrix6<S> m = Matrix6<S>::Identity();
    m.template bottomLeftCorner<3, 3>() = cross_matrix(P);
    return m;
  };
  // R*_{i-1,i} (2.1.18)
  const auto both = [](const Matrix3<S>& R) {
    Matrix6<S> m = Matrix6<S>::Zero();
    m.template topLeftCorner<3, 3>() = m.template bottomRightCorner<3, 3>() = R;
    return m;
  };

  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    Link& link = links[i];
    const bool root = body.parent < 0;
    const kernel::Placement<S> place = kernel::place(body, given.q[i]);
    link.turn << place.c, S(-place.s), S(0.0), place.s, place.c, S(0.0), S(0.0), S(0.0), S(1.0);
    const Vector3<S> slide =
        body.prismatic ? Vector3<S>(z * given.q[i]) : Vector3<S>(Vector3<S>::Zero());
    link.R = mounting(body).template cast<S>();
    link.P << S(body.position[0]), S(body.position[1]), S(body.position[2]);
    if (!root) {
      const auto parent = static_cast<std::size_t>(body.parent);
      link.R = (links[parent].turn * link.R).eval();
      link.P = (links[parent].turn * link.P).eval();
      if (tree[parent].prismatic) link.P += z * given.q[parent];
    }
    link.omega_previous = link.R.transpose() *
                          (root ? base_omega : links[static_cast<std::size_t>(body.parent)].omega);
    link.omega = link.omega_previous;
    link.Z.setZero();
    link.Z[body.prismatic ? 2 : 5] = S(1.0);
    if (!body.prismatic) link.omega += z * given.qd[i];  // (A.2.5)

    // A_{i,i-1} (2.1.7.4) and B_{i,i-1} (2.1.7.6, 2.2.4)
    const BodyMass mass = body_mass(body);
    const S m(mass.mass);
    const Vector3<S> r = link.turn * mass.centre.template cast<S>() + slide;
    const Matrix3<S> r_cross = cross_matrix<S>(r);
    const Matrix3<S> J = link.turn * mass.inertia.template cast<S>() * link.turn.transpose();
    link.A << Matrix3<S>(m * Matrix3<S>::Identity()), -m * r_cross, m * r_cross,
        J - m * r_cross * r_cross;
    const Vector3<S> turning = link.omega_previous.cross(z) * given.qd[i];
    Vector3<S> beta = m * link.omega.cross(link.omega.cross(r)).eval();
    Vector3<S> beta_star = link.omega.cross(J * link.omega);
    if (body.prismatic) {
      beta += S(2.0) * m * turning;  // (2.2.1), (2.2.2)
    } else {
      beta += m * turning.cross(r);  // (2.1.3.2), (2.1.6.2)
      beta_star += J * turning;
    }
    link.B << beta, beta_star + r.cross(beta);
    link.B -= link.Z * tau[at(i)];  // the joint's own control force
    if (given.has_wrenches()) {
      const Vector3<S> force = link.turn * eigen(given.wrenches[i].force);
      link.B.template head<3>() -= force;
      link.B.template tail<3>() -= link.turn * eigen(given.wrenches[i].moment) + slide.cross(force);
    }
  }

  // inbound
  for (std::size_t i = n; i-- > 0;) {
    Link& link = links[i];
    // L_i = I - Z Z^T - A* Z Z^T - Z Z^T J^a (2.1.19.1): the identity but for one column, so that
    // G_i = L_i^-1 = I - L_column Z^T / (A*_zz + J^a)
    const S actuator(tree[i].rotor_inertia);
    const Vector6<S> column = link.A * link.Z;
    link.L_column = column + link.Z * (S(1.0) + actuator);
    link.pivot = link.Z.dot(column) + actuator;
    if (pivots != nullptr) (*pivots)[at(i)] = link.pivot;
    if (tree[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    // gamma takes the drive's entry out of U: what passes to the link before along the drive is
    // the control force, less what the actuator's own inertia takes
    Matrix6<S> gamma_G = Matrix6<S>::Identity() - link.L_column * link.Z.transpose() / link.pivot;
    gamma_G -= (S(1.0) + actuator) * link.Z * (link.Z.transpose() * gamma_G).eval();
    const Matrix6<S> R = both(link.R), P = shift(link.P);
    const Matrix6<S> A = P * R * gamma_G * link.A * R.transpose() * P.transpose();  // (2.1.19.4)
    // (2.1.19.7), (2.1.19.6), with the control force on the link before, f^c_{i+1} and n^c_{i+1}
    const Vector6<S> B = R * (gamma_G * link.B + link.Z * tau[at(i)]);
    links[parent].A += A;                                       // (2.3.3)
    links[parent].B += P * B + A * sigma_star(parent, link.P);  // (2.3.4)
  }

  // outbound
  VectorX<S> qdd(at(n));
  Vector6<S> base_acceleration;
  base_acceleration << eigen(given.base.acceleration), eigen(given.base.angular_acceleration);
  for (std::size_t i = 0; i < n; ++i) {
    Link& link = links[i];
    const Matrix6<S> R = both(link.R), P = shift(link.P);
    if (tree[i].parent < 0) {
      Vector6<S> sigma = Vector6<S>::Zero();
      sigma.template head<3>() = base_omega.cross(base_omega.cross(link.P));
      link.q = R.transpose() * (P.transpose() * base_acceleration + sigma);
    } else {
      const auto parent = static_cast<std::size_t>(tree[i].parent);
      // (2.1.13)
      link.q = R.transpose() * P.transpose() *
               (links[parent].q + links[parent].Z * qdd[at(parent)] + sigma_star(parent, link.P));
    }
    const Vector6<S> F = link.A * link.q + link.B;  // (2.1.19.2)
    qdd[at(i)] = -link.Z.dot(F) / link.pivot;       // (2.1.20): Z^T G F
  }
  return qdd;
}

}  // namespace dynamics::formulations
