// SPDX-License-Identifier: Apache-2.0
// Random numbers of studies: known answers, the properties of each kind of points, distributions.

#include "study/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "study/philox.hpp"
#include "study/statistics.hpp"

namespace dynamics::study {
namespace {

// the known answers of Random123 (kat_vectors, philox4x32-10)
TEST(Philox, MatchesKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(UnitNumber, LiesInTheOpenInterval) {
  EXPECT_GT(unit_number(0), 0.0);
  EXPECT_LT(unit_number(~std::uint64_t{0}), 1.0);
}

std::vector<std::vector<double>> points(Sampling sampling, std::uint64_t seed, std::uint64_t cases,
                                        std::size_t dimensions) {
  const UnitPoints unit(sampling, seed, cases, dimensions);
  std::vector<std::vector<double>> result;
  for (std::uint64_t k = 0; k < cases; ++k) {
    result.emplace_back(dimensions);
    unit.at(k, result.back());
  }
  return result;
}

constexpr Sampling all_samplings[] = {Sampling::random, Sampling::sobol, Sampling::latin_hypercube};

TEST(UnitPoints, HaveTheMomentsOfTheUniformDistribution) {
  constexpr std::size_t n = 4096;
  for (const Sampling sampling : all_samplings) {
    const auto all = points(sampling, 7, n, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      double mean = 0.0, square = 0.0, product = 0.0;
      for (const auto& point : all) {
        ASSERT_TRUE(point[k] > 0.0 && point[k] < 1.0);
        mean += point[k] / n;
        square += point[k] * point[k] / n;
        product += (point[k] - 0.5) * (point[(k + 1) % 3] - 0.5) / n;
      }
      // four standard deviations of the mean of 4096 numbers
      EXPECT_NEAR(mean, 0.5, 4.0 * std::sqrt(1.0 / 12.0 / n));
      EXPECT_NEAR(square, 1.0 / 3.0, 4.0 * std::sqrt(4.0 / 45.0 / n));
      EXPECT_NEAR(product, 0.0, 4.0 / 12.0 / std::sqrt(n));
    }
  }
}

TEST(UnitPoints, DependOnTheSeedAndOnNothingElse) {
  for (const Sampling sampling : all_samplings) {
    const auto one = points(sampling, 1, 64, 2);
    EXPECT_EQ(one, points(sampling, 1, 64, 2));
    EXPECT_NE(one, points(sampling, 2, 64, 2));
    const UnitPoints unit(sampling, 1, 64, 2);
    std::vector<double> last_first(2);
    unit.at(63, last_first);
    EXPECT_EQ(last_first, one[63]);
  }
}

/// Number of occupied intervals of length 1/n.
std::size_t occupied(const std::vector<std::vector<double>>& all, std::size_t dimension) {
  std::set<std::size_t> intervals;
  for (const auto& point : all)
    intervals.insert(static_cast<std::size_t>(point[dimension] * static_cast<double>(all.size())));
  return intervals.size();
}

TEST(LatinHypercube, HasOnePointInEveryInterval) {
  for (const std::uint64_t n : {1U, 2U, 7U, 100U, 1000U}) {
    const auto all = points(Sampling::latin_hypercube, 3, n, 4);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(occupied(all, k), n) << n;
  }
  EXPECT_LT(occupied(points(Sampling::random, 3, 1000, 1), 0), 700U);  // would fail for random
}

TEST(Sobol, IsANetInBaseTwo) {
  const auto all = points(Sampling::sobol, 5, 256, 2);
  // a digital shift keeps the net: every elementary interval of volume 1/256 ... has about one
  // point; the first 256 points of the sequence without its zero lack one of a full net
  for (int bits = 0; bits <= 8; ++bits) {
    std::set<std::pair<int, int>> boxes;
    for (const auto& point : all)
      boxes.emplace(static_cast<int>(std::ldexp(point[0], bits)),
                    static_cast<int>(std::ldexp(point[1], 8 - bits)));
    EXPECT_GE(boxes.size(), 255U) << bits;
  }
}

TEST(Permutation, VisitsEveryIndexOnce) {
  for (const std::uint64_t n : {1U, 2U, 3U, 5U, 17U, 1000U}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < n; ++i) seen.insert(permuted(i, n, 11, 0));
    EXPECT_EQ(seen.size(), n);
    EXPECT_EQ(*seen.rbegin(), n - 1);
  }
}

TEST(Distribution, InvertsItsDistributionFunction) {
  const Distribution uniform{.kind = Distribution::Kind::uniform, .first = -2.0, .second = 6.0};
  EXPECT_DOUBLE_EQ(uniform.quantile(0.25), 0.0);
  const Distribution log_uniform{
      .kind = Distribution::Kind::log_uniform, .first = 1.0, .second = 100.0};
  EXPECT_NEAR(log_uniform.quantile(0.5), 10.0, 1e-12);
  const Distribution normal{.kind = Distribution::Kind::normal, .first = 3.0, .second = 2.0};
  const boost::math::normal reference(3.0, 2.0);
  for (const double u : {1e-6, 0.1, 0.5, 0.975})
    EXPECT_NEAR(boost::math::cdf(reference, normal.quantile(u)), u, 1e-14);
  const Distribution truncated{
      .kind = Distribution::Kind::normal, .first = 0.0, .second = 1.0, .lower = -1.0, .upper = 0.5};
  const boost::math::normal standard;
  const double below = boost::math::cdf(standard, -1.0), above = boost::math::cdf(standard, 0.5);
  for (const double u : {1e-9, 0.3, 1.0 - 1e-9}) {
    const double x = truncated.quantile(u);
    EXPECT_TRUE(x >= -1.0 && x <= 0.5);
    EXPECT_NEAR(boost::math::cdf(standard, x), below + u * (above - below), 1e-14);
  }
}

TEST(Statistic, MatchesClosedForms) {
  std::vector<double> t, x;
  for (int i = 0; i <= 2000; ++i) {
    t.push_back(i * 1e-3);
    x.push_back(std::sin(M_PI * t.back()) - 0.25);
  }
  const auto value = [&](const char* name) { return find_statistic(name)(t, x); };
  EXPECT_DOUBLE_EQ(value("initial"), -0.25);
  EXPECT_NEAR(value("final"), -0.25, 1e-12);
  EXPECT_NEAR(value("minimum"), -1.25, 1e-12);
  EXPECT_NEAR(value("maximum"), 0.75, 1e-12);
  EXPECT_NEAR(value("range"), 2.0, 1e-12);
  EXPECT_NEAR(value("peak"), 1.25, 1e-12);
  EXPECT_NEAR(value("time_of_peak"), 1.5, 1e-12);
  EXPECT_NEAR(value("mean"), -0.25, 1e-9);
  EXPECT_NEAR(value("integral"), -0.5, 1e-9);
  EXPECT_NEAR(value("rms"), std::sqrt(0.5 + 0.0625), 1e-6);
  EXPECT_NEAR(value("deviation"), std::sqrt(0.5), 1e-6);
  EXPECT_EQ(statistic_names().size(), 11U);
}

TEST(Statistic, PropagatesNan) {
  const std::vector<double> t = {0.0, 1.0, 2.0}, x = {1.0, NAN, 3.0};
  for (const std::string& name : statistic_names()) {
    if (name == "initial" || name == "final") continue;
    EXPECT_TRUE(std::isnan(find_statistic(name)(t, x))) << name;
  }
}

TEST(Pattern, MatchesAnyTextAtAStar) {
  EXPECT_TRUE(matches("tau_*", "tau_joint1"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*_joint1", "tau_joint1"));
  EXPECT_TRUE(matches("t*o*1", "tau_joint1"));
  EXPECT_FALSE(matches("tau_*", "q_joint1"));
  EXPECT_FALSE(matches("tau_joint", "tau_joint1"));
  EXPECT_FALSE(matches("tau_joint1*2", "tau_joint1"));
}

}  // namespace
}  // namespace dynamics::study
