// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "dynamics_core/workspace.hpp"

namespace dynamics {

namespace {

constexpr InstructionSet best_first[] = {InstructionSet::avx512, InstructionSet::avx2,
                                         InstructionSet::baseline};

InstructionSet best() {
  for (const InstructionSet set : best_first) {
    if (supported(set)) return set;
  }
  return InstructionSet::baseline;
}

/// The set that DYNAMICS_ISA names, or the best supported one.
InstructionSet choose() {
  const char* asked = std::getenv("DYNAMICS_ISA");  // NOLINT(concurrency-mt-unsafe): read once
  if (asked == nullptr || *asked == '\0') return best();
  for (const InstructionSet set : best_first) {
    if (name(set) != asked) continue;
    if (supported(set)) return set;
    fmt::print(stderr, "dynamics: DYNAMICS_ISA is {}, which is not supported here: {} is used\n",
               asked, name(best()));
    return best();
  }
  fmt::print(stderr,
             "dynamics: DYNAMICS_ISA is '{}'; it must be baseline, avx2 or avx512: {} is used\n",
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
  // also checks that the operating system saves the wide registers
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

}  // namespace dynamics
