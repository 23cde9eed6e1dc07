// SPDX-License-Identifier: Apache-2.0
// Every kind of matrix and vector as every argument of the batch functions: the result matches that
// of a contiguous copy, or the error names the argument and the right shape. Arguments whose type
// is wrong do not compile.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/readers.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Dynamic;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Dynamic, Dynamic, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<Dynamic, Dynamic>;
using testing::StartsWith;

// ---- by type

template <class E>
constexpr bool reads = std::is_convertible_v<E, ConstBatch>;
template <class E>
constexpr bool writes = std::is_convertible_v<E, MutableBatch>;

static_assert(reads<MatrixXd&> && writes<MatrixXd&> && reads<RowMajor&> && writes<RowMajor&>);
static_assert(reads<Eigen::Block<MatrixXd>> && writes<Eigen::Block<MatrixXd>>);
static_assert(reads<Eigen::Matrix<double, 6, Dynamic>&> && reads<Eigen::Matrix3d&>);
static_assert(reads<std::vector<double>&> && writes<std::vector<double>&>);
static_assert(reads<std::span<const double>> && !writes<std::span<const double>>);
static_assert(reads<ConstVector> && reads<MutableVector> && writes<MutableVector>);
static_assert(!writes<ConstVector> && !writes<const MatrixXd&> && reads<const MatrixXd&>);
// temporaries
static_assert(reads<MatrixXd> && !writes<MatrixXd> && reads<VectorXd> && !writes<VectorXd>);
static_assert(reads<std::vector<double>> && !writes<std::vector<double>>);
// no storage, a stride in the type, another scalar
static_assert(!reads<decltype(MatrixXd() + MatrixXd())> && !reads<decltype(MatrixXd::Zero(6, 9))>);
static_assert(!reads<Eigen::Map<MatrixXd, 0, Eigen::Stride<Dynamic, 2>>>);
static_assert(!reads<Eigen::Map<VectorXd, 0, Eigen::InnerStride<2>>>);
static_assert(!reads<decltype(Eigen::MatrixXcd().real())> && !reads<Eigen::MatrixXf&>);
static_assert(!reads<std::vector<float>&> && !std::is_constructible_v<ConstBatch, int, int>);

// ---- by value

constexpr Index states = 11;

/// Calls use(kind, view) for arguments with the columns of `numbers` as states; use() may write.
template <class Use>
void each_batch(const MatrixXd& numbers, Use&& use) {
  const Index n = numbers.rows(), count = numbers.cols();
  MatrixXd columns = numbers;
  use("n x N", MutableBatch(columns));
  use("reshaped to a vector", MutableBatch(columns.reshaped()));
  MatrixXd rows_of_states = numbers;
  use("row-major N x n, transposed", MutableBatch(rows_of_states.transpose()));
  RowMajor rows = numbers.transpose();
  use("row-major N x n", MutableBatch(rows));
  std::vector<double> flat(numbers.data(), numbers.data() + numbers.size());
  use("std::vector", MutableBatch(flat));
  use("std::span", MutableBatch(std::span(flat)));
  use("pointer and size", MutableBatch(flat.data(), flat.size()));
  use("view of a vector", MutableBatch(MutableVector(flat)));
  VectorXd vector = numbers.reshaped();
  use("VectorXd", MutableBatch(vector));
  use("Map", MutableBatch(Eigen::Map<MatrixXd>(vector.data(), n, count)));
  MatrixXd above = MatrixXd::Constant(2 * n, count, 99.0), below = above;
  above.topRows(n) = numbers;
  use("topRows", MutableBatch(above.topRows(n)));
  EXPECT_TRUE((above.bottomRows(n).array() == 99.0).all());
  below.bottomRows(n) = numbers;
  use("bottomRows", MutableBatch(below.bottomRows(n)));
  EXPECT_TRUE((below.topRows(n).array() == 99.0).all());
  MatrixXd wide = MatrixXd::Constant(n, 3 * count, 99.0);
  wide.middleCols(count, count) = numbers;
  use("middleCols", MutableBatch(wide.middleCols(count, count)));
  MatrixXd large = MatrixXd::Constant(n + 5, count + 4, 99.0);
  large.block(2, 3, n, count) = numbers;
  use("block", MutableBatch(large.block(2, 3, n, count)));
  large.block(2, 3, n, count).setConstant(99.0);
  EXPECT_TRUE((large.array() == 99.0).all()) << "written beside the block";
  RowMajor right = RowMajor::Constant(count, 2 * n, 99.0);
  right.rightCols(n) = numbers.transpose();
  use("right columns of a row-major matrix", MutableBatch(right.rightCols(n)));
  EXPECT_TRUE((right.leftCols(n).array() == 99.0).all());
  MatrixXd apart = MatrixXd::Constant(n, 2 * count, 99.0);
  using Apart = Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>;
  Apart every_second(apart.data(), n, count, Eigen::OuterStride<>(2 * n));
  every_second = numbers;
  use("Map with an outer stride", MutableBatch(every_second));
}

