// SPDX-License-Identifier: Apache-2.0
#pragma once

// Derivatives of inverse dynamics, in O(n d), d the depth of the tree.
//
// With s_j a joint's axis, v and a of its parent (gravity in a), and
//   psi_j' = v x s_j,   psi_j'' = a x s_j + v x psi_j'
// the motions of all bodies beyond j change with q_j by psi_j' and psi_j'', with qd_j by s_j and
// 2 psi_j'. The forces for these changes follow from sums over the bodies beyond the outer joint:
// their inertia I, their force f, and
//   B = ((v x*) I - I (v x) + (I v) x-*) / 2
// (Echeandia and Wensing 2021; Singh, Russell and Wensing 2022). For i beyond j or j itself:
//   d tau_i / d q_j  = s_i^T (2 B_i psi_j' + I_i psi_j'')
//   d tau_j / d q_i  = s_j^T (2 B_i psi_i' + I_i psi_i'' + s_i x* f_i)
//   d tau_i / d qd_j = 2 s_i^T (B_i s_j + I_i psi_j'), and the same for i and j exchanged.
// Half of B is zero, and the rest is symmetric except for the momentum (k, l) = I v:
//   2B = [E - [k x], 0; -2 [l x], 0],   E = [w x] J + ([w x] J)^T - h u^T - u h^T + 2 (h.u) 1
// with (w, u) = v, h the first moment and J the inertia.
//
// All quantities are in the body's axes, about its origin, in a frame that translates with the
// body: there u = 0, and a is the acceleration of the origin. About a distant or fast origin
// m r^2 and m u would swamp the wrist's own inertia and momentum. In the parent's frame the body's
// origin is at r and moves with r', which adds m r' to l, h x r' to k and so on, and
// 2 r' x (I s_i)_linear to a row 2B^T s_i. The joint's axis is Z of the body's frame, so s_i
// selects entries, and v x s_i has two components.
//
// The inertial parameters are the minimal ones (TreeBody::Minimal): they change neither the joint
// torques nor their derivatives, and most bodies have no mass then.

#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/joint_forces.hpp"
#include "rigid/recursions/matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// E - (x y^T + y x^T - 2 (x.y) 1)
template <class S>
DYNAMICS_INLINE Sym3<S> minus_product(const Sym3<S>& E, const Vec3<S>& x, const Vec3<S>& y) {
  const S xx = twice(S(x.x * y.x)), yy = twice(S(x.y * y.y)), zz = twice(S(x.z * y.z));
  return {E.xx + (yy + zz), E.xy - (x.x * y.y + y.x * x.y), E.xz - (x.x * y.z + y.x * x.z),
          E.yy + (xx + zz), E.yz - (x.y * y.z + y.y * x.z), E.zz + (xx + yy)};
}

/// psi' and psi'' of a joint, from the velocity and acceleration of its parent, in the body's axes.
template <class S>
DYNAMICS_INLINE void joint_rates(const Vec3<S>& omega, const Vec3<S>& alpha, const Vec3<S>& a,
                                 DerivativeScratch<S>& link) {
  store(S(alpha.y + omega.x * omega.z), omega.y, link.psi[0]);
  store(S(omega.y * omega.z - alpha.x), S(-omega.x), link.psi[1]);
  store(S(-(omega.x * omega.x + omega.y * omega.y)), S(0.0), link.psi[2]);
  link.psi_linear[0] = a.y;
  link.psi_linear[1] = -a.x;
}

