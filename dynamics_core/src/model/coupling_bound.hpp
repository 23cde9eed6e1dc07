// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace dynamics {

/// Maximum number of entries of the matrix that forward dynamics with mimic joints needs, per
/// Workspace and per lane of a BatchWorkspace: bodies x mimic joints or coordinates x coordinates.
inline constexpr std::size_t max_coupling_entries = std::size_t{1} << 22;

}  // namespace dynamics
