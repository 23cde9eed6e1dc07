// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lagrange by 4x4 matrices (Turney 1980, section 2), in the order of its appendix: O(n^3). A
// translational joint has a Q that shifts along Z instead of the one that turns about it.

#include <vector>

#include "dynamics_core/formulations/serial_arm.hpp"

namespace dynamics::formulations {

/// The matrices of Eqs. (1.11) to (1.28) for one state of an arm.
template <class S>
class LagrangeMatrices {
 public:
  using Matrix4 = Eigen::Matrix<S, 4, 4>;
  using Vector4 = Eigen::Matrix<S, 4, 1>;

  explicit LagrangeMatrices(const SerialArm<S>& arm) : n_(arm.links.size()) {
    std::vector<Matrix4> step(n_);  // T_{i-1}^i, Eq. (1.13)
    for (std::size_t i = 0; i < n_; ++i) step[i] = transformation(arm.links[i]);
    // all T_j^i, Eq. (1.15)
    transformations_.assign((n_ + 1) * (n_ + 1), Matrix4::Identity());
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j; i < n_; ++i) T(j, i + 1) = T(j, i) * step[i];
    }
    for (const SerialLink<S>& link : arm.links) {
      Q_.push_back(rate_matrix(link.prismatic));
      inertia_.push_back(augmented_inertia(link));
      centre_.push_back({S(link.r_bar.x), S(link.r_bar.y), S(link.r_bar.z), S(1.0)});
    }
    // dT_0^i / dtheta_j = T_0^{j-1} Q_{j-1} T_{j-1}^i, Eq. (1.11)
    first_.assign(n_ * n_, Matrix4::Zero());
    for (std::size_t j = 0; j < n_; ++j) {
      const Matrix4 start = T(0, j) * Q_[j];
      for (std::size_t i = j; i < n_; ++i) first_[i * n_ + j] = start * T(j, i + 1);
    }
  }

  std::size_t size() const { return n_; }
  /// dT_0^i / dtheta_j, links and joints counted from 0.
  const Matrix4& first(std::size_t i, std::size_t j) const { return first_[i * n_ + j]; }
  /// d2T_0^i / dtheta_j dtheta_k for j <= k: the fragment dT_0^{k-1}/dtheta_j, Q, T_{k-1}^i,
  /// Eq. (1.12)
  Matrix4 second(std::size_t i, std::size_t j, std::size_t k) const {
    const Matrix4 start = j < k ? Matrix4(first(k - 1, j) * Q_[k]) : T(0, j) * Q_[j] * Q_[j];
    return start * T(k, i + 1);
  }
  const Matrix4& inertia(std::size_t i) const { return inertia_[i]; }  ///< J_i^a, Eq. (1.28)
  const Vector4& centre(std::size_t i) const { return centre_[i]; }    ///< r_bar_i^a

 private:
  Matrix4& T(std::size_t from, std::size_t to) { return transformations_[from * (n_ + 1) + to]; }
  const Matrix4& T(std::size_t from, std::size_t to) const {
    return transformations_[from * (n_ + 1) + to];
  }

  static Matrix4 transformation(const SerialLink<S>& link) {
    const S zero(0.0), one(1.0), &c = link.cos_theta, &s = link.sin_theta;
    const kernel::Vec3<S> p = link.to_previous(link.r);
    Matrix4 t;
    t << c, S(-link.cos_phi * s), S(link.sin_phi * s), p.x,  //
        s, S(link.cos_phi * c), S(-link.sin_phi * c), p.y,   //
        zero, S(link.sin_phi), S(link.cos_phi), p.z,         //
        zero, zero, zero, one;
    return t;
  }
  static Matrix4 rate_matrix(bool prismatic) {
    Matrix4 q = Matrix4::Zero();
    if (prismatic) {
      q(2, 3) = S(1.0);
    } else {
      q(0, 1) = S(-1.0);  // Eq. (1.5)
      q(1, 0) = S(1.0);
    }
    return q;
  }
  static Matrix4 augmented_inertia(const SerialLink<S>& link) {
    const kernel::Sym3<double>& I = link.inertia;
    const double half = 0.5 * (I.xx + I.yy + I.zz), m = link.mass;
    const Eigen::Vector3d r(link.r_bar.x, link.r_bar.y, link.r_bar.z);
    Eigen::Matrix3d j;  // Eq. (1.26), for a tensor in any axes
    j << half - I.xx, -I.xy, -I.xz, -I.xy, half - I.yy, -I.yz, -I.xz, -I.yz, half - I.zz;
    j += m * r * r.transpose();
    Eigen::Matrix4d augmented;
    augmented << j, m * r, m * r.transpose(), m;
    return augmented.cast<S>();
  }

  std::size_t n_;
  std::vector<Matrix4> transformations_, first_, Q_, inertia_;
  std::vector<Vector4> centre_;
};

/// Tr{a b^t}
template <class M>
typename M::Scalar trace_product(const M& a, const M& b) {
  return a.cwiseProduct(b).sum();
}

/// tau of the equation before (2.11).
template <class S>
std::vector<S> lagrange(const SerialArm<S>& arm, const std::vector<S>& qd,
                        const std::vector<S>& qdd) {
  using Matrix4 = typename LagrangeMatrices<S>::Matrix4;
  const LagrangeMatrices<S> matrices(arm);
  const std::size_t n = matrices.size();
  std::vector<S> tau(n, S(0.0));
  Eigen::Matrix<S, 4, 1> against_gravity;
  if (n > 0) against_gravity << arm.a_0.x, arm.a_0.y, arm.a_0.z, S(0.0);
  for (std::size_t q = 0; q < n; ++q) {
    Matrix4 sum = Matrix4::Zero();
    for (std::size_t j = 0; j <= q; ++j) {
      sum += matrices.first(q, j) * qdd[j];
      for (std::size_t k = j; k <= q; ++k) {
        const S product = qd[j] * qd[k];
        sum += matrices.second(q, j, k) * (j == k ? product : S(product + product));
      }
    }
    const Matrix4 kinetic = sum * matrices.inertia(q);
    const Eigen::Matrix<S, 4, 1> moment = matrices.centre(q) * S(arm.links[q].mass);
    for (std::size_t i = 0; i <= q; ++i) {
      tau[i] = tau[i] + trace_product(kinetic, matrices.first(q, i)) +
               against_gravity.dot(matrices.first(q, i) * moment);  // Eq. (2.8)
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
  MatrixX<S> M = MatrixX<S>::Zero(at(n), at(n));
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t j = 0; j <= q; ++j) {
      const Matrix4 weighted = matrices.first(q, j) * matrices.inertia(q);
      for (std::size_t i = 0; i <= j; ++i) {
        M(at(i), at(j)) += trace_product(weighted, matrices.first(q, i));
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    M(at(i), at(i)) += S(arm.links[i].rotor_inertia);
    for (std::size_t j = 0; j < i; ++j) M(at(i), at(j)) = M(at(j), at(i));
  }
  return M;
}

}  // namespace dynamics::formulations
