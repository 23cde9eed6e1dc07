// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transform between the frames of a body and its parent. The body's frame has its origin on
// the joint's axis and Z along it:
//
//   x_parent = R x_body + r,   R = Rz(beta) Rx(alpha) Rz(theta)
//
// alpha and beta are constants of the joint, theta = offset + q for a revolute joint (c and s are
// its cosine and sine), r depends on q for a prismatic one. Two planar rotations (three with beta)
// cost less than a rotation matrix: vector 8 M 4 A, symmetric matrix 16 M 16 A, general matrix
// 24 M 22 A; half of that where alpha is a right angle, which is known at compile time.
//
// Names, for all quantities:
//   to_parent, to_body     change the axes
//   propagate_to_parent    forces and inertias: to the parent's axes and about the parent's origin
//   transform_to_body      motions: the parent's motion at the body's origin, in the body's axes
//
// Frame is any type with the constants of a joint, such as TreeBody: cos_alpha, sin_alpha,
// cos_beta, sin_beta, has_beta; alpha_kind for with_rotation(); and for the functions of revolute
// joints r in two parts: `slide` along the joint axis and `shift` in the parent's axes. Most of
// their components are zero and skipped.

#include "spatial/alpha_kind.hpp"
#include "spatial/reduced_inertia.hpp"

namespace dynamics::spatial {

/// The part of the transform that depends on q.
template <class S>
struct JointTransform {
  S c, s;     ///< cosine and sine of theta
  Vec3<S> r;  ///< the body's origin, in the parent's axes
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// Z of the body's frame in the parent's axes: Rz(beta) Rx(alpha) z.
template <class Frame>
DYNAMICS_INLINE auto joint_axis(const Frame& frame)
    -> Vec3<decltype(frame.sin_beta * frame.sin_alpha)> {
  return {frame.sin_beta * frame.sin_alpha, -frame.cos_beta * frame.sin_alpha, frame.cos_alpha};
}

/// Applies Rz(beta) Rx(alpha): from the joint frame at theta = 0 to the parent's axes. `Any` is a
/// vector or a matrix.
template <class Frame, class Any>
DYNAMICS_INLINE Any fixed_to_parent(const Frame& frame, Any any) {
  rotate_about_x(frame.cos_alpha, frame.sin_alpha, any);
  if (frame.has_beta) rotate_about_z(frame.cos_beta, frame.sin_beta, any);
  return any;
}
template <class Frame, class S>
DYNAMICS_INLINE Vec3<S> fixed_to_joint(const Frame& frame, Vec3<S> v) {
  if (frame.has_beta) rotate_about_z(frame.cos_beta, -frame.sin_beta, v);
  rotate_about_x(frame.cos_alpha, -frame.sin_alpha, v);
  return v;
}
/// The same for a reduced inertia, skipping its zeros. 23 M, 14 A without beta.
template <class Frame, class S>
DYNAMICS_INLINE ArticulatedInertia<S> fixed_to_parent(const Frame& frame,
                                                      const ReducedInertia<S>& m) {
  const auto c = frame.cos_alpha, s = frame.sin_alpha;
  const S t = c * m.I_yy, yz = s * t, yy = c * t;
  const S k = s * m.H_yy + c * m.H_yz, ck = c * k, sk = s * k;
  ArticulatedInertia<S> rotated = {{m.I_xx, c * m.I_xy, s * m.I_xy, yy, yz, m.I_yy - yy},
                                   {m.H_xx, c * m.H_xy - s * m.H_xz, s * m.H_xy + c * m.H_xz,
                                    c * m.H_yx, m.H_yy - sk, ck, s * m.H_yx, ck - m.H_yz, sk},
                                   m.M};
  rotate_about_x(c, s, rotated.M);
  if (frame.has_beta) rotate_about_z(frame.cos_beta, frame.sin_beta, rotated);
  return rotated;
}

/// The rotation R, with the kind of alpha known at compile time.
template <AlphaKind kind, class Frame, class S>
struct JointRotation {
  const Frame& frame;
  const S &c, &s;

