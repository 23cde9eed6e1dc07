// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes numbers with as many decimals as a step needs.
//
//   Decimals(0.002).append(out, 1.23456);   // "1.235"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dynamics::meshes {

class Decimals {
 public:
  /// The last decimal is at most `step`; 0: the shortest text that is read as the same number.
  explicit Decimals(double step)
      : exact_(!(step > 0.0)),
        digits_(exact_ ? 0
                       : static_cast<int>(std::clamp(-std::floor(std::log10(step)), 0.0, 30.0))) {}

  void append(fmt::memory_buffer& out, double x) const {
    if (exact_) {
      fmt::format_to(std::back_inserter(out), "{}", x);
      return;
    }
    fmt::memory_buffer number;
    fmt::format_to(std::back_inserter(number), "{:.{}f}", x, digits_);
    std::size_t size = number.size();
    if (digits_ > 0) {
      while (number[size - 1] == '0') --size;
      if (number[size - 1] == '.') --size;
    }
    out.append(number.data(), number.data() + size);
  }

 private:
  bool exact_;
  int digits_;
};

}  // namespace dynamics::meshes
