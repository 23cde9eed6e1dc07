// SPDX-License-Identifier: Apache-2.0
// The kernels of all supported instruction sets give the same results, except for the rounding of
// fused multiply-adds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "model/tree.hpp"
#include "rigid/kernels/kernel_table.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::idx;

std::vector<InstructionSet> supported_sets() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set :
       {InstructionSet::baseline, InstructionSet::avx2, InstructionSet::avx512}) {
    if (supported(set)) sets.push_back(set);
  }
  return sets;
}

/// d qdd / d q, d qd and d tau, side by side, after forward dynamics.
MatrixXd forward_derivatives(const KernelTable& kernels, const Tree& tree,
                             const std::vector<kernel::ForwardScratch<double>>& forward,
                             const kernel::BaseState<double>& base,
                             const std::vector<kernel::BodyWrench<double>>& wrenches,
                             const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  const std::size_t n = tree.size(), stride = kernel::row_stride(n);
  std::vector<kernel::DerivativeScratch<double>> links(n);
  std::vector<double> unit(n * n), rows(n * stride), unused(n);
  std::vector<std::size_t> ends(n);
  const kernel::RowScratch<double> scratch = {unit.data(), rows.data(), stride, ends.data(),
                                              unused.data()};
  MatrixXd all = MatrixXd::Constant(idx(n), 3 * idx(n), std::nan(""));
  kernels.forward_dynamics_derivatives(
      tree, forward.data(), links.data(), base, wrenches.data(), q.data(), qd.data(), qdd.data(),
      nullptr, scratch, all.data(), n, all.data() + n * n, n, all.data() + 2 * n * n, n);
  return all;
}

/// The results of every kernel for one state.
VectorXd everything(const KernelTable& kernels, const Model& model, unsigned seed) {
  test::RandomRobot random(seed);
  const Tree& tree = model.tree();
  const std::size_t n = tree.size();
  const VectorXd q = random.vector(n, 3.0), qd = random.vector(n, 2.0), u = random.vector(n, 5.0);
  kernel::BaseState<double> base;
  base.acceleration = {0.3, -1.0, 9.81};
  base.angular_velocity = {0.4, 0.2, -0.5};
  base.angular_acceleration = {1.0, 0.0, 2.0};
  base.not_rotating = false;
  std::vector<kernel::BodyWrench<double>> wrenches(n, {{1.0, 2.0, 3.0}, {-1.0, 0.5, 2.0}});
  std::vector<kernel::InverseScratch<double>> inverse(n);
  std::vector<kernel::ForwardScratch<double>> forward(n);
  std::vector<kernel::CompositeScratch<double>> composite(n);
  std::vector<kernel::CoriolisScratch<double>> coriolis(n);
  std::vector<kernel::UdutScratch<double>> udut(n);
  VectorXd tau(idx(n)), qdd(idx(n)), x(idx(n));
  const MatrixXd unset = MatrixXd::Constant(idx(n), idx(n), std::nan(""));
  MatrixXd M = unset, C = unset, K = unset, U = unset, by_q = unset, by_qd = unset;
  kernels.inverse_dynamics(tree, inverse.data(), base, wrenches.data(), q.data(), qd.data(),
                           u.data(), tau.data());
  kernels.forward_dynamics(tree, forward.data(), base, wrenches.data(), q.data(), qd.data(),
                           tau.data(), qdd.data());
  EXPECT_LT(test::relative(qdd, u), 1e-9);
  kernels.inertia_matrix(tree, composite.data(), q.data(), M.data(), n);
  kernels.coriolis_matrix(tree, coriolis.data(), false, q.data(), qd.data(), C.data(), n);
  kernels.coriolis_matrix(tree, coriolis.data(), true, q.data(), qd.data(), K.data(), n);
  kernels.decompose(tree, udut.data(), q.data(), false);
  kernels.solve(tree, udut.data(), u.data(), x.data());
  kernels.unit_factor(tree, udut.data(), U.data(), n);
  EXPECT_LT(test::relative(VectorXd(M * x), u), 1e-9);
  std::vector<kernel::DerivativeScratch<double>> derivatives(n);
  kernels.inverse_dynamics_derivatives(tree, derivatives.data(), base, wrenches.data(), q.data(),
                                       qd.data(), u.data(), by_q.data(), n, by_qd.data(), n);
  const MatrixXd solved = forward_derivatives(kernels, tree, forward, base, wrenches, q, qd, qdd);
  EXPECT_LT(test::relative(MatrixXd(M * solved.leftCols(idx(n))), MatrixXd(-by_q)), 1e-9);
  EXPECT_LT(test::relative(MatrixXd(M * solved.middleCols(idx(n), idx(n))), MatrixXd(-by_qd)),
            1e-9);
  VectorXd all(3 * idx(n) + 9 * idx(n * n));
  all << tau, qdd, x / x.norm() * tau.norm(), M.reshaped(), C.reshaped(), K.reshaped(),
      U.reshaped(), by_q.reshaped(), by_qd.reshaped(),
      solved.reshaped() / solved.norm() * tau.norm();
  return all;
}

TEST(Dispatch, AllInstructionSetsGiveTheSameResults) {
  test::RandomRobot random(5);
  std::vector<Model> models;
  models.push_back(model_from_dh(built_in_robot("puma")));
  models.push_back(model_from_dh(built_in_robot("stanford")));
  models.emplace_back(random.robot({.joints = 20, .branching = 0.4, .rotors = 0.3}));
  // short chains, whose matrices have kernels of their own
  for (std::size_t joints = 1; joints <= 9; ++joints) {
    models.emplace_back(random.robot({.joints = joints, .prismatic = 0.3, .rotors = 0.3}));
    models.emplace_back(random.robot({.joints = joints, .prismatic = 0.0, .aligned = true}));
  }
  for (const Model& model : models) {
    const VectorXd expected = everything(kernel_table(InstructionSet::baseline), model, 1);
    ASSERT_TRUE(expected.allFinite());
    if (supported_sets().size() == 1) {
      GTEST_SKIP() << "skipped: this build or processor has only the baseline kernels";
    }
    for (const InstructionSet set : supported_sets()) {
      if (set == InstructionSet::baseline) continue;
      const VectorXd found = everything(kernel_table(set), model, 1);
      EXPECT_LT(test::relative(found, expected), 1e-11) << name(set) << ", " << model.name();
    }
  }
}

TEST(Dispatch, BestSupportedSetIsUsedUnlessTheEnvironmentNamesAnother) {
  const std::vector<InstructionSet> sets = supported_sets();
  ASSERT_FALSE(sets.empty());
  InstructionSet expected = sets.back();
  if (const char* asked = std::getenv("DYNAMICS_ISA")) {  // NOLINT(concurrency-mt-unsafe)
    for (const InstructionSet set : sets) {
      if (name(set) == asked) expected = set;
    }
  }
  EXPECT_EQ(instruction_set(), expected);
}

TEST(Dispatch, UnknownInstructionSetIsReported) {
  ASSERT_EQ(setenv("DYNAMICS_ISA", "avx9", 1), 0);  // NOLINT(concurrency-mt-unsafe)
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const InstructionSet used = instruction_set();
        std::exit(used == instruction_set() ? 0 : 1);  // NOLINT(concurrency-mt-unsafe)
      },
      testing::ExitedWithCode(0), "DYNAMICS_ISA is 'avx9'; it must be baseline, avx2 or avx512");
}

}  // namespace
}  // namespace dynamics
