// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many operations one call of an algorithm executes for a robot:
//
//   using namespace dynamics;
//   const Model arm = counting::general_arm(6);
//   counting::count(counting::Work::inverse, arm).counts.products();    // M of the papers' tables
//   counting::count(formulations::find("newton-euler"), formulations::Task::inverse, arm);
//
// The recursions are run with a scalar that counts (counted.hpp) on a state in which nothing is
// zero; they branch on the model and never on a value, so that every state costs the same. Counted
// is what happens between joint positions, rates and accelerations (or forces) of the bodies and
// the result: not the checking of arguments, friction, or the couplings of mimic joints.

#include <span>
#include <string_view>

#include "dynamics_core/model.hpp"
#include "papers/counting/counts.hpp"
#include "papers/formulations/registry.hpp"

namespace dynamics::counting {

/// What the recursions of rigid/ do.
enum class Work {
  inverse,         ///< tau of q, qd, qdd
  forward,         ///< qdd of q, qd, tau
  solve,           ///< x of M x = phi: decomposition and solution
  inertia_matrix,  ///< M
  coriolis,        ///< C
  gravity          ///< g
};
/// "inverse", "forward", "solve", "inertia matrix", "coriolis", "gravity"
std::string_view name(Work work);
std::span<const Work> all_works();

struct Result {
  Counts counts;  ///< of everything
  /// Of it, what belongs to phi = tau - C qd - g: the papers count forward dynamics without.
  Counts phi;
  Lines lines;  ///< everything by the lines of the paper's table, where the algorithm names any
};

Result count(Work work, const Model& model);

/// Throws ArgumentError where the formulation does not do this task or does not cover the model.
Result count(const formulations::Formulation& formulation, formulations::Task task,
             const Model& model);

/// What makes an arm general, or as some of the papers assume it.
struct ArmOptions {
  bool principal = false;  ///< inertia tensors are diagonal in the frames of their links (Turney)
};

/// A DH arm of n revolute joints with general parameters: no twist, length, offset, component of a
/// mass centre or entry of a tensor is zero, no angle is a right one, gravity is along -Z.
Model general_arm(std::size_t links, const ArmOptions& options = {});

}  // namespace dynamics::counting
