// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace dynamics {

/// Throws ArgumentError naming the first output of Trajectory::at() that does not have `size`
/// entries.
void check_spans(std::size_t size, std::span<const double> q, std::span<const double> qd,
                 std::span<const double> qdd);

}  // namespace dynamics