/// Calls use(kind, view, error) for arguments that are rejected.
template <class Use>
void each_rejected(Index n, Use&& use) {
  const auto shape = [](Index rows, Index cols) {
    return std::to_string(rows) + " x " + std::to_string(cols);
  };
  MatrixXd transposed = MatrixXd::Constant(states, n, 99.0);
  use("column-major N x n", MutableBatch(transposed),
      " is " + shape(states, n) + "; " + std::to_string(n) + " x ");
  RowMajor lying = RowMajor::Constant(n, states, 99.0);
  use("row-major n x N", MutableBatch(lying), " is a row-major " + shape(n, states) + " matrix; ");
  use("transpose of a column-major N x n", MutableBatch(transposed.transpose()),
      " is a row-major " + shape(n, states) + " matrix; ");
  MatrixXd tall = MatrixXd::Constant(n * states, 1, 99.0);
  use("all in one column of a matrix", MutableBatch(tall), " is " + shape(n * states, 1) + "; ");
  MatrixXd more = MatrixXd::Constant(2 * n, states, 99.0);
  use("2n x N", MutableBatch(more), " is " + shape(2 * n, states) + "; ");
  using Strided = Eigen::Map<MatrixXd, 0, AnyStride>;
  use("Map with an inner stride",
      MutableBatch(Strided(more.data(), n, states, AnyStride(2 * n, 2))),
      " is " + shape(n, states) + " with a stride of 2: the entries of a state must be side by");
  MatrixXd few = MatrixXd::Constant(3, n * states, 99.0);
  use("row of a column-major matrix", MutableBatch(few.row(1)), " is 1 x ");
  RowMajor narrow = RowMajor::Constant(n * states, 3, 99.0);
  use("column of a row-major matrix", MutableBatch(narrow.col(1)),
      " is " + shape(n * states, 1) + " with a stride of 3");
  MatrixXd short_columns = MatrixXd::Constant(n - 1, states, 99.0);
  use("n - 1 rows", MutableBatch(short_columns), " is " + shape(n - 1, states) + "; ");
  use("strided view", MutableBatch(MutableVector(few.row(1))), " is strided");
  for (const MatrixXd* kept : {&transposed, &tall, &more, &few, &short_columns}) {
    EXPECT_TRUE((kept->array() == 99.0).all()) << "something was written";
  }
}

struct Function {
  std::string name;
  std::array<const char*, 3> inputs;
  std::vector<const char*> outputs;
  bool matrices;  ///< outputs of n * n numbers per state
  using Outputs = std::vector<MutableBatch>;
  std::function<void(const Model&, BatchWorkspace&, ConstBatch, ConstBatch, ConstBatch,
                     const Outputs&)>
      run;
};

