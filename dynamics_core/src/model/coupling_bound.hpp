// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dynamics {

/// Entries of a matrix that forward dynamics of mimic joints may need, in a Workspace and in every
/// lane of a BatchWorkspace: bodies x mimic joints, or coordinates x coordinates.
inline constexpr std::size_t largest_coupling = std::size_t{1} << 22;

}  // namespace dynamics
