// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operation counts of one call of an algorithm for a robot:
//
//   using namespace dynamics;
//   const Model arm = counting::general_arm(6);
//   counting::count(counting::Computation::inverse, arm).counts.products();   // M of the papers
//   counting::count(formulations::find("newton-euler"), formulations::Task::inverse, arm);
//
// The recursions run with a counting scalar (counted.hpp) on a state without zeros. They branch on
// the model and never on a value, so every state has the same cost. The count covers the recursion
// from positions, velocities and accelerations (or torques) of the bodies to the result; it
// excludes the checks of arguments, friction and mimic joints.

#include <span>
#include <string_view>

#include "dynamics_core/formulations.hpp"
#include "dynamics_core/model.hpp"
#include "papers/counting/operation_count.hpp"

namespace dynamics::counting {

/// The recursions of rigid/.
enum class Computation {
  inverse,         ///< tau from q, qd, qdd
  forward,         ///< qdd from q, qd, tau
  solve,           ///< x from M x = phi: factorization and solution
  inertia_matrix,  ///< M
  coriolis,        ///< C
  gravity          ///< g
};
/// "inverse", "forward", "solve", "inertia matrix", "coriolis", "gravity"
std::string_view name(Computation computation);
std::span<const Computation> all_computations();

struct Result {
  OperationCount counts;  ///< total
  /// Part of `counts` for phi = tau - C qd - g; the papers count forward dynamics without it.
  OperationCount phi;
  CountsByLine lines;  ///< `counts` by the lines of the paper's table, or empty
};

Result count(Computation computation, const Model& model);

/// Throws ArgumentError if the formulation does not support the task or the model.
Result count(const formulations::Formulation& formulation, formulations::Task task,
             const Model& model);

/// Restrictions that some papers assume, and changes for tests.
struct ArmOptions {
  bool principal = false;       ///< inertia tensors are diagonal in the link frames (Turney)
  bool planar = false;          ///< all axes are parallel: no twists
  std::size_t extra_links = 0;  ///< links more than stated
};

/// An arm of n revolute joints with general DH parameters: twists, lengths, offsets, mass centers
/// and inertia tensors have no zero entry, no angle is a multiple of 90 degrees, gravity acts along
/// -Z. Throws ArgumentError unless 1 <= links <= max_dh_links.
Model general_arm(std::size_t links, const ArmOptions& options = {});

}  // namespace dynamics::counting
