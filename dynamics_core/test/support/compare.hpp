// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far two results are apart, and the largest such distance of a test, printed at its end.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

namespace dynamics::test {

inline Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// |a - b| / |b|, by the largest entry; where b is smaller than `floor`, divided by that.
template <class A, class B>
double relative(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b,
                double floor = 1e-300) {
  if (a.size() == 0) return 0.0;
  const double scale = std::max(b.cwiseAbs().maxCoeff(), floor);
  const double distance = (a - b).cwiseAbs().maxCoeff();
  return distance == 0.0 ? 0.0 : distance / scale;
}

inline double relative(double a, double b, double scale) {
  return std::abs(a - b) / std::max(std::abs(b), scale);
}

/// The largest differences of this executable's tests by name.
class Largest : public testing::Environment {
 public:
  static Largest& instance() {
    static auto* one =
        static_cast<Largest*>(testing::AddGlobalTestEnvironment(new Largest));  // owned by gtest
    return *one;
  }
  double note(const std::string& what, double difference) {
    auto [at, fresh] = largest_.try_emplace(what, difference);
    if (!fresh && !(difference <= at->second)) at->second = difference;
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

/// Fails above the bar, and remembers the difference for the summary.
#define EXPECT_CLOSE(what, difference, bar) \
  EXPECT_LT(::dynamics::test::Largest::instance().note(what, difference), bar) << (what)

}  // namespace dynamics::test
