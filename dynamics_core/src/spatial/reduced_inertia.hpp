// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated-body inertia after elimination of a revolute joint along Z without rotor inertia.
// The joint accelerates freely, so an angular acceleration about Z causes no force and no
// acceleration causes a torque about Z: row and column 3 of the 6x6 matrix are zero. They are
// neither stored nor computed.
//
//   I = [ I_xx I_xy 0 ]    H = [ H_xx H_xy H_xz ]    M as in articulated_inertia.hpp
//       [ I_xy I_yy 0 ]        [ H_yx H_yy H_yz ]
//       [  0    0   0 ]        [  0    0    0   ]
//
// Invariant: this holds in every frame that has the same Z axis. Translations along it and
// rotations about it stay reduced; anything else gives an ArticulatedInertia.

#include "spatial/articulated_inertia.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
struct ReducedInertia {
  S I_xx, I_xy, I_yy;
  S H_xx, H_xy, H_xz, H_yx, H_yy, H_yz;
  Sym3<S> M;

  /// The force for an angular acceleration, whose z component has no effect.
  DYNAMICS_INLINE SpatialVector<S> times_angular(const Vec3<S>& a) const {
    return {{I_xx * a.x + I_xy * a.y, I_xy * a.x + I_yy * a.y, S(0.0)},
            {H_xx * a.x + H_yx * a.y, H_xy * a.x + H_yy * a.y, H_xz * a.x + H_yz * a.y}};
  }
  /// The force for a linear acceleration.
  DYNAMICS_INLINE SpatialVector<S> times_linear(const Vec3<S>& a) const {
    return {{H_xx * a.x + H_xy * a.y + H_xz * a.z, H_yx * a.x + H_yy * a.y + H_yz * a.z, S(0.0)},
            M * a};
  }
};

/// m - u w^T with u = M^ p the joint's column and w = u / u_z.
template <class S>
DYNAMICS_INLINE ReducedInertia<S> eliminate_revolute(const ArticulatedInertia<S>& m,
                                                     const SpatialVector<S>& u,
                                                     const SpatialVector<S>& w) {
  const Vec3<S>&t = u.angular, &l = u.linear, &a = w.angular, &b = w.linear;
  return {m.I.xx - t.x * a.x,
          m.I.xy - t.x * a.y,
          m.I.yy - t.y * a.y,
          m.H.xx - l.x * a.x,
          m.H.xy - l.y * a.x,
          m.H.xz - l.z * a.x,
          m.H.yx - l.x * a.y,
          m.H.yy - l.y * a.y,
          m.H.yz - l.z * a.y,
          {m.M.xx - l.x * b.x, m.M.xy - l.x * b.y, m.M.xz - l.x * b.z, m.M.yy - l.y * b.y,
           m.M.yz - l.y * b.z, m.M.zz - l.z * b.z}};
}

/// The inertia about Q, with P at (0, 0, z) from Q.
template <class Real, class S>
DYNAMICS_INLINE void translate_z(Real z, ReducedInertia<S>& m) {
  const S xx = z * m.M.xx, xy = z * m.M.xy, yy = z * m.M.yy;
  const S H_xx = m.H_xx - xy, H_xy = m.H_xy - yy, H_yx = m.H_yx + xx, H_yy = m.H_yy + xy;
  m.I_xx = m.I_xx - z * (H_xy + m.H_xy);
  m.I_yy = m.I_yy + z * (H_yx + m.H_yx);
  m.I_xy = m.I_xy + z * (m.H_xx - H_yy);
  m.H_xz = m.H_xz - z * m.M.yz;
  m.H_yz = m.H_yz + z * m.M.xz;
  m.H_xx = H_xx;
  m.H_xy = H_xy;
  m.H_yx = H_yx;
  m.H_yy = H_yy;
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_z(const C& c, const C& s, ReducedInertia<S>& m) {
  rotate_block(c, s, m.I_xx, m.I_xy, m.I_yy);
  rotate_block(c, s, m.H_xx, m.H_xy, m.H_yx, m.H_yy);
  rotate_pair(c, s, m.H_xz, m.H_yz);
  rotate_about_z(c, s, m.M);
}

/// The column of an articulated inertia that a revolute root joint needs: I_zz, and the force for a
/// unit angular acceleration about Z, which is row Z of H.
template <class S>
struct RevoluteColumn {
  S I_zz;
  Vec3<S> force;
};
template <class S>
DYNAMICS_INLINE RevoluteColumn<S> revolute_column(const ArticulatedInertia<S>& m) {
  return {m.I.zz, {m.H.zx, m.H.zy, m.H.zz}};
}
template <class S>
DYNAMICS_INLINE RevoluteColumn<S>& operator+=(RevoluteColumn<S>& a, const RevoluteColumn<S>& b) {
  a.I_zz = a.I_zz + b.I_zz;
  a.force += b.force;
  return a;
}
/// Adds the column to the same entries of an articulated inertia.
template <class S>
DYNAMICS_INLINE void add_column(const RevoluteColumn<S>& column, ArticulatedInertia<S>& m) {
  m.I.zz = m.I.zz + column.I_zz;
  m.H.zx = m.H.zx + column.force.x;
  m.H.zy = m.H.zy + column.force.y;
  m.H.zz = m.H.zz + column.force.z;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
