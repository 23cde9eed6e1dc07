// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shape of an argument of a batch function: checked without exceptions, explained where one is
// thrown.

#include <cstddef>
#include <optional>
#include <string>

#include "dynamics_core/batch.hpp"

namespace dynamics {

struct BatchArgument {
  const char* name = "";
  std::size_t width = 0;              ///< entries that are needed per state
  std::optional<std::size_t> states;  ///< that are needed; none: any number
  bool written = false;               ///< states must not overlap
  view::BatchShape shape;
  view::Size vector_size;

  /// Whether the argument can be used.
  bool fits() const noexcept;
  /// What is wrong with an argument that does not fit, and what would be right.
  std::string message() const;

  // of an argument that fits:
  std::size_t state_count() const noexcept;
  std::size_t stride() const noexcept;  ///< from one state to the next in memory

 private:
  bool has_right_shape() const noexcept;
};

}  // namespace dynamics
