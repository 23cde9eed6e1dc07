// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a body is, seen from its parent: two planar rotations (three for a further child) and a
// shift. `c` and `s` are the cosine and sine of the turn about Z.

#include <cmath>

#include "dynamics_core/model/tree.hpp"
#include "dynamics_core/rigid/kernel/sine_cosine.hpp"
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
  const TreeBody* data() const { return bodies_; }
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
  Placement<S> at;
  if (body.prismatic) {
    at.c = S(body.cos_offset);
    at.s = S(body.sin_offset);
    const Vec3<double> d = slide_direction(body);
    at.r = {S(body.position[0]) + d.x * q, S(body.position[1]) + d.y * q,
            S(body.position[2]) + d.z * q};
  } else {
    const S angle = body.offset == 0.0 ? q : S(q + S(body.offset));
    both_of(angle, at.s, at.c);
    at.r = {S(body.position[0]), S(body.position[1]), S(body.position[2])};
  }
  return at;
}

/// Cosines and sines of all revolute joints at entry, into scratch[i].at; the rest of a placement
/// is a constant of the body, or left to place() for prismatic joints.
template <class S, class Scratch>
void turn_joints(const TreeBody* tree, std::size_t count, Scratch* scratch, const S* q) {
  for (std::size_t i = 0; i < count; ++i) {
    if (tree[i].prismatic) continue;
    const S angle = tree[i].offset == 0.0 ? q[i] : S(q[i] + S(tree[i].offset));
    both_of(angle, scratch[i].at.s, scratch[i].at.c);
  }
}
template <class Scratch>
void turn_joints(const TreeBody* tree, std::size_t count, Scratch* scratch, const double* q) {
  constexpr std::size_t lanes = sines_at_a_time;
  using Sines = SeveralSines<lanes>;
  bool near = count >= lanes;
  for (std::size_t i = 0; i < count; ++i) near &= __builtin_fabs(q[i]) <= Sines::largest;
  if (!near) {  // one after the other
    turn_joints<double>(tree, count, scratch, q);
    return;
  }
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t first = i + lanes <= count ? i : count - lanes;  // the last ones overlap
    typename Sines::Reals angle, offset;
    __builtin_memcpy(&angle, q + first, sizeof angle);
    for (std::size_t k = 0; k < lanes; ++k) offset[k] = tree[first + k].offset;
    const Sines turn(angle + offset);
    for (std::size_t k = 0; k < lanes; ++k) {
      scratch[first + k].at.s = turn.sine[k];
      scratch[first + k].at.c = turn.cosine[k];
    }
  }
}

/// Carries vectors between the frames of a body and its parent; the kind of twist is known when
/// this is compiled, so that right angles cost nothing.
template <TreeBody::Twist twist, class S>
struct Turn {
  using Twist = TreeBody::Twist;
  const TreeBody& body;
  const S &c, &s;

  /// The components of a vector of the parent's frame in the body's frame.
  DYNAMICS_INLINE Vec3<S> to_body(const Vec3<S>& v) const {
    if constexpr (twist == Twist::none) {
      return {c * v.x + s * v.y, c * v.y - s * v.x, v.z};
    } else if constexpr (twist == Twist::quarter) {
      return {c * v.x + s * v.z, c * v.z - s * v.x, -v.y};
    } else if constexpr (twist == Twist::minus_quarter) {
      return {c * v.x - s * v.z, -(c * v.z) - s * v.x, v.y};
    } else {
      S x = v.x, y = v.y;
      if (body.turned) {
        x = body.cos_beta * v.x + body.sin_beta * v.y;
        y = body.cos_beta * v.y - body.sin_beta * v.x;
      }
      const S u = body.cos_alpha * y + body.sin_alpha * v.z;
      const S w = body.cos_alpha * v.z - body.sin_alpha * y;
      return {c * x + s * u, c * u - s * x, w};
    }
  }
  /// (0, 0, z) of the parent's frame.
  DYNAMICS_INLINE Vec3<S> axis_to_body(const S& z) const {
    const S zero(0.0);
    if constexpr (twist == Twist::none) {
      return {zero, zero, z};
    } else if constexpr (twist == Twist::quarter) {
      return {s * z, c * z, zero};
    } else if constexpr (twist == Twist::minus_quarter) {
      return {-(s * z), -(c * z), zero};
    } else {
      const S u = body.sin_alpha * z;
      return {s * u, c * u, body.cos_alpha * z};
    }
  }
  /// z of to_parent(v).
  DYNAMICS_INLINE S z_of_parent(const Vec3<S>& v) const {
    if constexpr (twist == Twist::none) {
      return v.z;
    } else {
      const S u = s * v.x + c * v.y;
      if constexpr (twist == Twist::quarter) return u;
      if constexpr (twist == Twist::minus_quarter) return -u;
      return body.sin_alpha * u + body.cos_alpha * v.z;
    }
  }
  /// The components of a vector of the body's frame in the parent's frame.
  DYNAMICS_INLINE Vec3<S> to_parent(const Vec3<S>& v) const {
    const S x = c * v.x - s * v.y;
    const S u = s * v.x + c * v.y;
    if constexpr (twist == Twist::none) {
      return {x, u, v.z};
    } else if constexpr (twist == Twist::quarter) {
      return {x, -v.z, u};
    } else if constexpr (twist == Twist::minus_quarter) {
      return {x, v.z, -u};
    } else {
      const S y = body.cos_alpha * u - body.sin_alpha * v.z;
      const S z = body.sin_alpha * u + body.cos_alpha * v.z;
      if (!body.turned) return {x, y, z};
      return {body.cos_beta * x - body.sin_beta * y, body.sin_beta * x + body.cos_beta * y, z};
    }
  }
};

