// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a body stands to its parent, as two planar turns (three for a further child) and a shift:
// vectors and matrices go through them at the papers' cost instead of that of a full matrix, 8
// multiplications and 4 additions for a vector instead of 9 and 6, 16 and 16 for a symmetric
// matrix, 24 and 22 for any other.

#include <cmath>

#include "dynamics_core/model/tree.hpp"
#include "dynamics_core/spatial/vector3.hpp"

namespace dynamics::formulations {

template <class S>
using Vec = kernel::Vec3<S>;
template <class S>
using Symmetric = kernel::Sym3<S>;
template <class S>
using General = kernel::Mat3<S>;

/// (a, b) turned by an angle of cosine c and sine s.
template <class C, class S>
void turn(const C& c, const C& s, S& a, S& b) {
  const S old = a;
  a = c * old - s * b;
  b = s * old + c * b;
}
/// [a b; b d] turned, R . R^T: the trace stays.
template <class C, class S>
void turn(const C& c, const C& s, S& a, S& b, S& d) {
  const S k = s * (a - d) + c * (b + b);
  const S sk = s * k;
  a = a - sk;
  d = d + sk;
  b = c * k - b;
}
/// [a b; e d] turned, R . R^T: trace and b - e stay.
template <class C, class S>
void turn(const C& c, const C& s, S& a, S& b, S& e, S& d) {
  const S k = s * (a - d) + c * (b + e);
  const S sk = s * k, ck = c * k, old = b;
  a = a - sk;
  d = d + sk;
  b = ck - e;
  e = ck - old;
}
template <class C, class S>
void about_x(const C& c, const C& s, Vec<S>& v) {
  turn(c, s, v.y, v.z);
}
template <class C, class S>
void about_z(const C& c, const C& s, Vec<S>& v) {
  turn(c, s, v.x, v.y);
}
template <class C, class S>
void about_x(const C& c, const C& s, Symmetric<S>& m) {
  turn(c, s, m.yy, m.yz, m.zz);
  turn(c, s, m.xy, m.xz);
}
template <class C, class S>
void about_z(const C& c, const C& s, Symmetric<S>& m) {
  turn(c, s, m.xx, m.xy, m.yy);
  turn(c, s, m.xz, m.yz);
}
template <class C, class S>
void about_x(const C& c, const C& s, General<S>& m) {
  turn(c, s, m.yy, m.yz, m.zy, m.zz);
  turn(c, s, m.xy, m.xz);
  turn(c, s, m.yx, m.zx);
}
template <class C, class S>
void about_z(const C& c, const C& s, General<S>& m) {
  turn(c, s, m.xx, m.xy, m.yx, m.yy);
  turn(c, s, m.xz, m.yz);
  turn(c, s, m.zx, m.zy);
}

/// m + r x f; `level`: r.y is zero.
template <class S>
Vec<S> with_lever(const Vec<S>& m, const Vec<S>& r, const Vec<S>& f, bool level) {
  if (!level) return m + kernel::cross(r, f);
  return {m.x - r.z * f.y, m.y + (r.z * f.x - r.x * f.z), m.z + r.x * f.y};
}

/// The symmetric 6x6 matrix [angular coupling; coupling^T linear] of a body or of everything
/// beyond a joint: moment = angular alpha + coupling a, force = coupling^T alpha + linear a.
template <class S>
struct SpatialInertia {
  Symmetric<S> angular;
  General<S> coupling;
  Symmetric<S> linear;
};

/// Rz(beta) Rx(alpha), fixed: from a joint's frame before its motion to the parent's frame.
class Mounting {
 public:
  explicit Mounting(const TreeBody& body)
      : cos_alpha_(body.cos_alpha),
        sin_alpha_(body.sin_alpha),
        cos_beta_(body.cos_beta),
        sin_beta_(body.sin_beta),
        turned_(body.turned) {}

