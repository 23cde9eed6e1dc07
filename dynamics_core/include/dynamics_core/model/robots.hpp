// SPDX-License-Identifier: Apache-2.0
#pragma once

// The papers' robots, compiled in from robots/*.yaml.

#include <optional>
#include <span>
#include <string_view>

#include "dynamics_core/model/dh_table.hpp"

namespace dynamics {

/// Their names, in the order of the papers.
std::span<const std::string_view> built_in_robots();

/// The YAML text of a robot, or nothing when there is none of that name.
std::optional<std::string_view> built_in_table(std::string_view name);

/// The table of a robot. Throws ModelError, listing the names, when there is none of that name.
DhTable built_in_robot(std::string_view name);

}  // namespace dynamics