std::vector<Function> functions() {
  const char* const none = nullptr;
  using M = const Model&;
  using W = BatchWorkspace&;
  using B = ConstBatch;
  using O = const Function::Outputs&;
  return {
      {"inverse_dynamics",
       {"q", "qd", "qdd"},
       {"tau"},
       false,
       [](M m, W w, B q, B qd, B u, O o) { batch::inverse_dynamics(m, w, q, qd, u, o[0]); }},
      {"gravity_forces",
       {"q", none, none},
       {"g"},
       false,
       [](M m, W w, B q, B, B, O o) { batch::gravity_forces(m, w, q, o[0]); }},
      {"forward_dynamics",
       {"q", "qd", "tau"},
       {"qdd"},
       false,
       [](M m, W w, B q, B qd, B u, O o) { batch::forward_dynamics(m, w, q, qd, u, o[0]); }},
      {"inertia_matrix",
       {"q", none, none},
       {"M"},
       true,
       [](M m, W w, B q, B, B, O o) { batch::inertia_matrix(m, w, q, o[0]); }},
      {"inverse_dynamics_derivatives",
       {"q", "qd", "qdd"},
       {"tau_by_q", "tau_by_qd"},
       true,
       [](M m, W w, B q, B qd, B u, O o) {
         batch::inverse_dynamics_derivatives(m, w, q, qd, u, o[0], o[1]);
       }},
      {"forward_dynamics_derivatives",
       {"q", "qd", "tau"},
       {"qdd_by_q", "qdd_by_qd", "qdd_by_tau"},
       true,
       [](M m, W w, B q, B qd, B u, O o) {
         batch::forward_dynamics_derivatives(m, w, q, qd, u, o[0], o[1], o[2]);
       }},
  };
}

void check(const Function& function, const Model& model) {
  const auto n = static_cast<Index>(model.size());
  const Index width = function.matrices ? n * n : n;
  BatchWorkspace workspace(model);
  MatrixXd inputs[3];
  for (Index i = 0; i < 3; ++i) {
    inputs[i] = VectorXd::LinSpaced(n * states, 0.1 + 0.2 * double(i), 1.0).reshaped(n, states);
  }
  const std::size_t outputs = function.outputs.size();
  std::vector<MatrixXd> expected(outputs, MatrixXd::Zero(width, states)), found = expected;
  const auto run = [&](std::vector<MatrixXd>& into, std::size_t input, ConstBatch by,
                       std::size_t output = 9, MutableBatch to = {}) {
    Function::Outputs views(into.begin(), into.end());
    if (output < views.size()) views[output] = to;
    function.run(model, workspace, input == 0 ? by : inputs[0], input == 1 ? by : inputs[1],
                 input == 2 ? by : inputs[2], views);
  };
  run(expected, 9, {});
  for (const MatrixXd& result : expected) {
    for (Index k = 0; k < states; ++k) EXPECT_FALSE(result.col(k).isZero()) << function.name << k;
  }
  const auto refused = [&](const char* name, const std::string& kind, const std::string& text,
                           const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << function.name << " accepted " << name << ", " << kind;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), StartsWith(name + text)) << function.name << ", " << kind;
    }
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const char* name = function.inputs[i];
    if (name == nullptr) continue;
    each_batch(inputs[i], [&](const std::string& kind, MutableBatch view) {
      for (MatrixXd& matrix : found) matrix.setZero();
      run(found, i, view);
      EXPECT_EQ(found, expected) << function.name << "(" << name << " = " << kind << ")";
    });
    each_rejected(n, [&](const std::string& kind, MutableBatch view, const std::string& text) {
      for (MatrixXd& matrix : found) matrix.setZero();
      refused(name, kind, text, [&] { run(found, i, view); });
      EXPECT_TRUE(found[0].isZero(0.0)) << function.name << ", " << kind;
    });
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    each_batch(MatrixXd::Zero(width, states), [&](const std::string& kind, MutableBatch view) {
      run(found, 9, {}, k, view);
      const auto stride = view.shape().kind == view::BatchShape::Kind::vector
                              ? width
                              : static_cast<Index>(view.shape().stride);
      const Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>> written(view.data(), width, states,
                                                                  Eigen::OuterStride<>(stride));
      EXPECT_EQ(MatrixXd(written), expected[k])
          << function.name << " into " << function.outputs[k] << ", " << kind;
    });
    each_rejected(width, [&](const std::string& kind, MutableBatch view, const std::string& text) {
      refused(function.outputs[k], kind, text, [&] { run(found, 9, {}, k, view); });
    });
  }
}

TEST(BatchArguments, AreUsedInPlaceOrNamed) {
  const Model model = model_from_dh(built_in_robot("puma"));
  for (const Function& function : functions()) check(function, model);
}

