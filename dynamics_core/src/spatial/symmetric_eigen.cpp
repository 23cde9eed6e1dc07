// SPDX-License-Identifier: Apache-2.0
#include "spatial/symmetric_eigen.hpp"

#include <algorithm>
#include <array>
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

/// Six rows, as control laws have them. Each round rotates three disjoint pairs of axes, whose
/// divisions and roots overlap (Brent and Luk 1985): a third of the time of one pair after the
/// other.
class SixBySix {
 public:
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  /// A with entries of at most one, so that their squares are finite.
  explicit SixBySix(const Matrix6& A) : A_(A) {
    vectors_.setIdentity();
    bool rotated = true;
    for (int sweep = 0; sweep < 60 && rotated; ++sweep) {
      rotated = false;
      for (const Round& round : rounds) rotated = rotate_round(round) || rotated;
    }
  }
  auto values() const { return A_.diagonal(); }
  const Matrix6& vectors() const { return vectors_; }

 private:
  using Round = std::array<std::array<Index, 2>, 3>;
  /// Every pair once.
  static constexpr std::array<Round, 5> rounds = {{{{{0, 5}, {1, 4}, {2, 3}}},
                                                   {{{0, 4}, {3, 5}, {1, 2}}},
                                                   {{{0, 3}, {2, 4}, {1, 5}}},
                                                   {{{0, 2}, {1, 3}, {4, 5}}},
                                                   {{{0, 1}, {2, 5}, {3, 4}}}}};

  /// False if the entries of all pairs vanish already.
  bool rotate_round(const Round& round) {
    // a fourth pair that vanishes: the compiler then computes in pairs
    std::array<double, 4> a{}, first{1.0, 1.0, 1.0, 1.0}, second = first, t{}, c{}, s{};
    bool any = false;
    for (std::size_t k = 0; k < 3; ++k) {
      a[k] = A_(round[k][1], round[k][0]);
      first[k] = A_(round[k][0], round[k][0]);
      second[k] = A_(round[k][1], round[k][1]);
      any = any || (std::abs(a[k]) > 1e-60 && a[k] * a[k] > 1e-32 * std::abs(first[k] * second[k]));
    }
    if (!any) return false;
    for (std::size_t k = 0; k < 4; ++k) {
      // the smaller root of t^2 + 2 zeta t = 1, zeta = difference / 2a
      const double difference = second[k] - first[k], twice = 2.0 * a[k];
      const double root = std::sqrt(difference * difference + twice * twice);
      t[k] = std::copysign(twice, twice * difference) / (std::abs(difference) + root + 1e-300);
      c[k] = 1.0 / std::sqrt(1.0 + t[k] * t[k]);
      s[k] = t[k] * c[k];
    }
    for (std::size_t k = 0; k < 3; ++k) {
      rotate_columns(A_, round[k], c[k], s[k]);
      rotate_columns(vectors_, round[k], c[k], s[k]);
    }
    for (Index j = 0; j < 6; ++j) {
      for (std::size_t k = 0; k < 3; ++k)
        rotate(A_(round[k][0], j), A_(round[k][1], j), c[k], s[k]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [p, q] = round[k];
      A_(p, p) = first[k] - t[k] * a[k];
      A_(q, q) = second[k] + t[k] * a[k];
      A_(p, q) = A_(q, p) = 0.0;
    }
    return true;
  }
  static void rotate_columns(Matrix6& matrix, const std::array<Index, 2>& pair, double c,
                             double s) {
    const Eigen::Matrix<double, 6, 1> x = matrix.col(pair[0]), y = matrix.col(pair[1]);
    matrix.col(pair[0]) = c * x - s * y;
    matrix.col(pair[1]) = s * x + c * y;
  }

  Matrix6 A_, vectors_;
};

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
  const double largest = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0.0;
  if (A.rows() == 6 && largest > 0.0) {
    int exponent = 0;
    std::frexp(largest, &exponent);
    const double power = std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
    const SixBySix six(A * power);
    values = six.values() / power;
    vectors = six.vectors();
    sort_ascending(values, vectors);
    return true;
  }
  const double negligible = 1e-60 * largest;
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
