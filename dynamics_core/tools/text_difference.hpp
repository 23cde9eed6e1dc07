// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dynamics::tools {

/// The difference of two texts line by line, as `diff -u` shows it; empty where there is none.
std::string unified_difference(std::string_view before, std::string_view after,
                               const std::string& before_name, const std::string& after_name);

}  // namespace dynamics::tools
