// SPDX-License-Identifier: Apache-2.0
#include "batch/batch_kernel_table.hpp"

#include "dynamics_core/workspace.hpp"

namespace dynamics {

// defined by kernels/table.cpp
namespace kernel {
namespace baseline {
extern const BatchKernelTable batch_kernels;
}  // namespace baseline
#ifdef DYNAMICS_X86_KERNELS
namespace avx2 {
extern const BatchKernelTable batch_kernels;
}  // namespace avx2
namespace avx512 {
extern const BatchKernelTable batch_kernels;
}  // namespace avx512
#endif
}  // namespace kernel

const BatchKernelTable& batch_kernel_table(InstructionSet set) {
#ifdef DYNAMICS_X86_KERNELS
  if (set == InstructionSet::avx512) return kernel::avx512::batch_kernels;
  if (set == InstructionSet::avx2) return kernel::avx2::batch_kernels;
#endif
  static_cast<void>(set);
  return kernel::baseline::batch_kernels;
}

}  // namespace dynamics
