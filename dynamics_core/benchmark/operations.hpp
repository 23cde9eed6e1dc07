// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace dynamics::benchmark {

inline constexpr double sine_and_cosine = 48.0;  ///< of kernel::SeveralSines

/// Floating-point operations that a work takes for one state of the PUMA, counted by running it:
/// each multiplication, addition, division and root is one, a sine with its cosine those of its
/// polynomials.
double operations(const std::string& work);

}  // namespace dynamics::benchmark
