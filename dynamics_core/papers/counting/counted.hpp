// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scalar that counts its own operations:
//
//   using dynamics::counting::Counted;
//   using dynamics::counting::Tally;
//
//   Counted x = 2.0, y = 3.0;
//   const Tally tally;                 // from here on, in this thread
//   Counted z = 0.5 * x * x + y;       // two multiplications, one addition
//   z = -z / sqrt(y);                  // a change of sign, a division, a square root
//   tally.counts().multiplications;    // 2
//   z.value();                         // as the same expression of doubles gives
//
// An algorithm written over a scalar, run with this one, says what it executes with doubles: every
// operation of the source on a value, also those with a constant (double times Counted) or with a
// zero that happens to stand in a variable. Making, copying, comparing and taking the absolute
// value do not count. Counters are one a thread, so that counting runs beside other work.

#include <Eigen/Core>
#include <cmath>
#include <compare>
#include <string>

#include "papers/counting/counts.hpp"
#include "papers/counting/ledger.hpp"

namespace dynamics::counting {

namespace detail {
/// All that this thread has counted so far.
inline Counts& counted_so_far() {
  thread_local Counts counts;
  return counts;
}
}  // namespace detail

class Counted {
 public:
  Counted() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): doubles mix with it as with each other
  constexpr Counted(double value) : value_(value) {}

  constexpr double value() const { return value_; }
  constexpr explicit operator double() const { return value_; }

  friend Counted operator+(const Counted& a, const Counted& b) {
    ++detail::counted_so_far().additions;
    return {a.value_ + b.value_};
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    ++detail::counted_so_far().additions;
    return {a.value_ - b.value_};
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    ++detail::counted_so_far().multiplications;
    return {a.value_ * b.value_};
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    ++detail::counted_so_far().divisions;
    return {a.value_ / b.value_};
  }
  friend Counted operator-(const Counted& a) {
    ++detail::counted_so_far().negations;
    return {-a.value_};
  }
  friend Counted operator+(const Counted& a) { return a; }
  Counted& operator+=(const Counted& b) { return *this = *this + b; }
  Counted& operator-=(const Counted& b) { return *this = *this - b; }
  Counted& operator*=(const Counted& b) { return *this = *this * b; }
  Counted& operator/=(const Counted& b) { return *this = *this / b; }

  friend constexpr bool operator==(const Counted& a, const Counted& b) = default;
  friend constexpr std::partial_ordering operator<=>(const Counted& a, const Counted& b) = default;

  friend Counted sqrt(const Counted& a) {
    ++detail::counted_so_far().square_roots;
    return {std::sqrt(a.value_)};
  }
  friend Counted sin(const Counted& a) {
    ++detail::counted_so_far().sines;
    return {std::sin(a.value_)};
  }
  friend Counted cos(const Counted& a) {
    ++detail::counted_so_far().cosines;
    return {std::cos(a.value_)};
  }
  friend Counted abs(const Counted& a) { return {std::abs(a.value_)}; }
  friend Counted fabs(const Counted& a) { return {std::abs(a.value_)}; }
  friend bool isfinite(const Counted& a) { return std::isfinite(a.value_); }
  friend bool isnan(const Counted& a) { return std::isnan(a.value_); }

 private:
  double value_;
};

/// What has been counted in this thread since it was made; tallies may nest.
class Tally {
 public:
  Tally() : before_(detail::counted_so_far()) {}
  Counts counts() const { return detail::counted_so_far() - before_; }

 private:
  Counts before_;
};

/// The counting scalar's lines: what an algorithm executes after line("f_i") is f_i's, until the
/// next line, the next start(), or the end.
template <>
struct Ledger<Counted> {
  static void line(const char* name) {
    State& state = current();
    book(state);
    state.name = name;
  }
  static void start() { current() = State{{}, "", detail::counted_so_far()}; }
  /// What came before any line has the name "".
  static Lines lines() {
    book(current());
    return current().lines;
  }

 private:
  struct State {
    Lines lines;
    std::string name;
    Counts before;
  };
  static State& current() {
    thread_local State state;
    return state;
  }
  static void book(State& state) {
    const Counts now = detail::counted_so_far();
    Counts& line = state.lines[state.name];
    line = line + (now - state.before);
    state.before = now;
  }
};

}  // namespace dynamics::counting

namespace Eigen {

/// As for double, so that Eigen takes the same paths.
template <>
struct NumTraits<dynamics::counting::Counted> : NumTraits<double> {
  using Real = dynamics::counting::Counted;
  using NonInteger = dynamics::counting::Counted;
  using Nested = dynamics::counting::Counted;
  using Literal = double;
};

template <class Operation>
struct ScalarBinaryOpTraits<dynamics::counting::Counted, double, Operation> {
  using ReturnType = dynamics::counting::Counted;
};
template <class Operation>
struct ScalarBinaryOpTraits<double, dynamics::counting::Counted, Operation> {
  using ReturnType = dynamics::counting::Counted;
};

}  // namespace Eigen
