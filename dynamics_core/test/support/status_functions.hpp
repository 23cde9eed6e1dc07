// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests of a function and its variant that returns a Status: try_NAME must report what is expected
// without allocating, write no output unless it reports ok, and NAME must throw the error of that
// status.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <utility>

#include "dynamics_core/error.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics::test {

/// The value of outputs before a call.
inline constexpr double sentinel = 12345.0;

/// NAME and try_NAME. `Call` has the arguments and outputs of all functions of a test, and
/// outputs(): all of the latter in one vector.
template <class Model, class Workspace, class Call>
struct StatusFunction {
  std::string name;
  unsigned takes;  ///< bits that the test defines
  std::function<Status(const Model&, Workspace&, Call&)> attempt;
  std::function<void(const Model&, Workspace&, Call&)> call;

  /// Calls both and compares what they report.
  void expect(const Model& model, Workspace& workspace, Call& arguments, Status expected) const {
    const Eigen::VectorXd before = arguments.outputs();
    allocation_counter::start();
    const Status status = attempt(model, workspace, arguments);
    const std::size_t allocations = allocation_counter::stop();
    EXPECT_EQ(status, expected) << to_string(status);
    if (allocation_counter::available()) {
      EXPECT_EQ(allocations, 0U);
    }
    if (status == Status::ok) {
      EXPECT_NE(arguments.outputs(), before) << "no output was written";
      return;
    }
    EXPECT_EQ(arguments.outputs(), before) << "an output was written";
    // the same problem as an exception, with its message
    if (expected == Status::singular || expected == Status::not_computed) {
      EXPECT_THROW(call(model, workspace, arguments), StateError);
    } else {
      EXPECT_THROW(call(model, workspace, arguments), ArgumentError);
    }
    EXPECT_EQ(arguments.outputs(), before) << "an output was written with an exception";
  }

  /// Vectors of a wrong size, and with a NaN or an infinity.
  void expect_bad_vector(const Model& model, Workspace& workspace, const Call& good,
                         Eigen::VectorXd Call::*member) const {
    Call arguments(model);
    const Eigen::VectorXd right = good.*member;
    (arguments.*member) = right.head(right.size() - 1);
    expect(model, workspace, arguments, Status::wrong_size);
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      (arguments.*member) = right;
      (arguments.*member)[right.size() - 1] = bad;
      expect(model, workspace, arguments, Status::not_finite);
    }
  }

  friend void PrintTo(const StatusFunction& function, std::ostream* out) { *out << function.name; }
};

}  // namespace dynamics::test
