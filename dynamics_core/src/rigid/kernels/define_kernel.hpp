// SPDX-License-Identifier: Apache-2.0
#pragma once

// DYNAMICS_DEFINE_KERNEL(space, S, name, attribute): defines the constant space::name, a pointer to
// the recursion `name` for the scalar S, in the namespace of the instruction set. Only for files
// that are compiled once per instruction set.

#include "rigid/recursions/declarations.hpp"

#define DYNAMICS_DEFINE_KERNEL(space, S, name, attribute) \
  namespace dynamics::kernel {                            \
  inline namespace DYNAMICS_KERNEL_NAMESPACE {            \
  template <class... Arguments>                           \
  attribute static void run_##name(Arguments... all) {    \
    name<S>(all...);                                      \
  }                                                       \
  namespace space {                                       \
  extern const signature::name<S> name;                   \
  const signature::name<S> name = run_##name;             \
  }                                                       \
  }                                                       \
  }
