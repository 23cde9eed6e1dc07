// SPDX-License-Identifier: Apache-2.0
// Compares every function of spatial/ with the same operation on dense 3x3 and 6x6 matrices, for
// random arguments, in double and in long double.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <random>

#include "spatial/joint_transform.hpp"
#include "spatial/sine_cosine.hpp"

namespace dynamics::test {
namespace {

using spatial::ArticulatedInertia;
using spatial::JointTransform;
using spatial::Mat3;
using spatial::ReducedInertia;
using spatial::RigidInertia;
using spatial::SpatialVector;
using spatial::Sym3;
using spatial::Vec3;

/// The constants of a joint, like those of TreeBody.
struct Frame {
  AlphaKind alpha_kind = AlphaKind::general;
  bool has_beta = false;
  double cos_alpha = 1.0, sin_alpha = 0.0, cos_beta = 1.0, sin_beta = 0.0;
  double slide = 0.0;
  double shift[3] = {0.0, 0.0, 0.0};
};

/// Random arguments, their dense counterparts, and comparisons. S is the scalar under test.
template <class S>
class SpatialAlgebra : public ::testing::Test {
 protected:
  using Matrix3 = Eigen::Matrix<S, 3, 3>;
  using Vector3 = Eigen::Matrix<S, 3, 1>;
  using Matrix6 = Eigen::Matrix<S, 6, 6>;
  using Vector6 = Eigen::Matrix<S, 6, 1>;
  static constexpr int rounds = 20;
  static constexpr double tolerance = 1e-13;

  double number() { return uniform_(engine_); }
  Vec3<S> vector() { return {S(number()), S(number()), S(number())}; }
  SpatialVector<S> spatial_vector() { return {vector(), vector()}; }
  Sym3<S> symmetric() {
    return {S(number()), S(number()), S(number()), S(number()), S(number()), S(number())};
  }
  Mat3<S> matrix() {
    const Vec3<S> a = vector(), b = vector(), c = vector();
    return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
  }
  RigidInertia<S> rigid() { return {S(number()), vector(), symmetric()}; }
  ArticulatedInertia<S> articulated() { return {symmetric(), matrix(), symmetric()}; }
  /// Positive definite, so that a joint can be eliminated.
  ArticulatedInertia<S> definite() {
    Matrix6 a;
    for (S& x : a.reshaped()) x = S(number());
    a = (a * a.transpose() + Matrix6::Identity()).eval();
    return {sym(a.template topLeftCorner<3, 3>()), mat(a.template topRightCorner<3, 3>()),
            sym(a.template bottomRightCorner<3, 3>())};
  }
  Frame frame(AlphaKind kind, bool has_beta) {
    Frame f;
    f.alpha_kind = kind;
    f.has_beta = has_beta;
    const double alpha = kind == AlphaKind::general ? number() : 0.0;
    f.cos_alpha = std::cos(alpha);
    f.sin_alpha = std::sin(alpha);
    if (kind == AlphaKind::plus_90 || kind == AlphaKind::minus_90) f.cos_alpha = 0.0;
    if (kind == AlphaKind::plus_90) f.sin_alpha = 1.0;
    if (kind == AlphaKind::minus_90) f.sin_alpha = -1.0;
    if (has_beta) {
      const double beta = number();
      f.cos_beta = std::cos(beta);
      f.sin_beta = std::sin(beta);
    }
    f.slide = number();
    for (double& x : f.shift) x = number();
    return f;
  }
  JointTransform<S> transform() {
    JointTransform<S> at;
    spatial::sine_and_cosine(S(number()), at.s, at.c);
    at.r = vector();
    return at;
  }