  DYNAMICS_INLINE Vec3<S> to_body(const Vec3<S>& v) const {
    if constexpr (kind == AlphaKind::zero) {
      return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
    } else if constexpr (kind == AlphaKind::plus_90) {
      return {c * v.x + s * v.z, c * v.z - s * v.x, -v.y};
    } else if constexpr (kind == AlphaKind::minus_90) {
      return {c * v.x - s * v.z, -(c * v.z) - s * v.x, v.y};
    } else {
      S x = v.x, y = v.y;
      if (frame.has_beta) {
        x = frame.cos_beta * v.x + frame.sin_beta * v.y;
        y = frame.cos_beta * v.y - frame.sin_beta * v.x;
      }
      const S u = frame.cos_alpha * y + frame.sin_alpha * v.z;
      const S w = frame.cos_alpha * v.z - frame.sin_alpha * y;
      return {c * x + s * u, c * u - s * x, w};
    }
  }
  /// to_body of (0, 0, z).
  DYNAMICS_INLINE Vec3<S> z_to_body(const S& z) const {
    const S zero(0.0);
    if constexpr (kind == AlphaKind::zero) {
      return {zero, zero, z};
    } else if constexpr (kind == AlphaKind::plus_90) {
      return {s * z, c * z, zero};
    } else if constexpr (kind == AlphaKind::minus_90) {
      return {-(s * z), -(c * z), zero};
    } else {
      const S u = frame.sin_alpha * z;
      return {s * u, c * u, frame.cos_alpha * z};
    }
  }
  DYNAMICS_INLINE Vec3<S> to_parent(const Vec3<S>& v) const {
    const S x = c * v.x - s * v.y;
    const S u = s * v.x + c * v.y;
    if constexpr (kind == AlphaKind::zero) {
      return {x, u, v.z};
    } else if constexpr (kind == AlphaKind::plus_90) {
      return {x, -v.z, u};
    } else if constexpr (kind == AlphaKind::minus_90) {
      return {x, v.z, -u};
    } else {
      const S y = frame.cos_alpha * u - frame.sin_alpha * v.z;
      const S z = frame.sin_alpha * u + frame.cos_alpha * v.z;
      if (!frame.has_beta) return {x, y, z};
      return {frame.cos_beta * x - frame.sin_beta * y, frame.sin_beta * x + frame.cos_beta * y, z};
    }
  }
  /// z of to_parent.
  DYNAMICS_INLINE S z_to_parent(const Vec3<S>& v) const {
    if constexpr (kind == AlphaKind::zero) {
      return v.z;
    } else {
      const S u = s * v.x + c * v.y;
      if constexpr (kind == AlphaKind::plus_90) return u;
      if constexpr (kind == AlphaKind::minus_90) return -u;
      return frame.sin_alpha * u + frame.cos_alpha * v.z;
    }
  }
};

/// Calls f(JointRotation) with the frame's kind of alpha.
template <class Frame, class S, class F>
DYNAMICS_INLINE void with_rotation(const Frame& frame, const JointTransform<S>& at, F&& f) {
  switch (frame.alpha_kind) {
    case AlphaKind::zero: f(JointRotation<AlphaKind::zero, Frame, S>{frame, at.c, at.s}); break;
    case AlphaKind::plus_90:
      f(JointRotation<AlphaKind::plus_90, Frame, S>{frame, at.c, at.s});
      break;
    case AlphaKind::minus_90:
      f(JointRotation<AlphaKind::minus_90, Frame, S>{frame, at.c, at.s});
      break;
    default: f(JointRotation<AlphaKind::general, Frame, S>{frame, at.c, at.s});
  }
}
/// The same rotation for quantities of another scalar.
template <AlphaKind kind, class Frame, class S, class T>
DYNAMICS_INLINE JointRotation<kind, Frame, T> with_cosine_and_sine(
    const JointRotation<kind, Frame, S>& rotation, const T& c, const T& s) {
  return {rotation.frame, c, s};
}
/// R for any alpha.
template <class Frame, class S>
DYNAMICS_INLINE JointRotation<AlphaKind::general, Frame, S> general_rotation(
    const Frame& frame, const JointTransform<S>& at) {
  return {frame, at.c, at.s};
}

// --- any joint: rotation and r

template <class Frame, class S>
DYNAMICS_INLINE Vec3<S> to_body(const Frame& frame, const JointTransform<S>& at, const Vec3<S>& v) {
  return general_rotation(frame, at).to_body(v);
}
template <class Frame, class S>
DYNAMICS_INLINE Vec3<S> to_parent(const Frame& frame, const JointTransform<S>& at,
                                  const Vec3<S>& v) {
  return general_rotation(frame, at).to_parent(v);
}
/// R m R^T for Sym3, Mat3 and ArticulatedInertia.
template <class Frame, class S, template <class> class Matrix>
DYNAMICS_INLINE Matrix<S> to_parent(const Frame& frame, const JointTransform<S>& at, Matrix<S> m) {
  rotate_about_z(at.c, at.s, m);
  return fixed_to_parent(frame, m);
}
template <class Frame, class S>
DYNAMICS_INLINE RigidInertia<S> propagate_to_parent(const Frame& frame, const JointTransform<S>& at,
                                                    const RigidInertia<S>& m) {
  return translate(at.r, RigidInertia<S>{m.mass, to_parent(frame, at, m.first_moment),
                                         to_parent(frame, at, m.inertia)});
}
template <class Frame, class S>
DYNAMICS_INLINE ArticulatedInertia<S> propagate_to_parent(const Frame& frame,
                                                          const JointTransform<S>& at,
                                                          const ArticulatedInertia<S>& m) {
  return translate(at.r, to_parent(frame, at, m));
}
/// A force.
template <class Frame, class S>
DYNAMICS_INLINE SpatialVector<S> propagate_to_parent(const Frame& frame,
                                                     const JointTransform<S>& at,
                                                     const SpatialVector<S>& f) {
  return translate_force(
      at.r, SpatialVector<S>{to_parent(frame, at, f.angular), to_parent(frame, at, f.linear)});
}
/// A motion.
template <class Frame, class S>
DYNAMICS_INLINE SpatialVector<S> transform_to_body(const Frame& frame, const JointTransform<S>& at,
                                                   const SpatialVector<S>& v) {
  return {to_body(frame, at, v.angular), to_body(frame, at, v.linear + cross(v.angular, at.r))};
}

// --- revolute joints: rotation, slide and shift

/// A force.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE void propagate_to_parent(const JointRotation<kind, Frame, S>& rotation,
                                         SpatialVector<S>& f) {
  const auto d = rotation.frame.slide;
  const auto& r = rotation.frame.shift;
  Vec3<S>&n = f.angular, &l = f.linear;
  if (d != 0.0) {
    n.x = n.x - d * l.y;
    n.y = n.y + d * l.x;
  }
  f = {rotation.to_parent(n), rotation.to_parent(l)};
  if (r[0] != 0.0) {
    n.y = n.y - r[0] * l.z;
    n.z = n.z + r[0] * l.y;
  }
  if (r[1] != 0.0) {
    n.x = n.x + r[1] * l.z;
    n.z = n.z - r[1] * l.x;
  }
  if (r[2] != 0.0) {
    n.x = n.x - r[2] * l.y;
    n.y = n.y + r[2] * l.x;
  }
}
/// The torque about the parent's Z axis due to a force.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE S z_torque_on_parent(const JointRotation<kind, Frame, S>& rotation,
                                     SpatialVector<S> f) {
  const auto d = rotation.frame.slide;
  const auto& r = rotation.frame.shift;
  if (d != 0.0) {
    f.angular.x = f.angular.x - d * f.linear.y;
    f.angular.y = f.angular.y + d * f.linear.x;
  }
  S z = rotation.z_to_parent(f.angular);
  if (r[0] == 0.0 && r[1] == 0.0) return z;
  const Vec3<S> l = rotation.to_parent(f.linear);
  if (r[0] != 0.0) z = z + r[0] * l.y;
  if (r[1] != 0.0) z = z - r[1] * l.x;
  return z;
}
/// A motion.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE void transform_to_body(const JointRotation<kind, Frame, S>& rotation,
                                       SpatialVector<S>& a) {
  const auto d = rotation.frame.slide;
  const auto& r = rotation.frame.shift;
  Vec3<S>&w = a.angular, &v = a.linear;
  if (r[0] != 0.0) {
    v.y = v.y + r[0] * w.z;
    v.z = v.z - r[0] * w.y;
  }
  if (r[1] != 0.0) {
    v.x = v.x - r[1] * w.z;
    v.z = v.z + r[1] * w.x;
  }
  if (r[2] != 0.0) {
    v.x = v.x + r[2] * w.y;
    v.y = v.y - r[2] * w.x;
  }
  a = {rotation.to_body(w), rotation.to_body(v)};
  if (d != 0.0) {
    v.x = v.x + d * w.y;
    v.y = v.y - d * w.x;
  }
}
/// A motion whose angular part is along the parent's Z axis.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE void transform_z_to_body(const JointRotation<kind, Frame, S>& rotation,
                                         SpatialVector<S>& a) {
  const auto d = rotation.frame.slide;
  const auto& r = rotation.frame.shift;
  const S z = a.angular.z;
  if (r[0] != 0.0) a.linear.y = a.linear.y + r[0] * z;
  if (r[1] != 0.0) a.linear.x = a.linear.x - r[1] * z;
  a = {rotation.z_to_body(z), rotation.to_body(a.linear)};
  if (d != 0.0) {
    a.linear.x = a.linear.x + d * a.angular.y;
    a.linear.y = a.linear.y - d * a.angular.x;
  }
}

