// SPDX-License-Identifier: Apache-2.0
#include "operation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dynamics_core/error.hpp"
#include "dynamics_core/regressor.hpp"

namespace dynamics::python {
namespace {

ResultShapes vector_of(std::size_t size) {
  ResultShapes shapes;
  shapes.shapes[0] = {1, {static_cast<npy_intp>(size), 1}};
  return shapes;
}

ResultShapes matrices(std::size_t count, std::size_t rows, std::size_t cols) {
  ResultShapes shapes;
  shapes.count = count;
  shapes.shapes.fill({2, {static_cast<npy_intp>(rows), static_cast<npy_intp>(cols)}});
  return shapes;
}

[[noreturn]] void refuse(const char* kind) {
  throw ArgumentError(fmt::format("this function is not available for robots with {}{}", kind,
                                  kind[0] == 'f' ? ": load the robot with rigid=True" : ""));
}

/// Width of an input: one entry per coordinate, or per joint, or per joint of the tree.
void check_width(const Call& call, std::size_t input, const char* name) {
  const Robot& robot = call.robot;
  const std::size_t width = call.widths[input];
  if (width == robot.size()) return;
  const bool joints = robot.flexible() || robot.mechanism();
  if (joints && width == robot.joints()) return;
  std::string needed = fmt::format("{} are needed", robot.size());
  if (robot.mechanism()) {
    needed = fmt::format("{} (independent joints) or {} (all joints) are needed", robot.size(),
                         robot.joints());
  } else if (robot.flexible()) {
    needed = fmt::format("{} (joints) or {} (joints and amplitudes) are needed", robot.joints(),
                         robot.size());
  }
  throw ArgumentError(name, fmt::format("has {} entries per state; {}", width, needed));
}

}  // namespace

ResultShapes result_shapes(const Call& call, const std::array<const char*, largest_inputs>& names) {
  const Robot& robot = call.robot;
  for (std::size_t i = 0; i < largest_inputs; ++i) {
    if (call.widths[i] != 0) check_width(call, i, names[i]);
  }
  const std::size_t n = robot.size();
  const bool flexible = robot.flexible().has_value(), loops = robot.mechanism().has_value();
  switch (call.operation) {
    case Operation::inverse:
      // of given joint accelerations: the joints' torques, the amplitudes move freely
      if (flexible && call.widths[2] != n) return vector_of(robot.joints());
      return vector_of(n);
    case Operation::forward:
    case Operation::gravity:
    case Operation::bias: return vector_of(n);
    case Operation::friction:
      if (loops) refuse("closed loops");
      if (flexible) refuse("flexible links");
      return vector_of(n);
    case Operation::inertia: return matrices(1, n, n);
    case Operation::udut: {
      if (loops) refuse("closed loops");
      if (flexible) refuse("flexible links");
      ResultShapes shapes = matrices(2, n, n);
      shapes.shapes[1] = vector_of(n).shapes[0];
      return shapes;
    }
    case Operation::coriolis:
      if (flexible) refuse("flexible links");
      return matrices(1, n, n);
    case Operation::inverse_inertia:
      if (loops) refuse("closed loops");
      if (flexible) refuse("flexible links");
      return matrices(1, n, n);
    case Operation::inverse_derivatives:
    case Operation::forward_derivatives:
      if (loops) refuse("closed loops");
      if (flexible) refuse("flexible links");
      return matrices(call.operation == Operation::inverse_derivatives ? 2 : 3, n, n);
    case Operation::regressor:
      if (loops) refuse("closed loops");
      if (flexible) refuse("flexible links");
      return matrices(1, n, parameter_count(robot.model()));
    case Operation::energy: return vector_of(3);
    case Operation::pose: return matrices(1, 4, 4);
    case Operation::velocity:
      if (flexible) refuse("flexible links");
      return vector_of(6);
    case Operation::jacobian:
    case Operation::jacobian_rate:
      if (flexible) refuse("flexible links");
      if (loops && call.operation == Operation::jacobian_rate) refuse("closed loops");
      return matrices(1, 6, n);
    case Operation::center_of_mass: return vector_of(3);
    case Operation::joint_positions: return vector_of(robot.joints());
  }
  return {};
}

void compute(const Call& call, Scratch& scratch, const State& state) {
  if (call.robot.flexible()) {
    compute_flexible(call, scratch, state);
  } else if (call.robot.mechanism()) {
    compute_loops(call, scratch, state);
  } else {
    compute_rigid(call, scratch, state);
  }
}

}  // namespace dynamics::python