  bool is_identity() const { return cos_alpha_ == 1.0 && !turned_; }
  /// Vectors; symmetric and general matrices as R . R^T.
  template <class S, template <class> class Any>
  Any<S> to_parent(Any<S> any) const {
    about_x(cos_alpha_, sin_alpha_, any);
    if (turned_) about_z(cos_beta_, sin_beta_, any);
    return any;
  }
  /// A matrix whose row and column of turning about Z are zero: 23 multiplications, 14 additions.
  template <class S>
  SpatialInertia<S> to_parent_without_z(SpatialInertia<S> m) const {
    const double c = cos_alpha_, s = sin_alpha_;
    Symmetric<S>& a = m.angular;
    const S t = c * a.yy, yy = c * t, xy = a.xy;
    a = {a.xx, c * xy, s * xy, yy, s * t, a.yy - yy};
    General<S>& h = m.coupling;
    const S k = s * h.yy + c * h.yz, ck = c * k, sk = s * k, yx = h.yx;
    h.yx = c * yx;
    h.zx = s * yx;
    h.zy = ck - h.yz;
    h.zz = sk;
    h.yy = h.yy - sk;
    h.yz = ck;
    turn(c, s, h.xy, h.xz);
    about_x(c, s, m.linear);
    if (turned_) {
      about_z(cos_beta_, sin_beta_, a);
      about_z(cos_beta_, sin_beta_, h);
      about_z(cos_beta_, sin_beta_, m.linear);
    }
    return m;
  }
  template <class S>
  Vec<S> from_parent(Vec<S> v) const {
    if (turned_) about_z(cos_beta_, -sin_beta_, v);
    about_x(cos_alpha_, -sin_alpha_, v);
    return v;
  }
  /// The joint's direction, Rz(beta) Rx(alpha) z.
  Vec<double> direction() const {
    return {sin_beta_ * sin_alpha_, -cos_beta_ * sin_alpha_, cos_alpha_};
  }

 private:
  double cos_alpha_, sin_alpha_, cos_beta_, sin_beta_;
  bool turned_;
};

/// Cosine and sine of a joint's own turn about Z.
template <class S>
struct JointTurn {
  S c, s;
  JointTurn(const TreeBody& body, const S& q) {
    using std::cos;
    using std::sin;
    if (body.prismatic) {
      c = S(body.cos_offset);
      s = S(body.sin_offset);
    } else {
      const S angle = body.offset == 0.0 ? q : S(q + S(body.offset));
      c = cos(angle);
      s = sin(angle);
    }
  }
};

/// x_parent = Rz(beta) Rx(alpha) Rz(theta) x_body + r.
template <class S>
struct Turning {
  Mounting mounting;
  JointTurn<S> joint;
  Vec<S> r;    ///< the body's origin, in the parent's axes
  bool level;  ///< r.y is zero whatever q, as between the frames of a DH table

