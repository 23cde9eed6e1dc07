// SPDX-License-Identifier: Apache-2.0
#pragma once

// Walker and Orin (1982), the third method: M from composite bodies, the other terms from the
// Newton-Euler equations with zero accelerations, the solution by Cholesky. For trees, in the
// bodies' own frames: origin on the joint, Z along it.

#include <vector>

#include "dynamics_core/formulations/situation.hpp"

namespace dynamics::formulations {

/// M from composite bodies: mass, mass centre and inertia about it of everything beyond a joint.
template <class S>
MatrixX<S> walker_orin_inertia_matrix(const Situation<S>& given) {
  struct Composite {
    S mass;
    Vector3<S> moment;   // mass times centre: also for bodies without mass
    Matrix3<S> inertia;  // about the body's origin
  };
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  std::vector<Composite> composite(n);
  std::vector<BodyPlacement<S>> place(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    place[i] = body_placement<S>(body, given.q[i]);
    const auto& j = body.inertia;
    composite[i].mass = S(body.mass);
    composite[i].moment << S(body.moment[0]), S(body.moment[1]), S(body.moment[2]);
    composite[i].inertia << S(j[0]), S(j[1]), S(j[2]), S(j[1]), S(j[3]), S(j[4]), S(j[2]), S(j[4]),
        S(j[5]);
  }
  for (std::size_t i = n; i-- > 0;) {
    if (tree[i].parent < 0) continue;
    Composite& parent = composite[static_cast<std::size_t>(tree[i].parent)];
    const Matrix3<S>& R = place[i].rotation;
    const Matrix3<S> P = cross_matrix(place[i].position);
    const Vector3<S> moment = R * composite[i].moment;
    const Matrix3<S> H = cross_matrix<S>(moment);
    // the parallel axes theorem with the origins moved by P
    parent.inertia +=
        R * composite[i].inertia * R.transpose() - P * H - H * P - composite[i].mass * P * P;
    parent.moment += moment + composite[i].mass * place[i].position;
    parent.mass += composite[i].mass;
  }
  MatrixX<S> M = MatrixX<S>::Zero(at(n), at(n));
  for (std::size_t j = 0; j < n; ++j) {
    // force and moment on composite body j for a unit acceleration of joint j
    Vector3<S> f, m;
    const Vector3<S> z(S(0.0), S(0.0), S(1.0));
    if (tree[j].prismatic) {
      f = composite[j].mass * z;
      m = composite[j].moment.cross(z);
    } else {
      f = z.cross(composite[j].moment);
      m = composite[j].inertia * z;
    }
    M(at(j), at(j)) = (tree[j].prismatic ? f.z() : m.z()) + S(tree[j].rotor_inertia);
    for (std::size_t k = j; tree[k].parent >= 0;) {
      f = (place[k].rotation * f).eval();
      m = (place[k].rotation * m + place[k].position.cross(f)).eval();
      k = static_cast<std::size_t>(tree[k].parent);
      M(at(k), at(j)) = M(at(j), at(k)) = tree[k].prismatic ? f.z() : m.z();
    }
  }
  return M;
}

/// What the joints must exert for zero accelerations: Newton-Euler, mass centres (Luh, Walker and
/// Paul 1980), for trees.
template <class S>
VectorX<S> walker_orin_bias(const Situation<S>& given) {
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  struct Motion {
    Vector3<S> omega, alpha, a;
  };
  const Motion base = {eigen(given.base.angular_velocity), eigen(given.base.angular_acceleration),
                       eigen(given.base.acceleration)};
  std::vector<Motion> motion(n);
  std::vector<BodyPlacement<S>> place(n);
  std::vector<Vector3<S>> force(n), moment(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    const Motion& parent = body.parent < 0 ? base : motion[static_cast<std::size_t>(body.parent)];
    place[i] = body_placement<S>(body, given.q[i]);
    const Matrix3<S> to_body = place[i].rotation.transpose();
    const Vector3<S>& p = place[i].position;
    const Vector3<S> rate(S(0.0), S(0.0), given.qd[i]);
    Motion& own = motion[i];
    own.omega = to_body * parent.omega;
    own.alpha = to_body * parent.alpha;
    own.a =
        to_body * (parent.a + parent.alpha.cross(p) + parent.omega.cross(parent.omega.cross(p)));
    if (body.prismatic) {
      own.a += S(2.0) * own.omega.cross(rate);
    } else {
      own.alpha += own.omega.cross(rate);
      own.omega += rate;
    }
    const BodyMass mass = body_mass(body);
    const Vector3<S> c = mass.centre.template cast<S>();
    const Matrix3<S> I = mass.inertia.template cast<S>();
    force[i] =
        S(mass.mass) * (own.a + own.alpha.cross(c) + own.omega.cross(own.omega.cross(c)).eval());
    moment[i] = I * own.alpha + own.omega.cross(I * own.omega) + c.cross(force[i]);
    if (given.has_wrenches()) {
      force[i] -= eigen(given.wrenches[i].force);
      moment[i] -= eigen(given.wrenches[i].moment);
    }
  }
  VectorX<S> tau(at(n));
  for (std::size_t i = n; i-- > 0;) {
    tau[at(i)] = tree[i].prismatic ? force[i].z() : moment[i].z();
    if (tree[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    const Vector3<S> f = place[i].rotation * force[i];
    force[parent] += f;
    moment[parent] += place[i].rotation * moment[i] + place[i].position.cross(f);
  }
  return tau;
}

}  // namespace dynamics::formulations
