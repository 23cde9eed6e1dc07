// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inverse dynamics: the joint torques for a given motion (Saha 1999, section 5.1), and the terms of
// the equations of motion. Forward dynamics: the joint accelerations for given joint torques (Saha
// 2003, sections 2.2 and 3).
//
//   dynamics::Workspace workspace(model);                            // once; allocates
//   dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);   // throws for bad arguments
//   dynamics::forward_dynamics(model, workspace, q, qd, tau, qdd);   // the same qdd again
//
//   // in a control loop: no exception, a Status (see error.hpp)
//   if (dynamics::try_inverse_dynamics(model, workspace, q, qd, qdd, tau) != dynamics::Status::ok)
//     stop();
//
// All functions here: vectors are in the order of Model::coordinates(); torques are forces for
// prismatic joints; a wrong size or a number that is not finite throws ArgumentError naming the
// argument, and nothing is written; an output may be one of the inputs; nothing is allocated;
// threads may share the model, each with its own workspace.

#include <Eigen/Core>
#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// tau = M qdd + C qd + g + friction - J^T w. O(n).
void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, const ExternalInputs& external = {});
Status try_inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector qdd, MutableVector tau,
                            const ExternalInputs& external = {}) noexcept;

/// Where the wrenches of joints go: a vector, array or span of them. It has no default, so that
/// {} as the argument after tau means ExternalInputs.
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

/// Also the wrench that each joint transmits: wrenches[i] is that of Model::bodies()[i], at the
/// joint's origin, in the axes of the link's frame (of the body's frame between the parts of a
/// planar or floating joint). Its component along the axis is the actuator's torque without rotor
/// inertia and friction.
void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, WrenchOutput wrenches,
                      const ExternalInputs& external = {});
Status try_inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector qdd, MutableVector tau, WrenchOutput wrenches,
                            const ExternalInputs& external = {}) noexcept;

/// g: the torques that hold the robot at rest against gravity, without friction and wrenches. O(n).
void gravity_forces(const Model& model, Workspace& workspace, ConstVector q, MutableVector g);
Status try_gravity_forces(const Model& model, Workspace& workspace, ConstVector q,
                          MutableVector g) noexcept;

/// Bias forces: C qd + g + friction - J^T w (Saha 1999, Eq. 20). O(n).
void bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                 MutableVector bias, const ExternalInputs& external = {});
Status try_bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                       MutableVector bias, const ExternalInputs& external = {}) noexcept;

/// How C(q, qd) is chosen: C qd alone does not determine it.
enum class CoriolisKind {
  denoc,       ///< N^T (M N' + M' N), Saha 1999, Eq. (29)
  christoffel  ///< Christoffel symbols of the first kind: c_ijk symmetric in j and k
};

/// The Coriolis matrix C(q, qd), n x n: C qd is the velocity part of the joint torques, and
/// dM/dt - 2C is skew-symmetric. Both kinds have these properties and agree for planar arms. O(n
/// d), d the depth of the tree. Throws ArgumentError for bad arguments.
void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind = CoriolisKind::denoc);
Status try_coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                           Eigen::Ref<Eigen::MatrixXd> C,
                           CoriolisKind kind = CoriolisKind::denoc) noexcept;

/// J^T w: the joint torques that do the same work as wrenches on links (Saha 1999, Eq. 30). O(n).
void wrenches_to_joint_torques(const Model& model, Workspace& workspace, ConstVector q,
                               std::span<const LinkWrench> wrenches, MutableVector tau,
                               const std::optional<BaseMotion>& base = std::nullopt);
Status try_wrenches_to_joint_torques(const Model& model, Workspace& workspace, ConstVector q,
                                     std::span<const LinkWrench> wrenches, MutableVector tau,
                                     const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// Damping and Coulomb friction of the joints at these velocities.
void friction_forces(const Model& model, Workspace& workspace, ConstVector qd, MutableVector tau);
Status try_friction_forces(const Model& model, Workspace& workspace, ConstVector qd,
                           MutableVector tau) noexcept;

/// qdd = M^-1 (tau - C qd - g - friction + J^T w), such that inverse_dynamics(q, qd, qdd) = tau.
/// O(n); with k mimic joints O(n k + k^3). Throws also StateError
/// where there is no answer: a joint that moves no mass, a floating joint at pitch =
/// +-90 degrees.
void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector tau, MutableVector qdd, const ExternalInputs& external = {});
Status try_forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector tau, MutableVector qdd,
                            const ExternalInputs& external = {}) noexcept;

}  // namespace dynamics
#pragma GCC visibility pop