  Turning(const TreeBody& body, const S& q)
      : mounting(body),
        joint(body, q),
        r{S(body.position[0]), S(body.position[1]), S(body.position[2])},
        level(body.position[1] == 0.0) {
    if (body.prismatic) {
      const Vec<double> d = mounting.direction();
      level = level && d.y == 0.0;
      r += Vec<S>{d.x * q, d.y * q, d.z * q};
    }
  }
  template <template <class> class Any>
  Any<S> to_parent(Any<S> any) const {
    about_z(joint.c, joint.s, any);
    return mounting.to_parent(any);
  }
  Vec<S> to_body(const Vec<S>& v) const {
    Vec<S> own = mounting.from_parent(v);
    const S x = own.x;
    own.x = joint.c * x + joint.s * own.y;
    own.y = joint.c * own.y - joint.s * x;
    return own;
  }
};

template <class S>
Vec<S> constant(const double (&v)[3]) {
  return {S(v[0]), S(v[1]), S(v[2])};
}
template <class S>
Symmetric<S> constant(const double (&m)[6]) {
  return {S(m[0]), S(m[1]), S(m[2]), S(m[3]), S(m[4]), S(m[5])};
}

/// A moment (or turning) and a force (or shift).
template <class S>
struct SpatialVector {
  Vec<S> angular, linear;
};
template <class S>
SpatialVector<S> operator+(const SpatialVector<S>& a, const SpatialVector<S>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <class S>
SpatialVector<S> operator*(const S& k, const SpatialVector<S>& v) {
  return {k * v.angular, k * v.linear};
}
template <class S>
S dot(const SpatialVector<S>& a, const SpatialVector<S>& b) {
  return kernel::dot(a.angular, b.angular) + kernel::dot(a.linear, b.linear);
}

template <class S>
SpatialInertia<S>& operator+=(SpatialInertia<S>& a, const SpatialInertia<S>& b) {
  a.angular += b.angular;
  a.coupling += b.coupling;
  a.linear += b.linear;
  return a;
}

/// A rigid body about its origin; its coupling is [h x], its linear part m 1.
template <class S, class H>
SpatialInertia<S> rigid_inertia(const Symmetric<S>& inertia, const Vec<H>& h, double mass) {
  const S zero(0.0), m(mass);
  return {inertia,
          {zero, S(-h.z), S(h.y), S(h.z), zero, S(-h.x), S(-h.y), S(h.x), zero},
          {m, zero, zero, m, zero, m}};
}
/// The sum with a rigid body, whose zeros are not added: 15 additions.
template <class S, class H>
void add_rigid(SpatialInertia<S>& a, const Symmetric<S>& inertia, const Vec<H>& h, double m) {
  a.angular += inertia;
  General<S>& k = a.coupling;
  k.xy = k.xy - h.z;
  k.xz = k.xz + h.y;
  k.yx = k.yx + h.z;
  k.yz = k.yz - h.x;
  k.zx = k.zx - h.y;
  k.zy = k.zy + h.x;
  a.linear.xx = a.linear.xx + m;
  a.linear.yy = a.linear.yy + m;
  a.linear.zz = a.linear.zz + m;
}

/// The column (and row) of the joint's direction Z, turning or sliding.
template <class S>
SpatialVector<S> z_column(const SpatialInertia<S>& m, bool prismatic) {
  if (prismatic) {
    return {{m.coupling.xz, m.coupling.yz, m.coupling.zz}, {m.linear.xz, m.linear.yz, m.linear.zz}};
  }
  return {{m.angular.xz, m.angular.yz, m.angular.zz},
          {m.coupling.zx, m.coupling.zy, m.coupling.zz}};
}

/// m - u w^T, where u and w are parallel: 21 multiplications, 21 additions.
template <class S>
SpatialInertia<S> minus_outer(const SpatialInertia<S>& m, const SpatialVector<S>& u,
                              const SpatialVector<S>& w) {
  const auto symmetric = [](const Symmetric<S>& a, const Vec<S>& b, const Vec<S>& d) {
    return Symmetric<S>{a.xx - b.x * d.x, a.xy - b.x * d.y, a.xz - b.x * d.z,
                        a.yy - b.y * d.y, a.yz - b.y * d.z, a.zz - b.z * d.z};
  };
  const General<S>& h = m.coupling;
  const Vec<S>&a = u.angular, &l = w.linear;
  return {symmetric(m.angular, a, w.angular),
          {h.xx - a.x * l.x, h.xy - a.x * l.y, h.xz - a.x * l.z, h.yx - a.y * l.x, h.yy - a.y * l.y,
           h.yz - a.y * l.z, h.zx - a.z * l.x, h.zy - a.z * l.y, h.zz - a.z * l.z},
          symmetric(m.linear, u.linear, l)};
}

/// The same where it leaves nothing in the row and column of turning about Z.
template <class S>
SpatialInertia<S> minus_outer_without_z(const SpatialInertia<S>& m, const SpatialVector<S>& u,
                                        const SpatialVector<S>& w) {
  const S zero(0.0);
  const Symmetric<S>&a = m.angular, &g = m.linear;
  const General<S>& h = m.coupling;
  const Vec<S>&t = u.angular, &b = u.linear, &l = w.linear;
  return {{a.xx - t.x * w.angular.x, a.xy - t.x * w.angular.y, zero, a.yy - t.y * w.angular.y, zero,
           zero},
          {h.xx - t.x * l.x, h.xy - t.x * l.y, h.xz - t.x * l.z, h.yx - t.y * l.x, h.yy - t.y * l.y,
           h.yz - t.y * l.z, zero, zero, zero},
          {g.xx - b.x * l.x, g.xy - b.x * l.y, g.xz - b.x * l.z, g.yy - b.y * l.y, g.yz - b.y * l.z,
           g.zz - b.z * l.z}};
}

/// The inertia about a point from which the old one is seen at r: linear stays, coupling gains
/// [r x] linear, angular the rest of B^T . B. 30 multiplications, 42 additions.
template <class S>
SpatialInertia<S> shifted(const SpatialInertia<S>& m, const Vec<S>& r) {
  const Symmetric<S>& l = m.linear;
  const General<S>& h = m.coupling;
  const S yxz = r.y * l.xz, zxy = r.z * l.xy, xyz = r.x * l.yz;  // twice each
  const General<S> k = {h.xx + (yxz - zxy),
                        h.xy + (r.y * l.yz - r.z * l.yy),
                        h.xz + (r.y * l.zz - r.z * l.yz),
                        h.yx + (r.z * l.xx - r.x * l.xz),
                        h.yy + (zxy - xyz),
                        h.yz + (r.z * l.xz - r.x * l.zz),
                        h.zx + (r.x * l.xy - r.y * l.xx),
                        h.zy + (r.x * l.yy - r.y * l.xy),
                        h.zz + (xyz - yxz)};
  // angular - h [r x] + [r x] k^T, symmetric
  const Symmetric<S>& a = m.angular;
  return {{a.xx + (r.y * (h.xz + k.xz) - r.z * (h.xy + k.xy)),
           a.xy + (r.z * (h.xx - k.yy) + r.y * k.yz - r.x * h.xz),
           a.xz + (r.y * (k.zz - h.xx) + r.x * h.xy - r.z * k.zy),
           a.yy + (r.z * (h.yx + k.yx) - r.x * (h.yz + k.yz)),
           a.yz + (r.x * (h.yy - k.zz) + r.z * k.zx - r.y * h.yx),
           a.zz + (r.x * (h.zy + k.zy) - r.y * (h.zx + k.zx))},
          k,
          l};
}

/// The same for an r without y: 20 multiplications, 28 additions.
template <class S>
SpatialInertia<S> shifted_level(const SpatialInertia<S>& m, const Vec<S>& r) {
  const Symmetric<S>&l = m.linear, &a = m.angular;
  const General<S>& h = m.coupling;
  const S zxy = r.z * l.xy, xyz = r.x * l.yz;
  const General<S> k = {h.xx - zxy,         h.xy - r.z * l.yy,
                        h.xz - r.z * l.yz,  h.yx + (r.z * l.xx - r.x * l.xz),
                        h.yy + (zxy - xyz), h.yz + (r.z * l.xz - r.x * l.zz),
                        h.zx + r.x * l.xy,  h.zy + r.x * l.yy,
                        h.zz + xyz};
  return {{a.xx - r.z * (h.xy + k.xy), a.xy + (r.z * (h.xx - k.yy) - r.x * h.xz),
           a.xz + (r.x * h.xy - r.z * k.zy), a.yy + (r.z * (h.yx + k.yx) - r.x * (h.yz + k.yz)),
           a.yz + (r.x * (h.yy - k.zz) + r.z * k.zx), a.zz + r.x * (h.zy + k.zy)},
          k,
          l};
}

/// a + b for a b without a component along Z.
template <class S>
Vec<S> plus_planar(const Vec<S>& a, const Vec<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z};
}

/// m v for a vector v without components along Z: 24 multiplications, 18 additions.
template <class S>
SpatialVector<S> times_planar(const SpatialInertia<S>& m, const SpatialVector<S>& v) {
  const Symmetric<S>&a = m.angular, &l = m.linear;
  const General<S>& h = m.coupling;
  const S &tx = v.angular.x, &ty = v.angular.y, &bx = v.linear.x, &by = v.linear.y;
  return {
      {a.xx * tx + a.xy * ty + h.xx * bx + h.xy * by, a.xy * tx + a.yy * ty + h.yx * bx + h.yy * by,
       a.xz * tx + a.yz * ty + h.zx * bx + h.zy * by},
      {h.xx * tx + h.yx * ty + l.xx * bx + l.xy * by, h.xy * tx + h.yy * ty + l.xy * bx + l.yy * by,
       h.xz * tx + h.yz * ty + l.xz * bx + l.yz * by}};
}

}  // namespace dynamics::formulations