TEST(BatchArguments, WorkForRobotsWithMimicJoints) {
  RobotDescription robot = test::RandomRobot(4).robot({.joints = 6, .friction = 0.5});
  robot.joints[4].mimic = Mimic{"joint1", -0.5, 0.1};
  const Model model(robot);
  for (const Function& function : functions()) check(function, model);
}

TEST(BatchArguments, MayBeBlocksOfAStateMatrix) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  const Index n = 6, N = 9;
  const MatrixXd X = VectorXd::LinSpaced(2 * n * N, -1.0, 1.0).reshaped(2 * n, N);
  const MatrixXd A = VectorXd::LinSpaced(n * N, -3.0, 2.0).reshaped(n, N);
  MatrixXd T(n, N), expected(n, N);
  const MatrixXd q = X.topRows(n), qd = X.bottomRows(n);
  batch::inverse_dynamics(model, workspace, q, qd, A, expected);
  batch::inverse_dynamics(model, workspace, X.topRows(n), X.bottomRows(n), A, T);
  EXPECT_LE((T - expected).cwiseAbs().maxCoeff(), 0.0)
      << "relative difference " << (T - expected).norm() / expected.norm();
}

TEST(BatchArguments, StateWithoutResultIsNanInItsOwnColumn) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  MatrixXd X = MatrixXd::Constant(12, states, 0.3), T = MatrixXd::Constant(9, states, 99.0);
  X(2, 4) = std::numeric_limits<double>::quiet_NaN();
  const MatrixXd qdd = MatrixXd::Zero(6, states);
  try {
    batch::inverse_dynamics(model, workspace, X.topRows(6), X.bottomRows(6), qdd,
                            T.middleRows(1, 6));
    ADD_FAILURE() << "accepted NaN";
  } catch (const BatchError& error) {
    EXPECT_EQ(error.state(), 4U);
    EXPECT_THAT(error.what(), StartsWith("state 4: q[2] is nan"));
  }
  for (Index k = 0; k < states; ++k) {
    EXPECT_EQ(T.col(k).segment(1, 6).array().isNaN().all(), k == 4) << k;
    EXPECT_EQ(T.col(k).segment(1, 6).array().isFinite().all(), k != 4) << k;
    EXPECT_TRUE((T.col(k).segment(1, 6).array() != 99.0).all()) << k;
    EXPECT_TRUE(T(0, k) == 99.0 && T(7, k) == 99.0 && T(8, k) == 99.0) << k;
  }
}

TEST(BatchArguments, MayHaveOneRowPerStateForOneJoint) {
  test::RobotBuilder builder;
  builder.add(JointType::revolute, "a", "base", "arm", {0, 1, 0}, test::body(1.0, {1, 0, 0}));
  const Model model(builder.robot());
  BatchWorkspace workspace(model);
  const MatrixXd X = VectorXd::LinSpaced(2 * states, -1.0, 1.0).reshaped(2, states);
  const VectorXd q = X.row(0).transpose();
  VectorXd expected(states), g(states);
  batch::gravity_forces(model, workspace, q, expected);
  batch::gravity_forces(model, workspace, X.row(0), g);
  EXPECT_EQ(g, expected);
  batch::gravity_forces(model, workspace, X.topRows(1), g.setZero());
  EXPECT_EQ(g, expected);
}

TEST(BatchArguments, InputsMayRepeatStatesAndOutputsMayNotOverlap) {
  const Model model = model_from_dh(built_in_robot("puma"));
  BatchWorkspace workspace(model);
  VectorXd q = VectorXd::LinSpaced(6, 0.1, 0.6);
  using Repeated = Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>>;
  const Repeated same(q.data(), 6, states, Eigen::OuterStride<>(0));
  MatrixXd g(6, states), copied = same, expected(6, states);
  batch::gravity_forces(model, workspace, copied, expected);
  batch::gravity_forces(model, workspace, same, g);
  EXPECT_EQ(g, expected);
  VectorXd out(6 * states);
  Repeated overlapping(out.data(), 6, states, Eigen::OuterStride<>(5));
  try {
    batch::gravity_forces(model, workspace, copied, overlapping);
    ADD_FAILURE() << "accepted";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), StartsWith("g has overlapping states: "));
  }
}

}  // namespace
}  // namespace dynamics
