// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rest of the library sees of the kernels for lanes of states, compiled once for each
// instruction set: plain memory and pointers to functions (see kernels/table.hpp).

#include <cstddef>

namespace dynamics {

struct TreeBody;

/// One call on a batch: the model, what surrounds it, and its numbers, state by state.
struct LaneJob {
  /// How a coordinate moves a body: position = multiplier * coordinate + offset.
  struct Joint {
    std::size_t coordinate;
    double multiplier, offset;
    bool mimic;
  };
  const TreeBody* bodies = nullptr;
  std::size_t body_count = 0;
  std::size_t size = 0;           ///< coordinates
  const Joint* joints = nullptr;  ///< of bodies; null where coordinates are theirs one to one

  /// Mimic joints as couplings of bodies (see rigid/regular.hpp).
  const std::size_t *leaders = nullptr, *followers = nullptr;
  std::size_t coupling_count = 0;
  bool massless_mimic = false;  ///< forward dynamics over coordinates, by Cholesky

  const std::size_t* pitches = nullptr;  ///< of floating joints: singular at +-90 degrees
  std::size_t pitch_count = 0;

  const void* base = nullptr;  ///< BaseState<double>
  const void* wrenches =
      nullptr;  ///< BodyWrench<double> of bodies, the same in all states, or null
  bool friction = false;
  double friction_velocity = 0.0;

  /// The numbers of state k start at data + k * stride and are contiguous.
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

/// States without a result: theirs are not numbers.
struct LaneFaults {
  std::size_t count = 0;
  std::size_t first = 0;
};

struct LaneTable {
  using Function = LaneFaults (*)(const LaneJob& job, std::size_t first, std::size_t last,
                                  void* scratch);
  std::size_t lanes;                             ///< states at a time
  std::size_t (*scratch_bytes)(const LaneJob&);  ///< of a model's; to be aligned to 64 bytes

  /// What the SIMD units can do at most, for benchmarks: rounds of multiply_adds_a_round
  /// independent multiply-adds of all lanes. The result is theirs, of no meaning.
  double (*multiply_adds)(std::size_t rounds);
  static constexpr std::size_t multiply_adds_a_round = 12;

  Function inverse_dynamics;              ///< input: qdd; output: tau
  Function gravity_forces;                ///< output: g
  Function forward_dynamics;              ///< input: tau; output: qdd
  Function inertia_matrix;                ///< output: M
  Function inverse_dynamics_derivatives;  ///< input: qdd; output: by q, by qd
  Function forward_dynamics_derivatives;  ///< input: tau; output: by q, by qd, by tau
};

}  // namespace dynamics
