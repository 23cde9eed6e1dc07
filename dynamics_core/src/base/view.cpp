// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/view.hpp"

#include <fmt/format.h>

namespace dynamics::view {

std::string Size::problem(const char* name, std::size_t needed) const {
  if (is_vector()) return fmt::format("{} has {} entries; {} are needed", name, bits_, needed);
  const std::uint64_t rows = bits_ >> 31U & limit, cols = bits_ & limit;
  if (bits_ >> 62U == is_matrix) {
    return fmt::format("{} is {} x {}; a vector with {} entries is needed", name, rows, cols,
                       needed);
  }
  return fmt::format(
      "{} is strided: its entries are {} apart in memory; a contiguous vector with {} entries is "
      "needed, copy it first",
      name, cols, needed);
}

}  // namespace dynamics::view