/// Six numbers: an angular (or moment) and a linear (or force) part.
template <class S>
struct Six {
  Vec3<S> top, bottom;
};

/// A wrench about the origin of a revolute body, in its axes, becomes one about the parent's.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE void to_parent(const Turn<twist, S>& turn, Six<S>& w) {
  const double d = turn.body.slide;
  const auto& r = turn.body.shift;
  if (d != 0.0) {
    w.top.x = w.top.x - d * w.bottom.y;
    w.top.y = w.top.y + d * w.bottom.x;
  }
  w = {turn.to_parent(w.top), turn.to_parent(w.bottom)};
  if (r[0] != 0.0) {
    w.top.y = w.top.y - r[0] * w.bottom.z;
    w.top.z = w.top.z + r[0] * w.bottom.y;
  }
  if (r[1] != 0.0) {
    w.top.x = w.top.x + r[1] * w.bottom.z;
    w.top.z = w.top.z - r[1] * w.bottom.x;
  }
  if (r[2] != 0.0) {
    w.top.x = w.top.x - r[2] * w.bottom.y;
    w.top.y = w.top.y + r[2] * w.bottom.x;
  }
}
/// Of that the moment about the parent's Z axis alone.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE S z_to_parent(const Turn<twist, S>& turn, Six<S> w) {
  const double d = turn.body.slide;
  const auto& r = turn.body.shift;
  if (d != 0.0) {
    w.top.x = w.top.x - d * w.bottom.y;
    w.top.y = w.top.y + d * w.bottom.x;
  }
  S z = turn.z_of_parent(w.top);
  if (r[0] == 0.0 && r[1] == 0.0) return z;
  const Vec3<S> f = turn.to_parent(w.bottom);
  if (r[0] != 0.0) z = z + r[0] * f.y;
  if (r[1] != 0.0) z = z - r[1] * f.x;
  return z;
}
/// The acceleration of the parent at the origin of a revolute body, in the body's axes.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE void to_body(const Turn<twist, S>& turn, Six<S>& a) {
  const double d = turn.body.slide;
  const auto& r = turn.body.shift;
  if (r[0] != 0.0) {
    a.bottom.y = a.bottom.y + r[0] * a.top.z;
    a.bottom.z = a.bottom.z - r[0] * a.top.y;
  }
  if (r[1] != 0.0) {
    a.bottom.x = a.bottom.x - r[1] * a.top.z;
    a.bottom.z = a.bottom.z + r[1] * a.top.x;
  }
  if (r[2] != 0.0) {
    a.bottom.x = a.bottom.x + r[2] * a.top.y;
    a.bottom.y = a.bottom.y - r[2] * a.top.x;
  }
  a = {turn.to_body(a.top), turn.to_body(a.bottom)};
  if (d != 0.0) {
    a.bottom.x = a.bottom.x + d * a.top.y;
    a.bottom.y = a.bottom.y - d * a.top.x;
  }
}
/// The same where the parent's angular acceleration lies along its Z axis.
template <TreeBody::Twist twist, class S>
DYNAMICS_INLINE void axis_to_body(const Turn<twist, S>& turn, Six<S>& a) {
  const double d = turn.body.slide;
  const auto& r = turn.body.shift;
  const S z = a.top.z;
  if (r[0] != 0.0) a.bottom.y = a.bottom.y + r[0] * z;
  if (r[1] != 0.0) a.bottom.x = a.bottom.x - r[1] * z;
  a = {turn.axis_to_body(z), turn.to_body(a.bottom)};
  if (d != 0.0) {
    a.bottom.x = a.bottom.x + d * a.top.y;
    a.bottom.y = a.bottom.y - d * a.top.x;
  }
}

