// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts what is taken from the heap between start() and stop(), by malloc and its kin and by
// operator new, in this program and in the shared libraries it uses.

#include <cstddef>

namespace dynamics::test::allocation_counter {

/// False under a sanitizer (which brings a heap of its own) and without glibc.
bool available();

void start();
/// The number of allocations since start().
std::size_t stop();

}  // namespace dynamics::test::allocation_counter
