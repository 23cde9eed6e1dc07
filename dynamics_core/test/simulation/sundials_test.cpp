// SPDX-License-Identifier: Apache-2.0
//
// Comparison with SUNDIALS: ARKODE's Butcher tables by coefficient, CVODE's Adams and BDF
// solutions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "simulation/problems.hpp"

// After <cstdio>: arkode_butcher.h uses FILE without including it.
// clang-format off
#include <arkode/arkode_butcher_erk.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
// clang-format on

namespace dynamics::ode {
namespace {

using namespace problems;

struct TableCase {
  std::string name;
  ARKODE_ERKTableID id;
};

class ButcherTables : public testing::TestWithParam<TableCase> {};

std::vector<double> full(const std::vector<Term<double>>& row, std::size_t size) {
  std::vector<double> out(size, 0.0);
  for (const auto& term : row) out[term.stage] += term.weight;
  return out;
}

/// Tables that store f at the end of the step as a stage (Dormand-Prince) have one more than ours.
TEST_P(ButcherTables, MatchArkode) {
  const auto ours = make_tableau<double>(GetParam().name);
  const std::unique_ptr<ARKodeButcherTableMem, void (*)(ARKodeButcherTable)> table(
      ARKodeButcherTable_LoadERK(GetParam().id), ARKodeButcherTable_Free);
  ASSERT_NE(table, nullptr);
  const auto stages = static_cast<std::size_t>(table->stages);
  ASSERT_TRUE(stages == ours.stages || stages == ours.stages + 1);
  const std::size_t size = ours.stages + 1;
  const auto b = full(ours.b, size);
  const auto e = full(ours.error, size);
  // We propagate the higher order of the two; ARKODE's table may have the opposite order.
  const bool higher_first =
      std::equal(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(stages), table->b,
                 [](double x, double y) { return std::abs(x - y) < 1e-12; });
  const realtype* high = higher_first ? table->b : table->d;
  const realtype* low = higher_first ? table->d : table->b;
  for (std::size_t i = 0; i < stages; ++i) {
    EXPECT_NEAR(ours.c[i], table->c[i], 1e-15) << "c " << i;
    const auto row = full(ours.row(i), size);
    for (std::size_t j = 0; j < stages; ++j) {
      EXPECT_NEAR(row[j], table->A[i][j], 4e-15 * std::max(1.0, std::abs(row[j]))) << i << ' ' << j;
    }
    EXPECT_NEAR(b[i], high[i], 2e-15) << "b " << i;
    EXPECT_NEAR(b[i] - e[i], low[i], 4e-15) << "companion " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ButcherTables,
                         testing::Values(TableCase{"rkf45", ARKODE_FEHLBERG_6_4_5},
                                         TableCase{"dverk", ARKODE_VERNER_8_5_6},
                                         TableCase{"dopri5", ARKODE_DORMAND_PRINCE_7_4_5}),
                         [](const auto& tested) { return tested.param.name; });

using RightHandSide = void (*)(double, std::span<const double>, std::span<double>);

int call(realtype t, N_Vector y, N_Vector ydot, void* user) {
  const auto size = static_cast<std::size_t>(N_VGetLength(y));
  (*static_cast<RightHandSide*>(user))(t, {N_VGetArrayPointer(y), size},
                                       {N_VGetArrayPointer(ydot), size});
  return 0;
}

/// The state at `end` by CVODE: CV_ADAMS with fixed-point, CV_BDF with dense Newton iteration.
std::vector<double> cvode(int method, RightHandSide f, std::vector<double> y0, double end,
                          double rtol, double atol) {
  SUNContext context = nullptr;
  EXPECT_EQ(SUNContext_Create(nullptr, &context), 0);
  const auto size = static_cast<sunindextype>(y0.size());
  N_Vector y = N_VMake_Serial(size, y0.data(), context);
  void* memory = CVodeCreate(method, context);
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  EXPECT_EQ(CVodeInit(memory, call, 0.0, y), CV_SUCCESS);
  EXPECT_EQ(CVodeSStolerances(memory, rtol, atol), CV_SUCCESS);
  EXPECT_EQ(CVodeSetUserData(memory, &f), CV_SUCCESS);
  EXPECT_EQ(CVodeSetMaxNumSteps(memory, 1000000), CV_SUCCESS);
  EXPECT_EQ(CVodeSetStopTime(memory, end), CV_SUCCESS);
  if (method == CV_ADAMS) {
    nonlinear = SUNNonlinSol_FixedPoint(y, 0, context);
    EXPECT_EQ(CVodeSetNonlinearSolver(memory, nonlinear), CV_SUCCESS);
  } else {
    matrix = SUNDenseMatrix(size, size, context);
    linear = SUNLinSol_Dense(y, matrix, context);
    EXPECT_EQ(CVodeSetLinearSolver(memory, linear, matrix), CV_SUCCESS);
  }
  double t = 0.0;
  EXPECT_GE(CVode(memory, end, y, &t, CV_NORMAL), 0);
  EXPECT_EQ(t, end);
  const std::vector<double> result(N_VGetArrayPointer(y), N_VGetArrayPointer(y) + size);
  CVodeFree(&memory);
  if (linear != nullptr) SUNLinSolFree(linear);
  if (matrix != nullptr) SUNMatDestroy(matrix);
  if (nonlinear != nullptr) SUNNonlinSolFree(nonlinear);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return result;
}

void kepler_right(double t, std::span<const double> y, std::span<double> dydt) {
  dydt[0] = y[2];
  dydt[1] = y[3];
  Kepler<double>{}(t, y.first(2), y.last(2), dydt.last(2));
}

void robertson_right(double, std::span<const double> y, std::span<double> dydt) {
  dydt[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
  dydt[2] = 3e7 * y[1] * y[1];
  dydt[1] = -dydt[0] - dydt[2];
}

TEST(Cvode, AdamsMatchesOurAdams) {
  const auto theirs = cvode(CV_ADAMS, kepler_right, Kepler<double>::start(), 10.0, 1e-12, 1e-12);
  const Kepler<double> kepler;
  const auto system = System<double>::second_order(2, kepler);
  const auto y0 = Kepler<double>::start();
  const auto ours = final_state("abm", system, tolerance(1e-12), 0.0, y0, 10.0);
  EXPECT_LT(distance(ours, theirs), 1e-8);
  // Our error is at most ten times theirs.
  const auto exact = Kepler<double>::exact(10.0);
  EXPECT_LT(distance(ours, exact), 10.0 * distance(theirs, exact) + 1e-10);
}

TEST(Cvode, BdfMatchesRadau5) {
  const std::vector<double> y0{1.0, 0.0, 0.0};
  const auto theirs = cvode(CV_BDF, robertson_right, y0, 400.0, 1e-10, 1e-14);
  const auto f = [](const double& t, std::span<const double> y, std::span<double> dydt) {
    robertson_right(t, y, dydt);
  };
  const auto system = System<double>::first_order(3, f);
  Options<double> options;
  options.rtol = 1e-10;
  options.atol = 1e-14;
  const auto ours = final_state("radau5", system, options, 0.0, y0, 400.0);
  EXPECT_LT(distance(ours, theirs), 1e-7);
  EXPECT_NEAR(ours[1] / theirs[1], 1.0, 1e-6);
}

}  // namespace
}  // namespace dynamics::ode
