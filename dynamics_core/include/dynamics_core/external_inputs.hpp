// SPDX-License-Identifier: Apache-2.0
#pragma once

// ExternalInputs: motion of the base, wrenches on links and the friction switch of a call.
//
//   const dynamics::Wrench load = {.force = {0.0, 0.0, -20.0}};
//   const std::array<dynamics::LinkWrench, 1> push = {
//       {{model.frame("tool0"), load, dynamics::Axes::local_world_aligned}}};
//   dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau, {.wrenches = push});

#include <concepts>
#include <cstddef>
#include <optional>

#include "dynamics_core/pose.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// In whose axes, and at what point, a twist, a wrench or a Jacobian is meant.
enum class Axes {
  world,               ///< axes of the world, at the world's origin
  local,               ///< axes of the frame, at the frame's origin
  local_world_aligned  ///< axes of the world, at the frame's origin
};

/// A prescribed motion of the base link: where it is in the world, the velocity and acceleration of
/// its origin and axes, in the world's axes. Gravity is not part of it (see ModelOptions).
struct BaseMotion {
  Pose pose;
  Twist velocity;
  Twist acceleration;
};

/// A wrench that acts on a link from outside.
struct LinkWrench {
  std::size_t frame;  ///< Model::frame("...")
  Wrench wrench;      ///< moment about the frame's origin (world: about the world's), and force
  Axes axes = Axes::local;
};

/// What surrounds the robot in a call. The default: base at rest, nothing touches it, friction on.
struct ExternalInputs {
  std::optional<BaseMotion> base = std::nullopt;
  ListView<LinkWrench> wrenches;  ///< kept by the caller; a temporary vector does not compile
  bool friction = true;           ///< damping and Coulomb friction of the joints
};

/// Whether damping and Coulomb friction of the joints act, for functions that take no
/// ExternalInputs.
/// {} is the default, true; nothing but a bool converts to it.
class Friction {
 public:
  constexpr Friction() = default;
  /// From true or false only.
  template <std::same_as<bool> Bool>
  // NOLINTNEXTLINE(google-explicit-constructor): stands for the bool
  constexpr Friction(Bool acts) : acts_(acts) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator bool() const { return acts_; }

 private:
  bool acts_ = true;
};

}  // namespace dynamics
#pragma GCC visibility pop
