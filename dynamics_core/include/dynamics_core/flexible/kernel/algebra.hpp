// SPDX-License-Identifier: Apache-2.0
#pragma once

// Six-vectors and symmetric 6x6 matrices of the flexible recursions, over any scalar.

#include "dynamics_core/spatial/vector3.hpp"

namespace dynamics::flexible {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

using kernel::cross;
using kernel::dot;
using kernel::Mat3;
using kernel::Sym3;
using kernel::transpose_times;
using kernel::Vec3;

/// Angular and linear acceleration, or moment and force.
template <class S>
struct Six {
  Vec3<S> top, bottom;
};
template <class S>
Six<S> operator+(const Six<S>& a, const Six<S>& b) {
  return {a.top + b.top, a.bottom + b.bottom};
}
template <class S>
Six<S>& operator+=(Six<S>& a, const Six<S>& b) {
  return a = a + b;
}
template <class S, class T>
Six<S> operator*(const T& k, const Six<S>& a) {
  return {k * a.top, k * a.bottom};
}
template <class S>
S dot(const Six<S>& a, const Six<S>& b) {
  return dot(a.top, b.top) + dot(a.bottom, b.bottom);
}

template <class S>
Vec3<S> zero3() {
  return {S(0.0), S(0.0), S(0.0)};
}
template <class S>
Six<S> zero6() {
  return {zero3<S>(), zero3<S>()};
}

/// [J H; H^T M]: moment = J alpha + H a, force = H^T alpha + M a.
template <class S>
struct Inertia6 {
  Sym3<S> J;
  Mat3<S> H;
  Sym3<S> M;
};
template <class S>
Six<S> operator*(const Inertia6<S>& m, const Six<S>& v) {
  return {m.J * v.top + m.H * v.bottom, transpose_times(m.H, v.top) + m.M * v.bottom};
}

/// m -= k a b^T where k a b^T is symmetric (a a multiple of b).
template <class S>
void subtract_product(Sym3<S>& m, const Vec3<S>& a, const Vec3<S>& b) {
  m = {m.xx - a.x * b.x, m.xy - a.x * b.y, m.xz - a.x * b.z,
       m.yy - a.y * b.y, m.yz - a.y * b.z, m.zz - a.z * b.z};
}
template <class S>
void subtract_product(Mat3<S>& m, const Vec3<S>& a, const Vec3<S>& b) {
  m = {m.xx - a.x * b.x, m.xy - a.x * b.y, m.xz - a.x * b.z, m.yx - a.y * b.x, m.yy - a.y * b.y,
       m.yz - a.y * b.z, m.zx - a.z * b.x, m.zy - a.z * b.y, m.zz - a.z * b.z};
}
template <class S>
void subtract_product(Inertia6<S>& m, const Six<S>& a, const Six<S>& b) {
  subtract_product(m.J, a.top, b.top);
  subtract_product(m.H, a.top, b.bottom);
  subtract_product(m.M, a.bottom, b.bottom);
}

/// Cosine and sine of a turn.
template <class S>
struct Turn {
  S c, s;
};

/// (a, b) -> R (a, b) for the planar rotation R = [c -s; s c].
template <class T, class S>
void turn_pair(const Turn<T>& r, S& a, S& b) {
  const S old = a;
  a = r.c * old - r.s * b;
  b = r.s * old + r.c * b;
}
/// [a b; c d] -> R [a b; c d] R^T: the trace and the antisymmetric part stay.
template <class T, class S>
void turn_block(const Turn<T>& r, S& a, S& b, S& c, S& d) {
  const S k = r.s * (a - d) + r.c * (b + c);
  const S old = b;
  b = r.c * k - c;
  c = r.c * k - old;
  a = a - r.s * k;
  d = d + r.s * k;
}
template <class T, class S>
void turn_block(const Turn<T>& r, S& a, S& b, S& d) {
  const S k = r.s * (a - d) + r.c * (b + b);
  b = r.c * k - b;
  a = a - r.s * k;
  d = d + r.s * k;
}

// about z: (x, y); about x: (y, z); about y: (z, x)
template <class T, class S>
void turn_z(const Turn<T>& r, Vec3<S>& v) {
  turn_pair(r, v.x, v.y);
}
template <class T, class S>
void turn_x(const Turn<T>& r, Vec3<S>& v) {
  turn_pair(r, v.y, v.z);
}
template <class T, class S>
void turn_y(const Turn<T>& r, Vec3<S>& v) {
  turn_pair(r, v.z, v.x);
}
template <class T, class S>
void turn_z(const Turn<T>& r, Sym3<S>& m) {
  turn_block(r, m.xx, m.xy, m.yy);
  turn_pair(r, m.xz, m.yz);
}
template <class T, class S>
void turn_x(const Turn<T>& r, Sym3<S>& m) {
  turn_block(r, m.yy, m.yz, m.zz);
  turn_pair(r, m.xy, m.xz);
}
template <class T, class S>
void turn_y(const Turn<T>& r, Sym3<S>& m) {
  turn_block(r, m.zz, m.xz, m.xx);
  turn_pair(r, m.yz, m.xy);
}
template <class T, class S>
void turn_z(const Turn<T>& r, Mat3<S>& m) {
  turn_block(r, m.xx, m.xy, m.yx, m.yy);
  turn_pair(r, m.xz, m.yz);
  turn_pair(r, m.zx, m.zy);
}
template <class T, class S>
void turn_x(const Turn<T>& r, Mat3<S>& m) {
  turn_block(r, m.yy, m.yz, m.zy, m.zz);
  turn_pair(r, m.xy, m.xz);
  turn_pair(r, m.yx, m.zx);
}
template <class T, class S>
void turn_y(const Turn<T>& r, Mat3<S>& m) {
  turn_block(r, m.zz, m.zx, m.xz, m.xx);
  turn_pair(r, m.yz, m.yx);
  turn_pair(r, m.zy, m.xy);
}
template <class T, class S>
void turn_z(const Turn<T>& r, Inertia6<S>& m) {
  turn_z(r, m.J);
  turn_z(r, m.H);
  turn_z(r, m.M);
}
template <class T, class S>
void turn_x(const Turn<T>& r, Inertia6<S>& m) {
  turn_x(r, m.J);
  turn_x(r, m.H);
  turn_x(r, m.M);
}
template <class T, class S>
void turn_y(const Turn<T>& r, Inertia6<S>& m) {
  turn_y(r, m.J);
  turn_y(r, m.H);
  turn_y(r, m.M);
}
template <class T, class S>
void turn_z(const Turn<T>& r, Six<S>& v) {
  turn_z(r, v.top);
  turn_z(r, v.bottom);
}
template <class T, class S>
void turn_x(const Turn<T>& r, Six<S>& v) {
  turn_x(r, v.top);
  turn_x(r, v.bottom);
}
template <class T, class S>
void turn_y(const Turn<T>& r, Six<S>& v) {
  turn_y(r, v.top);
  turn_y(r, v.bottom);
}

// a constant rotation R, by rows
template <class S>
Vec3<S> rotate(const double (&R)[9], const Vec3<S>& v) {
  return {R[0] * v.x + R[1] * v.y + R[2] * v.z, R[3] * v.x + R[4] * v.y + R[5] * v.z,
          R[6] * v.x + R[7] * v.y + R[8] * v.z};
}
template <class S>
Vec3<S> rotate_back(const double (&R)[9], const Vec3<S>& v) {
  return {R[0] * v.x + R[3] * v.y + R[6] * v.z, R[1] * v.x + R[4] * v.y + R[7] * v.z,
          R[2] * v.x + R[5] * v.y + R[8] * v.z};
}
template <class S>
Six<S> rotate(const double (&R)[9], const Six<S>& v) {
  return {rotate(R, v.top), rotate(R, v.bottom)};
}
template <class S>
Six<S> rotate_back(const double (&R)[9], const Six<S>& v) {
  return {rotate_back(R, v.top), rotate_back(R, v.bottom)};
}
template <class S>
Mat3<S> rotate(const double (&R)[9], const Mat3<S>& m) {
  const Vec3<S> x = rotate(R, Vec3<S>{m.xx, m.xy, m.xz});  // rows of m R^T
  const Vec3<S> y = rotate(R, Vec3<S>{m.yx, m.yy, m.yz});
  const Vec3<S> z = rotate(R, Vec3<S>{m.zx, m.zy, m.zz});
  const Vec3<S> a = rotate(R, Vec3<S>{x.x, y.x, z.x});  // columns of R m R^T
  const Vec3<S> b = rotate(R, Vec3<S>{x.y, y.y, z.y});
  const Vec3<S> c = rotate(R, Vec3<S>{x.z, y.z, z.z});
  return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
}
template <class S>
Sym3<S> rotate(const double (&R)[9], const Sym3<S>& m) {
  const Mat3<S> full = rotate(R, Mat3<S>{m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz});
  return {full.xx, full.xy, full.xz, full.yy, full.yz, full.zz};
}
template <class S>
Inertia6<S> rotate(const double (&R)[9], const Inertia6<S>& m) {
  return {rotate(R, m.J), rotate(R, m.H), rotate(R, m.M)};
}

/// target += the inertia m, given at the point r, seen from the origin.
template <class S>
void add_shifted(const Vec3<S>& r, const Inertia6<S>& m, Inertia6<S>& target) {
  // G = H + [r x] M;  J' = J + [r x] H^T - G [r x] = J + [r x] H^T + ([r x] G^T)^T
  const Vec3<S> m_x = {m.M.xx, m.M.xy, m.M.xz}, m_y = {m.M.xy, m.M.yy, m.M.yz},
                m_z = {m.M.xz, m.M.yz, m.M.zz};
  const Vec3<S> x = cross(r, m_x), y = cross(r, m_y), z = cross(r, m_z);
  const Mat3<S> G = {m.H.xx + x.x, m.H.xy + y.x, m.H.xz + z.x,  //
                     m.H.yx + x.y, m.H.yy + y.y, m.H.yz + z.y,  //
                     m.H.zx + x.z, m.H.zy + y.z, m.H.zz + z.z};
  const Vec3<S> h_x = cross(r, Vec3<S>{m.H.xx, m.H.xy, m.H.xz});
  const Vec3<S> h_y = cross(r, Vec3<S>{m.H.yx, m.H.yy, m.H.yz});
  const Vec3<S> h_z = cross(r, Vec3<S>{m.H.zx, m.H.zy, m.H.zz});
  // columns of [r x] H^T are h_x, h_y, h_z; rows of the other product are r x rows of G
  target.J.xx = target.J.xx + (m.J.xx + h_x.x + (r.y * G.xz - r.z * G.xy));
  target.J.xy = target.J.xy + (m.J.xy + h_y.x + (r.z * G.xx - r.x * G.xz));
  target.J.xz = target.J.xz + (m.J.xz + h_z.x + (r.x * G.xy - r.y * G.xx));
  target.J.yy = target.J.yy + (m.J.yy + h_y.y + (r.z * G.yx - r.x * G.yz));
  target.J.yz = target.J.yz + (m.J.yz + h_z.y + (r.x * G.yy - r.y * G.yx));
  target.J.zz = target.J.zz + (m.J.zz + h_z.z + (r.x * G.zy - r.y * G.zx));
  target.H += G;
  target.M += m.M;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::flexible
