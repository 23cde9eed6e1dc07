// SPDX-License-Identifier: Apache-2.0
#include "papers/counting/polynomial.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>

namespace dynamics::counting {

std::optional<Polynomial> Polynomial::through(std::span<const std::int64_t> values,
                                              std::int64_t first) {
  if (values.size() < 4) return std::nullopt;
  // Newton's forward differences: v0 + d1 x + d2 x(x-1)/2 + d3 x(x-1)(x-2)/6, x = n - first
  const std::int64_t d1 = values[1] - values[0], d2 = values[2] - 2 * values[1] + values[0];
  const std::int64_t d3 = values[3] - 3 * values[2] + 3 * values[1] - values[0];
  // coefficients in x, times 6
  const std::int64_t x3 = d3, x2 = 3 * d2 - 3 * d3, x1 = 6 * d1 - 3 * d2 + 2 * d3,
                     x0 = 6 * values[0];
  const std::int64_t m = -first;
  const Polynomial p = sixths({x3, x2 + 3 * m * x3, x1 + 2 * m * x2 + 3 * m * m * x3,
                               x0 + m * x1 + m * m * x2 + m * m * m * x3});
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (p(first + static_cast<std::int64_t>(k)) != values[k]) return std::nullopt;
  }
  return p;
}

std::string Polynomial::text() const {
  static constexpr std::array<const char*, 4> powers = {"n^3", "n^2", "n", ""};
  std::string result;
  for (std::size_t i = 0; i < 4; ++i) {
    if (sixths_[i] == 0) continue;
    const std::int64_t size = std::abs(sixths_[i]), divisor = std::gcd(size, std::int64_t{6});
    const std::int64_t over = 6 / divisor;
    std::string term =
        over == 1 ? fmt::format("{}", size / 6) : fmt::format("{}/{}", size / divisor, over);
    if (i < 3) {
      if (size == 6) term.clear();
      if (size != 6 && (i < 2 || over > 1)) term += ' ';
      term += powers[i];
    }
    const bool negative = sixths_[i] < 0;
    if (result.empty()) {
      result = (negative ? "-" : "") + term;
    } else {
      result += (negative ? " - " : " + ") + term;
    }
  }
  return result.empty() ? "0" : result;
}

}  // namespace dynamics::counting
