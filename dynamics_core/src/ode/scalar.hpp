// SPDX-License-Identifier: Apache-2.0
//
// Traits and functions of the scalar types of the integrators: the real type of time and errors,
// the magnitude of a value in error norms, and the conversion of published constants.
//
//   const auto c4 = constant<cpp_bin_float_50>("12/13");   // exact to the type's last digit
//   const double size = magnitude(-2.0);                   // 2
//
// Plain reals (float, double, long double, boost::multiprecision) need nothing more. A dual number
// specializes ScalarTraits: `Real` is the type of its value, and `magnitude` decides whether its
// derivatives are included in error control. Time and step size are of type `Real`, so that the
// steps are not themselves differentiated ("internal numerical differentiation", Bock 1981).
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace dynamics::ode {

template <class Scalar>
struct ScalarTraits {
  using Real = Scalar;
  static Real magnitude(const Scalar& x) {
    using std::abs;
    return Real(abs(x));
  }
};

template <class Scalar>
using RealOf = typename ScalarTraits<Scalar>::Real;

/// A state or derivative that is read, and one that is written.
template <class Scalar>
using Input = std::span<const Scalar>;
template <class Scalar>
using Output = std::span<Scalar>;

template <class Scalar>
RealOf<Scalar> magnitude(const Scalar& x) {
  return ScalarTraits<Scalar>::magnitude(x);
}

template <class Real>
Real epsilon() {
  return std::numeric_limits<Real>::epsilon();
}

/// Plain functions on a Real, free of expression templates.
template <class Real>
Real absolute(const Real& x) {
  return x < Real(0) ? Real(-x) : x;
}
template <class Real>
const Real& larger(const Real& a, const Real& b) {
  return a < b ? b : a;
}
template <class Real>
const Real& smaller(const Real& a, const Real& b) {
  return b < a ? b : a;
}
template <class Real>
Real clamped(const Real& x, const Real& low, const Real& high) {
  return larger(low, smaller(high, x));
}
template <class Real>
Real root(const Real& x) {
  using std::sqrt;
  return Real(sqrt(x));
}
template <class Real>
Real power(const Real& x, const Real& exponent) {
  using std::pow;
  return Real(pow(x, exponent));
}
template <class Real>
bool finite(const Real& x) {
  using std::isfinite;
  return isfinite(x);
}

/// A decimal ("0.25", "-8.298e-3") or a ratio of integers ("-8263/15000") as a number, rounded once
/// (decimals) or to the quotient of exact integers (ratios).
template <class Real>
Real constant(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    return Real(constant<Real>(text.substr(0, slash)) / constant<Real>(text.substr(slash + 1)));
  }
  if constexpr (std::is_floating_point_v<Real>) {
    Real value{};
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  } else {
    return Real(std::string(text));
  }
}

/// For messages only: 17 significant digits at most.
template <class Real>
double to_double(const Real& x) {
  return static_cast<double>(x);
}

}  // namespace dynamics::ode
