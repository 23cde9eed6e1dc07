// SPDX-License-Identifier: Apache-2.0
//
// Order conditions of the tableaux over all rooted trees (Butcher; HNW I, section II.2), in
// 50-digit arithmetic, which detects a wrong digit of a coefficient.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <dynamics_core/view.hpp>
#include <string>
#include <vector>

#include "ode/make_integrator.hpp"
#include "ode/radau5_coefficients.hpp"

namespace dynamics::ode {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

/// A rooted tree as the sorted list of the subtrees at its root (indices into the forest).
struct Tree {
  std::vector<std::size_t> children;
  int order = 1;
  double density = 1.0;  // gamma: exact, below 2^53
};

/// All rooted trees up to an order; 1, 1, 2, 4, 9, 20, 48, 115 of orders 1 to 8.
std::vector<Tree> rooted_trees(int highest) {
  std::vector<Tree> forest{{}};
  // Recursively choose children of non-increasing index whose orders add up.
  for (int order = 2; order <= highest; ++order) {
    const std::size_t known = forest.size();
    std::vector<std::size_t> children;
    std::vector<Tree> found;
    const auto choose = [&](auto&& self, std::size_t largest, int left) -> void {
      if (left == 0) {
        Tree tree;
        tree.children = children;
        tree.order = order;
        tree.density = order;
        for (const auto child : children) tree.density *= forest[child].density;
        found.push_back(tree);
        return;
      }
      for (std::size_t i = 0; i < largest; ++i) {
        if (forest[i].order > left) continue;
        children.push_back(i);
        self(self, i + 1, left - forest[i].order);
        children.pop_back();
      }
    };
    choose(choose, known, order - 1);
    forest.insert(forest.end(), found.begin(), found.end());
  }
  return forest;
}

std::vector<Wide> dense_row(const std::vector<Term<Wide>>& row, std::size_t size) {
  std::vector<Wide> out(size, Wide(0));
  for (const auto& term : row) out[term.stage] += term.weight;
  return out;
}

/// Largest |sum_i b_i Phi_i(tree) - 1 / gamma(tree)| over the trees of each order 1 .. highest.
std::vector<double> residuals(const std::vector<std::vector<Wide>>& a, const std::vector<Wide>& b,
                              int highest) {
  const auto forest = rooted_trees(highest);
  const std::size_t stages = a.size();
  std::vector<std::vector<Wide>> phi;
  std::vector<double> worst(static_cast<std::size_t>(highest) + 1, 0.0);
  for (const auto& tree : forest) {
    std::vector<Wide> values(stages, Wide(1));
    for (const auto child : tree.children) {
      for (std::size_t i = 0; i < stages; ++i) {
        Wide sum(0);
        for (std::size_t j = 0; j < stages; ++j) sum += a[i][j] * phi[child][j];
        values[i] *= sum;
      }
    }
    phi.push_back(values);
    Wide total(0);
    for (std::size_t i = 0; i < stages; ++i) total += b[i] * values[i];
    const Wide residual = total - Wide(1) / Wide(tree.density);
    auto& entry = worst[static_cast<std::size_t>(tree.order)];
    entry = max_propagating_nan(entry, std::abs(static_cast<double>(residual)));
  }
  return worst;
}

struct Dense {
  std::vector<std::vector<Wide>> a;
  std::vector<Wide> b;
  std::vector<Wide> c;
};

/// Stages 0 .. stages (the last is f at the end of the step).
Dense expand(const Tableau<Wide>& t) {
  Dense out;
  const std::size_t size = t.stages + 1;
  for (std::size_t i = 0; i < size; ++i) out.a.push_back(dense_row(t.row(i), size));
  out.b = dense_row(t.b, size);
  out.c.assign(t.c.begin(), t.c.begin() + static_cast<std::ptrdiff_t>(size));
  return out;
}

std::vector<Wide> companion(const Tableau<Wide>& t, const std::vector<Term<Wide>>& error) {
  auto b = dense_row(t.b, t.stages + 1);
  const auto e = dense_row(error, t.stages + 1);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] -= e[i];
  return b;
}

TEST(RootedTrees, HaveKnownCounts) {
  std::vector<int> counts(9, 0);
  for (const auto& tree : rooted_trees(8)) ++counts[static_cast<std::size_t>(tree.order)];
  EXPECT_EQ(counts, (std::vector<int>{0, 1, 1, 2, 4, 9, 20, 48, 115}));
}

struct Case {
  friend void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

  std::string name;
  int order;
  int companion_order;  // 0: none
  double precision;     // of the published coefficients
};

class OrderConditions : public testing::TestWithParam<Case> {};

TEST_P(OrderConditions, HoldExactlyUpToTheOrder) {
  const auto& what = GetParam();
  const auto tableau = make_tableau<Wide>(what.name);
  const auto dense = expand(tableau);
  EXPECT_EQ(tableau.order, what.order);

  for (std::size_t i = 0; i < dense.c.size(); ++i) {
    Wide sum(0);
    for (const auto& entry : dense.a[i]) sum += entry;
    EXPECT_LT(abs(Wide(sum - dense.c[i])), Wide(what.precision)) << "row sum of stage " << i;
  }
  const auto worst = residuals(dense.a, dense.b, what.order + 1);
  for (int order = 1; order <= what.order; ++order) {
    EXPECT_LT(worst[static_cast<std::size_t>(order)], what.precision) << "order " << order;
  }
  EXPECT_GT(worst.back(), 1e-9) << "the method has a higher order than declared";

  if (what.companion_order > 0) {
    const auto other =
        residuals(dense.a, companion(tableau, tableau.error), what.companion_order + 1);
    for (int order = 1; order <= what.companion_order; ++order) {
      EXPECT_LT(other[static_cast<std::size_t>(order)], what.precision) << "companion " << order;
    }
    EXPECT_GT(other.back(), 1e-9) << "the companion has the order of the method: no error estimate";
  }
}

