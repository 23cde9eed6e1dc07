// SPDX-License-Identifier: Apache-2.0
#pragma once

// DoubleDouble: a number of about 32 digits, the unevaluated sum of two doubles, high and low, with
// |low| <= ulp(high)/2 (Dekker, Numerische Mathematik 18, 1971; Hida, Li and Bailey, Arithmetic 15,
// 2001). The range is that of double. Requires IEEE arithmetic: no -ffast-math.
//
//   const DoubleDouble third = DoubleDouble(1.0) / 3.0;
//   const double error = static_cast<double>(third * 3.0 - 1.0);   // below 1e-31
//
// Operations: + - * /, comparison, sqrt, sin, cos, as the recursions and integrators need them. pow
// and log10 have the precision of double (they choose steps and orders).

#include <cmath>
#include <limits>
#include <string>

#include "spatial/pi.hpp"

namespace dynamics {

struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  DoubleDouble() = default;
  DoubleDouble(double x) : high(x) {}                    // NOLINT: implicit like int to double
  DoubleDouble(int x) : high(x) {}                       // NOLINT: implicit like int to double
  DoubleDouble(double a, double b) : high(a), low(b) {}  ///< requires |b| <= ulp(a)/2
  explicit DoubleDouble(const std::string& decimal);  ///< parses "-1.25e-3" with 32 digits; throws
                                                      ///< ArgumentError
  explicit operator double() const { return high + low; }

  /// Exact a + b for |a| >= |b|.
  static DoubleDouble ordered_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  /// Exact a + b.
  static DoubleDouble sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  /// Exact a * b.
  static DoubleDouble product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
  }

  friend DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
  friend DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    DoubleDouble s = sum(a.high, b.high);
    const DoubleDouble t = sum(a.low, b.low);
    s = ordered_sum(s.high, s.low + t.high);
    return ordered_sum(s.high, s.low + t.low);
  }
  friend DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + (-b); }
  friend DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble p = product(a.high, b.high);
    return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
  }
  friend DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    DoubleDouble rest = a - b * DoubleDouble(first);
    const double second = rest.high / b.high;
    rest = rest - b * DoubleDouble(second);
    return ordered_sum(first, second) + DoubleDouble(rest.high / b.high);
  }
  DoubleDouble& operator+=(const DoubleDouble& b) { return *this = *this + b; }
  DoubleDouble& operator-=(const DoubleDouble& b) { return *this = *this - b; }
  DoubleDouble& operator*=(const DoubleDouble& b) { return *this = *this * b; }
  DoubleDouble& operator/=(const DoubleDouble& b) { return *this = *this / b; }

  friend bool operator==(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high == b.high && a.low == b.low;
  }
  friend bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
  friend bool operator<=(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
  }
  friend bool operator>=(const DoubleDouble& a, const DoubleDouble& b) { return b <= a; }
};

inline bool isfinite(const DoubleDouble& x) { return std::isfinite(x.high); }
inline DoubleDouble abs(const DoubleDouble& x) { return x.high < 0.0 ? -x : x; }
DoubleDouble sqrt(const DoubleDouble& x);
DoubleDouble sin(const DoubleDouble& x);  ///< absolute error about 1e-32 for |x| <= 1e9
DoubleDouble cos(const DoubleDouble& x);
inline DoubleDouble pow(const DoubleDouble& x, const DoubleDouble& y) {
  return {std::pow(static_cast<double>(x), static_cast<double>(y))};
}

inline DoubleDouble log10(const DoubleDouble& x) { return {std::log10(static_cast<double>(x))}; }

template <>
inline DoubleDouble pi_of<DoubleDouble>() {
  return {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
}

}  // namespace dynamics

template <>
class std::numeric_limits<dynamics::DoubleDouble> {
 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int radix = 2;
  static constexpr int digits = 104;
  static constexpr int digits10 = 31;
  static constexpr int max_digits10 = 33;
  static dynamics::DoubleDouble epsilon() { return {0x1p-104}; }
  static dynamics::DoubleDouble min() {
    return {0x1p-969};
  }  ///< smallest number whose low part is normal
  static dynamics::DoubleDouble max() { return {std::numeric_limits<double>::max()}; }
  static dynamics::DoubleDouble lowest() { return {std::numeric_limits<double>::lowest()}; }
  static dynamics::DoubleDouble infinity() { return {std::numeric_limits<double>::infinity()}; }
  // NOLINTNEXTLINE(readability-identifier-naming): the standard's name
  static dynamics::DoubleDouble quiet_NaN() { return {std::numeric_limits<double>::quiet_NaN()}; }
};
