// SPDX-License-Identifier: Apache-2.0
#pragma once

// Workspace: the scratch memory of the algorithms.
//
//   const dynamics::Model model = dynamics::model_from_urdf_file("arm.urdf");  // for all threads
//   dynamics::Workspace workspace(model);                                      // one per thread
//   dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);             // no allocation
//
// The library runs on every machine: its recursions are compiled for several instruction sets. The
// best one that processor and operating system support is chosen when the first workspace is made.
// The environment variable DYNAMICS_ISA (baseline, avx2 or avx512) selects another one.

#include <cstddef>
#include <memory>
#include <string_view>

#include "dynamics_core/model.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// All scratch memory of the algorithms, for one thread at a time. After construction nothing
/// allocates. It carries no state from call to call: any call may follow any other.
class Workspace {
 public:
  /// Allocates the memory for this model.
  explicit Workspace(const Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// The instruction sets that the kernels are compiled for.
enum class InstructionSet {
  baseline,  ///< what the compiler was asked for: SSE2 on x86-64
  avx2,      ///< AVX2 and FMA
  avx512     ///< AVX-512 F, DQ, VL and BW, with the former
};

/// The one in use. It does not change while the program runs. If DYNAMICS_ISA names one that is
/// unknown or not supported, the first call reports it on stderr and chooses the best that is.
InstructionSet instruction_set();

/// Whether this build and this machine support it.
bool supported(InstructionSet set);

/// "baseline", "avx2" or "avx512".
std::string_view name(InstructionSet set);

}  // namespace dynamics
#pragma GCC visibility pop
