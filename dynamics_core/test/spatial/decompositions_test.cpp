// SPDX-License-Identifier: Apache-2.0
#include "spatial/decompositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <utility>

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

/// A matrix with these singular values and random singular vectors.
MatrixXd with_singular_values(const VectorXd& values, Eigen::Index rows, Eigen::Index columns) {
  const MatrixXd U = random_matrix(rows, rows, 1).householderQr().householderQ();
  const MatrixXd V = random_matrix(columns, columns, 2).householderQr().householderQ();
  MatrixXd S = MatrixXd::Zero(rows, columns);
  S.diagonal() = values;
  return U * S * V.transpose();
}

TEST(SingularValues, AreThoseOfTheMatrix) {
  for (const auto& [rows, columns] : {std::pair{5, 4}, {3, 7}, {6, 6}, {18, 12}, {1, 1}}) {
    const VectorXd wanted = VectorXd::LinSpaced(std::min(rows, columns), 3.0, 0.5);
    const VectorXd values = singular_values(with_singular_values(wanted, rows, columns));
    ASSERT_EQ(values.size(), wanted.size());
    EXPECT_LT((values - wanted).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(SingularValues, AreAccurateWhereTheyAreTiny) {
  // the eigenvalues of A^T A would lose the third one
  const Eigen::Vector4d wanted(3.0, 1.0, 1e-10, 0.0);
  const VectorXd values = singular_values(with_singular_values(wanted, 6, 4));
  EXPECT_LT((values - wanted).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(SingularValues, OfMatricesThatAreNotFiniteAreNan) {
  MatrixXd A = random_matrix(3, 3, 1);
  A(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(singular_values(A).array().isNaN().all());
}

TEST(PivotedQr, FindsRankAndIndependentColumns) {
  MatrixXd A = random_matrix(8, 5, 3);
  A.col(1) = 2.0 * A.col(0) - A.col(4);
  const PivotedQr qr = pivoted_qr(A, 1e-9);
  EXPECT_EQ(qr.rank, 4u);
  ASSERT_EQ(qr.pivots.size(), 5u);
  MatrixXd permuted(8, 5);
  for (std::size_t k = 0; k < 5; ++k)
    permuted.col(static_cast<Eigen::Index>(k)) = A.col(static_cast<Eigen::Index>(qr.pivots[k]));
  // A P = Q R, so (A P)^T (A P) = R^T R
  EXPECT_LT((permuted.transpose() * permuted - qr.R.transpose() * qr.R).cwiseAbs().maxCoeff(),
            1e-13);
}

TEST(SolveSymmetric, SolvesSemidefiniteEquations) {
  const MatrixXd G = random_matrix(3, 6, 5);
  MatrixXd A = MatrixXd::Zero(4, 4);
  A.topLeftCorner(3, 3) = G * G.transpose();  // the last equation is 0 = 0
  const VectorXd b = A * VectorXd::LinSpaced(4, 1.0, 4.0);
  EXPECT_LT((A * solve_symmetric(A, b) - b).norm(), 1e-13);
}

TEST(GeneralizedEigenvalues, LargestIsOfThePencil) {
  const MatrixXd R = random_matrix(4, 4, 9), S = random_matrix(4, 4, 10);
  const MatrixXd M = R * R.transpose() + MatrixXd::Identity(4, 4), K = S * S.transpose();
  const double largest = largest_generalized_eigenvalue(K, M);
  EXPECT_LT(std::abs((K - largest * M).determinant()), 1e-10);
  EXPECT_DOUBLE_EQ(largest, generalized_eigenpairs(K, M).values[3]);
}

TEST(GeneralizedEigenvalues, OfAnIndefiniteMassDoNotConverge) {
  const Eigenpairs pairs =
      generalized_eigenpairs(MatrixXd::Identity(2, 2), Eigen::Vector2d(1.0, -1.0).asDiagonal());
  EXPECT_FALSE(pairs.converged);
  EXPECT_TRUE(pairs.values.array().isNaN().all());
}

TEST(GeneralEigenvalues, AgreeWithEigen) {
  const auto order = [](const std::complex<double>& a, const std::complex<double>& b) {
    return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag());
  };
  for (const Eigen::Index n : {1, 2, 5, 12}) {
    const MatrixXd A = random_matrix(n, n, 20 + static_cast<unsigned>(n));
    Eigen::VectorXcd values = general_eigenvalues(A);
    Eigen::VectorXcd expected = Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues();
    std::sort(values.begin(), values.end(), order);
    std::sort(expected.begin(), expected.end(), order);
    EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 1e-12);
  }
  const MatrixXd rotation = (MatrixXd(2, 2) << 0.0, -3.0, 3.0, 0.0).finished();
  EXPECT_NEAR(std::abs(general_eigenvalues(rotation)[0] - std::complex<double>(0.0, 3.0)), 0.0,
              1e-14);
  EXPECT_FALSE(general_eigenvalues(MatrixXd::Constant(2, 2, std::nan(""))).allFinite());
}

TEST(SymmetricEigen, AgreesWithEigen) {
  for (const Eigen::Index n : {1, 2, 3, 6, 40}) {
    const MatrixXd R = random_matrix(n, n, static_cast<unsigned>(n));
    const MatrixXd A = R + R.transpose();  // indefinite
    const Eigenpairs pairs = symmetric_eigenpairs(A);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> expected(A);
    ASSERT_TRUE(pairs.converged);
    EXPECT_LT((pairs.values - expected.eigenvalues()).cwiseAbs().maxCoeff(), 1e-13 * A.norm());
    EXPECT_LT((A * pairs.vectors - pairs.vectors * pairs.values.asDiagonal()).norm(),
              1e-13 * A.norm());
    EXPECT_LT((pairs.vectors.transpose() * pairs.vectors - MatrixXd::Identity(n, n)).norm(), 1e-13);
  }
}

TEST(SymmetricEigen, IsAccurateWhereEigenvaluesAreTiny) {
  // scaled by powers of ten, a well-conditioned matrix keeps its relative accuracy
  for (const Eigen::Index n : {4, 6}) {
    const MatrixXd R = random_matrix(n, n, 7);
    const VectorXd all = (VectorXd(6) << 1e8, 1.0, 1e-5, 1e-9, 1e3, 1e-7).finished();
    const VectorXd scale = all.head(n);
    const MatrixXd kernel = R * R.transpose() + MatrixXd::Identity(n, n);
    const MatrixXd A = scale.asDiagonal() * kernel * scale.asDiagonal();
    const VectorXd back = scale.cwiseInverse();
    const MatrixXd inverse = back.asDiagonal() * kernel.inverse() * back.asDiagonal();
    // the smallest eigenvalue is the inverse of the largest one of A^-1
    EXPECT_NEAR(symmetric_eigenpairs(A).values[0] * symmetric_eigenvalues(inverse)[n - 1], 1.0,
                1e-12)
        << n;
  }
}

TEST(SymmetricEigen, OfRepeatedAndZeroEigenvaluesIsExact) {
  EXPECT_EQ(symmetric_eigenvalues(2.0 * MatrixXd::Identity(3, 3)), VectorXd::Constant(3, 2.0));
  EXPECT_EQ(symmetric_eigenvalues(MatrixXd::Zero(3, 3)), VectorXd::Zero(3));
  EXPECT_EQ(symmetric_eigenvalues(2.0 * MatrixXd::Identity(6, 6)), VectorXd::Constant(6, 2.0));
  EXPECT_EQ(symmetric_eigenvalues(MatrixXd::Zero(6, 6)), VectorXd::Zero(6));
  EXPECT_NEAR(symmetric_eigenvalues(MatrixXd::Ones(6, 6))[5], 6.0, 1e-14);
  const VectorXd values = symmetric_eigenvalues(MatrixXd::Ones(5, 5));
  EXPECT_LT((values - (VectorXd(5) << 0, 0, 0, 0, 5).finished()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(SymmetricEigen, OfMatricesThatAreNotFiniteIsNan) {
  const MatrixXd A = MatrixXd::Constant(2, 2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(symmetric_eigenpairs(A).converged);
  EXPECT_TRUE(symmetric_eigenvalues(A).array().isNaN().all());
}

}  // namespace
}  // namespace dynamics
