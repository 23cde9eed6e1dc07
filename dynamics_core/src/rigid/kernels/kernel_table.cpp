// SPDX-License-Identifier: Apache-2.0
#include "rigid/kernels/kernel_table.hpp"

namespace dynamics {

// the kernels of an instruction set, as define_kernel.hpp defines them
#define DYNAMICS_DECLARE(file, name, ...) extern const signature::name<double> name;
#define DYNAMICS_ENTRY(file, name, ...) .name = name,
#define DYNAMICS_TABLE(set)                                                                \
  namespace kernel::set::states {                                                          \
  DYNAMICS_KERNELS(DYNAMICS_DECLARE, DYNAMICS_DECLARE)                                     \
  static const KernelTable& table() {                                                      \
    static const KernelTable kernels = {DYNAMICS_KERNELS(DYNAMICS_ENTRY, DYNAMICS_ENTRY)}; \
    return kernels;                                                                        \
  }                                                                                        \
  }
DYNAMICS_TABLE(baseline)
#ifdef DYNAMICS_X86_KERNELS
DYNAMICS_TABLE(avx2)
#endif
#ifdef DYNAMICS_AVX512_STATES
DYNAMICS_TABLE(avx512)
#endif

const KernelTable& kernel_table(InstructionSet set) {
#ifdef DYNAMICS_AVX512_STATES
  if (set == InstructionSet::avx512) return kernel::avx512::states::table();
#endif
#ifdef DYNAMICS_X86_KERNELS
  // also for AVX-512 if the compiler cannot limit the size of copies (see CMakeLists.txt)
  if (set != InstructionSet::baseline) return kernel::avx2::states::table();
#endif
  static_cast<void>(set);
  return kernel::baseline::states::table();
}

}  // namespace dynamics
