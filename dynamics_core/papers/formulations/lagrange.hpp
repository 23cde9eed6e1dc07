// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lagrange's equations with 4x4 matrices (Turney 1980, section 2), in the order of its appendix:
// O(n^3). Q of a prismatic joint is the derivative of a translation along Z instead of a rotation
// about it.

#include <vector>

#include "papers/formulations/serial_arm.hpp"

namespace dynamics::formulations {

/// The matrices of Eqs. (1.11) to (1.28) for one state of an arm.
template <class S>
class LagrangeMatrices {
 public:
  using Matrix4 = Eigen::Matrix<S, 4, 4>;
  using Vector4 = Eigen::Matrix<S, 4, 1>;

  explicit LagrangeMatrices(const SerialArm<S>& arm) : n_(arm.links.size()) {
    using LineCounter = counting::LineCounter<S>;
    LineCounter::start_line("T_{i-1}^i");
    transformations_.resize((n_ + 1) * (n_ + 1));  // all T_j^i, j < i, Eq. (1.15)
    for (std::size_t i = 0; i < n_; ++i) T(i, i + 1) = transformation(arm.links[i]);  // (1.13)
    LineCounter::start_line("T_j^i");
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j + 1; i < n_; ++i) T(j, i + 1) = T(j, i) * T(i, i + 1);
    }
    for (const SerialLink<S>& link : arm.links) {
      prismatic_.push_back(link.prismatic);
      inertia_.push_back(augmented_inertia(link));
      const Vec3<double>& r = link.r_bar;
      first_moment_.push_back(
          {S(link.mass * r.x), S(link.mass * r.y), S(link.mass * r.z), S(link.mass)});
    }
    // dT_0^i / dtheta_j = T_0^{j-1} Q_{j-1} T_{j-1}^i, Eq. (1.11)
    LineCounter::start_line("dT_0^i/dtheta_j");
    first_.resize(n_ * n_);
    for (std::size_t i = 0; i < n_; ++i) first_[i * n_] = rate_matrix_times(T(0, i + 1), 0);
    for (std::size_t j = 1; j < n_; ++j) {
      const Matrix4 start = times_rate_matrix(T(0, j), j);
      for (std::size_t i = j; i < n_; ++i) first_[i * n_ + j] = start * T(j, i + 1);
    }
  }

  std::size_t size() const { return n_; }
  /// dT_0^i / dtheta_j; i and j start at 0.
  const Matrix4& first(std::size_t i, std::size_t j) const { return first_[i * n_ + j]; }
  /// d2T_0^i / dtheta_j dtheta_k for j <= k <= i: the fragment dT_0^{k-1}/dtheta_j (or, for j = k,
  /// T_0^{j-1} Q), Q, T_{k-1}^i, Eq. (1.12); for the first joint Q dT_0^i/dtheta_k.
  Matrix4 second(std::size_t i, std::size_t j, std::size_t k) const {
    if (j == 0) return rate_matrix_times(first(i, k), 0);
    const Matrix4 start = j < k ? times_rate_matrix(first(k - 1, j), k)
                                : times_rate_matrix(times_rate_matrix(T(0, j), j), j);
    return start * T(k, i + 1);
  }
  const Matrix4& inertia(std::size_t i) const { return inertia_[i]; }  ///< J_i^a, Eq. (1.28)
  const Vector4& first_moment(std::size_t i) const { return first_moment_[i]; }  ///< m_i r_bar_i^a

 private:
  Matrix4& T(std::size_t from, std::size_t to) { return transformations_[from * (n_ + 1) + to]; }
  const Matrix4& T(std::size_t from, std::size_t to) const {
    return transformations_[from * (n_ + 1) + to];
  }

  static Matrix4 transformation(const SerialLink<S>& link) {
    const S zero(0.0), one(1.0), &c = link.cos_theta, &s = link.sin_theta;
    const Vec3<S> p = link.position();
    Matrix4 t;
    t << c, S(-link.cos_phi * s), S(link.sin_phi * s), p.x,  //
        s, S(link.cos_phi * c), S(-link.sin_phi * c), p.y,   //
        zero, S(link.sin_phi), S(link.cos_phi), p.z,         //
        zero, zero, zero, one;
    return t;
  }
  /// m Q: exchanges two columns and negates one, the others are zero (Eq. 1.5). Q of a prismatic
  /// joint has a single 1 in row 3, column 4.
  Matrix4 times_rate_matrix(const Matrix4& m, std::size_t joint) const {
    Matrix4 result = Matrix4::Constant(S(0.0));
    if (prismatic_[joint]) {
      result.col(3) = m.col(2);
    } else {
      result.col(0) = m.col(1);
      result.col(1) = -m.col(0);
    }
    return result;
  }
  /// Q m: the same for rows.
  Matrix4 rate_matrix_times(const Matrix4& m, std::size_t joint) const {
    Matrix4 result = Matrix4::Constant(S(0.0));
    if (prismatic_[joint]) {
      result.row(2) = m.row(3);
    } else {
      result.row(0) = -m.row(1);
      result.row(1) = m.row(0);
    }
    return result;
  }
  static Matrix4 augmented_inertia(const SerialLink<S>& link) {
    const Sym3<double>& I = link.inertia;
    const double half = 0.5 * (I.xx + I.yy + I.zz), m = link.mass;
    const Eigen::Vector3d r(link.r_bar.x, link.r_bar.y, link.r_bar.z);
    Eigen::Matrix3d j;  // Eq. (1.26), for a tensor in general axes
    j << half - I.xx, -I.xy, -I.xz, -I.xy, half - I.yy, -I.yz, -I.xz, -I.yz, half - I.zz;
    j += m * r * r.transpose();
    Eigen::Matrix4d augmented;
    augmented << j, m * r, m * r.transpose(), m;
    return augmented.cast<S>();
  }

  std::size_t n_;
  std::vector<Matrix4> transformations_, first_, inertia_;
  std::vector<Vector4> first_moment_;
  std::vector<bool> prismatic_;
};

