// SPDX-License-Identifier: Apache-2.0
#include "spatial/symmetric_eigen.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace dynamics {
namespace {

using Eigen::Index;

/// Replaces x and y by c x - s y and s x + c y.
void rotate(double& x, double& y, double c, double s) {
  const double old = x;
  x = c * old - s * y;
  y = s * old + c * y;
}

/// Rotates axes p and q such that A(p, q) vanishes.
void annihilate(Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::MatrixXd> vectors, Index p,
                Index q) {
  const double zeta = (A(q, q) - A(p, p)) / (2.0 * A(p, q));
  const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
  const double c = 1.0 / std::hypot(1.0, t), s = t * c;
  A(p, p) -= t * A(p, q);
  A(q, q) += t * A(p, q);
  A(p, q) = A(q, p) = 0.0;
  for (Index k = 0; k < A.rows(); ++k) {
    if (k != p && k != q) {
      rotate(A(k, p), A(k, q), c, s);
      A(p, k) = A(k, p);
      A(q, k) = A(k, q);
    }
    rotate(vectors(k, p), vectors(k, q), c, s);
  }
}

void sort_ascending(Eigen::Ref<Eigen::VectorXd> values, Eigen::Ref<Eigen::MatrixXd> vectors) {
  for (Index i = 0; i < values.size(); ++i) {
    Index least = i;
    for (Index k = i + 1; k < values.size(); ++k) {
      if (values[k] < values[least]) least = k;
    }
    if (least == i) continue;
    std::swap(values[i], values[least]);
    for (Index k = 0; k < values.size(); ++k) std::swap(vectors(k, i), vectors(k, least));
  }
}

}  // namespace

bool symmetric_eigen(Eigen::Ref<Eigen::MatrixXd> A, Eigen::Ref<Eigen::VectorXd> values,
                     Eigen::Ref<Eigen::MatrixXd> vectors) noexcept {
  vectors.setIdentity();
  if (!A.allFinite()) {
    values.setConstant(std::numeric_limits<double>::quiet_NaN());
    return false;
  }
  const double negligible = 1e-60 * (A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0);
  bool rotated = true;
  for (int sweep = 0; sweep < 60 && rotated; ++sweep) {
    rotated = false;
    for (Index p = 0; p < A.rows(); ++p) {
      for (Index q = p + 1; q < A.rows(); ++q) {
        const double size = std::abs(A(p, q));
        if (size <= negligible || size <= 1e-16 * std::sqrt(std::abs(A(p, p) * A(q, q)))) continue;
        rotated = true;
        annihilate(A, vectors, p, q);
      }
    }
  }
  values = A.diagonal();
  sort_ascending(values, vectors);
  return true;
}

}  // namespace dynamics