INSTANTIATE_TEST_SUITE_P(All, OrderConditions,
                         testing::Values(Case{"rk4", 4, 0, 1e-48}, Case{"rkf45", 5, 4, 1e-48},
                                         Case{"dverk", 6, 5, 1e-48}, Case{"dopri5", 5, 4, 1e-48},
                                         Case{"dop853", 8, 5, 1e-27}),
                         [](const auto& tested) { return tested.param.name; });

TEST(OrderConditionsDop853, SecondCompanionHasOrderThree) {
  const auto tableau = dop853_tableau<Wide>();
  const auto worst = residuals(expand(tableau).a, companion(tableau, tableau.error_low), 4);
  for (std::size_t order = 1; order <= 3; ++order) EXPECT_LT(worst[order], 1e-27);
  EXPECT_GT(worst[4], 1e-9);
}

/// Weights of the dense output at theta, from the nested form y0 + s(c1 + u(c2 + s(c3 + ...))).
std::vector<Wide> dense_weights(const Tableau<Wide>& t, const Wide& theta) {
  const std::size_t size = t.all_stages();
  std::vector<std::vector<Wide>> c(4, std::vector<Wide>(size, Wide(0)));
  c[1] = dense_row(t.b, size);
  for (std::size_t i = 0; i < size; ++i) {
    const Wide first = i == 0 ? Wide(1) : Wide(0);
    const Wide last = i == t.stages ? Wide(1) : Wide(0);
    c[2][i] = first - c[1][i];
    c[3][i] = c[1][i] - last - c[2][i];
  }
  for (const auto& row : t.dense) c.push_back(dense_row(row, size));
  const Wide rest = Wide(1) - theta;
  std::vector<Wide> weights = c.back();
  for (std::size_t r = c.size() - 1; r-- > 0;) {
    for (std::size_t i = 0; i < size; ++i) {
      weights[i] = c[r][i] + weights[i] * (r % 2 == 0 ? theta : rest);
    }
  }
  return weights;
}

/// sum_i b_i(theta) Phi_i(tree) = theta^order / gamma for all trees up to the order of the output
/// (HNW I, section II.6): with b_i(theta) / theta and stages scaled by 1 / theta those of a step.
TEST(OrderConditionsDenseOutput, HoldWithinTheStep) {
  struct Output {
    const char* name;
    int order;
    double precision;
  };
  for (const auto& what : {Output{"dopri5", 4, 1e-47}, Output{"dop853", 7, 1e-26}}) {
    const auto tableau = make_tableau<Wide>(what.name);
    const std::size_t size = tableau.all_stages();
    for (const char* fraction : {"1/10", "1/3", "1/2", "4/5", "1"}) {
      const Wide theta = constant<Wide>(fraction);
      auto b = dense_weights(tableau, theta);
      std::vector<std::vector<Wide>> a;
      for (std::size_t i = 0; i < size; ++i) a.push_back(dense_row(tableau.row(i), size));
      for (std::size_t i = 0; i < size; ++i) {
        b[i] /= theta;
        for (auto& entry : a[i]) entry /= theta;
      }
      const auto worst = residuals(a, b, what.order + 1);
      for (int order = 1; order <= what.order; ++order) {
        // Dividing by theta magnifies the rounding of the printed digits.
        const double allowed = what.precision / std::pow(static_cast<double>(theta), order);
        EXPECT_LT(worst[static_cast<std::size_t>(order)], allowed)
            << what.name << " at " << fraction << ", order " << order;
      }
      if (theta < Wide(1)) {
        EXPECT_GT(worst.back(), 1e-9) << what.name;
      }
    }
  }
}

TEST(OrderConditionsRadau5, HoldToOrderFive) {
  const Radau5Coefficients<Wide> radau;
  std::vector<std::vector<Wide>> a;
  for (const auto& row : radau.a) a.emplace_back(row.begin(), row.end());
  const auto worst = residuals(a, a.back(), 6);
  for (std::size_t order = 1; order <= 5; ++order) EXPECT_LT(worst[order], 1e-48);
  EXPECT_GT(worst[6], 1e-9);
}

TEST(Radau5Transformation, DiagonalizesInverse) {
  const Radau5Coefficients<Wide> radau;
  // T = A T Lambda, without inverting A.
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<Wide, 3> row{Wide(0), Wide(0), Wide(0)};
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 3; ++j) row[k] += radau.a[i][j] * radau.t[j][k];
    }
    const std::array<Wide, 3> product{Wide(row[0] * radau.gamma),
                                      Wide(row[1] * radau.alpha - row[2] * radau.beta),
                                      Wide(row[1] * radau.beta + row[2] * radau.alpha)};
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LT(abs(Wide(product[k] - radau.t[i][k])), Wide(1e-47)) << i << ' ' << k;
    }
  }
  EXPECT_NEAR(static_cast<double>(radau.gamma), 3.6378342527444957, 1e-15);
}

}  // namespace
}  // namespace dynamics::ode
