// SPDX-License-Identifier: Apache-2.0
#pragma once

// Derivatives of inverse dynamics, in O(n d), d the depth of the tree.
//
// Spatial vectors of all bodies in the base's axes, about the base's origin. With s_j a joint's
// axis, v and a of its parent (gravity in a), and
//   psi_j' = v x s_j,   psi_j'' = a x s_j + v x psi_j'
// the motions of all bodies beyond j change with q_j by psi_j' and psi_j'', with qd_j by s_j and
// 2 psi_j'. What forces that takes follows from sums over the bodies beyond the outer joint: their
// inertia I, their force f, and
//   B = ((v x*) I - I (v x) + (I v) x-*) / 2
// (Echeandia and Wensing 2021; Singh, Russell and Wensing 2022). For i beyond j or j itself:
//   d tau_i / d q_j  = s_i^T (2 B_i psi_j' + I_i psi_j'')
//   d tau_j / d q_i  = s_j^T (2 B_i psi_i' + I_i psi_i'' + s_i x* f_i)
//   d tau_i / d qd_j = 2 s_i^T (B_i s_j + I_i psi_j'), and the same for i and j exchanged.
// Of B half is zero and the rest is symmetric but for the momentum (k, l) = I v:
//   2B = [E - [k x], 0; -2 [l x], 0],   E = [w x] J + ([w x] J)^T - h u^T - u h^T + 2 (h.u) 1
// with (w, u) = v, h the first moment and J the inertia about the base's origin.

#include "dynamics_core/rigid/kernel/articulated.hpp"
#include "dynamics_core/rigid/kernel/base.hpp"
#include "dynamics_core/rigid/kernel/inverse_dynamics.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct DerivativeScratch {
  Vec3<S> x, y, z, position;  ///< the body's axes and origin, in the base's frame
  Six<S> s, v, a, psi_rate, psi_rate2;
  // of this body, then of all beyond its joint
  RigidInertia<S> inertia;
  Six<S> momentum, force;
  Sym3<S> E;
};

template <class S>
Six<S> operator+(const Six<S>& a, const Six<S>& b) {
  return {a.top + b.top, a.bottom + b.bottom};
}
template <class S>
Six<S> times(const S& k, const Six<S>& a) {
  return {k * a.top, k * a.bottom};
}
template <class S>
S dot(const Six<S>& a, const Six<S>& b) {
  return dot(a.top, b.top) + dot(a.bottom, b.bottom);
}
template <class S>
Six<S> motion_cross(const Six<S>& v, const Six<S>& w) {
  return {cross(v.top, w.top), cross(v.top, w.bottom) + cross(v.bottom, w.top)};
}
template <class S>
Six<S> force_cross(const Six<S>& v, const Six<S>& f) {
  return {cross(v.top, f.top) + cross(v.bottom, f.bottom), cross(v.top, f.bottom)};
}
template <class S>
Six<S> operator*(const RigidInertia<S>& m, const Six<S>& v) {
  return {m.inertia * v.top + cross(m.moment, v.bottom),
          m.mass * v.bottom - cross(m.moment, v.top)};
}

/// The body's axes: the parent's turned about Z, X and Z.
template <class S>
void turn_axes(const TreeBody& body, const Placement<S>& at, DerivativeScratch<S>& link) {
  const auto turn = [](const auto& c, const auto& s, Vec3<S>& a, Vec3<S>& b) {
    const Vec3<S> old = a;
    a = c * a + s * b;
    b = c * b - s * old;
  };
  if (body.turned) turn(body.cos_beta, body.sin_beta, link.x, link.y);
  turn(body.cos_alpha, body.sin_alpha, link.y, link.z);
  turn(at.c, at.s, link.x, link.y);
}

