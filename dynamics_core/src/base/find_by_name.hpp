// SPDX-License-Identifier: Apache-2.0
#pragma once

// Entries of tables by their name, as users write it.
//
//   find_by_name(integrator_names(), "integrator", "dop853");   // IntegratorName

#include <string>
#include <string_view>

#include "dynamics_core/error.hpp"

namespace dynamics {

/// The entry of `list` whose member `name` is `name`. Otherwise throws ArgumentError: "unknown KIND
/// 'NAME': it must be one of" and all names.
template <class List>
const auto& find_by_name(const List& list, std::string_view kind, std::string_view name) {
  std::string names;
  for (const auto& entry : list) {
    if (entry.name == name) return entry;
    names.append(names.empty() ? "" : ", ").append(entry.name);
  }
  throw ArgumentError("unknown " + std::string(kind) + " '" + std::string(name) +
                      "': it must be one of " + names);
}

}  // namespace dynamics
