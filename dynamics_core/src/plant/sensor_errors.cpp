// SPDX-License-Identifier: Apache-2.0
// Bias, noise, rate, delay and drop-outs of sensors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "dynamics_core/sensors.hpp"

namespace dynamics {
namespace {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014) as a hash.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// A number in (0, 1).
double uniform(std::uint64_t seed, std::uint64_t sample, std::uint64_t draw) {
  const std::uint64_t bits = mixed(mixed(mixed(seed) ^ sample) ^ draw);
  return (static_cast<double>(bits >> 12U) + 0.5) / 4503599627370496.0;  // 2^52
}

/// Standard normal (Box and Muller).
double normal(std::uint64_t seed, std::uint64_t sample, std::uint64_t channel) {
  const double radius = std::sqrt(-2.0 * std::log(uniform(seed, sample, 2 * channel + 1)));
  return radius * std::cos(2.0 * std::numbers::pi * uniform(seed, sample, 2 * channel + 2));
}

void require(bool valid, const char* name, double value, const char* required) {
  if (!valid) throw ArgumentError(fmt::format("{} is {}: must be {}", name, value, required));
}

}  // namespace

bool SensorErrors::any() const {
  const auto is_set = [](double x) { return x != 0.0; };
  return rate > 0.0 || delay > 0.0 || dropout > 0.0 ||
         std::any_of(noise.begin(), noise.end(), is_set) ||
         std::any_of(bias.begin(), bias.end(), is_set);
}

SensorErrorModel::SensorErrorModel(SensorErrors errors, std::size_t channels, std::int64_t period)
    : errors_(std::move(errors)), channels_(channels), last_(channels, 0.0) {
  constexpr double limit = 1e9;
  const auto at_least_zero = [](double x) { return x >= 0.0 && x <= limit; };
  require(at_least_zero(errors_.rate), "rate", errors_.rate, "from 0 to 1e9 Hz");
  require(at_least_zero(errors_.delay), "delay", errors_.delay, "from 0 to 1e9 s");
  require(errors_.dropout >= 0.0 && errors_.dropout <= 1.0, "dropout", errors_.dropout,
          "a probability from 0 to 1");
  require(period > 0, "period", static_cast<double>(period), "greater than zero");
  for (const auto& [name, values] : {std::pair{"noise", &errors_.noise}, {"bias", &errors_.bias}}) {
    if (!values->empty() && values->size() != channels) {
      throw ArgumentError(
          fmt::format("{} has {} entries: {} or 0 are required", name, values->size(), channels));
    }
    for (const double value : *values) {
      require(std::isfinite(value) && (values == &errors_.bias || value >= 0.0), name, value,
              values == &errors_.bias ? "finite" : "finite and at least 0");
    }
  }
  if (errors_.rate > 0.0) sample_period_ = std::llround(1e9 / errors_.rate);
  delay_ = std::llround(1e9 * errors_.delay);
  if (delay_ == 0) return;
  const std::int64_t samples = delay_ / std::max(period, sample_period_) + 2;
  require(samples <= 100000, "delay", errors_.delay, "at most 100000 samples");
  capacity_ = static_cast<std::size_t>(samples);
  waiting_.assign(capacity_ * channels, 0.0);
  due_.assign(capacity_, 0);
}

void SensorErrorModel::reset() {
  started_ = false;
  first_ = count_ = 0;
  number_ = 0;
}

/// Takes a sample. Without a delay it is the reading, otherwise it waits.
void SensorErrorModel::sample(std::int64_t time, std::span<const double> values) noexcept {
  const std::uint64_t number = number_++;
  const bool at_once = delay_ == 0 || !started_;
  if (started_ && errors_.dropout > 0.0 && uniform(errors_.seed, number, 0) < errors_.dropout)
    return;
  if (!at_once && count_ == capacity_) {  // calls closer than announced: the oldest is lost
    first_ = (first_ + 1) % capacity_;
    --count_;
  }
  const std::size_t slot = at_once ? 0 : (first_ + count_) % capacity_;
  double* const to = at_once ? last_.data() : &waiting_[slot * channels_];
  for (std::size_t i = 0; i < channels_; ++i) {
    to[i] = values[i];
    if (!errors_.bias.empty()) to[i] += errors_.bias[i];
    if (!errors_.noise.empty() && errors_.noise[i] > 0.0)
      to[i] += errors_.noise[i] * normal(errors_.seed, number, i);
  }
  if (at_once) return;
  due_[slot] = time + delay_;
  ++count_;
}

void SensorErrorModel::read(std::int64_t time, std::span<double> values) noexcept {
  if (!started_ || sample_period_ == 0 || time >= next_sample_) {
    sample(time, values);
    if (!started_) next_sample_ = time;
    started_ = true;
    if (sample_period_ > 0)
      next_sample_ += ((time - next_sample_) / sample_period_ + 1) * sample_period_;
  }
  for (; count_ > 0 && due_[first_] <= time; --count_, first_ = (first_ + 1) % capacity_)
    std::copy_n(&waiting_[first_ * channels_], channels_, last_.data());
  std::copy(last_.begin(), last_.end(), values.begin());
}

}  // namespace dynamics
