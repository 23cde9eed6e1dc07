// SPDX-License-Identifier: Apache-2.0
#pragma once

// Statistics of one column of samples.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynamics::study {

/// A statistic of the samples x at the times t. NaN if a sample is NaN.
using Statistic = double (*)(std::span<const double> t, std::span<const double> x);

std::vector<std::string> statistic_names();
bool is_statistic(std::string_view name);
/// Null for an unknown name.
Statistic find_statistic(std::string_view name);

/// Whether `name` matches a pattern in which * stands for any text.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace dynamics::study