  static Vector3 dense(const Vec3<S>& v) { return {v.x, v.y, v.z}; }
  static Vector6 dense(const SpatialVector<S>& v) {
    Vector6 d;
    d << dense(v.angular), dense(v.linear);
    return d;
  }
  static Matrix3 dense(const Sym3<S>& m) {
    Matrix3 d;
    d << m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz;
    return d;
  }
  static Matrix3 dense(const Mat3<S>& m) {
    Matrix3 d;
    d << m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz;
    return d;
  }
  static Matrix6 dense(const ArticulatedInertia<S>& m) {
    Matrix6 d;
    d << dense(m.I), dense(m.H), dense(m.H).transpose(), dense(m.M);
    return d;
  }
  static Matrix6 dense(const RigidInertia<S>& m) {
    Matrix6 d;
    const Matrix3 h = skew(m.first_moment);
    d << dense(m.inertia), h, h.transpose(), m.mass * Matrix3::Identity();
    return d;
  }
  static Matrix6 dense(const ReducedInertia<S>& m) {
    Matrix6 d = Matrix6::Zero();
    d.template topLeftCorner<2, 2>() << m.I_xx, m.I_xy, m.I_xy, m.I_yy;
    d.template topRightCorner<2, 3>() << m.H_xx, m.H_xy, m.H_xz, m.H_yx, m.H_yy, m.H_yz;
    d.template bottomLeftCorner<3, 2>() = d.template topRightCorner<2, 3>().transpose();
    d.template bottomRightCorner<3, 3>() = dense(m.M);
    return d;
  }
  template <class Dense>
  static Sym3<S> sym(const Dense& m) {
    return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
  }
  template <class Dense>
  static Mat3<S> mat(const Dense& m) {
    return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
  }
  static Matrix3 skew(const Vec3<S>& v) {
    Matrix3 d;
    d << S(0), -v.z, v.y, v.z, S(0), -v.x, -v.y, v.x, S(0);
    return d;
  }
  /// Rotation about axis 0, 1 or 2.
  static Matrix3 about(int axis, const S& c, const S& s) {
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    Matrix3 R = Matrix3::Identity();
    R(i, i) = R(j, j) = c;
    R(i, j) = -s;
    R(j, i) = s;
    return R;
  }
  static Matrix6 block_diagonal(const Matrix3& R) {
    Matrix6 d = Matrix6::Zero();
    d.template topLeftCorner<3, 3>() = d.template bottomRightCorner<3, 3>() = R;
    return d;
  }
  /// Force transform from P to Q, with r from Q to P; its transpose transforms motions from Q to P.
  static Matrix6 translation(const Vec3<S>& r) {
    Matrix6 d = Matrix6::Identity();
    d.template topRightCorner<3, 3>() = skew(r);
    return d;
  }
  static Matrix3 fixed_rotation(const Frame& f) {
    return about(2, S(f.cos_beta), S(f.sin_beta)) * about(0, S(f.cos_alpha), S(f.sin_alpha));
  }
  static Matrix3 rotation(const Frame& f, const JointTransform<S>& at) {
    return fixed_rotation(f) * about(2, at.c, at.s);
  }
  /// r of a revolute joint, from slide and shift.
  static Vec3<S> position(const Frame& f) {
    const Vec3<double> axis = spatial::joint_axis(f);
    return {S(f.shift[0] + f.slide * axis.x), S(f.shift[1] + f.slide * axis.y),
            S(f.shift[2] + f.slide * axis.z)};
  }

  template <class A, class B>
  static void expect_equal(const A& a, const B& b, const char* what) {
    EXPECT_LT(static_cast<double>((a - b).cwiseAbs().maxCoeff()), tolerance) << what;
  }
  template <class Check>
  void each_kind(Check&& check) {
    for (int round = 0; round < rounds; ++round) {
      check(frame(AlphaKind::zero, false));
      check(frame(AlphaKind::plus_90, false));
      check(frame(AlphaKind::minus_90, false));
      check(frame(AlphaKind::general, false));
      check(frame(AlphaKind::general, true));
    }
  }

