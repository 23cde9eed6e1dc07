// SPDX-License-Identifier: Apache-2.0
#include "papers/wide/double_double.hpp"

#include <array>
#include <cstddef>

#include "dynamics_core/error.hpp"

namespace dynamics {
namespace {

constexpr std::size_t terms = 16;  // (pi/4)^33/33! is below 1e-40

/// Coefficients +-1/n! of the series of sin (first = 1) or cos (first = 0).
std::array<DoubleDouble, terms> series(int first) {
  std::array<DoubleDouble, terms> coefficients;
  DoubleDouble factorial(1.0);
  int n = 1;
  for (std::size_t k = 0; k < terms; ++k) {
    for (; n <= first + 2 * static_cast<int>(k); ++n) factorial *= DoubleDouble(n);
    coefficients[k] = DoubleDouble(k % 2 == 0 ? 1.0 : -1.0) / factorial;
  }
  return coefficients;
}

DoubleDouble polynomial(const std::array<DoubleDouble, terms>& c, const DoubleDouble& x) {
  DoubleDouble value = c[terms - 1];
  for (std::size_t k = terms - 1; k-- > 0;) value = value * x + c[k];
  return value;
}

DoubleDouble small_sin(const DoubleDouble& x) {
  static const auto coefficients = series(1);
  return x * polynomial(coefficients, x * x);
}
DoubleDouble small_cos(const DoubleDouble& x) {
  static const auto coefficients = series(0);
  return polynomial(coefficients, x * x);
}

/// x minus the nearest multiple of pi/2, and the multiple modulo 4.
struct Reduced {
  DoubleDouble rest;
  int quadrant;
};
Reduced reduce(const DoubleDouble& x) {
  // pi/2 as a sum of three doubles; relative error 1e-48
  constexpr double parts[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110};
  const double multiple = std::nearbyint(x.high / parts[0]);
  DoubleDouble rest = x;
  for (const double part : parts) rest -= DoubleDouble::product(multiple, part);
  const double quadrant = multiple - 4.0 * std::floor(multiple / 4.0);
  return {rest, static_cast<int>(quadrant)};
}

}  // namespace

DoubleDouble::DoubleDouble(const std::string& decimal) {
  std::size_t at = 0;
  const bool negative = !decimal.empty() && decimal[0] == '-';
  if (!decimal.empty() && (negative || decimal[0] == '+')) ++at;
  DoubleDouble value;
  int exponent = 0;
  bool point = false, any = false;
  for (; at < decimal.size() && (decimal[at] == '.' || (decimal[at] >= '0' && decimal[at] <= '9'));
       ++at) {
    if (decimal[at] == '.') {
      point = true;
      continue;
    }
    any = true;
    value = value * DoubleDouble(10.0) + DoubleDouble(decimal[at] - '0');
    if (point) --exponent;
  }
  if (at < decimal.size() && (decimal[at] == 'e' || decimal[at] == 'E')) {
    exponent += std::stoi(decimal.substr(at + 1));
    at = decimal.size();
  }
  if (!any || at != decimal.size())
    throw ArgumentError("'" + decimal + "' is not a decimal number");
  DoubleDouble scale(1.0);
  for (int i = 0; i < std::abs(exponent); ++i) scale *= DoubleDouble(10.0);
  value = exponent < 0 ? value / scale : value * scale;
  *this = negative ? -value : value;
}

DoubleDouble sqrt(const DoubleDouble& x) {
  if (!(x.high > 0.0) || !std::isfinite(x.high)) return {std::sqrt(x.high)};
  // one Newton step from the root in double (Karp and Markstein 1997)
  const double inverse = 1.0 / std::sqrt(x.high), root = x.high * inverse;
  const DoubleDouble rest = x - DoubleDouble::product(root, root);
  return DoubleDouble::sum(root, rest.high * (0.5 * inverse));
}

DoubleDouble sin(const DoubleDouble& x) {
  const Reduced r = reduce(x);
  const DoubleDouble value = r.quadrant % 2 == 0 ? small_sin(r.rest) : small_cos(r.rest);
  return r.quadrant < 2 ? value : -value;
}

DoubleDouble cos(const DoubleDouble& x) {
  const Reduced r = reduce(x);
  const DoubleDouble value = r.quadrant % 2 == 0 ? small_cos(r.rest) : small_sin(r.rest);
  return r.quadrant == 0 || r.quadrant == 3 ? value : -value;
}

}  // namespace dynamics
