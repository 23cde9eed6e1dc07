// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests functions with every kind of vector argument: those that are read and written in place, and
// those that are rejected with an error that names the argument.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dynamics_core/view.hpp"
#include "support/compare.hpp"

namespace dynamics::test {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Calls use(name, view) for every accepted kind of vector with these numbers; `view` is mutable.
template <class Use>
void each_vector(const VectorXd& numbers, Use&& use) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index n = numbers.size();
  std::vector<double> standard(numbers.begin(), numbers.end());
  use("std::vector", MutableVector(standard));
  use("std::span", MutableVector(std::span(standard)));
  VectorXd column = numbers;
  use("VectorXd", MutableVector(column));
  use("transposed", MutableVector(column.transpose()));
  use("array()", MutableVector(column.array()));
  use("Map", MutableVector(Eigen::Map<VectorXd>(column.data(), n)));
  Eigen::Ref<VectorXd> reference = column;
  use("Ref", MutableVector(reference));
  using Strided = Eigen::Map<VectorXd, 0, Eigen::InnerStride<>>;
  use("Map of stride 1", MutableVector(Strided(column.data(), n, Eigen::InnerStride<>(1))));
  Eigen::RowVectorXd row = numbers.transpose();
  use("RowVectorXd", MutableVector(row));
  MatrixXd single = numbers;
  use("n x 1", MutableVector(single));
  MatrixXd flat = numbers.transpose();
  use("1 x n", MutableVector(flat));
  MatrixXd large = MatrixXd::Constant(n + 3, 4, 99.0);
  large.col(2).segment(1, n) = numbers;
  use("segment of a column", MutableVector(large.col(2).segment(1, n)));
  use("n x 1 block", MutableVector(large.block(1, 2, n, 1)));
  RowMajor rows = RowMajor::Constant(3, n, 99.0);
  rows.row(1) = numbers.transpose();
  use("row of a row-major matrix", MutableVector(rows.row(1)));
  if (n % 2 != 0) return;
  MatrixXd shaped = numbers.reshaped(2, n / 2);
  use("reshaped", MutableVector(shaped.reshaped()));
}

/// Calls use(name, view, error) for every rejected kind with the right number of entries.
template <class Use>
void each_rejected(const VectorXd& numbers, Use&& use) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Index n = numbers.size();
  MatrixXd columns = MatrixXd::Constant(3, n, 99.0);
  columns.row(1) = numbers.transpose();
  use("row of a column-major matrix", MutableVector(columns.row(1)),
      " is strided: its entries are 3 apart in memory; a contiguous vector with");
  use("1 x n block", MutableVector(columns.middleRows(1, 1)), " is strided: its entries are 3");
  RowMajor rows = RowMajor::Constant(n, 5, 99.0);
  use("column of a row-major matrix", MutableVector(rows.col(2)), " is strided");
  VectorXd spread = VectorXd::Constant(2 * n, 99.0);
  using Strided = Eigen::Map<VectorXd, 0, Eigen::InnerStride<>>;
  use("strided Map", MutableVector(Strided(spread.data(), n, Eigen::InnerStride<>(2))),
      " is strided: its entries are 2 apart");
  MatrixXd square = MatrixXd::Constant(n, n, 99.0);
  use("diagonal", MutableVector(square.diagonal()), " is strided");
  MatrixXd matrix = MatrixXd::Constant(2, n / 2, 99.0);
  use("2 x n/2", MutableVector(matrix), " is 2 x " + std::to_string(n / 2) + "; a vector with ");
  use("its transpose", MutableVector(matrix.transpose()), " is " + std::to_string(n / 2) + " x 2");
  use("block", MutableVector(square.topLeftCorner(2, n / 2)), " is 2 x ");
  EXPECT_TRUE((square.array() == 99.0).all() && (matrix.array() == 99.0).all());
  EXPECT_TRUE((spread.array() == 99.0).all() && (rows.array() == 99.0).all());
}

/// A function of q, qd and a third vector; unused ones have no name.
struct VectorFunction {
  /// `call` returns the result as a vector, or nothing if the output holds it.
  template <class Call>
  VectorFunction(std::string function, std::array<const char*, 3> input_names,
                 const char* output_name, const Call& call)
      : name(std::move(function)), inputs(input_names), output(output_name) {
    run = [call](ConstVector q, ConstVector qd, ConstVector u, MutableVector out) {
      if constexpr (std::is_void_v<decltype(call(q, qd, u, out))>) {
        call(q, qd, u, out);
        return VectorXd();
      } else {
        return VectorXd(call(q, qd, u, out));
      }
    };
  }

  std::string name;
  std::array<const char*, 3> inputs;
  const char* output;  ///< null if it has no vector output
  std::function<VectorXd(ConstVector, ConstVector, ConstVector, MutableVector)> run;
};

/// Tests every accepted and every rejected kind for each argument.
inline void check_every_kind(const VectorFunction& function, Index n) {
  const VectorXd given[3] = {VectorXd::LinSpaced(n, 0.1, 0.3), VectorXd::LinSpaced(n, -0.4, 0.5),
                             VectorXd::LinSpaced(n, 0.7, -0.2)};
  VectorXd expected_out = VectorXd::Zero(n);
  const VectorXd expected = function.run(given[0], given[1], given[2], expected_out);
  const auto run = [&](std::size_t replaced, ConstVector by, MutableVector out) {
    return function.run(replaced == 0 ? by : given[0], replaced == 1 ? by : given[1],
                        replaced == 2 ? by : given[2], out);
  };
  const auto expect_rejected = [&](const std::string& name, const std::string& kind,
                                   const std::string& text, const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << function.name << " accepted " << name << ", " << kind;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(name + text)) << function.name << ", " << kind;
    }
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (function.inputs[i] == nullptr) continue;
    each_vector(given[i], [&](const std::string& kind, MutableVector view) {
      VectorXd out = VectorXd::Zero(n);
      EXPECT_EQ(run(i, view, out), expected) << function.name << ", " << kind;
      EXPECT_EQ(out, expected_out) << function.name << ", " << kind;
    });
    each_rejected(given[i],
                  [&](const std::string& kind, MutableVector view, const std::string& text) {
                    VectorXd out = VectorXd::Zero(n);
                    expect_rejected(function.inputs[i], kind, text, [&] { run(i, view, out); });
                    EXPECT_TRUE(out.isZero(0.0)) << function.name << ", " << kind;
                  });
  }
  if (function.output == nullptr) return;
  each_vector(VectorXd::Zero(n), [&](const std::string& kind, MutableVector view) {
    function.run(given[0], given[1], given[2], view);
    ASSERT_EQ(idx(view.size()), n);
    EXPECT_TRUE(std::equal(view.begin(), view.end(), expected_out.begin()))
        << function.name << " into " << kind;
  });
  each_rejected(VectorXd::Zero(n),
                [&](const std::string& kind, MutableVector view, const std::string& text) {
                  expect_rejected(function.output, "output " + kind, text,
                                  [&] { function.run(given[0], given[1], given[2], view); });
                });
}

}  // namespace dynamics::test
