// SPDX-License-Identifier: Apache-2.0
#pragma once

// A spatial vector is one of two kinds, both with the angular part first:
//
//   motion   angular velocity (or acceleration) and velocity (or acceleration) of a point P
//   force    torque about P, and force
//
// P and the axes are stated where the vector is used. The scalar product of a force and a motion
// about the same point is the power. To another point Q, with r the vector from Q to P:
//
//   force    torque_Q = torque_P + r x force            translate_force(r, f)
//   motion   v_Q = v_P - angular x r, so that           translate_motion(r, v) gives
//            v_P = v_Q + angular x r                    the motion at P from the motion at Q

#include "spatial/rotation.hpp"

namespace dynamics::spatial {

template <class S>
struct SpatialVector {
  Vec3<S> angular, linear;
};

inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
DYNAMICS_INLINE SpatialVector<S> zero6() {
  return {zero3<S>(), zero3<S>()};
}
template <class S>
DYNAMICS_INLINE SpatialVector<S> operator+(const SpatialVector<S>& a, const SpatialVector<S>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <class S>
DYNAMICS_INLINE SpatialVector<S>& operator+=(SpatialVector<S>& a, const SpatialVector<S>& b) {
  return a = a + b;
}
template <class S>
DYNAMICS_INLINE SpatialVector<S>& operator-=(SpatialVector<S>& a, const SpatialVector<S>& b) {
  return a = {a.angular - b.angular, a.linear - b.linear};
}
template <class S, class T>
DYNAMICS_INLINE SpatialVector<S> operator*(const T& k, const SpatialVector<S>& a) {
  return {k * a.angular, k * a.linear};
}
template <class S>
DYNAMICS_INLINE S dot(const SpatialVector<S>& a, const SpatialVector<S>& b) {
  return dot(a.angular, b.angular) + dot(a.linear, b.linear);
}

/// A force about P becomes the same force about Q; r from Q to P.
template <class S>
DYNAMICS_INLINE SpatialVector<S> translate_force(const Vec3<S>& r, const SpatialVector<S>& f) {
  return {f.angular + cross(r, f.linear), f.linear};
}
/// The same where r.y is zero.
template <class S>
DYNAMICS_INLINE SpatialVector<S> translate_force_xz(const Vec3<S>& r, const SpatialVector<S>& f) {
  const Vec3<S>&n = f.angular, &l = f.linear;
  return {{n.x - r.z * l.y, n.y + (r.z * l.x - r.x * l.z), n.z + r.x * l.y}, l};
}
/// The motion of a body at Q becomes its motion at P; r from Q to P.
template <class S>
DYNAMICS_INLINE SpatialVector<S> translate_motion(const Vec3<S>& r, const SpatialVector<S>& v) {
  return {v.angular, v.linear + cross(v.angular, r)};
}

template <class C, class S>
DYNAMICS_INLINE void rotate_about_x(const C& c, const C& s, SpatialVector<S>& v) {
  rotate_about_x(c, s, v.angular);
  rotate_about_x(c, s, v.linear);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_y(const C& c, const C& s, SpatialVector<S>& v) {
  rotate_about_y(c, s, v.angular);
  rotate_about_y(c, s, v.linear);
}
template <class C, class S>
DYNAMICS_INLINE void rotate_about_z(const C& c, const C& s, SpatialVector<S>& v) {
  rotate_about_z(c, s, v.angular);
  rotate_about_z(c, s, v.linear);
}
template <class S>
DYNAMICS_INLINE SpatialVector<S> rotate(const double (&R)[9], const SpatialVector<S>& v) {
  return {rotate(R, v.angular), rotate(R, v.linear)};
}
template <class S>
DYNAMICS_INLINE SpatialVector<S> rotate_inverse(const double (&R)[9], const SpatialVector<S>& v) {
  return {rotate_inverse(R, v.angular), rotate_inverse(R, v.linear)};
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
