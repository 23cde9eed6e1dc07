// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/allocation_counter.hpp"

namespace dynamics_sim::test {

/// Number of allocations of this thread so far; always 0 with a sanitizer.
inline long allocations() {
  return static_cast<long>(dynamics::test::allocation_counter::of_this_thread());
}

}  // namespace dynamics_sim::test
