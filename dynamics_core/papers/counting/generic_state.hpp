// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "papers/counting/counted.hpp"

namespace dynamics::counting {

/// `size` different numbers between 0.2 and 1, none of them zero.
inline std::vector<Counted> generic_numbers(std::size_t size, double phase) {
  std::vector<Counted> numbers(size);
  for (std::size_t i = 0; i < size; ++i) {
    numbers[i] = Counted(0.6 + 0.4 * std::sin(1.7 * static_cast<double>(i) + phase));
  }
  return numbers;
}

}  // namespace dynamics::counting
