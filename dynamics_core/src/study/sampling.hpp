// SPDX-License-Identifier: Apache-2.0
#pragma once

// Points in the unit cube, one per case, and the distributions that they are mapped to.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dynamics::study {

enum class Sampling { random, sobol, latin_hypercube };

/// Points in (0, 1)^dimensions by case number.
class UnitPoints {
 public:
  static constexpr std::size_t max_sobol_dimensions = 3667;  ///< of boost::random::sobol

  /// `cases`: number of points, for the strata of the Latin hypercube.
  UnitPoints(Sampling sampling, std::uint64_t seed, std::uint64_t cases, std::size_t dimensions);
  ~UnitPoints();
  UnitPoints(UnitPoints&&) noexcept;
  UnitPoints(const UnitPoints&) = delete;
  UnitPoints& operator=(const UnitPoints&) = delete;
  UnitPoints& operator=(UnitPoints&&) = delete;

  void at(std::uint64_t number, std::span<double> point) const;

 private:
  struct Sobol;
  Sampling sampling_;
  std::uint64_t seed_, cases_;
  std::unique_ptr<const Sobol> sobol_;
};

/// Entry `index` of a random permutation of 0 ... size - 1, without a table: a Feistel network on
/// the next even number of bits, repeated while the result is out of range (Black and Rogaway,
/// "Ciphers with arbitrary finite domains", 2002).
std::uint64_t permuted(std::uint64_t index, std::uint64_t size, std::uint64_t seed,
                       std::uint32_t parameter);

/// How the values of a parameter are distributed.
struct Distribution {
  enum class Kind { list, uniform, log_uniform, normal };
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  Kind kind = Kind::list;
  std::vector<double> values = {};   ///< of a list
  double first = 0.0, second = 0.0;  ///< bounds, or mean and standard deviation
  double lower = -infinite,
         upper = infinite;  ///< of a truncated normal distribution; infinite if it is not

  bool is_list() const { return kind == Kind::list; }
  /// The quantile of u in (0, 1).
  double quantile(double u) const;
  /// The least and the largest possible value; infinite for a normal distribution.
  double least() const;
  double most() const;
};

}  // namespace dynamics::study
