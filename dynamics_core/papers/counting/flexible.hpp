// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations of the forward dynamics of arms with flexible links, beside Mohan and Saha's Table 1.

#include "dynamics_core/model.hpp"
#include "papers/counting/counts.hpp"

namespace dynamics::counting {

/// n equal beams one behind the other with m modes along y and m along z, revolute joints with a
/// general twist between them, gravity: what Table 1 counts.
Model flexible_arm(std::size_t links, int modes);

/// One call of the recursive forward dynamics, velocity terms, gravity and strain included.
Counts count_flexible_forward(const Model& model);

/// Table 1, "Proposed", with the coefficients printed below it: M and A.
struct FlexibleRow {
  double multiplications, additions;
};
FlexibleRow mohan_saha_table(std::size_t links, int modes);

}  // namespace dynamics::counting