/// A symmetric matrix.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE Sym3<S> to_parent(const JointRotation<kind, Frame, S>& rotation, Sym3<S> J) {
  rotate_about_z(rotation.c, rotation.s, J);
  if constexpr (kind == AlphaKind::plus_90) {
    J = {J.xx, -J.xz, J.xy, J.zz, -J.yz, J.yy};
  } else if constexpr (kind == AlphaKind::minus_90) {
    J = {J.xx, J.xz, -J.xy, J.zz, -J.yz, J.yy};
  } else if constexpr (kind == AlphaKind::general) {
    J = fixed_to_parent(rotation.frame, J);
  }
  return J;
}
/// zz of a symmetric matrix in the parent's axes.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE S zz_to_parent(const JointRotation<kind, Frame, S>& rotation, const Sym3<S>& J) {
  if constexpr (kind == AlphaKind::zero) {
    return J.zz;
  } else if constexpr (kind == AlphaKind::general) {
    return to_parent(rotation, J).zz;
  } else {
    const S &c = rotation.c, &s = rotation.s;
    const S both = s * J.xy + c * J.yy;
    return s * (s * J.xx + c * J.xy) + c * both;
  }
}
/// A rigid inertia.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE RigidInertia<S> propagate_to_parent(const JointRotation<kind, Frame, S>& rotation,
                                                    const RigidInertia<S>& m) {
  const RigidInertia<S> rotated = {m.mass, rotation.to_parent(m.first_moment),
                                   to_parent(rotation, m.inertia)};
  if (rotation.frame.at_parent_origin) return rotated;
  return translate(constant<S>(rotation.frame.position), rotated);
}
/// The moment of a rigid inertia about the parent's Z axis.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE S zz_on_parent(const JointRotation<kind, Frame, S>& rotation,
                               const RigidInertia<S>& m) {
  const S zz = zz_to_parent(rotation, m.inertia);
  if (rotation.frame.at_parent_origin) return zz;
  const auto& r = rotation.frame.position;
  const Vec3<S> h = rotation.to_parent(m.first_moment);
  const auto twice = [](const S& x) { return S(x + x); };
  return zz + r[0] * (twice(h.x) + r[0] * m.mass) + r[1] * (twice(h.y) + r[1] * m.mass);
}

