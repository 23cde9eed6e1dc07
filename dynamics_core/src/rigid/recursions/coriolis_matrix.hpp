// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Coriolis matrix C (matrix of convective inertia, Saha 1999, Eq. 29): C qd is the velocity
// part of the joint forces, and M' - 2C is antisymmetric.
//
// Column j holds the joint forces for a unit rate of joint j, whose axis rotates with the parent.
// With the angular part e and the linear part u of the column at a body's origin, and their rates
// e', u', the force and torque of a composite body are
//   f = m u' + e' x h + e x h'          n = J e' + h x u' + K e
// where h' is the rate of the composite's first moment and K its convective tensor: for one body
//   K = [omega x] (J - s 1),  s = h^2/m     (Eq. 8: omega x I about the mass center)
//                             s = tr J/2    (Christoffel symbols)
// and about the parent's origin, with w = r' the rate of the child's origin,
//   K -> K - [h x][w x] - [r x][(h' + m w) x].     (Eqs. 27 and 28, M~' and H~ in one.)

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/recursions/matrix.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// [omega x] m for a symmetric m.
template <class S>
Mat3<S> cross_times(const Vec3<S>& w, const Sym3<S>& m) {
  return {w.y * m.xz - w.z * m.xy, w.y * m.yz - w.z * m.yy, w.y * m.zz - w.z * m.yz,
          w.z * m.xx - w.x * m.xz, w.z * m.xy - w.x * m.yz, w.z * m.xz - w.x * m.zz,
          w.x * m.xy - w.y * m.xx, w.x * m.yy - w.y * m.xy, w.x * m.yz - w.y * m.xz};
}

/// k - [a x][b x], where [a x][b x] = b a^T - (a.b) 1.
template <class S>
Mat3<S> minus_cross_cross(const Mat3<S>& k, const Vec3<S>& a, const Vec3<S>& b) {
  const S d = dot(a, b);
  return {k.xx - b.x * a.x + d, k.xy - b.x * a.y,     k.xz - b.x * a.z,
          k.yx - b.y * a.x,     k.yy - b.y * a.y + d, k.yz - b.y * a.z,
          k.zx - b.z * a.x,     k.zy - b.z * a.y,     k.zz - b.z * a.z + d};
}

/// Calls entry(i, j, C_ij) for all pairs of bodies on one branch; other entries are zero. Only the
/// angular velocity of the base matters.
template <class S, class Entry>
void coriolis_matrix(const Tree& tree, CoriolisScratch<S>* scratch, const Vec3<S>& base_omega,
                     bool christoffel, const S* q, const S* qd, Entry&& entry) {
  const S zero(0.0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    CoriolisScratch<S>& link = scratch[i];
    link.at = joint_transform(body, q[i]);
    const Vec3<S>& parent_omega = body.parent < 0 ? base_omega : scratch[body.parent].omega;
    link.omega = to_body(body, link.at, parent_omega);
    link.r_rate = cross(parent_omega, link.at.r);
    if (body.prismatic) {
      const Vec3<double> d = spatial::joint_axis(body);
      link.r_rate += Vec3<S>{d.x * qd[i], d.y * qd[i], d.z * qd[i]};
    } else {
      link.omega.z = link.omega.z + qd[i];
    }
    link.composite = rigid_inertia<S>(body);
    link.moment_rate = cross(link.omega, link.composite.first_moment);
    Sym3<S> j = link.composite.inertia;
    const auto& own = body.inertia;
    const S shift(christoffel ? 0.5 * (own[0] + own[3] + own[5]) : body.center_shift);
    j.xx = j.xx - shift;
    j.yy = j.yy - shift;
    j.zz = j.zz - shift;
    link.convective = cross_times(link.omega, j);
  }

  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeBody& body = tree[i];
    if (body.parent < 0) continue;
    const CoriolisScratch<S>& link = scratch[i];
    CoriolisScratch<S>& parent = scratch[body.parent];
    const Vec3<S> h = to_parent(body, link.at, link.composite.first_moment);
    const Vec3<S> h_rate =
        to_parent(body, link.at, link.moment_rate) + link.composite.mass * link.r_rate;
    Mat3<S> k = to_parent(body, link.at, link.convective);
    k = minus_cross_cross(k, h, link.r_rate);
    k = minus_cross_cross(k, link.at.r, h_rate);
    parent.convective += k;
    parent.moment_rate += h_rate;
    parent.composite += propagate_to_parent(body, link.at, link.composite);
  }

  for (std::size_t i = 0; i < tree.size(); ++i) {
    const CoriolisScratch<S>& link = scratch[i];
    const RigidInertia<S>& m = link.composite;
    const Mat3<S>& k = link.convective;
    const Vec3<S>& h = m.first_moment;
    const Vec3<S> axis_rate = {link.omega.y, -link.omega.x, zero};  // omega x z
    Vec3<S> f, n;                                                   // force of column i
    Vec3<S> row_e_rate, row_u_rate, row_e;  // row i as a function of a column's e', u', e
    if (tree[i].prismatic) {
      f = m.mass * axis_rate;
      n = cross(h, axis_rate);
      row_e_rate = {h.y, -h.x, zero};
      row_u_rate = {zero, zero, m.mass};
      row_e = {link.moment_rate.y, -link.moment_rate.x, zero};
      entry(i, i, zero);
    } else {
      f = cross(axis_rate, h) + Vec3<S>{-link.moment_rate.y, link.moment_rate.x, zero};
      n = m.inertia * axis_rate + Vec3<S>{k.xz, k.yz, k.zz};
      row_e_rate = {m.inertia.xz, m.inertia.yz, m.inertia.zz};
      row_u_rate = {-h.y, h.x, zero};
      row_e = {k.zx, k.zy, k.zz};
      entry(i, i, n.z);
    }
    for (std::size_t c = i; tree[c].parent >= 0;) {
      const CoriolisScratch<S>& child = scratch[c];
      const auto up = [&](const Vec3<S>& v) { return to_parent(tree[c], child.at, v); };
      f = up(f);
      n = up(n) + cross(child.at.r, f);
      row_u_rate = up(row_u_rate);
      row_e_rate = up(row_e_rate) + cross(child.at.r, row_u_rate);
      row_e = up(row_e) + cross(child.r_rate, row_u_rate);
      c = static_cast<std::size_t>(tree[c].parent);
      const Vec3<S>& omega = scratch[c].omega;
      if (tree[c].prismatic) {
        entry(c, i, f.z);
        entry(i, c, S(row_u_rate.x * omega.y - row_u_rate.y * omega.x));
      } else {
        entry(c, i, n.z);
        entry(i, c, S(row_e_rate.x * omega.y - row_e_rate.y * omega.x + row_e.z));
      }
    }
  }
}

/// All entries of the matrix, for a base at rest.
template <class S>
void coriolis_matrix(const Tree& tree, CoriolisScratch<S>* scratch, bool christoffel, const S* q,
                     const S* qd, S* matrix, std::size_t stride) {
  const MatrixView<S> c{matrix, stride};
  c.set_zero(tree.size());
  coriolis_matrix<S>(tree, scratch, zero3<S>(), christoffel, q, qd,
                     [&](std::size_t i, std::size_t j, const S& value) { c(i, j) = value; });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