/// Calls f(Turn) with the body's kind of twist.
template <class S, class F>
DYNAMICS_INLINE void with_turn(const TreeBody& body, const Placement<S>& at, F&& f) {
  using Twist = TreeBody::Twist;
  switch (body.twist) {
    case Twist::none: f(Turn<Twist::none, S>{body, at.c, at.s}); break;
    case Twist::quarter: f(Turn<Twist::quarter, S>{body, at.c, at.s}); break;
    case Twist::minus_quarter: f(Turn<Twist::minus_quarter, S>{body, at.c, at.s}); break;
    default: f(Turn<Twist::general, S>{body, at.c, at.s});
  }
}

/// The components of a vector of the parent's frame in the body's frame.
template <class S>
DYNAMICS_INLINE Vec3<S> to_body(const TreeBody& body, const Placement<S>& at, const Vec3<S>& v) {
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
DYNAMICS_INLINE Vec3<S> to_parent(const TreeBody& body, const Placement<S>& at, const Vec3<S>& v) {
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
DYNAMICS_INLINE void turn_block(const C& co, const C& si, S& a, S& b, S& c, S& d) {
  const S k = si * (a - d) + co * (b + c);
  const S b_old = b;
  b = co * k - c;
  c = co * k - b_old;
  a = a - si * k;
  d = d + si * k;
}
/// The same for a symmetric block [a b; b d].
template <class C, class S>
DYNAMICS_INLINE void turn_block(const C& co, const C& si, S& a, S& b, S& d) {
  const S k = si * (a - d) + co * (b + b);
  b = co * k - b;
  a = a - si * k;
  d = d + si * k;
}
/// (a, b) -> R (a, b)
template <class C, class S>
DYNAMICS_INLINE void turn_pair(const C& co, const C& si, S& a, S& b) {
  const S t = co * a - si * b;
  b = si * a + co * b;
  a = t;
}

template <class C, class S>
DYNAMICS_INLINE void turn_about_z(const C& c, const C& s, Sym3<S>& m) {
  turn_block(c, s, m.xx, m.xy, m.yy);
  turn_pair(c, s, m.xz, m.yz);
}
template <class C, class S>
DYNAMICS_INLINE void turn_about_x(const C& c, const C& s, Sym3<S>& m) {
  turn_block(c, s, m.yy, m.yz, m.zz);
  turn_pair(c, s, m.xy, m.xz);
}
template <class C, class S>
DYNAMICS_INLINE void turn_about_z(const C& c, const C& s, Mat3<S>& m) {
  turn_block(c, s, m.xx, m.xy, m.yx, m.yy);
  turn_pair(c, s, m.xz, m.yz);
  turn_pair(c, s, m.zx, m.zy);
}
template <class C, class S>
DYNAMICS_INLINE void turn_about_x(const C& c, const C& s, Mat3<S>& m) {
  turn_block(c, s, m.yy, m.yz, m.zy, m.zz);
  turn_pair(c, s, m.xy, m.xz);
  turn_pair(c, s, m.yx, m.zx);
}

/// R m R^T with R from the body's frame to the parent's; `Matrix` is Sym3 or Mat3.
template <class S, template <class> class Matrix>
DYNAMICS_INLINE Matrix<S> to_parent(const TreeBody& body, const Placement<S>& at, Matrix<S> m) {
  turn_about_z(at.c, at.s, m);
  turn_about_x(body.cos_alpha, body.sin_alpha, m);
  if (body.turned) turn_about_z(body.cos_beta, body.sin_beta, m);
  return m;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
