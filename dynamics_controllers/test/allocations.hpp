// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dynamics_controllers::test {

/// Number of allocations of this thread so far (allocations.cpp).
extern thread_local long allocations;

}  // namespace dynamics_controllers::test
