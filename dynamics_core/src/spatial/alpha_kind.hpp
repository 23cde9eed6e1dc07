// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dynamics {

/// Kind of the constant rotation Rz(beta) Rx(alpha) between the parent frame and the joint. Right
/// angles, which most robots have, only exchange components and need no multiplications.
enum class AlphaKind : unsigned char {
  zero,      ///< alpha = 0, beta = 0
  plus_90,   ///< alpha = 90 degrees, beta = 0
  minus_90,  ///< alpha = -90 degrees, beta = 0
  general
};

}  // namespace dynamics
