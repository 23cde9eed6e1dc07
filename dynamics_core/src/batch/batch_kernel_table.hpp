// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels on packs of states. A batch kernel computes a range of the states of a batch, a pack
// of states at a time. It is compiled once per instruction set, from src/batch/kernels/, and called
// through the table of the instruction set.
//
// A new batch kernel takes a line of the list here, its file in kernels/ and its public function.

#include <cstddef>

#include "rigid/recursions/base.hpp"

namespace dynamics {

enum class InstructionSet;  // workspace.hpp, which kernels do not include

/// One call on a batch: the model, its surroundings and the arguments.
struct BatchJob {
  /// How a coordinate moves a body: position = multiplier * coordinate + offset.
  struct Joint {
    std::size_t coordinate;
    double multiplier, offset;
    bool mimic;
  };
  kernel::Tree tree{nullptr, 0};
  std::size_t size = 0;           ///< number of coordinates
  const Joint* joints = nullptr;  ///< one per body; null where coordinate i moves body i

  /// Mimic joints as couplings of bodies (see rigid/regular.hpp).
  const std::size_t *leaders = nullptr, *followers = nullptr;
  std::size_t coupling_count = 0;
  bool massless_mimic = false;  ///< forward dynamics over coordinates, by Cholesky

  const std::size_t* pitches = nullptr;  ///< of floating joints: singular at +-90 degrees
  std::size_t pitch_count = 0;

  const kernel::BaseState<double>* base = nullptr;
  const kernel::BodyWrench<double>* wrenches = nullptr;  ///< one per body for all states, or null
  bool friction = false;
  double friction_velocity = 0.0;

  /// The entries of state k start at data + k * stride and are contiguous.
  struct Input {
    const double* data = nullptr;
    std::size_t stride = 0;
  };
  struct Output {
    double* data = nullptr;
    std::size_t stride = 0;
  };
  Input q, qd, input;
  Output output[3];
};

/// The list of batch kernels, with their input and outputs.
#define DYNAMICS_BATCH_KERNELS(KERNEL)                          \
  KERNEL(inverse_dynamics)             /* qdd -> tau */         \
  KERNEL(gravity_forces)               /* -> g */               \
  KERNEL(forward_dynamics)             /* tau -> qdd */         \
  KERNEL(inertia_matrix)               /* -> M */               \
  KERNEL(inverse_dynamics_derivatives) /* qdd -> by q, by qd */ \
  KERNEL(forward_dynamics_derivatives) /* tau -> by q, by qd, by tau */

/// The batch kernels of an instruction set.
struct BatchKernelTable {
  /// Computes states first to last - 1 and returns how many have no result: their outputs are NaN.
  using Function = std::size_t (*)(const BatchJob& job, std::size_t first, std::size_t last,
                                   void* scratch);
  std::size_t pack_size;                          ///< states per pack
  std::size_t (*scratch_bytes)(const BatchJob&);  ///< per thread, to be aligned to 64 bytes

  /// The peak of the SIMD units, for benchmarks: runs rounds of multiply_adds_per_round independent
  /// multiply-adds of packs. The result has no meaning.
  double (*multiply_adds)(std::size_t rounds);
  static constexpr std::size_t multiply_adds_per_round = 12;

#define DYNAMICS_MEMBER(name) Function name;
  DYNAMICS_BATCH_KERNELS(DYNAMICS_MEMBER)
#undef DYNAMICS_MEMBER
};

/// The batch kernels of a supported instruction set.
const BatchKernelTable& batch_kernel_table(InstructionSet set);

}  // namespace dynamics