 private:
  std::mt19937_64 engine_{1};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

using Scalars = ::testing::Types<double, long double>;
TYPED_TEST_SUITE(SpatialAlgebra, Scalars);

TYPED_TEST(SpatialAlgebra, PlanarRotationsEqualMatrixProducts) {
  using S = TypeParam;
  for (int round = 0; round < this->rounds; ++round) {
    const auto at = this->transform();
    for (int axis = 0; axis < 3; ++axis) {
      const auto R = this->about(axis, at.c, at.s);
      const auto rotate = [&](auto any) {
        if (axis == 0) rotate_about_x(at.c, at.s, any);
        if (axis == 1) rotate_about_y(at.c, at.s, any);
        if (axis == 2) rotate_about_z(at.c, at.s, any);
        return any;
      };
      const Vec3<S> v = this->vector();
      const Sym3<S> s = this->symmetric();
      const Mat3<S> m = this->matrix();
      const SpatialVector<S> f = this->spatial_vector();
      const ArticulatedInertia<S> a = this->articulated();
      const auto R6 = this->block_diagonal(R);
      this->expect_equal(this->dense(rotate(v)), R * this->dense(v), "vector");
      this->expect_equal(this->dense(rotate(s)), R * this->dense(s) * R.transpose(), "symmetric");
      this->expect_equal(this->dense(rotate(m)), R * this->dense(m) * R.transpose(), "general");
      this->expect_equal(this->dense(rotate(f)), R6 * this->dense(f), "spatial vector");
      this->expect_equal(this->dense(rotate(a)), R6 * this->dense(a) * R6.transpose(), "inertia");
    }
  }
}

TYPED_TEST(SpatialAlgebra, ConstantRotationsEqualMatrixProducts) {
  using S = TypeParam;
  for (int round = 0; round < this->rounds; ++round) {
    const Eigen::Matrix3d R = (Eigen::AngleAxisd(this->number(), Eigen::Vector3d::UnitX()) *
                               Eigen::AngleAxisd(this->number(), Eigen::Vector3d::UnitY()) *
                               Eigen::AngleAxisd(this->number(), Eigen::Vector3d::UnitZ()))
                                  .toRotationMatrix();
    double rows[9];
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows, 3, 3) = R;
    const auto R6 = this->block_diagonal(R.template cast<S>());
    const SpatialVector<S> f = this->spatial_vector();
    const ArticulatedInertia<S> a = this->articulated();
    this->expect_equal(this->dense(rotate(rows, f)), R6 * this->dense(f), "spatial vector");
    this->expect_equal(this->dense(rotate_inverse(rows, f)), R6.transpose() * this->dense(f),
                       "inverse");
    this->expect_equal(this->dense(rotate(rows, a)), R6 * this->dense(a) * R6.transpose(),
                       "inertia");
  }
}

TYPED_TEST(SpatialAlgebra, TranslationsEqualMatrixProducts) {
  using S = TypeParam;
  for (int round = 0; round < this->rounds; ++round) {
    const Vec3<S> r = this->vector();
    const SpatialVector<S> f = this->spatial_vector();
    const RigidInertia<S> m = this->rigid();
    const ArticulatedInertia<S> a = this->articulated();
    const auto X = this->translation(r);
    this->expect_equal(this->dense(translate_force(r, f)), X * this->dense(f), "force");
    this->expect_equal(this->dense(translate_motion(r, f)), X.transpose() * this->dense(f),
                       "motion");
    this->expect_equal(this->dense(translate(r, m)), X * this->dense(m) * X.transpose(), "rigid");
    this->expect_equal(this->dense(translate(r, a)), X * this->dense(a) * X.transpose(),
                       "articulated");
    const Vec3<S> xz = {r.x, S(0.0), r.z};
    const auto X_xz = this->translation(xz);
    this->expect_equal(this->dense(translate_force_xz(xz, f)), X_xz * this->dense(f), "force xz");
    this->expect_equal(this->dense(translate_xz(xz, m)), X_xz * this->dense(m) * X_xz.transpose(),
                       "rigid xz");
    this->expect_equal(this->dense(translate_xz(xz, a)), X_xz * this->dense(a) * X_xz.transpose(),
                       "articulated xz");
    const double way = this->number();
    const Vec3<S> ways[3] = {{S(way), S(0), S(0)}, {S(0), S(way), S(0)}, {S(0), S(0), S(way)}};
    ArticulatedInertia<S> moved[3] = {a, a, a};
    translate_x(way, moved[0]);
    translate_y(way, moved[1]);
    translate_z(way, moved[2]);
    for (int axis = 0; axis < 3; ++axis) {
      const auto X_axis = this->translation(ways[axis]);
      this->expect_equal(this->dense(moved[axis]), X_axis * this->dense(a) * X_axis.transpose(),
                         "along an axis");
    }
  }
}

TYPED_TEST(SpatialAlgebra, InertiasTimesMotionsEqualMatrixProducts) {
  using S = TypeParam;
  for (int round = 0; round < this->rounds; ++round) {
    const RigidInertia<S> m = this->rigid();
    ArticulatedInertia<S> a = this->articulated();
    const SpatialVector<S> v = this->spatial_vector();
    this->expect_equal(this->dense(m * v), this->dense(m) * this->dense(v), "rigid");
    this->expect_equal(this->dense(a * v), this->dense(a) * this->dense(v), "articulated");
    const SpatialVector<S> planar = {{v.angular.x, v.angular.y, S(0)},
                                     {v.linear.x, v.linear.y, S(0)}};
    this->expect_equal(this->dense(times_planar(a, v)), this->dense(a) * this->dense(planar),
                       "planar");
    for (const bool prismatic : {false, true}) {
      const int column = prismatic ? 5 : 2;
      this->expect_equal(this->dense(joint_column(m, prismatic)), this->dense(m).col(column),
                         "column of a rigid body");
      this->expect_equal(this->dense(joint_column(a, prismatic)), this->dense(a).col(column),
                         "column");
    }
    this->expect_equal(this->dense(spatial::articulated_inertia<S>(m)), this->dense(m),
                       "rigid body");
    const auto sum = (this->dense(a) + this->dense(m)).eval();
    a += m;
    this->expect_equal(this->dense(a), sum, "sum with a rigid body");
  }
}

TYPED_TEST(SpatialAlgebra, EliminatedJointTransmitsNoForce) {
  using S = TypeParam;
  for (int round = 0; round < this->rounds; ++round) {
    const ArticulatedInertia<S> a = this->definite();
    for (const bool prismatic : {false, true}) {
      const SpatialVector<S> u = joint_column(a, prismatic);
      const S inverse = S(1) / (prismatic ? u.linear.z : u.angular.z);
      ArticulatedInertia<S> rest = a;
      subtract_outer(rest, u, inverse * u);
      const auto expected =
          (this->dense(a) - this->dense(u) * this->dense(u).transpose() * inverse).eval();
      this->expect_equal(this->dense(rest), expected, "eliminated");
      const int row = prismatic ? 5 : 2;
      EXPECT_LT(static_cast<double>(expected.row(row).cwiseAbs().maxCoeff()), 1e-13);
      if (prismatic) continue;
      const ReducedInertia<S> reduced = eliminate_revolute(a, u, inverse * u);
      this->expect_equal(this->dense(reduced), expected, "reduced");
      const SpatialVector<S> v = this->spatial_vector();
      const SpatialVector<S> force =
          reduced.times_angular(v.angular) + reduced.times_linear(v.linear);
      this->expect_equal(this->dense(force), expected * this->dense(v), "reduced times motion");
    }
  }
}

TYPED_TEST(SpatialAlgebra, JointTransformsEqualMatrixProducts) {
  using S = TypeParam;
  this->each_kind([&](const Frame& frame) {
    const JointTransform<S> at = this->transform();
    const auto R = this->rotation(frame, at);
    const auto X = (this->translation(at.r) * this->block_diagonal(R)).eval();
    const Vec3<S> v = this->vector();
    const SpatialVector<S> f = this->spatial_vector();
    const RigidInertia<S> m = this->rigid();
    const ArticulatedInertia<S> a = this->articulated();
    this->expect_equal(this->dense(to_parent(frame, at, v)), R * this->dense(v), "to_parent");
    this->expect_equal(this->dense(to_body(frame, at, v)), R.transpose() * this->dense(v),
                       "to_body");
    this->expect_equal(this->dense(propagate_to_parent(frame, at, f)), X * this->dense(f), "force");
    this->expect_equal(this->dense(transform_to_body(frame, at, f)), X.transpose() * this->dense(f),
                       "motion");
    this->expect_equal(this->dense(propagate_to_parent(frame, at, m)),
                       X * this->dense(m) * X.transpose(), "rigid inertia");
    this->expect_equal(this->dense(propagate_to_parent(frame, at, a)),
                       X * this->dense(a) * X.transpose(), "articulated inertia");
    const auto fixed = this->fixed_rotation(frame);
    this->expect_equal(this->dense(fixed_to_parent(frame, v)), fixed * this->dense(v), "fixed");
    this->expect_equal(this->dense(fixed_to_joint(frame, v)), fixed.transpose() * this->dense(v),
                       "fixed, inverse");
  });
}

TYPED_TEST(SpatialAlgebra, RevoluteJointTransformsEqualMatrixProducts) {
  using S = TypeParam;
  this->each_kind([&](const Frame& frame) {
    const JointTransform<S> at = this->transform();
    const auto R = this->rotation(frame, at);
    const auto X = (this->translation(this->position(frame)) * this->block_diagonal(R)).eval();
    const ArticulatedInertia<S> a = this->definite();
    const SpatialVector<S> u = joint_column(a, false);
    const ReducedInertia<S> reduced = eliminate_revolute(a, u, (S(1) / u.angular.z) * u);
    const auto inertia = (X * this->dense(reduced) * X.transpose()).eval();
    const SpatialVector<S> f = this->spatial_vector();
    const SpatialVector<S> about_z = {{S(0), S(0), f.angular.z}, f.linear};
    with_rotation(frame, at, [&](const auto& rotation) {
      this->expect_equal(this->dense(rotation.to_parent(f.linear)), R * this->dense(f.linear),
                         "to_parent");
      this->expect_equal(this->dense(rotation.to_body(f.linear)),
                         R.transpose() * this->dense(f.linear), "to_body");
      SpatialVector<S> force = f, motion = f, motion_z = about_z;
      propagate_to_parent(rotation, force);
      this->expect_equal(this->dense(force), X * this->dense(f), "force");
      transform_to_body(rotation, motion);
      this->expect_equal(this->dense(motion), X.transpose() * this->dense(f), "motion");
      const ArticulatedInertia<S> parent = propagate_to_parent(rotation, reduced);
      this->expect_equal(this->dense(parent), inertia, "reduced inertia");
      transform_z_to_body(rotation, motion_z);
      this->expect_equal(this->dense(motion_z), X.transpose() * this->dense(about_z),
                         "motion about z");
    });
    with_rotation(frame, at, [&](const auto& rotation) {
      const S torque = z_torque_on_parent(rotation, f);
      EXPECT_NEAR(static_cast<double>(torque - (X * this->dense(f))[2]), 0.0, this->tolerance);
      const auto column = parent_column(rotation, reduced);
      EXPECT_NEAR(static_cast<double>(column.I_zz - inertia(2, 2)), 0.0, this->tolerance);
      this->expect_equal(this->dense(column.force), inertia.template block<3, 1>(3, 2), "column");
    });
  });
}

}  // namespace
}  // namespace dynamics::test
