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
// All quantities are in the base's axes, about the body's origin, in a frame that translates with
// the body: there u = 0, and a is the acceleration of the origin. About a distant or fast origin
// m r^2 and m u would swamp the wrist's own inertia and momentum. In the parent's frame the body's
// origin is at r and moves with r', which adds m r' to l, h x r' to k and so on, and
// 2 r' x (I s_i)_linear to a row 2B^T s_i.

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/recursions/matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// The body's axes from the parent's: rotations about Z, X and Z.
template <class S>
void rotate_axes(const TreeBody& body, const JointTransform<S>& at, DerivativeScratch<S>& link) {
  const auto rotate = [](const auto& c, const auto& s, Vec3<S>& a, Vec3<S>& b) {
    const Vec3<S> old = a;
    a = c * a + s * b;
    b = c * b - s * old;
  };
  if (body.has_beta) rotate(body.cos_beta, body.sin_beta, link.x, link.y);
  rotate(body.cos_alpha, body.sin_alpha, link.y, link.z);
  rotate(at.c, at.s, link.x, link.y);
}

/// A body's inertia about its origin, in the base's axes.
template <class S>
RigidInertia<S> inertia_in_base_axes(const TreeBody& body, const DerivativeScratch<S>& link) {
  const Vec3<double> h = constant(body.first_moment);
  const Sym3<double> j = constant(body.inertia);
  const Vec3<S>&x = link.x, &y = link.y, &z = link.z;
  // R J, by columns, then R J R^T
  const Vec3<S> a = j.xx * x + j.xy * y + j.xz * z, b = j.xy * x + j.yy * y + j.yz * z,
                c = j.xz * x + j.yz * y + j.zz * z;
  RigidInertia<S> rotated;
  rotated.mass = S(body.mass);
  rotated.first_moment = h.x * x + h.y * y + h.z * z;
  rotated.inertia = {a.x * x.x + b.x * y.x + c.x * z.x, a.x * x.y + b.x * y.y + c.x * z.y,
                     a.x * x.z + b.x * y.z + c.x * z.z, a.y * x.y + b.y * y.y + c.y * z.y,
                     a.y * x.z + b.y * y.z + c.y * z.z, a.z * x.z + b.z * y.z + c.z * z.z};
  return rotated;
}

/// E - (x y^T + y x^T - 2 (x.y) 1)
template <class S>
Sym3<S> minus_product(const Sym3<S>& E, const Vec3<S>& x, const Vec3<S>& y) {
  const S d = dot(x, y), both = d + d;
  const auto twice = [](const S& value) { return S(value + value); };
  return {E.xx - twice(x.x * y.x) + both, E.xy - (x.x * y.y + y.x * x.y),
          E.xz - (x.x * y.z + y.x * x.z), E.yy - twice(x.y * y.y) + both,
          E.yz - (x.y * y.z + y.y * x.z), E.zz - twice(x.z * y.z) + both};
}

/// [w x] J + ([w x] J)^T
template <class S>
Sym3<S> symmetric_cross_times(const Vec3<S>& w, const Sym3<S>& j) {
  const auto twice = [](const S& value) { return S(value + value); };
  return {twice(w.y * j.xz - w.z * j.xy),
          (w.y * j.yz - w.z * j.yy) + (w.z * j.xx - w.x * j.xz),
          (w.y * j.zz - w.z * j.yz) + (w.x * j.xy - w.y * j.xx),
          twice(w.z * j.xy - w.x * j.yz),
          (w.z * j.xz - w.x * j.zz) + (w.x * j.yy - w.y * j.xy),
          twice(w.x * j.yz - w.y * j.xz)};
}

