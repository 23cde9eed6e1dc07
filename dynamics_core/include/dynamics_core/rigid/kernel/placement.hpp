// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a body is, seen from its parent: two planar rotations (three for a further child) and a
// shift. `c` and `s` are the cosine and sine of the turn about Z.

#include <cmath>

#include "dynamics_core/model/tree.hpp"
#include "dynamics_core/spatial/vector3.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

/// The bodies as the recursions read them: plain memory, so that no code of a standard container is
/// compiled for an instruction set.
class Tree {
 public:
  Tree(const TreeBody* bodies, std::size_t count) : bodies_(bodies), count_(count) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a view of the model's
  Tree(const dynamics::Tree& tree) : Tree(tree.data(), tree.size()) {}
  std::size_t size() const { return count_; }
  const TreeBody& operator[](std::size_t i) const { return bodies_[i]; }

 private:
  const TreeBody* bodies_;
  std::size_t count_;
};

inline Vec3<double> constant(const double (&v)[3]) { return {v[0], v[1], v[2]}; }
inline Sym3<double> constant(const double (&m)[6]) { return {m[0], m[1], m[2], m[3], m[4], m[5]}; }

template <class S>
struct Placement {
  S c, s;     ///< of the turn about Z
  Vec3<S> r;  ///< the origin, in the parent's frame
};

/// The joint's direction of sliding, in the parent's frame: Rz(beta) Rx(alpha) z.
inline Vec3<double> slide_direction(const TreeBody& body) {
  return {body.sin_beta * body.sin_alpha, -body.cos_beta * body.sin_alpha, body.cos_alpha};
}

template <class S>
Placement<S> place(const TreeBody& body, const S& q) {
  using std::cos;
  using std::sin;
  Placement<S> at;
  if (body.prismatic) {
    at.c = S(body.cos_offset);
    at.s = S(body.sin_offset);
    const Vec3<double> d = slide_direction(body);
    at.r = {S(body.position[0]) + d.x * q, S(body.position[1]) + d.y * q,
            S(body.position[2]) + d.z * q};
  } else {
    const S angle = body.offset == 0.0 ? q : S(q + S(body.offset));
    at.c = cos(angle);
    at.s = sin(angle);
    at.r = {S(body.position[0]), S(body.position[1]), S(body.position[2])};
  }
  return at;
}

/// The components of a vector of the parent's frame in the body's frame.
template <class S>
Vec3<S> to_body(const TreeBody& body, const Placement<S>& at, const Vec3<S>& v) {
  S x = v.x, y = v.y;
  if (body.turned) {
    x = body.cos_beta * v.x + body.sin_beta * v.y;
    y = body.cos_beta * v.y - body.sin_beta * v.x;
  }
  const S u = body.cos_alpha * y + body.sin_alpha * v.z;
  const S w = body.cos_alpha * v.z - body.sin_alpha * y;
  return {at.c * x + at.s * u, at.c * u - at.s * x, w};
}

/// The components of a vector of the body's frame in the parent's frame.
template <class S>
Vec3<S> to_parent(const TreeBody& body, const Placement<S>& at, const Vec3<S>& v) {
  const S x = at.c * v.x - at.s * v.y;
  const S u = at.s * v.x + at.c * v.y;
  const S y = body.cos_alpha * u - body.sin_alpha * v.z;
  const S z = body.sin_alpha * u + body.cos_alpha * v.z;
  if (!body.turned) return {x, y, z};
  return {body.cos_beta * x - body.sin_beta * y, body.sin_beta * x + body.cos_beta * y, z};
}

/// [a b; c d] -> R [a b; c d] R^T for the planar rotation R = [co -si; si co]: trace and
/// antisymmetric part stay, so four products do.
template <class C, class S>
void turn_block(const C& co, const C& si, S& a, S& b, S& c, S& d) {
  const S k = si * (a - d) + co * (b + c);
  const S b_old = b;
  b = co * k - c;
  c = co * k - b_old;
  a = a - si * k;
  d = d + si * k;
}
/// The same for a symmetric block [a b; b d].
template <class C, class S>
void turn_block(const C& co, const C& si, S& a, S& b, S& d) {
  const S k = si * (a - d) + co * (b + b);
  b = co * k - b;
  a = a - si * k;
  d = d + si * k;
}
/// (a, b) -> R (a, b)
template <class C, class S>
void turn_pair(const C& co, const C& si, S& a, S& b) {
  const S t = co * a - si * b;
  b = si * a + co * b;
  a = t;
}

template <class C, class S>
void turn_about_z(const C& c, const C& s, Sym3<S>& m) {
  turn_block(c, s, m.xx, m.xy, m.yy);
  turn_pair(c, s, m.xz, m.yz);
}
template <class C, class S>
void turn_about_x(const C& c, const C& s, Sym3<S>& m) {
  turn_block(c, s, m.yy, m.yz, m.zz);
  turn_pair(c, s, m.xy, m.xz);
}
template <class C, class S>
void turn_about_z(const C& c, const C& s, Mat3<S>& m) {
  turn_block(c, s, m.xx, m.xy, m.yx, m.yy);
  turn_pair(c, s, m.xz, m.yz);
  turn_pair(c, s, m.zx, m.zy);
}
template <class C, class S>
void turn_about_x(const C& c, const C& s, Mat3<S>& m) {
  turn_block(c, s, m.yy, m.yz, m.zy, m.zz);
  turn_pair(c, s, m.xy, m.xz);
  turn_pair(c, s, m.yx, m.zx);
}

/// R m R^T with R from the body's frame to the parent's; `Matrix` is Sym3 or Mat3.
template <class S, template <class> class Matrix>
Matrix<S> to_parent(const TreeBody& body, const Placement<S>& at, Matrix<S> m) {
  turn_about_z(at.c, at.s, m);
  turn_about_x(body.cos_alpha, body.sin_alpha, m);
  if (body.turned) turn_about_z(body.cos_beta, body.sin_beta, m);
  return m;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
