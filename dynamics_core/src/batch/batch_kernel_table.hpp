// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels on packs of states. A batch kernel computes a range of the states of a batch, a pack
// of states at a time. It is compiled once per instruction set and scalar (double or float), from
// src/batch/kernels/, and called through the table of the instruction set and scalar.
//
// A new batch kernel takes a line of the list here, its file in kernels/ and its public function.

#include <cstddef>

#include "rigid/recursions/base.hpp"

namespace dynamics {

enum class InstructionSet;  // workspace.hpp, which kernels do not include

/// How a coordinate moves a body: position = multiplier * coordinate + offset.
struct BatchJoint {
  std::size_t coordinate;
  double multiplier, offset;
  bool mimic;
};

/// One call on a batch: the model, its surroundings and the arguments.
template <class Real>
struct BatchJobOf {
  kernel::BasicTree<Real> tree{nullptr, 0};
  std::size_t size = 0;                ///< number of coordinates
  const BatchJoint* joints = nullptr;  ///< one per body; null where coordinate i moves body i

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
    const Real* data = nullptr;
    std::size_t stride = 0;
  };
  struct Output {
    Real* data = nullptr;
    std::size_t stride = 0;
  };
  Input q, qd, input;
  Output output[3];
  bool larger_than_cache = false;  ///< the outputs: stored past the cache where possible
};

/// The list of batch kernels, with their input and outputs: for packs of doubles and of floats
/// (ALL), or of doubles alone (DOUBLE).
#define DYNAMICS_BATCH_KERNELS(ALL, DOUBLE)                     \
  ALL(inverse_dynamics)                /* qdd -> tau */         \
  ALL(gravity_forces)                  /* -> g */               \
  ALL(forward_dynamics)                /* tau -> qdd */         \
  ALL(inertia_matrix)                  /* -> M */               \
  DOUBLE(inverse_dynamics_derivatives) /* qdd -> by q, by qd */ \
  DOUBLE(forward_dynamics_derivatives) /* tau -> by q, by qd, by tau */

/// The batch kernels of an instruction set and a scalar.
template <class Real>
struct BatchKernelTable {
  /// Computes states first to last - 1 and returns how many have no result: their outputs are NaN.
  using Job = BatchJobOf<Real>;
  using Function = std::size_t (*)(const Job& job, std::size_t first, std::size_t last,
                                   void* scratch);
  std::size_t pack_size;                     ///< states per pack
  std::size_t (*scratch_bytes)(const Job&);  ///< per thread, to be aligned to 64 bytes

  /// The peak of the SIMD units, for benchmarks: runs rounds of multiply_adds_per_round independent
  /// multiply-adds of packs. The result has no meaning.
  double (*multiply_adds)(std::size_t rounds);
  static constexpr std::size_t multiply_adds_per_round = 12;

#define DYNAMICS_MEMBER(name) Function name = nullptr;  ///< null: not for this scalar
  DYNAMICS_BATCH_KERNELS(DYNAMICS_MEMBER, DYNAMICS_MEMBER)
#undef DYNAMICS_MEMBER
};

/// The batch kernels of a supported instruction set, for double or float.
template <class Real>
const BatchKernelTable<Real>& batch_kernel_table(InstructionSet set);

}  // namespace dynamics
