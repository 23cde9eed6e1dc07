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
  using Ledger = counting::Ledger<S>;
  struct Composite {
    S mass;
    Vec<S> moment;         // mass times centre: also for bodies without mass
    Symmetric<S> inertia;  // about the body's origin
  };
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  const S zero(0.0);
  std::vector<Composite> composite(n);
  std::vector<Turning<S>> place;
  place.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    place.emplace_back(tree[i], given.q[i]);
    composite[i] = {S(tree[i].mass), constant<S>(tree[i].moment), constant<S>(tree[i].inertia)};
  }
  Ledger::line("composite bodies");
  for (std::size_t i = n; i-- > 0;) {
    if (tree[i].parent < 0) continue;
    Composite& parent = composite[static_cast<std::size_t>(tree[i].parent)];
    const Vec<S>& r = place[i].r;
    // the parallel axes theorem from origin to origin: with h the moment and k = h + m r,
    // J + 2 (h.r) 1 - h r^T - r h^T + m (r^2 1 - r r^T) = J + ((h + k).r) 1 - k r^T - r h^T
    const Vec<S> h = place[i].to_parent(composite[i].moment);
    const S& m = composite[i].mass;
    const Symmetric<S> J = place[i].to_parent(composite[i].inertia);
    if (place[i].level) {  // the same without r.y
      const Vec<S> k = {h.x + m * r.x, h.y, h.z + m * r.z};
      const S x = (h.x + k.x) * r.x, z = (h.z + k.z) * r.z;
      parent.inertia +=
          Symmetric<S>{J.xx + z,       J.xy - r.x * h.y, J.xz - (k.x * r.z + r.x * h.z),
                       J.yy + (x + z), J.yz - h.y * r.z, J.zz + x};
      parent.moment += k;
    } else {
      const Vec<S> k = h + m * r;
      const Vec<S> sum = h + k;
      const S x = sum.x * r.x, y = sum.y * r.y, z = sum.z * r.z;
      parent.inertia += Symmetric<S>{
          J.xx + (y + z), J.xy - (k.x * r.y + r.x * h.y), J.xz - (k.x * r.z + r.x * h.z),
          J.yy + (x + z), J.yz - (k.y * r.z + r.y * h.z), J.zz + (x + y)};
      parent.moment += k;
    }
    parent.mass += composite[i].mass;
  }
  Ledger::line("columns");
  MatrixX<S> M = MatrixX<S>::Constant(at(n), at(n), zero);
  for (std::size_t j = 0; j < n; ++j) {
    // force and moment on composite body j for a unit acceleration of joint j
    const Vec<S>& h = composite[j].moment;
    const Symmetric<S>& J = composite[j].inertia;
    Vec<S> f, m;
    if (tree[j].prismatic) {
      f = {zero, zero, composite[j].mass};
      m = {h.y, -h.x, zero};
    } else {
      f = {-h.y, h.x, zero};
      m = {J.xz, J.yz, J.zz};
    }
    S& own = M(at(j), at(j));
    own = tree[j].prismatic ? f.z : m.z;
    if (tree[j].rotor_inertia != 0.0) own = own + S(tree[j].rotor_inertia);
    for (std::size_t k = j; tree[k].parent >= 0;) {
      f = place[k].to_parent(f);
      m = with_lever(place[k].to_parent(m), place[k].r, f, place[k].level);
      k = static_cast<std::size_t>(tree[k].parent);
      M(at(k), at(j)) = M(at(j), at(k)) = tree[k].prismatic ? f.z : m.z;
    }
  }
  return M;
}

/// What the joints must exert for zero accelerations: Newton-Euler, mass centres (Luh, Walker and
/// Paul 1980), for trees.
template <class S>
VectorX<S> walker_orin_bias(const Situation<S>& given) {
  using kernel::cross;
  counting::Ledger<S>::line("bias");
  const Tree& tree = *given.tree;
  const std::size_t n = tree.size();
  struct Motion {
    Vec<S> omega, alpha, a;
  };
  const Motion base = {given.base.angular_velocity, given.base.angular_acceleration,
                       given.base.acceleration};
  std::vector<Motion> motion(n);
  std::vector<Turning<S>> place;
  place.reserve(n);
  std::vector<Vec<S>> force(n), moment(n);
  for (std::size_t i = 0; i < n; ++i) {
    const TreeBody& body = tree[i];
    const Motion& parent = body.parent < 0 ? base : motion[static_cast<std::size_t>(body.parent)];
    place.emplace_back(body, given.q[i]);
    const Vec<S>& p = place[i].r;
    Motion& own = motion[i];
    own.omega = place[i].to_body(parent.omega);
    own.alpha = place[i].to_body(parent.alpha);
    own.a = place[i].to_body(parent.a + cross(parent.alpha, p) +
                             cross(parent.omega, cross(parent.omega, p)));
    const S &qd = given.qd[i], &wx = own.omega.x, &wy = own.omega.y;
    if (body.prismatic) {
      const S twice = qd + qd;
      own.a = plus_planar(own.a, {wy * twice, -(wx * twice), S(0.0)});
    } else {
      own.alpha = plus_planar(own.alpha, {wy * qd, -(wx * qd), S(0.0)});
      own.omega.z = own.omega.z + qd;
    }
    const BodyMass mass = body_mass(body);
    const Vec<double> c = {mass.centre.x(), mass.centre.y(), mass.centre.z()};
    const Eigen::Matrix3d& j = mass.inertia;
    const Symmetric<double> I = {j(0, 0), j(0, 1), j(0, 2), j(1, 1), j(1, 2), j(2, 2)};
    force[i] = mass.mass * (own.a + cross(own.alpha, c) + cross(own.omega, cross(own.omega, c)));
    moment[i] = I * own.alpha + cross(own.omega, I * own.omega) + cross(c, force[i]);
    if (given.has_wrenches()) {
      force[i] -= given.wrenches[i].force;
      moment[i] -= given.wrenches[i].moment;
    }
  }
  VectorX<S> tau(at(n));
  for (std::size_t i = n; i-- > 0;) {
    tau[at(i)] = tree[i].prismatic ? force[i].z : moment[i].z;
    if (tree[i].parent < 0) continue;
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    const Vec<S> f = place[i].to_parent(force[i]);
    force[parent] += f;
    moment[parent] += place[i].to_parent(moment[i]) + cross(place[i].r, f);
  }
  return tau;
}

}  // namespace dynamics::formulations
