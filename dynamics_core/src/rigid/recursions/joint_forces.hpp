// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the derivatives of inverse dynamics carry from a joint i to the base: the forces of the
// bodies beyond it for changes of its motion, and the row of tau_i for changes of the motions of
// the bodies that carry it (see derivatives.hpp).

#include "rigid/recursions/declarations.hpp"
#include "rigid/recursions/joints.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class S>
DYNAMICS_INLINE void store(const S& rate2, const S& rate, JointRate<S>& to) {
  to = {rate2, rate};
}
/// Stored as they are loaded: a wide load cannot be forwarded from two stores.
typedef double RatePair __attribute__((vector_size(16)));  // NOLINT(modernize-use-using)
DYNAMICS_INLINE void store(double rate2, double rate, JointRate<double>& to) {
  const RatePair pair = {rate2, rate};
  __builtin_memcpy(&to, &pair, sizeof pair);
}

/// Entries of a body c and the joint i: d tau_c / d q_i and d qd_i, d tau_i / d q_c and d qd_c.
template <class S>
struct DerivativeEntries {
  S column_q, column_qd, row_q, row_qd;
};

template <class S>
DYNAMICS_INLINE S twice(const S& x) {
  return x + x;
}
template <class S>
DYNAMICS_INLINE Vec3<S> twice(const Vec3<S>& v) {
  return v + v;
}

/// About the origin of a body, in its axes.
template <class S>
class JointForces {
 public:
  /// Forces for changes of q_i and qd_i; s_i^T I_i; the angular part of 2 s_i^T B_i.
  DYNAMICS_INLINE JointForces(const SpatialVector<S>& by_q, const SpatialVector<S>& by_qd,
                              const SpatialVector<S>& inertia_row, const Vec3<S>& coriolis_row)
      : by_q_(by_q), by_qd_(by_qd), inertia_row_(inertia_row), coriolis_row_(coriolis_row) {}

  /// To the parent's origin, at -r. r_rate: see DerivativeScratch.
  DYNAMICS_INLINE void translate(const Vec3<S>& r, const Vec3<S>& r_rate) {
    by_q_ = translate_force(r, by_q_);
    by_qd_ = translate_force(r, by_qd_);
    inertia_row_ = translate_force(r, inertia_row_);
    coriolis_row_ += twice(cross(r_rate, inertia_row_.linear));
  }
  /// To the parent's axes.
  template <class Rotation>
  DYNAMICS_INLINE void rotate(const Rotation& rotation) {
    by_q_ = to_parent(rotation, by_q_);
    by_qd_ = to_parent(rotation, by_qd_);
    inertia_row_ = to_parent(rotation, inertia_row_);
    coriolis_row_ = rotation.to_parent(coriolis_row_);
  }

  /// The entries of a revolute root on a base that does not rotate, from those of its child.
  template <class Rotation>
  DYNAMICS_INLINE DerivativeEntries<S> at_resting_root(const Rotation& rotation, const Vec3<S>& r,
                                                       const Vec3<S>& r_rate,
                                                       const DerivativeScratch<S>& root) const {
    const auto torque = [&](const SpatialVector<S>& f) DYNAMICS_INLINE_LAMBDA {
      const Vec3<S> l = rotation.to_parent(f.linear);
      return S(rotation.z_to_parent(f.angular) + (r.x * l.y - r.y * l.x));
    };
    const Vec3<S> l = rotation.to_parent(inertia_row_.linear);
    return {torque(by_q_), torque(by_qd_), l.x * root.psi_linear[0] + l.y * root.psi_linear[1],
            rotation.z_to_parent(coriolis_row_) + twice(S(r_rate.x * l.y - r_rate.y * l.x))};
  }
  DYNAMICS_INLINE DerivativeEntries<S> at_revolute(const DerivativeScratch<S>& link) const {
    const Vec3<S>&I = inertia_row_.angular, &l = inertia_row_.linear;
    const auto& psi = link.psi;
    const S rates = I.x * psi[0].rate + I.y * psi[1].rate;
    return {by_q_.angular.z, by_qd_.angular.z,
            (coriolis_row_.x * psi[0].rate + coriolis_row_.y * psi[1].rate) +
                (I.x * psi[0].rate2 + I.y * psi[1].rate2 + I.z * psi[2].rate2) +
                (l.x * link.psi_linear[0] + l.y * link.psi_linear[1]),
            twice(rates) + coriolis_row_.z};
  }
  DYNAMICS_INLINE DerivativeEntries<S> at_prismatic(const DerivativeScratch<S>& link) const {
    const Vec3<S>& l = inertia_row_.linear;
    const auto& psi = link.psi;
    return {by_q_.linear.z, by_qd_.linear.z,
            l.x * psi[0].rate2 + l.y * psi[1].rate2 + l.z * psi[2].rate2,
            twice(S(l.x * psi[0].rate + l.y * psi[1].rate))};
  }

