// SPDX-License-Identifier: Apache-2.0
#include "spatial/decompositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <random>

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(random); });
}

TEST(SingularValues, MatchEigen) {
  for (const auto& [rows, columns] : {std::pair{5, 4}, {3, 7}, {6, 6}, {18, 12}, {1, 1}}) {
    const MatrixXd A = random_matrix(rows, columns, 7);
    const VectorXd values = singular_values(A), expected = A.jacobiSvd().singularValues();
    ASSERT_EQ(values.size(), expected.size());
    EXPECT_LT((values - expected).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(SingularValues, AreAccurateWhereTheyAreTiny) {
  // a rank of 2 and values of 1e-10: not seen in the eigenvalues of A^T A
  const VectorXd wanted = (VectorXd(4) << 3.0, 1.0, 1e-10, 0.0).finished();
  const MatrixXd Q = random_matrix(6, 4, 1).householderQr().householderQ();
  const MatrixXd P = random_matrix(4, 4, 2).householderQr().householderQ();
  const MatrixXd A = Q.leftCols(4) * wanted.asDiagonal() * P;
  EXPECT_LT((singular_values(A) - wanted).cwiseAbs().maxCoeff(), 1e-14);
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
  VectorXd b = VectorXd::Zero(4);
  b.head(3) = A.topLeftCorner(3, 3) * VectorXd::LinSpaced(3, 1.0, 3.0);
  const VectorXd x = solve_symmetric(A, b);
  EXPECT_LT((A * x - b).norm(), 1e-13);
}

TEST(GeneralizedEigenvalues, LargestIsOfThePencil) {
  const MatrixXd R = random_matrix(4, 4, 9), S = random_matrix(4, 4, 10);
  const MatrixXd M = R * R.transpose() + MatrixXd::Identity(4, 4), K = S * S.transpose();
  const double largest = largest_generalized_eigenvalue(K, M);
  EXPECT_LT(std::abs((K - largest * M).determinant()), 1e-10);
  EXPECT_DOUBLE_EQ(largest, generalized_eigenpairs(K, M).values[3]);
}

}  // namespace
}  // namespace dynamics