/// A body's inertia about the base's origin, in the base's axes.
template <class S>
RigidInertia<S> inertia_at_base(const TreeBody& body, const DerivativeScratch<S>& link) {
  const Vec3<double> h = constant(body.moment);
  const Sym3<double> j = constant(body.inertia);
  const Vec3<S>&x = link.x, &y = link.y, &z = link.z, &p = link.position;
  // R J, by columns, then R J R^T
  const Vec3<S> a = j.xx * x + j.xy * y + j.xz * z, b = j.xy * x + j.yy * y + j.yz * z,
                c = j.xz * x + j.yz * y + j.zz * z;
  const Vec3<S> own = h.x * x + h.y * y + h.z * z;  // the moment about the body's origin
  const Vec3<S> all = own + body.mass * p;
  const S hp = dot(own, p) + dot(all, p);
  const auto entry = [&](const S& ax, const S& bx, const S& cx, const S& xx, const S& yx,
                         const S& zx,
                         const S& shift) { return S(ax * xx + bx * yx + cx * zx - shift); };
  RigidInertia<S> seen;
  seen.mass = S(body.mass);
  seen.moment = all;
  // what the shift adds: 2 (h.p) 1 - h p^T - p h^T + m (p.p 1 - p p^T), k = h + m p
  seen.inertia = {entry(a.x, b.x, c.x, x.x, y.x, z.x, S(own.x * p.x + all.x * p.x - hp)),
                  entry(a.x, b.x, c.x, x.y, y.y, z.y, S(own.y * p.x + all.x * p.y)),
                  entry(a.x, b.x, c.x, x.z, y.z, z.z, S(own.z * p.x + all.x * p.z)),
                  entry(a.y, b.y, c.y, x.y, y.y, z.y, S(own.y * p.y + all.y * p.y - hp)),
                  entry(a.y, b.y, c.y, x.z, y.z, z.z, S(own.z * p.y + all.y * p.z)),
                  entry(a.z, b.z, c.z, x.z, y.z, z.z, S(own.z * p.z + all.z * p.z - hp))};
  return seen;
}

/// E of one body.
template <class S>
Sym3<S> momentum_matrix(const RigidInertia<S>& m, const Six<S>& v) {
  const Sym3<S>& j = m.inertia;
  const Vec3<S>&w = v.top, &u = v.bottom, &h = m.moment;
  const S hu = dot(h, u), both = hu + hu;
  const auto twice = [](const S& value) { return S(value + value); };
  return {twice(w.y * j.xz - w.z * j.xy) - twice(h.x * u.x) + both,
          (w.y * j.yz - w.z * j.yy) + (w.z * j.xx - w.x * j.xz) - (h.x * u.y + u.x * h.y),
          (w.y * j.zz - w.z * j.yz) + (w.x * j.xy - w.y * j.xx) - (h.x * u.z + u.x * h.z),
          twice(w.z * j.xy - w.x * j.yz) - twice(h.y * u.y) + both,
          (w.z * j.xz - w.x * j.zz) + (w.x * j.yy - w.y * j.xy) - (h.y * u.z + u.y * h.z),
          twice(w.x * j.yz - w.y * j.xz) - twice(h.z * u.z) + both};
}