/// The motion of a body from that of its parent, in place; r' and the rates of its joint.
template <class S, class Rotation>
DYNAMICS_INLINE void advance_revolute(const Rotation& rotation, const S& qd, const S& qdd,
                                      BodyMotion<S>& m, DerivativeScratch<S>& link) {
  if (!rotation.frame.at_parent_origin) {
    const Vec3<double> r = constant(rotation.frame.position);
    link.r_rate = cross(m.omega, r);
    m.a = m.spin.add_times(m.a, r);
  }
  m.a = rotation.to_body(m.a);
  m.omega = rotation.to_body(m.omega);
  m.alpha = rotation.to_body(m.alpha);
  joint_rates(m.omega, m.alpha, m.a, link);
  m.alpha.x = m.alpha.x + qd * m.omega.y;
  m.alpha.y = m.alpha.y - qd * m.omega.x;
  m.alpha.z = m.alpha.z + qdd;
  m.omega.z = m.omega.z + qd;
  m.spin = spin_of(m.omega, m.alpha);
}
template <class S>
DYNAMICS_INLINE void advance_prismatic(const TreeBody& body, const S& qd, const S& qdd,
                                       BodyMotion<S>& m, DerivativeScratch<S>& link) {
  const Vec3<double> axis = spatial::joint_axis(body);
  link.r_rate = cross(m.omega, link.at.r) + Vec3<S>{axis.x * qd, axis.y * qd, axis.z * qd};
  advance_prismatic(body, link.at, qd, qdd, m);
  // omega and alpha are those of the parent
  joint_rates(m.omega, m.alpha, m.a, link);
}

/// What a body without children contributes to the sums.
template <class S>
DYNAMICS_INLINE void start_sums(const TreeBody& body, const BodyMotion<S>& m,
                                DerivativeScratch<S>& link) {
  const auto& p = body.minimal.pseudo_inertia;  // xx xy xz yy yz zz
  const Vec3<S>& w = m.omega;
  link.inertia = {S(body.minimal.mass), constant<S>(body.minimal.first_moment),
                  Sym3<S>{S(p[3] + p[5]), S(-p[1]), S(-p[2]), S(p[0] + p[5]), S(-p[4]),
                          S(body.minimal.inertia_zz)}};
  const Sym3<double> J = {p[3] + p[5], -p[1], -p[2], p[0] + p[5], -p[4], body.minimal.inertia_zz};
  link.momentum = {J * w, cross(w, constant(body.minimal.first_moment))};
  // [w x] J + ([w x] J)^T
  const S xx = w.z * p[1] - w.y * p[2], yy = w.x * p[4] - w.z * p[1];
  link.E = {twice(xx),
            (w.x * p[2] - w.y * p[4]) + (p[3] - p[0]) * w.z,
            (w.z * p[4] - w.x * p[1]) + (p[0] - p[5]) * w.y,
            twice(yy),
            (w.y * p[1] - w.z * p[2]) + (p[5] - p[3]) * w.x,
            -twice(S(xx + yy))};
  if (body.prismatic) {
    full_inertia(body.minimal.mass, body.minimal.first_moment, p, m, link.force.linear,
                 link.force.angular);
  } else {
    revolute_inertia(body, m, link.force.linear, link.force.angular);
  }
}

/// Motions of all bodies, the rates of their joints, and the bodies' own part of the sums. Of a
/// revolute root on a base that does not rotate only h and E_zz are needed.
template <class S>
DYNAMICS_INLINE void derivative_sweep(const Tree& tree, DerivativeScratch<S>* scratch,
                                      const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                      const S* q, const S* qd, const S* qdd) {
  const S zero(0.0);
  BodyMotion<S> m;  // of the previous body
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    DerivativeScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && base.not_rotating) {
      m.a = to_body(body, link.at, base.acceleration);
      m.omega = {zero, zero, qd[i]};
      m.alpha = {zero, zero, qdd[i]};
      m.spin = spin_of(m.omega, m.alpha);
      for (JointRate<S>& psi : link.psi) store(zero, zero, psi);
      link.psi_linear[0] = m.a.y;
      link.psi_linear[1] = -m.a.x;
      link.inertia.first_moment = constant<S>(body.minimal.first_moment);
      link.E.zz = zero;
      if (body.has_nonadjacent_child) link.motion = m;
      continue;
    }
    // motion of the parent
    if (is_root(body)) {
      m.omega = base.not_rotating ? zero3<S>() : base.angular_velocity;
      m.alpha = base.not_rotating ? zero3<S>() : base.angular_acceleration;
      m.a = base.acceleration;
      m.spin = spin_of(m.omega, m.alpha);
    } else if (!follows_parent(body, i)) {
      m = scratch[body.parent].motion;
    }
    // motion of the body, rates of its joint
    if (body.prismatic) {
      link.at = prismatic_transform(body, q[i]);
      advance_prismatic(body, qd[i], qdd[i], m, link);
    } else {
      with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
        advance_revolute(rotation, qd[i], qdd[i], m, link);
      });
    }
    start_sums(body, m, link);
    if (wrenches != nullptr) {
      link.force -= SpatialVector<S>{wrenches[i].moment, wrenches[i].force};
    }
    if (body.has_nonadjacent_child) link.motion = m;
  }
}

