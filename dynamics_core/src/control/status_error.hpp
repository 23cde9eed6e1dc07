// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dynamics_core/error.hpp"

namespace dynamics {

/// Throws the StateError or ArgumentError of a status that is not ok. `who`: what was called.
inline void require_ok(Status status, const char* who) {
  if (status == Status::ok) return;
  const std::string message = std::string(who) + ": " + std::string(to_string(status));
  if (status > Status::shared_memory) throw StateError(message);
  throw ArgumentError(message);
}

}  // namespace dynamics
