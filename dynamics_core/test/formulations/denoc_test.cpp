// SPDX-License-Identifier: Apache-2.0
// The DeNOC matrices have the properties stated in the paper and equal the library's recursions.

#include "papers/formulations/denoc.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/sample_robots.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using formulations::Matrix6;
using test::idx;
using test::relative;

class Denoc : public testing::TestWithParam<test::Sample> {
 protected:
  Model model = GetParam().model();
  std::size_t n = model.size();
  Workspace workspace{model};
  test::RandomRobot random{GetParam().seed + 77};
  VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0);
  formulations::DenocMatrices<double> denoc = formulations::denoc_matrices(model, q, qd);
};

TEST_P(Denoc, TwistPropagationIsTransitive) {  // Saha 1999, Eq. (14)
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(denoc.twist_propagation(i, i), Matrix6<double>::Identity());
    for (int j = denoc.parents[i]; j >= 0; j = denoc.parents[static_cast<std::size_t>(j)]) {
      const auto a = static_cast<std::size_t>(j);
      const Matrix6<double> B = denoc.twist_propagation(i, a);
      for (int k = denoc.parents[a]; k >= 0; k = denoc.parents[static_cast<std::size_t>(k)]) {
        const auto b = static_cast<std::size_t>(k);
        EXPECT_LT(relative(B * denoc.twist_propagation(a, b), denoc.twist_propagation(i, b)),
                  1e-13);
      }
      Matrix6<double> back = B;  // B_ji = B_ij^-1
      back.bottomLeftCorner<3, 3>() *= -1.0;
      EXPECT_LT(relative(B * back, Matrix6<double>::Identity()), 1e-14);
    }
  }
}

TEST_P(Denoc, ExplicitMatricesEqualTheRecursiveOnes) {
  MatrixXd M(idx(n), idx(n)), C(idx(n), idx(n));
  inertia_matrix(model, workspace, q, M);
  coriolis_matrix(model, workspace, q, qd, C, CoriolisKind::denoc);
  EXPECT_CLOSE("N^T M N", relative(formulations::denoc_inertia_matrix(denoc), M), 1e-12);
  EXPECT_CLOSE("N^T (M N' + M' N)",
               relative(formulations::denoc_coriolis_matrix(denoc), C, M.cwiseAbs().maxCoeff()),
               1e-11);
}

TEST_P(Denoc, CompositeMassesGiveTheInertiaMatrix) {  // Eqs. (22) to (24)
  const auto composite = formulations::composite_masses(denoc);
  const MatrixXd M = formulations::denoc_inertia_matrix(denoc);
  for (std::size_t i = 0; i < n; ++i) {
    const auto p = denoc.joint_rate_propagation(i);
    for (int j = static_cast<int>(i); j >= 0; j = denoc.parents[static_cast<std::size_t>(j)]) {
      const auto a = static_cast<std::size_t>(j);
      const double rotor = a == i ? denoc.rotors[idx(i)] : 0.0;
      const double value =
          p.dot(composite[i] * denoc.twist_propagation(i, a) * denoc.joint_rate_propagation(a)) +
          rotor;
      EXPECT_NEAR(value, M(idx(i), idx(a)), 1e-12 * M.cwiseAbs().maxCoeff());
    }
  }
}

TEST_P(Denoc, ArticulatedMassesEqualTheElementsOfUdut) {  // Eqs. (46) to (50)
  MatrixXd U(idx(n), idx(n));
  VectorXd d(idx(n));
  udut(model, workspace, q, U, d);
  const auto articulated = formulations::articulated_masses(denoc);
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_LT(relative(articulated.pivot[k], d[idx(k)], 1e-300), 1e-8) << k;
    for (int i = denoc.parents[k]; i >= 0; i = denoc.parents[static_cast<std::size_t>(i)]) {
      const auto a = static_cast<std::size_t>(i);
      const double alpha = denoc.joint_rate_propagation(a).dot(
          denoc.twist_propagation(k, a).transpose() * articulated.psi[k]);
      EXPECT_NEAR(alpha, U(idx(a), idx(k)), 1e-8 * U.cwiseAbs().maxCoeff());
    }
  }
}

TEST_P(Denoc, ReverseEliminationGivesUdut) {  // Eqs. (19) to (24) of Saha 2003
  const MatrixXd I = formulations::denoc_inertia_matrix(denoc);
  const auto steps = formulations::reverse_gaussian_elimination<double>(I);
  ASSERT_EQ(steps.size(), n - 1);
  MatrixXd before = I, U = MatrixXd::Identity(idx(n), idx(n));
  for (const auto& step : steps) {
    const Eigen::Index k = idx(step.k);
    const MatrixXd E =
        MatrixXd::Identity(idx(n), idx(n)) - step.alpha * VectorXd::Unit(idx(n), k).transpose();
    EXPECT_LT(relative(E * before, step.L), 1e-13);
    EXPECT_TRUE(step.L.col(k).head(k).isZero(0.0));
    before = step.L;
    U += step.alpha * VectorXd::Unit(idx(n), k).transpose();
  }
  EXPECT_TRUE(before.isLowerTriangular(0.0));
  EXPECT_LT(relative(U * before, I), 1e-11);
  MatrixXd U_recursive(idx(n), idx(n));
  VectorXd d(idx(n));
  udut(model, workspace, q, U_recursive, d);
  EXPECT_LT(relative(U, U_recursive), 1e-7);
  EXPECT_LT(relative(before.diagonal(), d), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Robots, Denoc, testing::ValuesIn(test::sample_robots(true)),
                         [](const auto& sample) { return sample.param.name; });

}  // namespace
}  // namespace dynamics
