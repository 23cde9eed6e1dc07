// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dynamics::counting {

/// Number of floating-point operations by kind. Subtractions count as additions. Negations are
/// separate: the papers do not count them, and processors merge them into the next addition.
struct OperationCount {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;
  std::int64_t divisions = 0;
  std::int64_t square_roots = 0;
  std::int64_t sines = 0;
  std::int64_t cosines = 0;
  std::int64_t negations = 0;

  /// "Multiplication/Division" (M) of Saha's tables.
  std::int64_t products() const { return multiplications + divisions; }

  friend bool operator==(const OperationCount&, const OperationCount&) = default;
  friend OperationCount operator+(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications + b.multiplications,
            a.additions + b.additions,
            a.divisions + b.divisions,
            a.square_roots + b.square_roots,
            a.sines + b.sines,
            a.cosines + b.cosines,
            a.negations + b.negations};
  }
  friend OperationCount operator-(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications - b.multiplications,
            a.additions - b.additions,
            a.divisions - b.divisions,
            a.square_roots - b.square_roots,
            a.sines - b.sines,
            a.cosines - b.cosines,
            a.negations - b.negations};
  }
};

/// Counts by the lines of a paper's table.
using CountsByLine = std::map<std::string, OperationCount>;

}  // namespace dynamics::counting
