// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts heap allocations between start() and stop(), by malloc and its variants and by operator
// new, in this program and in the shared libraries it uses.

#include <cstddef>

namespace dynamics::test::allocation_counter {

/// False with a sanitizer, which has its own heap, and without glibc.
bool available();

void start();
/// The number of allocations since start().
std::size_t stop();

}  // namespace dynamics::test::allocation_counter
