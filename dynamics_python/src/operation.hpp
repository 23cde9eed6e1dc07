// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of a robot on one state or on a batch of states.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "robot.hpp"

namespace dynamics::python {

enum class Operation {
  inverse,
  forward,
  gravity,
  bias,
  friction,
  inertia,
  inverse_inertia,
  udut,
  coriolis,
  inverse_derivatives,
  forward_derivatives,
  regressor,
  energy,
  pose,
  velocity,
  jacobian,
  jacobian_rate,
  center_of_mass,
  joint_positions
};

inline constexpr std::size_t largest_inputs = 3, largest_outputs = 3;

/// A call: the arguments that hold for all states.
struct Call {
  const Robot& robot;
  Operation operation;
  ExternalInputs external = {};
  std::vector<LinkWrench> wrenches = {};                 ///< external.wrenches is a view of them
  const formulations::Formulation* algorithm = nullptr;  ///< null: the library's own
  bool cholesky = false;                                 ///< of flexible links, with forward
  CoriolisKind coriolis = CoriolisKind::denoc;
  std::size_t frame = 0;
  Axes axes = Axes::local_world_aligned;
  std::array<std::size_t, largest_inputs> widths = {};  ///< of the inputs, 0 if left out
};

/// One state: its inputs and its results, matrices row by row. An input that is left out has
/// zeros.
struct State {
  std::array<const double*, largest_inputs> in = {};
  std::array<double*, largest_outputs> out = {};
};

/// The results of one state: their shapes.
struct ResultShapes {
  std::size_t count = 1;
  struct Shape {
    std::size_t dimensions = 1;
    std::array<npy_intp, 2> sizes = {1, 1};
    std::size_t entries() const { return static_cast<std::size_t>(sizes[0] * sizes[1]); }
  };
  std::array<Shape, largest_outputs> shapes = {};
};

/// Throws ArgumentError if the robot does not have this function, or an input has a wrong width.
/// `names`: of the inputs.
ResultShapes result_shapes(const Call& call, const std::array<const char*, largest_inputs>& names);

/// Computes one state.
void compute(const Call& call, Scratch& scratch, const State& state);
void compute_rigid(const Call& call, Scratch& scratch, const State& state);
void compute_flexible(const Call& call, Scratch& scratch, const State& state);
void compute_loops(const Call& call, Scratch& scratch, const State& state);

/// Computes a batch whose inputs and results are states one after the other: in SIMD registers
/// where the library has such a function, else one by one; on `threads` threads (0: one per
/// processor). Throws BatchError for states without a result, as the functions of batch.hpp.
void compute_batch(const Call& call, std::size_t states, const State& first,
                   const ResultShapes& results, std::size_t threads);

}  // namespace dynamics::python
