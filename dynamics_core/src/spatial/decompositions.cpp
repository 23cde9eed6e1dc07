// SPDX-License-Identifier: Apache-2.0
#include "spatial/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>

#include "spatial/cholesky.hpp"
#include "spatial/symmetric_eigen.hpp"

namespace dynamics {

Eigen::Vector3d principal_moments(const Eigen::Matrix3d& inertia) {
  return principal_axes(inertia).moments;
}

PrincipalAxes principal_axes(const Eigen::Matrix3d& inertia) {
  PrincipalAxes result;
  Eigen::Matrix3d matrix = inertia;
  symmetric_eigen(matrix, result.moments, result.axes);
  return result;
}

Eigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& A) {
  Eigenpairs result{Eigen::VectorXd(A.rows()), Eigen::MatrixXd(A.rows(), A.rows())};
  Eigen::MatrixXd matrix = A;
  result.converged = symmetric_eigen(matrix, result.values, result.vectors);
  return result;
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A) {
  return symmetric_eigenpairs(A).values;
}

// With M = L L^T: L^-1 K L^-T y = lambda y, v = L^-T y.
Eigenpairs generalized_eigenpairs(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M) {
  Eigen::MatrixXd L = M;
  if (!cholesky(L)) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {Eigen::VectorXd::Constant(K.rows(), nan),
            Eigen::MatrixXd::Constant(K.rows(), K.rows(), nan)};
  }
  const auto divide_by_L = [&L](Eigen::MatrixXd& B) {
    for (Eigen::Index i = 0; i < B.rows(); ++i) {
      for (Eigen::Index k = 0; k < i; ++k) B.row(i) -= L(i, k) * B.row(k);
      B.row(i) /= L(i, i);
    }
  };
  Eigen::MatrixXd reduced = K;
  divide_by_L(reduced);
  reduced.transposeInPlace();
  divide_by_L(reduced);
  reduced = (0.5 * (reduced + reduced.transpose())).eval();
  Eigenpairs result = symmetric_eigenpairs(reduced);
  for (Eigen::Index i = K.rows(); i-- > 0;) {
    for (Eigen::Index k = i + 1; k < K.rows(); ++k)
      result.vectors.row(i) -= L(k, i) * result.vectors.row(k);
    result.vectors.row(i) /= L(i, i);
  }
  return result;
}

// From the real Schur form: blocks of one row or, for conjugate pairs, of two. EigenSolver does the
// same, but compiles the eigenvectors too.
Eigen::VectorXcd general_eigenvalues(const Eigen::MatrixXd& A) {
  const Eigen::Index n = A.rows();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (!A.allFinite()) return Eigen::VectorXcd::Constant(n, nan);
  const Eigen::RealSchur<Eigen::MatrixXd> schur(A, false);
  if (schur.info() != Eigen::Success) return Eigen::VectorXcd::Constant(n, nan);
  const Eigen::MatrixXd& T = schur.matrixT();
  Eigen::VectorXcd values(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (i + 1 == n || T(i + 1, i) == 0.0) {
      values[i] = T(i, i);
      continue;
    }
    const double half = 0.5 * (T(i, i) - T(i + 1, i + 1));
    const double imaginary = std::sqrt(std::abs(half * half + T(i + 1, i) * T(i, i + 1)));
    values[i] = {T(i + 1, i + 1) + half, imaginary};
    values[i + 1] = std::conj(values[i]);
    ++i;
  }
  return values;
}

double largest_generalized_eigenvalue(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M) {
  return generalized_eigenpairs(K, M).values.maxCoeff();
}

Eigen::MatrixXd solve_linear(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
  return A.partialPivLu().solve(B);
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.ldlt().solve(b);
}

// One-sided Jacobi method (Hestenes 1958): rotates pairs of columns until all are orthogonal.
// Eigen's JacobiSVD gives the same values, but takes longer to compile than all other functions of
// this file.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A) {
  Eigen::MatrixXd columns = A.cols() > A.rows() ? Eigen::MatrixXd(A.transpose()) : A;
  const Eigen::Index n = columns.cols();
  if (!A.allFinite()) return Eigen::VectorXd::Constant(n, std::numeric_limits<double>::quiet_NaN());
  bool rotated = true;
  for (int sweep = 0; sweep < 60 && rotated; ++sweep) {
    rotated = false;
    for (Eigen::Index j = 0; j < n; ++j) {
      for (Eigen::Index k = j + 1; k < n; ++k) {
        auto x = columns.col(j), y = columns.col(k);
        const double xx = x.squaredNorm(), yy = y.squaredNorm(), xy = x.dot(y);
        if (std::abs(xy) <= 1e-15 * std::sqrt(xx * yy)) continue;
        rotated = true;
        const double zeta = (yy - xx) / (2.0 * xy);
        const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
        const double cosine = 1.0 / std::hypot(1.0, tangent), sine = cosine * tangent;
        for (Eigen::Index row = 0; row < columns.rows(); ++row) {
          const double a = x[row], b = y[row];
          x[row] = cosine * a - sine * b;
          y[row] = sine * a + cosine * b;
        }
      }
    }
  }
  Eigen::VectorXd values = columns.colwise().norm().transpose();
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

PivotedQr pivoted_qr(const Eigen::MatrixXd& A, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(threshold);
  qr.compute(A);
  const auto& order = qr.colsPermutation().indices();
  return {{order.begin(), order.end()},
          qr.matrixR().triangularView<Eigen::Upper>(),
          static_cast<std::size_t>(qr.rank())};
}

Eigen::Matrix3d rotation_from_z(const Eigen::Vector3d& axis) {
  const Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
  const Eigen::Matrix3d flip = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
  if (axis.x() == 0.0 && axis.y() == 0.0) {
    return axis.z() >= 0.0 ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : flip;
  }
  if (axis.z() >= 0.0) return Eigen::Quaterniond::FromTwoVectors(z, axis).toRotationMatrix();
  return Eigen::Quaterniond::FromTwoVectors(-z, axis).toRotationMatrix() * flip;
}

}  // namespace dynamics