/// The forces of the bodies beyond a revolute joint for changes of its motion, and its rows.
template <class S>
DYNAMICS_INLINE JointForces<S> revolute_forces(const DerivativeScratch<S>& link, bool has_mass) {
  const Vec3<S>&h = link.inertia.first_moment, &k = link.momentum.angular,
        &l = link.momentum.linear, &n = link.force.angular, &f = link.force.linear;
  const Sym3<S>&J = link.inertia.inertia, &E = link.E;
  const auto& psi = link.psi;
  const S &px = psi[0].rate, &py = psi[1].rate, &X = link.psi_linear[0], &Y = link.psi_linear[1];
  const Vec3<S> rate2 = {psi[0].rate2, psi[1].rate2, psi[2].rate2};
  const Vec3<S> turned = J * rate2, carried = cross(rate2, h);
  // 2 B psi' + I psi'' + z x* f
  SpatialVector<S> by_q = {
      {(E.xx * px + (E.xy + k.z) * py) + (turned.x - h.z * Y) - n.y,
       ((E.xy - k.z) * px + E.yy * py) + (turned.y + h.z * X) + n.x,
       ((E.xz + k.y) * px + (E.yz - k.x) * py) + (turned.z + (h.x * Y - h.y * X))},
      {twice(S(py * l.z)) + carried.x - f.y, carried.y + f.x - twice(S(px * l.z)),
       twice(S(px * l.y - py * l.x)) + carried.z}};
  if (has_mass) {
    by_q.linear.x = by_q.linear.x + link.inertia.mass * X;
    by_q.linear.y = by_q.linear.y + link.inertia.mass * Y;
  }
  // 2 (B z + I psi')
  const Vec3<S> row_B = {E.xz + k.y, E.yz - k.x, E.zz};
  const SpatialVector<S> by_qd = {
      {(E.xz - k.y) + twice(S(J.xx * px + J.xy * py)),
       (E.yz + k.x) + twice(S(J.xy * px + J.yy * py)), E.zz + twice(S(J.xz * px + J.yz * py))},
      {twice(S(py * h.z - l.y)), twice(S(l.x - px * h.z)), twice(S(px * h.y - py * h.x))}};
  return {by_q, by_qd, {{J.xz, J.yz, J.zz}, {-h.y, h.x, S(0.0)}}, row_B};
}
/// The same of a prismatic joint.
template <class S>
DYNAMICS_INLINE JointForces<S> prismatic_forces(const DerivativeScratch<S>& link) {
  const Vec3<S>&h = link.inertia.first_moment, &l = link.momentum.linear, &f = link.force.linear;
  const S &mass = link.inertia.mass, zero(0.0);
  const auto& psi = link.psi;
  const Vec3<S> rate = {psi[0].rate, psi[1].rate, zero},
                rate2 = {psi[0].rate2, psi[1].rate2, psi[2].rate2};
  const SpatialVector<S> by_q = {cross(h, rate2) + Vec3<S>{-f.y, f.x, zero}, mass * rate2};
  const SpatialVector<S> by_qd = {twice(cross(h, rate)), twice(mass * rate)};
  return {by_q, by_qd, {{h.y, -h.x, zero}, {zero, zero, mass}}, {twice(l.y), -twice(l.x), zero}};
}

/// The sums of a body in its parent's axes.
template <class S>
struct RotatedSums {
  RigidInertia<S> inertia;
  SpatialVector<S> momentum, force;
  Sym3<S> E;