 private:
  template <class Rotation>
  DYNAMICS_INLINE static SpatialVector<S> to_parent(const Rotation& rotation,
                                                    const SpatialVector<S>& f) {
    return {rotation.to_parent(f.angular), rotation.to_parent(f.linear)};
  }

  SpatialVector<S> by_q_, by_qd_, inertia_row_;
  Vec3<S> coriolis_row_;
};

#if defined(__AVX__)
/// The same in the four lanes of SIMD registers: by_q, by_qd, inertia_row, and a lane with
/// coriolis_row as its angular part and that of inertia_row as its linear part. Its translation is
/// that of the others with 2 r_rate instead of r.
template <>
class JointForces<double> {
  typedef double Vector __attribute__((vector_size(32)));  // NOLINT(modernize-use-using)
  using Pair = RatePair;

 public:
  DYNAMICS_INLINE JointForces(const SpatialVector<double>& by_q, const SpatialVector<double>& by_qd,
                              const SpatialVector<double>& inertia_row,
                              const Vec3<double>& coriolis_row) {
    const auto lanes = [](const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c,
                          const Vec3<double>& d) DYNAMICS_INLINE_LAMBDA {
      return Vec3<Vector>{Vector{a.x, b.x, c.x, d.x}, Vector{a.y, b.y, c.y, d.y},
                          Vector{a.z, b.z, c.z, d.z}};
    };
    angular_ = lanes(by_q.angular, by_qd.angular, inertia_row.angular, coriolis_row);
    linear_ = lanes(by_q.linear, by_qd.linear, inertia_row.linear, inertia_row.linear);
  }

  DYNAMICS_INLINE void translate(const Vec3<double>& r, const Vec3<double>& r_rate) {
    angular_ +=
        cross(Vec3<Vector>{arm(r.x, r_rate.x), arm(r.y, r_rate.y), arm(r.z, r_rate.z)}, linear_);
  }
  template <class Rotation>
  DYNAMICS_INLINE void rotate(const Rotation& rotation) {
    const Vector c = broadcast(rotation.c), s = broadcast(rotation.s);
    const auto lanes = spatial::with_cosine_and_sine(rotation, c, s);
    angular_ = lanes.to_parent(angular_);
    linear_ = lanes.to_parent(linear_);
  }

  template <class Rotation>
  DYNAMICS_INLINE DerivativeEntries<double> at_resting_root(
      const Rotation& rotation, const Vec3<double>& r, const Vec3<double>& r_rate,
      const DerivativeScratch<double>& root) const {
    const Vector c = broadcast(rotation.c), s = broadcast(rotation.s);
    const auto lanes = spatial::with_cosine_and_sine(rotation, c, s);
    const Vec3<Vector> l = lanes.to_parent(linear_);
    const Vector torque =
        lanes.z_to_parent(angular_) + (arm(r.x, r_rate.x) * l.y - arm(r.y, r_rate.y) * l.x);
    return {torque[0], torque[1], l.x[2] * root.psi_linear[0] + l.y[2] * root.psi_linear[1],
            torque[3]};
  }
  DYNAMICS_INLINE DerivativeEntries<double> at_revolute(
      const DerivativeScratch<double>& link) const {
    const Pair x = rows(angular_.x), y = rows(angular_.y), z = rows(angular_.z);
    const Pair row = (x * rates(link, 0) + y * rates(link, 1) + z * rates(link, 2)) +
                     (rows(linear_.x) * Pair{link.psi_linear[0], 0.0} +
                      rows(linear_.y) * Pair{link.psi_linear[1], 0.0});
    return {angular_.z[0], angular_.z[1], row[0] + row[1],
            twice(x[0] * link.psi[0].rate + y[0] * link.psi[1].rate) + z[1]};
  }
  DYNAMICS_INLINE DerivativeEntries<double> at_prismatic(
      const DerivativeScratch<double>& link) const {
    const double x = linear_.x[2], y = linear_.y[2], z = linear_.z[2];
    const auto& psi = link.psi;
    return {linear_.z[0], linear_.z[1], x * psi[0].rate2 + y * psi[1].rate2 + z * psi[2].rate2,
            twice(x * psi[0].rate + y * psi[1].rate)};
  }

 private:
  DYNAMICS_INLINE static Vector broadcast(double x) { return x - Vector{}; }
  DYNAMICS_INLINE static Vector arm(double x, double rate) {
    return __builtin_shufflevector(broadcast(x), broadcast(rate + rate), 0, 1, 2, 7);
  }
  /// The lanes of the two rows.
  DYNAMICS_INLINE static Pair rows(const Vector& v) { return __builtin_shufflevector(v, v, 2, 3); }
  DYNAMICS_INLINE static Pair rates(const DerivativeScratch<double>& link, std::size_t k) {
    Pair pair;
    __builtin_memcpy(&pair, &link.psi[k], sizeof pair);
    return pair;
  }

  Vec3<Vector> angular_, linear_;
};
#endif

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
