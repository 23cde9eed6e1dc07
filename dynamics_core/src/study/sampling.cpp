// SPDX-License-Identifier: Apache-2.0
#include "study/sampling.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>

#include "study/philox.hpp"

namespace dynamics::study {

struct UnitPoints::Sobol {
  boost::random::sobol_engine<std::uint_least64_t, 64> engine;
  std::vector<std::uint64_t> shift;  ///< digital shift per dimension
};

UnitPoints::UnitPoints(Sampling sampling, std::uint64_t seed, std::uint64_t cases,
                       std::size_t dimensions)
    : sampling_(sampling), seed_(seed), cases_(cases) {
  if (sampling != Sampling::sobol || dimensions == 0) return;
  auto sobol = std::make_unique<Sobol>(
      Sobol{boost::random::sobol_engine<std::uint_least64_t, 64>(dimensions), {}});
  for (std::size_t k = 0; k < dimensions; ++k)
    sobol->shift.push_back(random_bits(seed, 0, static_cast<std::uint32_t>(k), Purpose::shift));
  sobol_ = std::move(sobol);
}

UnitPoints::~UnitPoints() = default;
UnitPoints::UnitPoints(UnitPoints&&) noexcept = default;

void UnitPoints::at(std::uint64_t number, std::span<double> point) const {
  if (sobol_) {
    auto engine = sobol_->engine;
    engine.seed(number);
    for (std::size_t k = 0; k < point.size(); ++k)
      point[k] = unit_number(engine() ^ sobol_->shift[k]);
    return;
  }
  for (std::size_t k = 0; k < point.size(); ++k) {
    const auto parameter = static_cast<std::uint32_t>(k);
    const double u = unit_number(random_bits(seed_, number, parameter, Purpose::value));
    point[k] = u;
    if (sampling_ != Sampling::latin_hypercube) continue;
    const auto stratum = static_cast<double>(permuted(number, cases_, seed_, parameter));
    point[k] = std::clamp((stratum + u) / static_cast<double>(cases_), 0x1p-53, 1.0 - 0x1p-53);
  }
}

std::uint64_t permuted(std::uint64_t index, std::uint64_t size, std::uint64_t seed,
                       std::uint32_t parameter) {
  if (size < 2) return 0;
  const auto half = static_cast<unsigned>((std::bit_width(size - 1) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      const std::uint64_t mixed =
          left ^ (random_bits(seed, right, parameter, Purpose::permutation, round) & mask);
      left = right;
      right = mixed;
    }
    index = left << half | right;
  } while (index >= size);
  return index;
}

double Distribution::quantile(double u) const {
  switch (kind) {
    case Kind::uniform: return first + (second - first) * u;
    case Kind::log_uniform: return first * std::exp(std::log(second / first) * u);
    case Kind::normal: {
      const boost::math::normal standard;
      const auto below = [&](double x) {
        if (std::isinf(x)) return x < 0.0 ? 0.0 : 1.0;
        return boost::math::cdf(standard, (x - first) / second);
      };
      const double from = below(lower), to = below(upper);
      const double p = std::clamp(from + (to - from) * u, 1e-300, 1.0 - 0x1p-53);
      return std::clamp(first + second * boost::math::quantile(standard, p), lower, upper);
    }
    case Kind::list: break;
  }
  return values.front();
}

double Distribution::least() const {
  if (kind == Kind::normal) return lower;
  return is_list() ? *std::min_element(values.begin(), values.end()) : std::min(first, second);
}

double Distribution::most() const {
  if (kind == Kind::normal) return upper;
  return is_list() ? *std::max_element(values.begin(), values.end()) : std::max(first, second);
}

}  // namespace dynamics::study
