// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operation counts of the forward dynamics of arms with flexible links; Mohan and Saha's Table 1:
//
//   count_flexible_forward(flexible_arm(8, 2)).products();   // ours
//   mohan_saha_table(8, 2).multiplications;                  // the paper: 9874

#include "dynamics_core/model.hpp"
#include "papers/counting/operation_count.hpp"

namespace dynamics::counting {

/// The arm that Table 1 counts: a chain of n equal beams with m modes along y and m along z,
/// connected by revolute joints with a general twist, with gravity.
Model flexible_arm(std::size_t links, int modes);

/// Count of one call of the recursive forward dynamics, including velocity terms, gravity and
/// strain.
OperationCount count_flexible_forward(const Model& model);

/// M and A of Table 1 from the coefficients printed below it.
struct FlexibleRow {
  double multiplications, additions;
};
/// "Proposed"
FlexibleRow mohan_saha_table(std::size_t links, int modes);
/// "Jain and Rodriguez". The text prints one set of coefficients for n <= 7 and one for n >= 7; the
/// first is used for n = 7.
FlexibleRow jain_rodriguez_table(std::size_t links, int modes);
/// "Cyril". A_3c is printed with -251m/6, which does not give the printed 12683 for n = 8, m = 2;
/// +251m/3 does (`corrected`).
FlexibleRow cyril_table(std::size_t links, int modes, bool corrected = true);

}  // namespace dynamics::counting
