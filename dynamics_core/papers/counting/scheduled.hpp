// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scalar that measures dependencies: every value has the longest chain of operations that led to
// it, counted from constants and inputs.
//
//   const Scheduled x = 2.0, y = 3.0;
//   const Scheduled z = x * y + x;   // z.path(): one multiplication, one addition

#include <cmath>
#include <compare>

#include "papers/counting/concurrency.hpp"

namespace dynamics::counting {

class Scheduled {
 public:
  Scheduled() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): mixes with double in expressions
  constexpr Scheduled(double value) : value_(value) {}

  const CriticalPath& path() const { return path_; }

  friend Scheduled operator+(const Scheduled& a, const Scheduled& b) {
    return after(a, b, a.value_ + b.value_, 0, 1);
  }
  friend Scheduled operator-(const Scheduled& a, const Scheduled& b) {
    return after(a, b, a.value_ - b.value_, 0, 1);
  }
  friend Scheduled operator*(const Scheduled& a, const Scheduled& b) {
    return after(a, b, a.value_ * b.value_, 1, 0);
  }
  friend Scheduled operator-(const Scheduled& a) { return after(a, a, -a.value_, 0, 0); }
  friend constexpr bool operator==(const Scheduled& a, const Scheduled& b) {
    return a.value_ == b.value_;
  }
  /// Sines and cosines are inputs, as in the papers' counts.
  friend Scheduled sin(const Scheduled& a) { return after(a, a, std::sin(a.value_), 0, 0); }
  friend Scheduled cos(const Scheduled& a) { return after(a, a, std::cos(a.value_), 0, 0); }

 private:
  static Scheduled after(const Scheduled& a, const Scheduled& b, double value, int multiplications,
                         int additions) {
    Scheduled result(value);
    result.path_ = a.path_.steps() >= b.path_.steps() ? a.path_ : b.path_;
    result.path_.multiplications += multiplications;
    result.path_.additions += additions;
    return result;
  }

  double value_ = 0.0;
  CriticalPath path_;
};

}  // namespace dynamics::counting
