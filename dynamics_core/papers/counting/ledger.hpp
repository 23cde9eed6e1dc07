// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dynamics::counting {

/// Where an algorithm over a scalar S says which line of its paper's table the operations that
/// follow belong to. It is nothing at all but for the counting scalar (counted.hpp).
template <class S>
struct Ledger {
  static void line(const char* /*name*/) {}
};

}  // namespace dynamics::counting
