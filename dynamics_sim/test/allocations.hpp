// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace dynamics_sim::test {

/// What this program has allocated so far (allocations.cpp).
extern std::atomic<long> allocations;

}  // namespace dynamics_sim::test
