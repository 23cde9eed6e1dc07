// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dynamics::counting {

/// Floating-point operations by kind. Subtractions are additions; changes of sign stand apart,
/// since the papers do not count them and processors fold them into the next addition.
struct Counts {
  std::int64_t multiplications = 0;
  std::int64_t additions = 0;
  std::int64_t divisions = 0;
  std::int64_t square_roots = 0;
  std::int64_t sines = 0;
  std::int64_t cosines = 0;
  std::int64_t negations = 0;

  /// What Saha's tables call M: "Multiplication/Division".
  std::int64_t products() const { return multiplications + divisions; }

  friend bool operator==(const Counts&, const Counts&) = default;
  friend Counts operator+(const Counts& a, const Counts& b) {
    return {a.multiplications + b.multiplications,
            a.additions + b.additions,
            a.divisions + b.divisions,
            a.square_roots + b.square_roots,
            a.sines + b.sines,
            a.cosines + b.cosines,
            a.negations + b.negations};
  }
  friend Counts operator-(const Counts& a, const Counts& b) {
    return {a.multiplications - b.multiplications,
            a.additions - b.additions,
            a.divisions - b.divisions,
            a.square_roots - b.square_roots,
            a.sines - b.sines,
            a.cosines - b.cosines,
            a.negations - b.negations};
  }
};

/// Operations by the lines of a paper's table.
using Lines = std::map<std::string, Counts>;

}  // namespace dynamics::counting
