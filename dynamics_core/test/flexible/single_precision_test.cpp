// SPDX-License-Identifier: Apache-2.0
// Forward dynamics of flexible links in single precision, compared with double.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dynamics_core/plant.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "papers/studies/single.hpp"
#include "papers/studies/single_flexible_plant.hpp"

namespace dynamics {
namespace {

TEST(Single, RoundsConstantsAndResults) {
  EXPECT_EQ(static_cast<double>(Single(1.0 / 3.0)), static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(static_cast<double>(0.1 * Single(3.0)), static_cast<double>(0.1F * 3.0F));
  EXPECT_EQ(static_cast<double>(Single(1.0) + 1e-8), 1.0);
  EXPECT_EQ(static_cast<double>(sin(Single(1.0))), static_cast<double>(std::sin(1.0F)));
  Single x = 1.0;
  x += 1e-8;
  x *= 1.0 + 1e-9;
  EXPECT_EQ(x, Single(1.0));
  EXPECT_LT(Single(1.0), Single(2.0));
}

/// Largest difference of the accelerations, relative to the largest acceleration.
double difference(Plant& a, Plant& b, const std::vector<double>& q, const std::vector<double>& qd,
                  const std::vector<double>& tau) {
  std::vector<double> first(a.size()), second(a.size());
  a.accelerations(0.0, q, qd, tau, first);
  b.accelerations(0.0, q, qd, tau, second);
  return max_abs_difference(first, second) / max_abs(first);
}

TEST(SingleFlexiblePlant, AgreesWithDoubleToSinglePrecision) {
  const FlexibleModel model(model_from_dh(built_in_robot("canadarm")));
  const auto reference = flexible_plant(model);
  const auto recursive = single_flexible_plant(model, false);
  const auto cholesky = single_flexible_plant(model, true);
  std::mt19937 engine(7);
  const auto vector = [&](std::size_t size, double scale) {
    std::vector<double> v(size);
    for (double& x : v) x = std::uniform_real_distribution<double>(-scale, scale)(engine);
    return v;
  };
  for (int sample = 0; sample < 20; ++sample) {
    std::vector<double> q = vector(model.size(), 0.05);
    for (std::size_t i = 0; i < 3; ++i) q[i] *= 40.0;
    const std::vector<double> qd = vector(model.size(), 0.2), tau = vector(3, 100.0);
    const double by_recursion = difference(*reference, *recursive, q, qd, tau);
    EXPECT_LT(by_recursion, 1e-4);
    EXPECT_GT(by_recursion, 1e-10);  // single precision indeed
    EXPECT_LT(difference(*reference, *cholesky, q, qd, tau), 1e-3);
  }
}

TEST(SingleFlexiblePlant, RunEndsWhereTheDecompositionFails) {
  DhTable table = built_in_robot("canadarm");
  const std::vector<DhLink> links = table.links;
  for (std::size_t i = 3; i < 6; ++i) {
    DhLink link = links[i - 3];
    link.joint += "_again";
    link.link += "_again";
    table.links.push_back(link);
  }
  for (DhLink& link : table.links) link.flexible->modes_y = 6;
  const FlexibleModel model(model_from_dh(table));
  SimulationOptions options;
  options.integrator = "rk4";
  options.step = 2.5e-4;
  options.duration = 0.1;
  options.q0 = {0.0, 0.5, 0.5, 0.0, 0.5, 0.5};
  options.qd0 = {0.2, 0.0, 0.0, 0.0, 0.0, 0.0};
  EXPECT_TRUE(simulate(*single_flexible_plant(model, false), options).statistics.completed);
  const Recording run = simulate(*single_flexible_plant(model, true), options);
  EXPECT_FALSE(run.statistics.completed);
  EXPECT_FALSE(run.statistics.ending.empty());
}

}  // namespace
}  // namespace dynamics