/// Rz(beta) Rx(alpha) of a reduced inertia.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE ArticulatedInertia<S> fixed_to_parent(const JointRotation<kind, Frame, S>& rotation,
                                                      const ReducedInertia<S>& m) {
  const S zero(0.0);
  const Sym3<S>& M = m.M;
  if constexpr (kind == AlphaKind::zero) {
    return {{m.I_xx, m.I_xy, zero, m.I_yy, zero, zero},
            {m.H_xx, m.H_xy, m.H_xz, m.H_yx, m.H_yy, m.H_yz, zero, zero, zero},
            M};
  } else if constexpr (kind == AlphaKind::plus_90) {
    return {{m.I_xx, zero, m.I_xy, zero, zero, m.I_yy},
            {m.H_xx, -m.H_xz, m.H_xy, zero, zero, zero, m.H_yx, -m.H_yz, m.H_yy},
            {M.xx, -M.xz, M.xy, M.zz, -M.yz, M.yy}};
  } else if constexpr (kind == AlphaKind::minus_90) {
    return {{m.I_xx, zero, -m.I_xy, zero, zero, m.I_yy},
            {m.H_xx, m.H_xz, -m.H_xy, zero, zero, zero, -m.H_yx, -m.H_yz, m.H_yy},
            {M.xx, M.xz, -M.xy, M.zz, -M.yz, M.yy}};
  } else {
    return fixed_to_parent(rotation.frame, m);
  }
}
/// A reduced inertia: translated by slide along the joint axis (it stays reduced), rotated, then
/// translated by shift.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE ArticulatedInertia<S> propagate_to_parent(
    const JointRotation<kind, Frame, S>& rotation, ReducedInertia<S> m) {
  const Frame& frame = rotation.frame;
  if (frame.slide != 0.0) translate_z(frame.slide, m);
  rotate_about_z(rotation.c, rotation.s, m);
  ArticulatedInertia<S> parent = fixed_to_parent(rotation, m);
  const auto& r = frame.shift;
  if (r[0] != 0.0) translate_x(r[0], parent);
  if (r[1] != 0.0) translate_y(r[1], parent);
  if (r[2] != 0.0) translate_z(r[2], parent);
  return parent;
}
/// The RevoluteColumn of the same inertia in the parent frame, without its other entries.
template <AlphaKind kind, class Frame, class S>
DYNAMICS_INLINE RevoluteColumn<S> parent_column(const JointRotation<kind, Frame, S>& rotation,
                                                ReducedInertia<S> m) {
  const Frame& frame = rotation.frame;
  const S zero(0.0);
  if (frame.slide != 0.0) translate_z(frame.slide, m);
  rotate_about_z(rotation.c, rotation.s, m);
  RevoluteColumn<S> column;
  Sym3<S> M = m.M;  // in the parent's axes
  if constexpr (kind == AlphaKind::zero) {
    column = {zero, {zero, zero, zero}};
  } else if constexpr (kind == AlphaKind::plus_90) {
    column = {m.I_yy, {m.H_yx, -m.H_yz, m.H_yy}};
    M = {M.xx, -M.xz, M.xy, M.zz, -M.yz, M.yy};
  } else if constexpr (kind == AlphaKind::minus_90) {
    column = {m.I_yy, {-m.H_yx, -m.H_yz, m.H_yy}};
    M = {M.xx, M.xz, -M.xy, M.zz, -M.yz, M.yy};
  } else {
    const auto c = frame.cos_alpha, s = frame.sin_alpha;
    const S k = s * m.H_yy + c * m.H_yz;
    column = {s * (s * m.I_yy), {s * m.H_yx, c * k - m.H_yz, s * k}};
    rotate_about_x(c, s, M);
    if (frame.has_beta) {
      rotate_pair(frame.cos_beta, frame.sin_beta, column.force.x, column.force.y);
      rotate_about_z(frame.cos_beta, frame.sin_beta, M);
    }
  }
  const auto& r = frame.shift;
  Vec3<S>& f = column.force;
  if (r[0] != 0.0) {
    const S y = f.y + r[0] * M.yy;
    column.I_zz = column.I_zz + r[0] * (y + f.y);
    f = {f.x + r[0] * M.xy, y, f.z + r[0] * M.yz};
  }
  if (r[1] != 0.0) {
    const S x = f.x - r[1] * M.xx;
    column.I_zz = column.I_zz - r[1] * (x + f.x);
    f = {x, f.y - r[1] * M.xy, f.z - r[1] * M.xz};
  }
  return column;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
