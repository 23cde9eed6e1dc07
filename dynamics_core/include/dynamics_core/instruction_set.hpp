// SPDX-License-Identifier: Apache-2.0
#pragma once

// One binary for every machine: the recursions are compiled for several instruction sets, and the
// best one that this processor and operating system have is taken when the first workspace is made.
// The environment variable DYNAMICS_ISA (baseline, avx2 or avx512) asks for another one.

#include <string_view>

#include "dynamics_core/export.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The instruction sets that the kernels are compiled for.
enum class InstructionSet {
  baseline,  ///< what the compiler was asked for: SSE2 on x86-64
  avx2,      ///< AVX2 and FMA
  avx512     ///< AVX-512 F, DQ, VL and BW, with the former
};

/// The one in use. It does not change while the program runs. Where DYNAMICS_ISA names one that is
/// unknown or not here, the first call says so on stderr and takes the best that is.
InstructionSet instruction_set();

/// Whether this build and this machine have it.
bool supported(InstructionSet set);

/// "baseline", "avx2" or "avx512".
std::string_view name(InstructionSet set);

}  // namespace dynamics
