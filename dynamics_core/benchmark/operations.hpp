// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "dynamics_core/model.hpp"

namespace dynamics::benchmark {

/// Operations per angle of spatial::SeveralSines and SeveralFloatSines.
inline constexpr double sine_and_cosine = 48.0, float_sine_and_cosine = 27.0;

/// Floating-point operations of `work` for one state, counted with the counting scalar; zero where
/// they are not counted. A multiplication, addition, division or square root is one operation; a
/// sine with its cosine has `sine_and_cosine` operations.
double operations(const std::string& work, const Model& model);

}  // namespace dynamics::benchmark
