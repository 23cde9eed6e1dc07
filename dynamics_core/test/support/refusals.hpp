// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages of calls that are refused.

#include <string>

#include "dynamics_core/error.hpp"

namespace dynamics::test {

/// The message of the ArgumentError that `function` throws, "accepted" if it throws none.
template <class Function>
std::string argument_error(Function&& function) {
  try {
    function();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace dynamics::test