/// Calls by_q(i, j, d tau_i / d q_j) and by_qd(i, j, d tau_i / d qd_j) for all pairs of bodies on
/// one branch; other entries are zero. `wrenches`, constant in the bodies' axes, may be null.
/// Friction is not included.
template <class S, class Entry, class OtherEntry>
void inverse_dynamics_derivatives(const Tree& tree, DerivativeScratch<S>* scratch,
                                  const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                  const S* q, const S* qd, const S* qdd, Entry&& by_q,
                                  OtherEntry&& by_qd) {
  const S zero(0.0), one(1.0);
  const Vec3<S> nothing = {zero, zero, zero};
  const Vec3<S> base_velocity = base.not_rotating ? nothing : base.angular_velocity;
  const SpatialVector<S> base_acceleration = {
      base.not_rotating ? nothing : base.angular_acceleration, base.acceleration};

  joint_transforms(tree, scratch, q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    DerivativeScratch<S>& link = scratch[i];
    const bool root = body.parent < 0;
    JointTransform<S> at = link.at;
    if (!body.prismatic) at.r = constant_position<S>(body);
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
    rotate_axes(body, at, link);

    const Vec3<S>& w = root ? base_velocity : scratch[body.parent].w;
    const SpatialVector<S>& a = root ? base_acceleration : scratch[body.parent].a;
    const Vec3<S>& z = link.z;
    link.r_rate = cross(w, link.r);
    const Vec3<S> b = a.linear + cross(a.angular, link.r) + cross(w, link.r_rate);
    link.z_rate = cross(w, z);
    const Vec3<S> z_rate2 = cross(a.angular, z) + cross(w, link.z_rate);
    if (body.prismatic) {
      link.r_rate += qd[i] * z;
      link.psi_rate2 = {nothing, z_rate2};
      link.w = w;
      link.a = {a.angular, b + qdd[i] * z + (qd[i] + qd[i]) * link.z_rate};
    } else {
      link.psi_rate2 = {z_rate2, cross(b, z)};
      link.w = w + qd[i] * z;
      link.a = {a.angular + qdd[i] * z + qd[i] * link.z_rate, b};
    }

    link.inertia = inertia_in_base_axes(body, link);
    const Vec3<S>& h = link.inertia.first_moment;
    link.momentum = {link.inertia.inertia * link.w, cross(link.w, h)};
    link.E = symmetric_cross_times(link.w, link.inertia.inertia);
    link.force = link.inertia * link.a + SpatialVector<S>{cross(link.w, link.momentum.angular),
                                                          cross(link.w, link.momentum.linear)};
    if (wrenches != nullptr) {
      const auto turned = [&](const Vec3<S>& x) {
        return x.x * link.x + x.y * link.y + x.z * link.z;
      };
      link.force.linear -= turned(wrenches[i].force);
      link.force.angular -= turned(wrenches[i].moment);
    }
  }

  for (std::size_t i = tree.size(); i-- > 0;) {
    const DerivativeScratch<S>& link = scratch[i];
    const RigidInertia<S>& m = link.inertia;
    const Vec3<S>&k = link.momentum.angular, &l = link.momentum.linear, &z = link.z;
    const auto twice = [](const auto& x) { return x + x; };
    // forces of the bodies beyond i for changes of this joint, and the rows of tau_i for changes of
    // motion
    SpatialVector<S> q_force, qd_force, row_I;
    Vec3<S> row_B;
    if (tree[i].prismatic) {
      const Vec3<S>& rate2 = link.psi_rate2.linear;
      q_force = {cross(m.first_moment, rate2) + cross(z, link.force.linear), m.mass * rate2};
      qd_force = twice(SpatialVector<S>{cross(m.first_moment, link.z_rate), m.mass * link.z_rate});
      row_I = {cross(m.first_moment, z), m.mass * z};
      row_B = twice(cross(l, z));
    } else {
      // 2 B x
      const auto times_2B = [&](const Vec3<S>& top) {
        return SpatialVector<S>{link.E * top - cross(k, top), twice(cross(top, l))};
      };
      const SpatialVector<S> turned = {m.inertia * link.z_rate, cross(link.z_rate, m.first_moment)};
      q_force = times_2B(link.z_rate) + m * link.psi_rate2 +
                SpatialVector<S>{cross(z, link.force.angular), cross(z, link.force.linear)};
      qd_force = times_2B(z) + twice(turned);
      row_I = {m.inertia * z, cross(z, m.first_moment)};
      row_B = link.E * z + cross(k, z);
    }
    const auto along = [](bool prismatic, const Vec3<S>& axis, const SpatialVector<S>& force) {
      return dot(axis, prismatic ? force.linear : force.angular);
    };
    by_q(i, i, along(tree[i].prismatic, z, q_force));
    by_qd(i, i, along(tree[i].prismatic, z, qd_force));
    for (std::size_t c = i; tree[c].parent >= 0;) {
      const Vec3<S>&r = scratch[c].r, &r_rate = scratch[c].r_rate;
      q_force = translate_force(r, q_force);
      qd_force = translate_force(r, qd_force);
      row_I = translate_force(r, row_I);
      row_B += twice(cross(r_rate, row_I.linear));
      c = static_cast<std::size_t>(tree[c].parent);
      const DerivativeScratch<S>& inner = scratch[c];
      by_q(c, i, along(tree[c].prismatic, inner.z, q_force));
      by_qd(c, i, along(tree[c].prismatic, inner.z, qd_force));
      if (tree[c].prismatic) {
        by_q(i, c, dot(row_I.linear, inner.psi_rate2.linear));
        by_qd(i, c, twice(dot(row_I.linear, inner.z_rate)));
      } else {
        by_q(i, c, S(dot(row_B, inner.z_rate) + dot(row_I, inner.psi_rate2)));
        by_qd(i, c, S(dot(row_B, inner.z) + twice(dot(row_I.angular, inner.z_rate))));
      }
    }
    if (tree[i].parent < 0) continue;
    DerivativeScratch<S>& parent = scratch[tree[i].parent];
    parent.inertia += translate(link.r, m);
    const SpatialVector<S> momentum = {k + cross(m.first_moment, link.r_rate),
                                       l + m.mass * link.r_rate};
    parent.momentum = parent.momentum + translate_force(link.r, momentum);
    parent.force = parent.force + translate_force(link.r, link.force);
    parent.E +=
        minus_product(minus_product(link.E, m.first_moment, link.r_rate), momentum.linear, link.r);
  }
}

/// All entries of both matrices.
template <class S>
void inverse_dynamics_derivatives(const Tree& tree, DerivativeScratch<S>* scratch,
                                  const BaseState<S>& base, const BodyWrench<S>* wrenches,
                                  const S* q, const S* qd, const S* qdd, S* by_q,
                                  std::size_t q_stride, S* by_qd, std::size_t qd_stride) {
  const MatrixView<S> tau_by_q{by_q, q_stride}, tau_by_qd{by_qd, qd_stride};
  tau_by_q.set_zero(tree.size());
  tau_by_qd.set_zero(tree.size());
  inverse_dynamics_derivatives<S>(
      tree, scratch, base, wrenches, q, qd, qdd,
      [&](std::size_t i, std::size_t j, const S& value) { tau_by_q(i, j) = value; },
      [&](std::size_t i, std::size_t j, const S& value) { tau_by_qd(i, j) = value; });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