/// Writes by_q(i, j, d tau_i / d q_j) and by_qd(i, j, d tau_i / d qd_j) for all pairs of bodies on
/// one branch; other entries are zero. `wrenches`, which turn with the bodies, may be null;
/// friction is not included.
template <class S, class Entry, class OtherEntry>
void inverse_dynamics_derivatives(const Tree& tree, DerivativeScratch<S>* scratch,
                                  const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                  const S* q, const S* qd, const S* qdd, Entry&& by_q,
                                  OtherEntry&& by_qd) {
  const S zero(0.0), one(1.0);
  const Vec3<S> nothing = {zero, zero, zero};
  const Six<S> base_velocity = {base.still ? nothing : base.angular_velocity, nothing};
  const Six<S> base_acceleration = {base.still ? nothing : base.angular_acceleration,
                                    base.acceleration};

  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    DerivativeScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    const Placement<S> at = place(body, q[i]);
    if (root) {
      link.x = {one, zero, zero};
      link.y = {zero, one, zero};
      link.z = {zero, zero, one};
      link.position = at.r;
    } else {
      const DerivativeScratch<S>& parent = scratch[body.parent];
      link.x = parent.x;
      link.y = parent.y;
      link.z = parent.z;
      link.position = parent.position + at.r.x * parent.x + at.r.y * parent.y + at.r.z * parent.z;
    }
    turn_axes(body, at, link);
    link.s =
        body.prismatic ? Six<S>{nothing, link.z} : Six<S>{link.z, cross(link.position, link.z)};

    const Six<S>& v = root ? base_velocity : scratch[body.parent].v;
    const Six<S>& a = root ? base_acceleration : scratch[body.parent].a;
    link.psi_rate = motion_cross(v, link.s);
    link.psi_rate2 = motion_cross(a, link.s) + motion_cross(v, link.psi_rate);
    link.v = v + times(qd[i], link.s);
    link.a = a + times(qdd[i], link.s) + times(qd[i], link.psi_rate);

    link.inertia = inertia_at_base(body, link);
    link.momentum = link.inertia * link.v;
    link.E = momentum_matrix(link.inertia, link.v);
    link.force = link.inertia * link.a + force_cross(link.v, link.momentum);
    if (wrenches != nullptr) {
      const auto turned = [&](const Vec3<S>& w) {
        return w.x * link.x + w.y * link.y + w.z * link.z;
      };
      const Vec3<S> force = turned(wrenches[i].force);
      link.force.bottom -= force;
      link.force.top -= turned(wrenches[i].moment) + cross(link.position, force);
    }
  }

  for (std::size_t i = tree.size(); i-- > 0;) {
    const DerivativeScratch<S>& link = scratch[i];
    const Vec3<S>&k = link.momentum.top, &l = link.momentum.bottom;
    // 2 B x
    const auto bent = [&](const Vec3<S>& top) {
      const Vec3<S> turn = cross(top, l);
      return Six<S>{link.E * top - cross(k, top), turn + turn};
    };
    const auto twice = [](const Six<S>& x) { return x + x; };
    // forces of the bodies beyond i for this joint's own changes
    const Six<S> q_force =
        bent(link.psi_rate.top) + link.inertia * link.psi_rate2 + force_cross(link.s, link.force);
    const Six<S> qd_force = bent(link.s.top) + twice(link.inertia * link.psi_rate);
    // and how tau_i answers to changes of motion
    const Vec3<S> turn = cross(l, link.s.bottom);
    const Vec3<S> row_B = link.E * link.s.top + cross(k, link.s.top) + turn + turn;
    const Six<S> row_I = link.inertia * link.s, row_2I = twice(row_I);
    by_q(i, i, dot(link.s, q_force));
    by_qd(i, i, dot(link.s, qd_force));
    for (int p = tree[i].parent; p >= 0; p = tree[static_cast<std::size_t>(p)].parent) {
      const auto j = static_cast<std::size_t>(p);
      const DerivativeScratch<S>& inner = scratch[j];
      by_q(j, i, dot(inner.s, q_force));
      by_qd(j, i, dot(inner.s, qd_force));
      by_q(i, j, S(dot(row_B, inner.psi_rate.top) + dot(row_I, inner.psi_rate2)));
      by_qd(i, j, S(dot(row_B, inner.s.top) + dot(row_2I, inner.psi_rate)));
    }
    if (tree[i].parent < 0) continue;
    DerivativeScratch<S>& parent = scratch[tree[i].parent];
    parent.inertia.mass = parent.inertia.mass + link.inertia.mass;
    parent.inertia.moment += link.inertia.moment;
    parent.inertia.inertia += link.inertia.inertia;
    parent.momentum = parent.momentum + link.momentum;
    parent.force = parent.force + link.force;
    parent.E += link.E;
  }
}

/// The slope of joint_friction().
template <class S>
S friction_slope(const TreeBody& body, const S& velocity, double friction_velocity) {
  using std::sqrt;
  const double e = friction_velocity * friction_velocity;
  const S w = velocity * velocity + e;
  return body.damping + body.friction * e / (w * sqrt(w));
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
