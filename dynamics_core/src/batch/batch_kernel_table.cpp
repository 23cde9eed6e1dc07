// SPDX-License-Identifier: Apache-2.0
#include "batch/batch_kernel_table.hpp"

#include "dynamics_core/workspace.hpp"

namespace dynamics {

// defined by kernels/table.cpp
namespace kernel {
#define DYNAMICS_TABLES(set)                            \
  namespace set {                                       \
  extern const BatchKernelTable<double> batch_kernels;  \
  }                                                     \
  namespace set##_float {                               \
    extern const BatchKernelTable<float> batch_kernels; \
  }
DYNAMICS_TABLES(baseline)
#ifdef DYNAMICS_X86_KERNELS
DYNAMICS_TABLES(avx2)
DYNAMICS_TABLES(avx512)
#endif
#undef DYNAMICS_TABLES
}  // namespace kernel

template <>
const BatchKernelTable<double>& batch_kernel_table(InstructionSet set) {
#ifdef DYNAMICS_X86_KERNELS
  if (set == InstructionSet::avx512) return kernel::avx512::batch_kernels;
  if (set == InstructionSet::avx2) return kernel::avx2::batch_kernels;
#endif
  static_cast<void>(set);
  return kernel::baseline::batch_kernels;
}

template <>
const BatchKernelTable<float>& batch_kernel_table(InstructionSet set) {
#ifdef DYNAMICS_X86_KERNELS
  if (set == InstructionSet::avx512) return kernel::avx512_float::batch_kernels;
  if (set == InstructionSet::avx2) return kernel::avx2_float::batch_kernels;
#endif
  static_cast<void>(set);
  return kernel::baseline_float::batch_kernels;
}

}  // namespace dynamics
