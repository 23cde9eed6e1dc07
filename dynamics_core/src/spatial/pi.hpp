// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace dynamics {

/// pi in the precision of the scalar. Scalars wider than long double specialize it.
template <class Scalar>
Scalar pi_of() {
  return Scalar(3.141592653589793238462643383279502884L);
}

}  // namespace dynamics
