// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dynamics::tools {

/// Difference of two texts in the format of `diff -u`, or "" if they are equal.
std::string unified_difference(std::string_view before, std::string_view after,
                               const std::string& before_name, const std::string& after_name);

}  // namespace dynamics::tools
