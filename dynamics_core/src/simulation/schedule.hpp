// SPDX-License-Identifier: Apache-2.0
#pragma once

// Schedule: times known in advance at which an input jumps, with what happens there.
//
// Functions of time are evaluated at before(next(), t): within the interval between two such times,
// so that a step that ends at a jump uses the value before the jump, and the next step the value
// after it.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dynamics {

class Schedule {
 public:
  using Action = std::function<void(double t, std::span<double> y)>;

  /// Times within this of each other, relative to the larger of t and 1 s, are the same.
  static constexpr double resolution = 1e-12;

  /// Adds a time; times at or before the start or not before the end are ignored.
  void add(double t, double end, Action action = {}) {
    if (!(t > 0.0 && t < end)) return;
    entries_.push_back({t, std::move(action)});
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.t < b.t; });
  }

  /// The first time that has not been passed; infinity if there is none.
  double next() const {
    return passed_ < entries_.size() ? entries_[passed_].t
                                     : std::numeric_limits<double>::infinity();
  }

  /// Performs what is due at t.
  void pass(double t, std::span<double> y) {
    const double tolerance = resolution * std::max(1.0, t);
    for (; passed_ < entries_.size() && entries_[passed_].t <= t + tolerance; ++passed_) {
      if (entries_[passed_].action) entries_[passed_].action(t, y);
    }
  }

 private:
  struct Entry {
    double t;
    Action action;
  };
  std::vector<Entry> entries_;  ///< in order of time
  std::size_t passed_ = 0;
};

/// t, or the last time before `limit` where t has reached it.
inline double before(double limit, double t) {
  return t < limit ? t : std::nextafter(limit, -std::numeric_limits<double>::infinity());
}

}  // namespace dynamics
