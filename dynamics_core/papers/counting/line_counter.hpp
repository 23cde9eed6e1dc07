// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dynamics::counting {

/// Marks the lines of a paper's table in an algorithm over the scalar S: the operations after
/// LineCounter<S>::start_line("f_i") belong to line "f_i". Does nothing, except for the counting
/// scalar (counted.hpp).
template <class S>
struct LineCounter {
  static void start_line(const char* /*name*/) {}
};

}  // namespace dynamics::counting
