// SPDX-License-Identifier: Apache-2.0
#pragma once

// A kernel is a recursion compiled for an instruction set. The table of an instruction set has a
// pointer to each kernel for one state: table.inverse_dynamics(tree, scratch, ...), with the
// signatures of rigid/recursions/declarations.hpp.

#include "dynamics_core/workspace.hpp"
#include "rigid/recursions/declarations.hpp"

namespace dynamics {

struct KernelTable {
#define DYNAMICS_MEMBER(file, name, ...) kernel::signature::name<double> name;
  DYNAMICS_KERNELS(DYNAMICS_MEMBER, DYNAMICS_MEMBER)
#undef DYNAMICS_MEMBER
};

/// The kernels of a supported instruction set.
const KernelTable& kernel_table(InstructionSet set);

}  // namespace dynamics
