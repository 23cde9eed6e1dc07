// SPDX-License-Identifier: Apache-2.0
// M^-1 times many right-hand sides from one decomposition, against the dense inverse of M.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "dynamics_core/inertia_matrix.hpp"
#include "support/compare.hpp"
#include "support/every_entry_point.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::relative;

/// A chain, a floating tree with mimic joints, trees with many and with massless mimic joints.
class Factor : public testing::TestWithParam<std::size_t> {
 protected:
  Model model = test::entry_point_models()[GetParam()];
  test::RandomRobot random{static_cast<unsigned>(GetParam()) + 9};
  Eigen::Index n = static_cast<Eigen::Index>(model.size());
  VectorXd q = random.vector(model.size(), 1.0);
  InertiaFactor factor{model};

  MatrixXd dense_inverse() {
    Workspace workspace(model);
    MatrixXd M(n, n);
    inertia_matrix(model, workspace, q, M);
    return Eigen::LLT<MatrixXd>(M).solve(MatrixXd::Identity(n, n));
  }
  MatrixXd random_matrix(Eigen::Index columns) {
    MatrixXd B(n, columns);
    for (Eigen::Index j = 0; j < columns; ++j) B.col(j) = random.vector(model.size(), 3.0);
    return B;
  }
};

TEST_P(Factor, SolvesManyRightHandSides) {
  const MatrixXd inverse = dense_inverse();
  const MatrixXd B = random_matrix(6);
  decompose_inertia(model, factor, q);
  MatrixXd X(n, 6);
  solve_inertia(model, factor, B, X);
  EXPECT_CLOSE("M^-1 B", relative(X, inverse * B), 1e-9);
  // the next one, in place, without another decomposition
  MatrixXd in_place = 2.0 * B;
  solve_inertia(model, factor, in_place, in_place);
  EXPECT_CLOSE("in place", relative(in_place, 2.0 * X), 1e-14);
  // blocks of larger matrices, a column, no column
  MatrixXd large = MatrixXd::Constant(n + 3, 8, 7.0), result = large;
  large.block(1, 2, n, 4) = B.leftCols(4);
  solve_inertia(model, factor, large.block(1, 2, n, 4), result.block(2, 1, n, 4));
  EXPECT_EQ(result.block(2, 1, n, 4), X.leftCols(4));
  result.block(2, 1, n, 4).setConstant(7.0);
  EXPECT_TRUE((result.array() == 7.0).all()) << "written beside the block";
  VectorXd x(n);
  solve_inertia(model, factor, B.col(2), x);
  EXPECT_EQ(x, X.col(2));
  MatrixXd none(n, 0), nothing(n, 0);
  EXPECT_NO_THROW(solve_inertia(model, factor, none, nothing));
}

TEST_P(Factor, InvertsM) {
  decompose_inertia(model, factor, q);
  MatrixXd inverse(n, n), again(n, n);
  inverse_inertia_matrix(model, factor, inverse);
  EXPECT_CLOSE("M^-1", relative(inverse, dense_inverse()), 1e-9);
  EXPECT_EQ(inverse, inverse.transpose());
  Workspace workspace(model);
  inverse_inertia_matrix(model, workspace, q, again);
  EXPECT_EQ(inverse, again);
}

TEST_P(Factor, BelongsToItsLastPosition) {
  decompose_inertia(model, factor, q);
  const VectorXd old = q;
  q = random.vector(model.size(), 1.0);
  decompose_inertia(model, factor, q);
  const MatrixXd B = random_matrix(2);
  MatrixXd X(n, 2);
  solve_inertia(model, factor, B, X);
  EXPECT_CLOSE("M^-1 B, second position", relative(X, dense_inverse() * B), 1e-9);
  EXPECT_GT((q - old).norm(), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Models, Factor, testing::Range(std::size_t{0}, std::size_t{4}));

TEST(InertiaFactor, NamesWhatCannotBeUsed) {
  const Model model(test::RandomRobot(4).robot({.joints = 4}));
  InertiaFactor factor(model);
  MatrixXd B = MatrixXd::Ones(4, 3), X = MatrixXd::Zero(4, 3), narrow(4, 2), low(3, 3);
  const auto message = [&](auto&& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([&] { solve_inertia(model, factor, B, X); }),
            "not computed yet: call decompose_inertia(model, factor, q) first");
  const VectorXd q = VectorXd::Zero(4);
  decompose_inertia(model, factor, q);
  EXPECT_EQ(message([&] { solve_inertia(model, factor, B, narrow); }),
            "X is 4 x 2; 4 x 3 is needed");
  EXPECT_EQ(message([&] { solve_inertia(model, factor, low, X); }), "B is 3 x 3; 4 x 3 is needed");
  B(1, 2) = std::nan("");
  EXPECT_EQ(message([&] { solve_inertia(model, factor, B, X); }),
            "B(1, 2) is nan; finite numbers are needed");
  EXPECT_TRUE(X.isZero(0.0));
  // a failed decomposition leaves none
  const VectorXd nan = VectorXd::Constant(4, std::nan(""));
  EXPECT_EQ(try_decompose_inertia(model, factor, nan), Status::not_finite);
  B.setOnes();
  EXPECT_EQ(try_solve_inertia(model, factor, B, X), Status::not_computed);
}

template <class B>
concept CanBeSolvedFor = std::is_constructible_v<ConstMatrix, const B&>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
static_assert(CanBeSolvedFor<MatrixXd> && CanBeSolvedFor<VectorXd>);
static_assert(CanBeSolvedFor<Eigen::Matrix3d> && CanBeSolvedFor<Eigen::Block<MatrixXd>>);
static_assert(CanBeSolvedFor<Eigen::Ref<MatrixXd>> && CanBeSolvedFor<Eigen::Map<const MatrixXd>>);
static_assert(!CanBeSolvedFor<RowMajor> && !CanBeSolvedFor<Eigen::MatrixXf>);
static_assert(!CanBeSolvedFor<decltype(MatrixXd().transpose())>);
static_assert(!CanBeSolvedFor<decltype(MatrixXd() + MatrixXd())>);

}  // namespace
}  // namespace dynamics
