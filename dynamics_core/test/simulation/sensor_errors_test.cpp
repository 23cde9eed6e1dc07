// SPDX-License-Identifier: Apache-2.0
// Bias, noise, rate, delay and drop-outs of sensors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "dynamics_core/sensors.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics::test {
namespace {

constexpr std::int64_t ms = 1'000'000;

double read(SensorErrorModel& model, std::int64_t time, double value) {
  model.read(time, {&value, 1});
  return value;
}

SensorErrorModel one(const SensorErrors& errors) { return {errors, 1, ms}; }

TEST(SensorErrorModel, WithoutErrorsIsTheValue) {
  SensorErrorModel model = one({});
  EXPECT_FALSE(model.errors().any());
  for (int k = 0; k < 5; ++k) EXPECT_EQ(read(model, k * ms, 0.1 * k), 0.1 * k);
}

TEST(SensorErrorModel, RateHoldsTheLastSample) {
  SensorErrorModel model = one({.rate = 250.0});  // 4 ms
  const std::vector<double> expected = {0, 0, 0, 0, 4, 4, 4, 4, 8};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(read(model, static_cast<std::int64_t>(k) * ms, static_cast<double>(k)), expected[k])
        << k;
  }
  EXPECT_EQ(read(model, 23 * ms, 23.0), 23.0) << "late: at the next call";
  EXPECT_EQ(read(model, 24 * ms, 24.0), 24.0) << "the times of the samples do not shift";
}

TEST(SensorErrorModel, DelayShowsEarlierValues) {
  SensorErrorModel model = one({.delay = 0.003});
  for (int k = 0; k < 20; ++k)
    EXPECT_EQ(read(model, k * ms, 1.0 * k), std::max(0.0, 1.0 * k - 3.0)) << k;
  model.reset();
  EXPECT_EQ(read(model, 0, 7.0), 7.0) << "the first one at once";
  EXPECT_EQ(read(model, ms, 8.0), 7.0);
  SensorErrorModel both = one({.rate = 500.0, .delay = 0.005});
  const std::vector<double> expected = {0, 0, 0, 0, 0, 0, 0, 2, 2, 4, 4, 6};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(read(both, static_cast<std::int64_t>(k) * ms, static_cast<double>(k)), expected[k])
        << k;
  }
}

TEST(SensorErrorModel, NoiseHasItsDeviationAndSeed) {
  const SensorErrors errors = {.seed = 7, .noise = {0.5, 2.0}, .bias = {1.0, -3.0}};
  SensorErrorModel model(errors, 2, ms), again(errors, 2, ms);
  SensorErrors other = errors;
  other.seed = 8;
  SensorErrorModel different(other, 2, ms);
  constexpr int count = 20000;
  double sums[2] = {}, squares[2] = {}, product = 0.0;
  int equal = 0;
  for (int k = 0; k < count; ++k) {
    double x[2] = {}, y[2] = {}, z[2] = {};
    model.read(k * ms, x);
    again.read(k * ms, y);
    different.read(k * ms, z);
    ASSERT_EQ(x[0], y[0]);
    ASSERT_EQ(x[1], y[1]);
    equal += x[0] == z[0] ? 1 : 0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double noise = x[i] - errors.bias[i];
      sums[i] += noise / count;
      squares[i] += noise * noise / count;
    }
    product += (x[0] - 1.0) * (x[1] + 3.0) / count;
  }
  EXPECT_EQ(equal, 0);
  for (std::size_t i = 0; i < 2; ++i) {  // within five standard errors
    EXPECT_NEAR(sums[i], 0.0, 5.0 * errors.noise[i] / std::sqrt(count));
    EXPECT_NEAR(std::sqrt(squares[i]), errors.noise[i],
                5.0 * errors.noise[i] / std::sqrt(2 * count));
  }
  EXPECT_NEAR(product, 0.0, 5.0 / std::sqrt(count)) << "the channels are independent";
}

TEST(SensorErrorModel, DropoutKeepsTheReadingBefore) {
  SensorErrorModel model = one({.dropout = 0.3, .seed = 3});
  constexpr int count = 20000;
  int lost = 0;
  double last = -1.0;
  for (int k = 0; k < count; ++k) {
    const double reading = read(model, k * ms, k);
    if (reading != k) {
      ++lost;
      ASSERT_EQ(reading, last);
    }
    last = reading;
  }
  EXPECT_NEAR(lost, 0.3 * count, 5.0 * std::sqrt(0.21 * count));
  SensorErrorModel never = one({.dropout = 1.0});
  EXPECT_EQ(read(never, 0, 5.0), 5.0) << "the first sample is not lost";
  EXPECT_EQ(read(never, ms, 6.0), 5.0);
}

TEST(SensorErrorModel, RefusesInvalidErrors) {
  EXPECT_THROW(one({.rate = -1.0}), ArgumentError);
  EXPECT_THROW(one({.delay = std::numeric_limits<double>::quiet_NaN()}), ArgumentError);
  EXPECT_THROW(one({.delay = 1000.0}), ArgumentError) << "a million samples";
  EXPECT_NO_THROW(one({.rate = 1.0, .delay = 1000.0}));
  EXPECT_THROW(one({.dropout = 1.5}), ArgumentError);
  EXPECT_THROW(one({.noise = {-1.0}}), ArgumentError);
  EXPECT_THROW(one({.noise = {1.0, 1.0}}), ArgumentError);
  EXPECT_THROW(one({.bias = {std::numeric_limits<double>::infinity()}}), ArgumentError);
}

TEST(SensorErrorModel, DoesNotAllocate) {
  SensorErrorModel model(
      {.rate = 300.0, .delay = 0.01, .dropout = 0.1, .noise = {1.0}, .bias = {1.0}}, 1, ms);
  if (!allocation_counter::available()) GTEST_SKIP() << "the sanitizer has its own heap";
  allocation_counter::start();
  for (int k = 0; k < 1000; ++k) read(model, k * ms / 2, k);
  EXPECT_EQ(allocation_counter::stop(), 0U);
}

}  // namespace
}  // namespace dynamics::test
