// SPDX-License-Identifier: Apache-2.0
#pragma once

// Loads and stores of complete GCC vectors at any address of doubles. A memcpy may be compiled to
// several narrower moves (-mmove-max).

#include "spatial/vector3.hpp"

namespace dynamics::spatial {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

template <class Vector>
DYNAMICS_INLINE Vector load_vector(const double* from) {
  // NOLINTNEXTLINE(modernize-use-using): the attributes belong to the typedef
  typedef Vector Unaligned __attribute__((aligned(8), may_alias));
  return *reinterpret_cast<const Unaligned*>(from);
}
template <class Vector>
DYNAMICS_INLINE void store_vector(const Vector& value, double* to) {
  // NOLINTNEXTLINE(modernize-use-using)
  typedef Vector Unaligned __attribute__((aligned(8), may_alias));
  *reinterpret_cast<Unaligned*>(to) = value;
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::spatial
