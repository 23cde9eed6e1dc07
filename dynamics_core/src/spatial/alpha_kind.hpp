// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dynamics {

/// The constant rotation Rz(beta) Rx(alpha) between a parent and a joint, by cost: at right angles
/// (most robots) it only exchanges components, which the recursions use.
enum class AlphaKind : unsigned char {
  zero,           ///< alpha = 0, beta = 0
  quarter,        ///< alpha = 90 degrees, beta = 0
  minus_quarter,  ///< alpha = -90 degrees, beta = 0
  general
};

}  // namespace dynamics
