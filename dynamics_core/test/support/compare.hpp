// SPDX-License-Identifier: Apache-2.0
#pragma once

// Relative differences of results. The largest ones are printed when the test program ends.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "dynamics_core/view.hpp"

namespace dynamics::test {

inline Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// max |a - b| / max(max |b|, floor). NaN if an entry is NaN or the sizes differ.
template <class A, class B>
double relative(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b,
                double floor = 1e-300) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return std::nan("");
  const double distance = max_abs(a - b);
  return distance == 0.0 ? 0.0 : distance / max_propagating_nan(max_abs(b), floor);
}

inline double relative(double a, double b, double scale) {
  return std::abs(a - b) / max_propagating_nan(std::abs(b), scale);
}

/// The largest differences of the tests of this program, by name.
class LargestDifferences : public testing::Environment {
 public:
  static LargestDifferences& instance() {
    static auto* one = static_cast<LargestDifferences*>(
        testing::AddGlobalTestEnvironment(new LargestDifferences));  // owned by gtest
    return *one;
  }
  double record(const std::string& what, double difference) {
    double& largest = largest_.try_emplace(what, difference).first->second;
    largest = max_propagating_nan(largest, difference);
    return difference;
  }
  void TearDown() override {
    for (const auto& [what, difference] : largest_) {
      std::printf("largest relative difference  %-44s %.2e\n", what.c_str(), difference);
    }
  }

 private:
  std::map<std::string, double> largest_;
};

/// Fails unless the difference is below the tolerance; records it for the summary.
#define EXPECT_CLOSE(what, difference, tolerance)                                                 \
  EXPECT_LT(::dynamics::test::LargestDifferences::instance().record(what, difference), tolerance) \
      << (what)

}  // namespace dynamics::test
