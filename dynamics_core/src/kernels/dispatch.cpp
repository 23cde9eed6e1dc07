// SPDX-License-Identifier: Apache-2.0
#include "kernels/dispatch.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace dynamics {

namespace kernel {
namespace baseline {
extern const KernelTable table;
extern const LaneTable lane_table;
}  // namespace baseline
#ifdef DYNAMICS_X86_KERNELS
namespace avx2 {
extern const KernelTable table;
extern const LaneTable lane_table;
}  // namespace avx2
namespace avx512 {
extern const KernelTable table;
extern const LaneTable lane_table;
}  // namespace avx512
#endif
}  // namespace kernel

namespace {

constexpr InstructionSet best_first[] = {InstructionSet::avx512, InstructionSet::avx2,
                                         InstructionSet::baseline};

InstructionSet best() {
  for (const InstructionSet set : best_first) {
    if (supported(set)) return set;
  }
  return InstructionSet::baseline;
}

/// What DYNAMICS_ISA asks for, or the best there is.
InstructionSet choose() {
  const char* asked = std::getenv("DYNAMICS_ISA");  // NOLINT(concurrency-mt-unsafe): read once
  if (asked == nullptr || *asked == '\0') return best();
  for (const InstructionSet set : best_first) {
    if (name(set) != asked) continue;
    if (supported(set)) return set;
    fmt::print(stderr, "dynamics: DYNAMICS_ISA asks for {}, which is not here: {} is used\n", asked,
               name(best()));
    return best();
  }
  fmt::print(stderr,
             "dynamics: DYNAMICS_ISA is '{}', which is none of baseline, avx2 and avx512: {} is "
             "used\n",
             asked, name(best()));
  return best();
}

}  // namespace

std::string_view name(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512: return "avx512";
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::baseline: break;
  }
  return "baseline";
}

bool supported(InstructionSet set) {
#ifdef DYNAMICS_X86_KERNELS
  // these look at the operating system too: whether it keeps the wide registers
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  switch (set) {
    case InstructionSet::avx512:
      return avx2 && __builtin_cpu_supports("avx512f") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0;
    case InstructionSet::avx2: return avx2;
    case InstructionSet::baseline: break;
  }
#endif
  return set == InstructionSet::baseline;
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = choose();
  return chosen;
}

const KernelTable& kernel_table(InstructionSet set) {
#ifdef DYNAMICS_X86_KERNELS
  if (set == InstructionSet::avx512) return kernel::avx512::table;
  if (set == InstructionSet::avx2) return kernel::avx2::table;
#endif
  static_cast<void>(set);
  return kernel::baseline::table;
}

const LaneTable& lane_table(InstructionSet set) {
#ifdef DYNAMICS_X86_KERNELS
  if (set == InstructionSet::avx512) return kernel::avx512::lane_table;
  if (set == InstructionSet::avx2) return kernel::avx2::lane_table;
#endif
  static_cast<void>(set);
  return kernel::baseline::lane_table;
}

}  // namespace dynamics