  RotatedSums() = default;
  template <class Rotation>
  DYNAMICS_INLINE RotatedSums(const Rotation& rotation, const DerivativeScratch<S>& link)
      : inertia{link.inertia.mass, rotation.to_parent(link.inertia.first_moment),
                to_parent(rotation, link.inertia.inertia)},
        momentum{rotation.to_parent(link.momentum.angular),
                 rotation.to_parent(link.momentum.linear)},
        force{rotation.to_parent(link.force.angular), rotation.to_parent(link.force.linear)},
        E(to_parent(rotation, link.E)) {}
};
/// Adds the sums of a body to those of its parent.
template <class S>
DYNAMICS_INLINE void add_to_parent(const RotatedSums<S>& sums, const Vec3<S>& r,
                                   const Vec3<S>& r_rate, bool has_mass,
                                   DerivativeScratch<S>& parent) {
  const Vec3<S>& h = sums.inertia.first_moment;
  SpatialVector<S> moving = {sums.momentum.angular + cross(h, r_rate), sums.momentum.linear};
  if (has_mass) {
    moving.linear += sums.inertia.mass * r_rate;
    parent.inertia += translate(r, sums.inertia);
  } else {
    parent.inertia.first_moment += h;
    parent.inertia.inertia += minus_product(sums.inertia.inertia, h, r);
  }
  parent.momentum += translate_force(r, moving);
  parent.force += translate_force(r, sums.force);
  parent.E += minus_product(minus_product(sums.E, h, r_rate), moving.linear, r);
}
/// The same where both have the same origin.
template <class S>
DYNAMICS_INLINE void add_to_parent(const RotatedSums<S>& sums, bool has_mass,
                                   DerivativeScratch<S>& parent) {
  if (has_mass) parent.inertia.mass = parent.inertia.mass + sums.inertia.mass;
  parent.inertia.first_moment += sums.inertia.first_moment;
  parent.inertia.inertia += sums.inertia.inertia;
  parent.momentum += sums.momentum;
  parent.force += sums.force;
  parent.E += sums.E;
}
/// The same where the parent is a revolute root on a base that does not rotate.
template <class S, class Rotation>
DYNAMICS_INLINE void add_to_root(const Rotation& rotation, const Vec3<S>& r, bool has_mass,
                                 const DerivativeScratch<S>& link, DerivativeScratch<S>& parent) {
  const Vec3<S> h = rotation.to_parent(link.inertia.first_moment);
  const S& mass = link.inertia.mass;
  Vec3<S> l = rotation.to_parent(link.momentum.linear);
  S zz = zz_to_parent(rotation, link.E);
  if (!rotation.frame.at_parent_origin) {
    if (has_mass) l += mass * link.r_rate;
    zz = zz + twice(S((h.x * link.r_rate.x + h.y * link.r_rate.y) + (l.x * r.x + l.y * r.y)));
  }
  parent.inertia.first_moment += h;
  if (has_mass) parent.inertia.first_moment += mass * r;
  parent.E.zz = parent.E.zz + zz;
}

