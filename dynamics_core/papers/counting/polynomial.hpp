// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operation counts as the papers print them: polynomials of degree at most 3 in the number of links
// with rational coefficients and integer values:
//
//   Polynomial::linear(93, -69)(6);                     // 489
//   Polynomial::sixths({1, 69, 230, -282}).text();      // "1/6 n^3 + 23/2 n^2 + 115/3 n - 47"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dynamics::counting {

/// (c3 n^3 + c2 n^2 + c1 n + c0) / 6
class Polynomial {
 public:
  constexpr Polynomial() = default;
  /// c1 n + c0
  static constexpr Polynomial linear(std::int64_t c1, std::int64_t c0) {
    return sixths({0, 0, 6 * c1, 6 * c0});
  }
  /// From 6 times the coefficients, highest power first.
  static constexpr Polynomial sixths(std::array<std::int64_t, 4> coefficients) {
    Polynomial p;
    p.sixths_ = coefficients;
    return p;
  }
  /// The polynomial with p(first + k) = values[k] for all k; std::nullopt if there is none or if
  /// fewer than four values are given.
  static std::optional<Polynomial> through(std::span<const std::int64_t> values,
                                           std::int64_t first);

  constexpr std::int64_t operator()(std::int64_t n) const {
    return (((sixths_[0] * n + sixths_[1]) * n + sixths_[2]) * n + sixths_[3]) / 6;
  }
  /// "1/6 n^3 + 23/2 n^2 + 115/3 n - 47"
  std::string text() const;

  friend constexpr bool operator==(const Polynomial&, const Polynomial&) = default;
  friend constexpr Polynomial operator+(const Polynomial& a, const Polynomial& b) {
    Polynomial sum;
    for (std::size_t i = 0; i < 4; ++i) sum.sixths_[i] = a.sixths_[i] + b.sixths_[i];
    return sum;
  }
  friend constexpr Polynomial operator-(const Polynomial& a, const Polynomial& b) {
    Polynomial difference;
    for (std::size_t i = 0; i < 4; ++i) difference.sixths_[i] = a.sixths_[i] - b.sixths_[i];
    return difference;
  }

 private:
  std::array<std::int64_t, 4> sixths_{};
};

}  // namespace dynamics::counting
