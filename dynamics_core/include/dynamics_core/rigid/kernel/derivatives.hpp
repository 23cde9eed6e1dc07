// SPDX-License-Identifier: Apache-2.0
#pragma once

// Derivatives of inverse dynamics, in O(n d), d the depth of the tree.
//
// With s_j a joint's axis, v and a of its parent (gravity in a), and
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
// with (w, u) = v, h the first moment and J the inertia.
//
// All in the base's axes, for each body about its origin and in a frame that glides along with it:
// u = 0 there and a is the origin's acceleration. Far away or fast, a wrist's inertia would drown
// in m r^2 and its momentum in m u. From a parent's frame a body's origin is seen at r, moving at
// r', which adds m r' to l, h x r' to k and so on, and to a row 2B^T s_i twice r' x (I s_i)_linear.

#include "dynamics_core/rigid/kernel/articulated.hpp"
#include "dynamics_core/rigid/kernel/base.hpp"
#include "dynamics_core/rigid/kernel/inverse_dynamics.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct DerivativeScratch {
  Vec3<S> x, y, z;    ///< the body's axes
  Vec3<S> r, r_rate;  ///< its origin from the parent's, and how that moves
  Vec3<S> w;          ///< its angular velocity
  Six<S> a;           ///< its angular acceleration and its origin's
  Vec3<S> z_rate;     ///< of psi', which turns for revolute and slides for prismatic joints
  Six<S> psi_rate2;
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
S dot(const Six<S>& a, const Six<S>& b) {
  return dot(a.top, b.top) + dot(a.bottom, b.bottom);
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

/// A body's inertia about its origin, in the base's axes.
template <class S>
RigidInertia<S> turned_inertia(const TreeBody& body, const DerivativeScratch<S>& link) {
  const Vec3<double> h = constant(body.moment);
  const Sym3<double> j = constant(body.inertia);
  const Vec3<S>&x = link.x, &y = link.y, &z = link.z;
  // R J, by columns, then R J R^T
  const Vec3<S> a = j.xx * x + j.xy * y + j.xz * z, b = j.xy * x + j.yy * y + j.yz * z,
                c = j.xz * x + j.yz * y + j.zz * z;
  RigidInertia<S> turned;
  turned.mass = S(body.mass);
  turned.moment = h.x * x + h.y * y + h.z * z;
  turned.inertia = {a.x * x.x + b.x * y.x + c.x * z.x, a.x * x.y + b.x * y.y + c.x * z.y,
                    a.x * x.z + b.x * y.z + c.x * z.z, a.y * x.y + b.y * y.y + c.y * z.y,
                    a.y * x.z + b.y * y.z + c.y * z.z, a.z * x.z + b.z * y.z + c.z * z.z};
  return turned;
}

/// A force, or a row that takes motions, about a point from which the present one is at r.
template <class S>
Six<S> seen_from(const Vec3<S>& r, const Six<S>& f) {
  return {f.top + cross(r, f.bottom), f.bottom};
}

/// E less x y^T + y x^T - 2 (x.y) 1.
template <class S>
Sym3<S> less_product(const Sym3<S>& E, const Vec3<S>& x, const Vec3<S>& y) {
  const S d = dot(x, y), both = d + d;
  const auto twice = [](const S& value) { return S(value + value); };
  return {E.xx - twice(x.x * y.x) + both, E.xy - (x.x * y.y + y.x * x.y),
          E.xz - (x.x * y.z + y.x * x.z), E.yy - twice(x.y * y.y) + both,
          E.yz - (x.y * y.z + y.y * x.z), E.zz - twice(x.z * y.z) + both};
}

/// [w x] J + ([w x] J)^T
template <class S>
Sym3<S> turning(const Vec3<S>& w, const Sym3<S>& j) {
  const auto twice = [](const S& value) { return S(value + value); };
  return {twice(w.y * j.xz - w.z * j.xy),
          (w.y * j.yz - w.z * j.yy) + (w.z * j.xx - w.x * j.xz),
          (w.y * j.zz - w.z * j.yz) + (w.x * j.xy - w.y * j.xx),
          twice(w.z * j.xy - w.x * j.yz),
          (w.z * j.xz - w.x * j.zz) + (w.x * j.yy - w.y * j.xy),
          twice(w.x * j.yz - w.y * j.xz)};
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
  const Vec3<S> base_velocity = base.still ? nothing : base.angular_velocity;
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
      link.r = at.r;
    } else {
      const DerivativeScratch<S>& parent = scratch[body.parent];
      link.x = parent.x;
      link.y = parent.y;
      link.z = parent.z;
      link.r = at.r.x * parent.x + at.r.y * parent.y + at.r.z * parent.z;
    }
    turn_axes(body, at, link);

    const Vec3<S>& w = root ? base_velocity : scratch[body.parent].w;
    const Six<S>& a = root ? base_acceleration : scratch[body.parent].a;
    const Vec3<S>& z = link.z;
    link.r_rate = cross(w, link.r);
    const Vec3<S> b = a.bottom + cross(a.top, link.r) + cross(w, link.r_rate);
    link.z_rate = cross(w, z);
    const Vec3<S> z_rate2 = cross(a.top, z) + cross(w, link.z_rate);
    if (body.prismatic) {
      link.r_rate += qd[i] * z;
      link.psi_rate2 = {nothing, z_rate2};
      link.w = w;
      link.a = {a.top, b + qdd[i] * z + (qd[i] + qd[i]) * link.z_rate};
    } else {
      link.psi_rate2 = {z_rate2, cross(b, z)};
      link.w = w + qd[i] * z;
      link.a = {a.top + qdd[i] * z + qd[i] * link.z_rate, b};
    }

    link.inertia = turned_inertia(body, link);
    const Vec3<S>& h = link.inertia.moment;
    link.momentum = {link.inertia.inertia * link.w, cross(link.w, h)};
    link.E = turning(link.w, link.inertia.inertia);
    link.force = link.inertia * link.a +
                 Six<S>{cross(link.w, link.momentum.top), cross(link.w, link.momentum.bottom)};
    if (wrenches != nullptr) {
      const auto turned = [&](const Vec3<S>& x) {
        return x.x * link.x + x.y * link.y + x.z * link.z;
      };
      link.force.bottom -= turned(wrenches[i].force);
      link.force.top -= turned(wrenches[i].moment);
    }
  }

  for (std::size_t i = tree.size(); i-- > 0;) {
    const DerivativeScratch<S>& link = scratch[i];
    const RigidInertia<S>& m = link.inertia;
    const Vec3<S>&k = link.momentum.top, &l = link.momentum.bottom, &z = link.z;
    const auto twice = [](const auto& x) { return x + x; };
    // forces of the bodies beyond i for this joint's own changes, and how tau_i answers to changes
    // of motion
    Six<S> q_force, qd_force, row_I;
    Vec3<S> row_B;
    if (tree[i].prismatic) {
      const Vec3<S>& rate2 = link.psi_rate2.bottom;
      q_force = {cross(m.moment, rate2) + cross(z, link.force.bottom), m.mass * rate2};
      qd_force = twice(Six<S>{cross(m.moment, link.z_rate), m.mass * link.z_rate});
      row_I = {cross(m.moment, z), m.mass * z};
      row_B = twice(cross(l, z));
    } else {
      // 2 B x
      const auto bent = [&](const Vec3<S>& top) {
        return Six<S>{link.E * top - cross(k, top), twice(cross(top, l))};
      };
      const Six<S> turned = {m.inertia * link.z_rate, cross(link.z_rate, m.moment)};
      q_force = bent(link.z_rate) + m * link.psi_rate2 +
                Six<S>{cross(z, link.force.top), cross(z, link.force.bottom)};
      qd_force = bent(z) + twice(turned);
      row_I = {m.inertia * z, cross(z, m.moment)};
      row_B = link.E * z + cross(k, z);
    }
    const auto along = [](bool prismatic, const Vec3<S>& axis, const Six<S>& force) {
      return dot(axis, prismatic ? force.bottom : force.top);
    };
    by_q(i, i, along(tree[i].prismatic, z, q_force));
    by_qd(i, i, along(tree[i].prismatic, z, qd_force));
    for (std::size_t c = i; tree[c].parent >= 0;) {
      const Vec3<S>&r = scratch[c].r, &r_rate = scratch[c].r_rate;
      q_force = seen_from(r, q_force);
      qd_force = seen_from(r, qd_force);
      row_I = seen_from(r, row_I);
      row_B += twice(cross(r_rate, row_I.bottom));
      c = static_cast<std::size_t>(tree[c].parent);
      const DerivativeScratch<S>& inner = scratch[c];
      by_q(c, i, along(tree[c].prismatic, inner.z, q_force));
      by_qd(c, i, along(tree[c].prismatic, inner.z, qd_force));
      if (tree[c].prismatic) {
        by_q(i, c, dot(row_I.bottom, inner.psi_rate2.bottom));
        by_qd(i, c, twice(dot(row_I.bottom, inner.z_rate)));
      } else {
        by_q(i, c, S(dot(row_B, inner.z_rate) + dot(row_I, inner.psi_rate2)));
        by_qd(i, c, S(dot(row_B, inner.z) + twice(dot(row_I.top, inner.z_rate))));
      }
    }
    if (tree[i].parent < 0) continue;
    DerivativeScratch<S>& parent = scratch[tree[i].parent];
    const RigidInertia<S> seen = seen_from(link.r, m);
    parent.inertia.mass = parent.inertia.mass + seen.mass;
    parent.inertia.moment += seen.moment;
    parent.inertia.inertia += seen.inertia;
    const Six<S> momentum = {k + cross(m.moment, link.r_rate), l + m.mass * link.r_rate};
    parent.momentum = parent.momentum + seen_from(link.r, momentum);
    parent.force = parent.force + seen_from(link.r, link.force);
    parent.E += less_product(less_product(link.E, m.moment, link.r_rate), momentum.bottom, link.r);
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
