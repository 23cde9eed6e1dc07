// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts heap allocations by malloc and its variants and by operator new, in this program and in
// the shared libraries it uses: those of all threads between start() and stop(), or those of one
// thread.

#include <cstddef>

namespace dynamics::test::allocation_counter {

/// False with a sanitizer, which has its own heap, and without glibc.
bool available();

void start();
/// The number of allocations since start().
std::size_t stop();

/// The number of allocations of the calling thread so far.
std::size_t of_this_thread();

}  // namespace dynamics::test::allocation_counter