/// Tr{a b^t}
template <class M>
typename M::Scalar trace_product(const M& a, const M& b) {
  return a.cwiseProduct(b).sum();
}

/// tau from the equation before (2.11), in the order of the appendix. The counted lines are the
/// rows of the paper's Table 2.
template <class S>
std::vector<S> lagrange(const SerialArm<S>& arm, const std::vector<S>& qd,
                        const std::vector<S>& qdd) {
  using Matrix4 = typename LagrangeMatrices<S>::Matrix4;
  using LineCounter = counting::LineCounter<S>;
  const LagrangeMatrices<S> matrices(arm);
  const std::size_t n = matrices.size();
  std::vector<S> tau(n);
  for (std::size_t q = 0; q < n; ++q) {
    LineCounter::start_line("kinetic sum J_q");
    Matrix4 sum = matrices.first(q, 0) * qdd[0];
    for (std::size_t j = 1; j <= q; ++j) sum += matrices.first(q, j) * qdd[j];
    for (std::size_t j = 0; j <= q; ++j) {
      for (std::size_t k = j; k <= q; ++k) {
        LineCounter::start_line("d2T_0^i/dtheta_j dtheta_k");
        const Matrix4 second = matrices.second(q, j, k);
        LineCounter::start_line("kinetic sum J_q");
        const S product = qd[j] * qd[k];
        sum += second * (j == k ? product : S(product + product));
      }
    }
    const Matrix4 kinetic = sum * matrices.inertia(q);
    for (std::size_t i = 0; i <= q; ++i) {
      LineCounter::start_line("Tr{... dT/dtheta_i}");
      const S inertial = trace_product(kinetic, matrices.first(q, i));
      tau[i] = i == q ? inertial : S(tau[i] + inertial);
      LineCounter::start_line("gravity");  // Eq. (2.8) with a_0 = -gravity in any direction
      const Eigen::Matrix<S, 3, 1> slope =
          matrices.first(q, i).template topRows<3>() * matrices.first_moment(q);
      tau[i] = tau[i] + (arm.a_0.x * slope.x() + arm.a_0.y * slope.y() + arm.a_0.z * slope.z());
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (arm.links[i].rotor_inertia != 0.0) tau[i] = tau[i] + arm.links[i].rotor_inertia * qdd[i];
  }
  return tau;
}

/// M_ij = sum over q >= i, j of Tr{dT_0^q/dtheta_j J_q^a (dT_0^q/dtheta_i)^t}, Eq. (2.11).
template <class S>
MatrixX<S> lagrange_inertia_matrix(const SerialArm<S>& arm) {
  using Matrix4 = typename LagrangeMatrices<S>::Matrix4;
  const LagrangeMatrices<S> matrices(arm);
  const std::size_t n = matrices.size();
  MatrixX<S> M(at(n), at(n));
  counting::LineCounter<S>::start_line("M");
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t j = 0; j <= q; ++j) {
      const Matrix4 weighted = matrices.first(q, j) * matrices.inertia(q);
      for (std::size_t i = 0; i <= j; ++i) {
        const S term = trace_product(weighted, matrices.first(q, i));
        M(at(i), at(j)) = j == q ? term : S(M(at(i), at(j)) + term);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (arm.links[i].rotor_inertia != 0.0) M(at(i), at(i)) += S(arm.links[i].rotor_inertia);
    for (std::size_t j = 0; j < i; ++j) M(at(i), at(j)) = M(at(j), at(i));
  }
  return M;
}

}  // namespace dynamics::formulations
