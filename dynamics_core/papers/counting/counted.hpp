// SPDX-License-Identifier: Apache-2.0
#pragma once

// A scalar that counts its own operations:
//
//   using dynamics::counting::Counted;
//   using dynamics::counting::OperationCounter;
//
//   Counted x = 2.0, y = 3.0;
//   const OperationCounter counter;    // counts the operations of this thread from here on
//   Counted z = 0.5 * x * x + y;       // two multiplications, one addition
//   z = -z / sqrt(y);                  // one negation, one division, one square root
//   counter.count().multiplications;   // 2
//   z.value();                         // the value of the same expression over double
//
// An algorithm that is a template over its scalar, run with Counted, counts the operations that it
// executes with double: every operation of the source, also those with a constant (double times
// Counted) or with a variable that happens to be zero. Construction, copies, comparisons and
// absolute values are not counted. There is one counter per thread.

#include <Eigen/Core>
#include <cmath>
#include <compare>
#include <string>

#include "papers/counting/line_counter.hpp"
#include "papers/counting/operation_count.hpp"

namespace dynamics::counting {

namespace detail {
/// All operations that this thread has counted so far.
inline OperationCount& counted_so_far() {
  thread_local OperationCount counts;
  return counts;
}
}  // namespace detail

class Counted {
 public:
  Counted() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): mixes with double in expressions
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

/// Counts the operations of this thread since its construction. Counters may be nested.
class OperationCounter {
 public:
  OperationCounter() : before_(detail::counted_so_far()) {}
  OperationCount count() const { return detail::counted_so_far() - before_; }

 private:
  OperationCount before_;
};

/// Counts by the lines of a paper's table: operations after start_line("f_i") belong to the line
/// "f_i" until the next start_line() or reset(). One per thread.
template <>
struct LineCounter<Counted> {
  static void start_line(const char* name) {
    State& state = current();
    finish_line(state);
    state.name = name;
  }
  static void reset() { current() = State{{}, "", detail::counted_so_far()}; }
  /// Operations before the first start_line() have the name "".
  static CountsByLine lines() {
    finish_line(current());
    return current().lines;
  }

 private:
  struct State {
    CountsByLine lines;
    std::string name;
    OperationCount before;
  };
  static State& current() {
    thread_local State state;
    return state;
  }
  /// Adds the operations since the last call to the current line.
  static void finish_line(State& state) {
    const OperationCount now = detail::counted_so_far();
    OperationCount& line = state.lines[state.name];
    line = line + (now - state.before);
    state.before = now;
  }
};

}  // namespace dynamics::counting

namespace Eigen {

/// As for double, so that Eigen chooses the same algorithms.
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
