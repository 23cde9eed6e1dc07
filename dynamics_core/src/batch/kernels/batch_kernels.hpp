// SPDX-License-Identifier: Apache-2.0
#pragma once

// Declares what the files of this folder define for each other. All of them are compiled once per
// instruction set and scalar, in a namespace of their own:
//
//   packs::   the recursions for the scalar Pack, from the list in
//   rigid/recursions/declarations.hpp batch::   the batch kernels, from the list in
//   batch/batch_kernel_table.hpp

#include "batch/batch_kernel_table.hpp"
#include "batch/kernels/pack.hpp"
#include "rigid/recursions/declarations.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

using Size = std::size_t;
using Real = Pack::Real;
using BatchJob = BatchJobOf<Real>;

namespace packs {
#define DYNAMICS_IGNORE(file, name, ...)
#define DYNAMICS_DECLARE(file, name, ...) extern const signature::name<Pack> name;
DYNAMICS_KERNELS(DYNAMICS_IGNORE, DYNAMICS_DECLARE)
#undef DYNAMICS_DECLARE
#undef DYNAMICS_IGNORE
}  // namespace packs

namespace batch {
#define DYNAMICS_DECLARE(name) Size name(const BatchJob& job, Size first, Size last, void* scratch);
DYNAMICS_BATCH_KERNELS(DYNAMICS_DECLARE, DYNAMICS_DECLARE)
#undef DYNAMICS_DECLARE
}  // namespace batch

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
