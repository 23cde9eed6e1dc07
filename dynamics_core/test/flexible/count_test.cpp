// SPDX-License-Identifier: Apache-2.0
// Operations of the recursive forward dynamics, counted, beside Mohan and Saha's Table 1.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "dynamics_core/flexible/kernel/forward_dynamics.hpp"
#include "sample_beams.hpp"

namespace dynamics {
namespace {

long multiplications = 0, additions = 0, divisions = 0;

/// A number that counts what is done with it.
struct Counted {
  Counted() = default;
  Counted(double given) : value(given) {}  // NOLINT(google-explicit-constructor)
  double value = 0.0;

  friend Counted operator+(const Counted& a, const Counted& b) {
    ++additions;
    return a.value + b.value;
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    ++additions;
    return a.value - b.value;
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    ++multiplications;
    return a.value * b.value;
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    ++divisions;
    return a.value / b.value;
  }
  friend Counted operator-(const Counted& a) { return -a.value; }
  friend Counted sin(const Counted& a) { return std::sin(a.value); }
  friend Counted cos(const Counted& a) { return std::cos(a.value); }
};

struct Count {
  double products = 0.0, sums = 0.0, quotients = 0.0;
};

/// A chain as the paper's: revolute joints, any twist between them, m modes along y and along z.
Count count(std::size_t links, int modes) {
  const Model robot(test::beam_chain(links, test::beam(0.5, 2.0, 300.0, modes, modes), 0.7));
  const FlexibleModel model(robot);
  const flexible::Tree& tree = model.tree();
  flexible::Scratch<Counted> scratch(tree);
  flexible::BaseState<Counted> base{};
  base.acceleration = {Counted(0.0), Counted(0.0), Counted(9.81)};
  const std::size_t joints = model.joint_count(), size = model.size();
  std::vector<Counted> q(size, Counted(0.1)), qd(size, Counted(0.2)), tau(joints, Counted(1.0)),
      qdd(size);
  multiplications = additions = divisions = 0;
  flexible::forward_dynamics<Counted>(tree, scratch, base, flexible::Given::forces, q.data(),
                                      q.data() + joints, qd.data(), qd.data() + joints, nullptr,
                                      tau.data(), qdd.data(), qdd.data() + joints);
  return {static_cast<double>(multiplications), static_cast<double>(additions),
          static_cast<double>(divisions)};
}

/// Table 1, "Proposed".
Count table(double n, double m) {
  const double h = 1.0 + 2.0 * m;
  const double m3 =
      h * h * h / 6.0 + (2.0 * m + 7.5) * h * h + (2.0 * m * m + 15.0 * m + 100.0 / 3.0) * h;
  const double m4 = (2.0 * m * m + 13.0 * m + 27.0) * h;
  const double a3 = h * h * h / 6.0 + h * h / 2.0 + (6.0 * m * m + 27.0 * m + 82.0 / 3.0) * h;
  return {(2.0 * m * m + 180.0 * m + 299.0 + m3) * n - (124.0 * m + 229.0 + m4),
          (6.0 * m * m + 122.0 * m + 220.0 + a3) * n - (94.0 * m + 192.0 + m4), 0.0};
}

TEST(FlexibleCount, IsBelowTheTablesOfThePaper) {
  EXPECT_NEAR(table(8, 2).products, 9874.0, 0.5);
  EXPECT_NEAR(table(8, 2).sums, 7699.0, 0.5);
  for (const int modes : {1, 2, 3, 6}) {
    for (const std::size_t links : {2U, 8U, 16U}) {
      const Count ours = count(links, modes);
      const Count paper = table(static_cast<double>(links), modes);
      std::printf("n = %2zu, m = %d: %6.0f M %6.0f A %4.0f divisions; the paper %6.0f M %6.0f A\n",
                  links, modes, ours.products, ours.sums, ours.quotients, paper.products,
                  paper.sums);
      EXPECT_LT(ours.products, paper.products);
      // with one mode the additions to zeros that are not left out weigh more than what is saved
      EXPECT_LT(ours.sums, paper.sums * (modes == 1 ? 1.2 : 1.0));
    }
  }
}

TEST(FlexibleCount, IsLinearInLinksAndCubicOnlyInModes) {
  for (const int modes : {0, 2}) {
    const double step = count(9, modes).products - count(8, modes).products;
    for (const std::size_t links : {16U, 32U, 63U}) {
      EXPECT_EQ(count(links + 1, modes).products - count(links, modes).products, step);
    }
  }
  // a cubic in the modes: its fourth difference is zero, its third that of k^3/6 with k = 2m
  double at[6];
  for (int m = 1; m <= 6; ++m) at[m - 1] = count(9, m).products - count(8, m).products;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(at[i + 4] - 4.0 * at[i + 3] + 6.0 * at[i + 2] - 4.0 * at[i + 1] + at[i], 0.0);
  }
  EXPECT_EQ(at[3] - 3.0 * at[2] + 3.0 * at[1] - at[0], 8.0);
}

}  // namespace
}  // namespace dynamics
