// SPDX-License-Identifier: Apache-2.0
#pragma once

// Single precision as a scalar of the formulations:
//
//   const Single x = 0.1;        // rounded to 24 bits
//   const Single y = 2.0 * x;    // constants of a model are double: rounded first
//
// Every operation is one operation of float. float itself does not serve: double times float is a
// double.

#include <Eigen/Core>
#include <cmath>
#include <compare>

namespace dynamics {

class Single {
 public:
  Single() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): mixes with double in expressions
  constexpr Single(double value) : value_(static_cast<float>(value)) {}

  constexpr explicit operator double() const { return value_; }

  friend Single operator+(const Single& a, const Single& b) { return from(a.value_ + b.value_); }
  friend Single operator-(const Single& a, const Single& b) { return from(a.value_ - b.value_); }
  friend Single operator*(const Single& a, const Single& b) { return from(a.value_ * b.value_); }
  friend Single operator/(const Single& a, const Single& b) { return from(a.value_ / b.value_); }
  friend Single operator-(const Single& a) { return from(-a.value_); }
  Single& operator+=(const Single& b) { return *this = *this + b; }
  Single& operator-=(const Single& b) { return *this = *this - b; }
  Single& operator*=(const Single& b) { return *this = *this * b; }
  Single& operator/=(const Single& b) { return *this = *this / b; }

  friend constexpr bool operator==(const Single& a, const Single& b) = default;
  friend constexpr std::partial_ordering operator<=>(const Single& a, const Single& b) = default;

  friend Single sqrt(const Single& a) { return from(std::sqrt(a.value_)); }
  friend Single sin(const Single& a) { return from(std::sin(a.value_)); }
  friend Single cos(const Single& a) { return from(std::cos(a.value_)); }
  friend Single abs(const Single& a) { return from(std::abs(a.value_)); }

 private:
  static Single from(float value) {
    Single result;
    result.value_ = value;
    return result;
  }
  float value_;
};

}  // namespace dynamics

namespace Eigen {

template <>
struct NumTraits<dynamics::Single> : NumTraits<float> {
  using Real = dynamics::Single;
  using NonInteger = dynamics::Single;
  using Nested = dynamics::Single;
  using Literal = double;
};

template <class Operation>
struct ScalarBinaryOpTraits<dynamics::Single, double, Operation> {
  using ReturnType = dynamics::Single;
};
template <class Operation>
struct ScalarBinaryOpTraits<double, dynamics::Single, Operation> {
  using ReturnType = dynamics::Single;
};

}  // namespace Eigen