/// The derivatives after joint_rotations().
template <class S, class Entry, class OtherEntry>
void differentiate_inverse_dynamics(const Tree& tree, DerivativeScratch<S>* scratch,
                                    const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                    const S* q, const S* qd, const S* qdd, Entry&& by_q,
                                    OtherEntry&& by_qd) {
  derivative_sweep(tree, scratch, base, wrenches, q, qd, qdd);
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    const DerivativeScratch<S>& link = scratch[i];
    if (is_revolute_root(body) && base.not_rotating) {
      const Vec3<S>& h = link.inertia.first_moment;
      by_q(i, i, S(h.x * link.psi_linear[1] - h.y * link.psi_linear[0]));
      by_qd(i, i, link.E.zz);
      continue;
    }
    JointForces<S> forces =
        body.prismatic ? prismatic_forces(link) : revolute_forces(link, body.carries_mass);
    const auto put = [&](std::size_t c, const DerivativeEntries<S>& entries)
                         DYNAMICS_INLINE_LAMBDA {
                           by_q(c, i, entries.column_q);
                           by_qd(c, i, entries.column_qd);
                           if (c == i) return;
                           by_q(i, c, entries.row_q);
                           by_qd(i, c, entries.row_qd);
                         };
    put(i, body.prismatic ? forces.at_prismatic(link) : forces.at_revolute(link));
    for (std::size_t c = i; !is_root(tree[c]);) {
      const TreeBody& outer = tree[c];
      const DerivativeScratch<S>& from = scratch[c];
      c = static_cast<std::size_t>(outer.parent);
      const DerivativeScratch<S>& to = scratch[c];
      const bool to_root = outer.parent_is_revolute_root && base.not_rotating;
      if (outer.prismatic) {
        forces.rotate(general_rotation(outer, from.at));
        forces.translate(from.at.r, from.r_rate);
      } else {
        const Vec3<S> r = constant_position<S>(outer);
        with_rotation(outer, from.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
          if (to_root) {
            const Vec3<S> rate = outer.at_parent_origin ? zero3<S>() : from.r_rate;
            put(c, forces.at_resting_root(rotation, r, rate, to));
          } else {
            forces.rotate(rotation);
          }
        });
        if (to_root) break;
        if (!outer.at_parent_origin) forces.translate(r, from.r_rate);
      }
      put(c, tree[c].prismatic ? forces.at_prismatic(to) : forces.at_revolute(to));
    }
    if (is_root(body)) continue;
    DerivativeScratch<S>& parent = scratch[body.parent];
    const bool to_root = body.parent_is_revolute_root && base.not_rotating;
    const bool has_mass = body.carries_mass;
    if (body.prismatic) {
      const auto rotation = general_rotation(body, link.at);
      if (to_root) {
        add_to_root(rotation, link.at.r, has_mass, link, parent);
      } else {
        add_to_parent(RotatedSums<S>(rotation, link), link.at.r, link.r_rate, has_mass, parent);
      }
      continue;
    }
    const Vec3<S> r = constant_position<S>(body);
    RotatedSums<S> sums;
    with_rotation(body, link.at, [&](const auto& rotation) DYNAMICS_INLINE_LAMBDA {
      if (to_root) {
        add_to_root(rotation, r, has_mass, link, parent);
      } else {
        sums = RotatedSums<S>(rotation, link);
      }
    });
    if (to_root) continue;
    if (body.at_parent_origin) {
      add_to_parent(sums, has_mass, parent);
    } else {
      add_to_parent(sums, r, link.r_rate, has_mass, parent);
    }
  }
}

/// Calls by_q(i, j, d tau_i / d q_j) and by_qd(i, j, d tau_i / d qd_j) for all pairs of bodies on
/// one branch; other entries are zero. `wrenches`, constant in the bodies' axes, may be null.
/// Friction is not included.
template <class S, class Entry, class OtherEntry>
void inverse_dynamics_derivatives(const Tree& tree, DerivativeScratch<S>* scratch,
                                  const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                  const S* q, const S* qd, const S* qdd, Entry&& by_q,
                                  OtherEntry&& by_qd) {
  joint_rotations(tree.data(), tree.size(), scratch, q);
  differentiate_inverse_dynamics(tree, scratch, base, wrenches, q, qd, qdd, by_q, by_qd);
}

/// All entries of both matrices.
template <class S>
void inverse_dynamics_derivatives(const Tree& tree, DerivativeScratch<S>* scratch,
                                  const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                  const S* q, const S* qd, const S* qdd, S* by_q,
                                  std::size_t q_stride, S* by_qd, std::size_t qd_stride) {
  const MatrixView<S> tau_by_q{by_q, q_stride}, tau_by_qd{by_qd, qd_stride};
  if (!is_serial_chain(tree)) {
    tau_by_q.set_zero(tree.size());
    tau_by_qd.set_zero(tree.size());
  }
  inverse_dynamics_derivatives<S>(
      tree, scratch, base, wrenches, q, qd, qdd,
      [&](std::size_t i, std::size_t j, const S& value) { tau_by_q(i, j) = value; },
      [&](std::size_t i, std::size_t j, const S& value) { tau_by_qd(i, j) = value; });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
