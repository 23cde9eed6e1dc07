// SPDX-License-Identifier: Apache-2.0
#pragma once

// The spatial inertia of a rigid body (or of several, rigidly connected) about a point P:
//
//   mass           m = sum of dm                                     (kg)
//   first_moment   h = sum of r dm = m c, c the center of mass from P   (kg m)
//   inertia        J = sum of (r^2 1 - r r^T) dm, about P            (kg m^2)
//
// With the acceleration (alpha, a) of P the inertial force about P is
//
//   torque = J alpha + h x a        force = m a - h x alpha
//
// that is, the symmetric 6x6 matrix [J [h x]; [h x]^T m 1]. Invariant: m >= 0, and J - (h^2 1 -
// h h^T)/m, the inertia about the center of mass, has principal moments that satisfy the triangle
// inequality. The sum of inertias about the same point in the same axes is that of both bodies.

#include "spatial/spatial_vector.hpp"

namespace dynamics::spatial {

template <class S>
struct RigidInertia {
  S mass;
  Vec3<S> first_moment;
  Sym3<S> inertia;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// The inertia of any type with mass, first_moment[3] and inertia[6], such as TreeBody.
template <class S = void, class Body>
DYNAMICS_INLINE auto rigid_inertia(const Body& body) {
  using Number = std::conditional_t<std::is_void_v<S>, decltype(Body::mass), S>;
  return RigidInertia<Number>{Number(body.mass), constant<Number>(body.first_moment),
                              constant<Number>(body.inertia)};
}

template <class S>
DYNAMICS_INLINE RigidInertia<S>& operator+=(RigidInertia<S>& a, const RigidInertia<S>& b) {
  a.mass = a.mass + b.mass;
  a.first_moment += b.first_moment;
  a.inertia += b.inertia;
  return a;
}

/// The force for an acceleration, or the momentum of a velocity.
template <class S>
DYNAMICS_INLINE SpatialVector<S> operator*(const RigidInertia<S>& m, const SpatialVector<S>& v) {
  return {m.inertia * v.angular + cross(m.first_moment, v.linear),
          m.mass * v.linear - cross(m.first_moment, v.angular)};
}

/// The force for a unit acceleration of a revolute or prismatic joint along Z.
template <class S>
DYNAMICS_INLINE SpatialVector<S> joint_column(const RigidInertia<S>& m, bool prismatic) {
  const Vec3<S>& h = m.first_moment;
  const S zero(0.0);
  if (prismatic) return {{h.y, -h.x, zero}, {zero, zero, m.mass}};
  return {{m.inertia.xz, m.inertia.yz, m.inertia.zz}, {-h.y, h.x, zero}};
}

/// The inertia about Q, with r from Q to P. With k = h + m r:
/// J + ((h + k).r) 1 - k r^T - r h^T. 12 M, 18 A.
template <class S>
DYNAMICS_INLINE RigidInertia<S> translate(const Vec3<S>& r, const RigidInertia<S>& m) {
  const Vec3<S>& h = m.first_moment;
  const Sym3<S>& J = m.inertia;
  const Vec3<S> k = h + m.mass * r;
  const Vec3<S> sum = h + k;
  const S x = sum.x * r.x, y = sum.y * r.y, z = sum.z * r.z;
  return {m.mass, k,
          Sym3<S>{J.xx + (y + z), J.xy - (k.x * r.y + r.x * h.y), J.xz - (k.x * r.z + r.x * h.z),
                  J.yy + (x + z), J.yz - (k.y * r.z + r.y * h.z), J.zz + (x + y)}};
}
/// The same where r.y is zero. 8 M, 12 A.
template <class S>
DYNAMICS_INLINE RigidInertia<S> translate_xz(const Vec3<S>& r, const RigidInertia<S>& m) {
  const Vec3<S>& h = m.first_moment;
  const Sym3<S>& J = m.inertia;
  const Vec3<S> k = {h.x + m.mass * r.x, h.y, h.z + m.mass * r.z};
  const S x = (h.x + k.x) * r.x, z = (h.z + k.z) * r.z;
  return {m.mass, k,
          Sym3<S>{J.xx + z, J.xy - r.x * h.y, J.xz - (k.x * r.z + r.x * h.z), J.yy + (x + z),
                  J.yz - h.y * r.z, J.zz + x}};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
