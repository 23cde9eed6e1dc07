// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inverse dynamics: the joint forces of a motion (Saha 1999, section 5.1).
//
// All functions here: vectors are in the order of Model::coordinates(); a wrong size or a number
// that is not finite throws ArgumentError naming the argument, and nothing is written; nothing is
// allocated; different threads may share the model, each with its own workspace.

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// tau = M qdd + C qd + g + friction - J^T w: what the joints must exert. O(n).
void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, const Conditions& conditions = {});

/// Where the wrenches of joints go: a vector, array or span of them. It has no default, so that
/// {} as the argument after tau means Conditions.
class WrenchOutput {
 public:
  template <class Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, WrenchOutput> &&
           std::constructible_from<std::span<Wrench>, Range>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      WrenchOutput(Range&& range)
      : wrenches_(std::forward<Range>(range)) {}
  std::size_t size() const { return wrenches_.size(); }
  Wrench& operator[](std::size_t i) const { return wrenches_[i]; }

 private:
  std::span<Wrench> wrenches_;
};

/// The same, and what each joint transmits to its link besides: wrenches[i] of Model::bodies()[i],
/// at the joint's origin, in the axes of the link's frame (of the body's frame between the parts of
/// a planar or floating joint). The component along the axis is the actuator's, less its rotor's
/// and friction's share.
void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, WrenchOutput wrenches,
                      const Conditions& conditions = {});

/// g: what holds the robot still against gravity, friction and wrenches left out.
void gravity_forces(const Model& model, Workspace& workspace, ConstVector q, MutableVector g);

/// phi's other side (Saha 1999, Eq. 20): C qd + g + friction - J^T w.
void bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                 MutableVector bias, const Conditions& conditions = {});

/// N^T w: the joint forces that do the work of wrenches on links (Saha 1999, Eq. 30).
void generalized_forces(const Model& model, Workspace& workspace, ConstVector q,
                        std::span<const LinkWrench> wrenches, MutableVector tau,
                        const std::optional<BaseMotion>& base = std::nullopt);

/// Damping and Coulomb friction of the joints at these speeds.
void friction_forces(const Model& model, Workspace& workspace, ConstVector qd, MutableVector tau);

}  // namespace dynamics
