// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plant: the equations of motion that simulate() integrates. Two are provided: rigid robots and
// robots with flexible links.
//
//   auto plant = dynamics::rigid_plant(model, {.friction = true});
//   dynamics::Recording run = dynamics::simulate(*plant, options);
//
// Coordinates: the joints of model(), in its order, then coordinates without actuator (the modal
// amplitudes of flexible links). Joint vectors have joints() entries, state vectors have size()
// entries. q, qd and qdd are state vectors unless stated otherwise; tau is always a joint vector.
// SI units. Only describe() and record() allocate. Not thread-safe: use one plant per simulation.

#include <Eigen/Core>
#include <memory>
#include <span>

#include "dynamics_core/export.hpp"
#include "dynamics_core/flexible_model.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The equations of motion M(q) qdd + C(q, qd) qd + g(q) + friction = tau with any scalar type.
template <class Scalar>
class EquationsOfMotion {
 public:
  /// Vector argument for reading.
  using Input = VectorView<const Scalar>;
  /// Vector argument for writing.
  using Output = VectorView<Scalar>;

  virtual ~EquationsOfMotion() = default;
  EquationsOfMotion(const EquationsOfMotion&) = delete;
  EquationsOfMotion& operator=(const EquationsOfMotion&) = delete;

  virtual std::size_t joints() const = 0;  ///< number of joint coordinates
  virtual std::size_t size() const = 0;    ///< number of all coordinates

  /// Forward dynamics: qdd for the joint torques tau.
  virtual void accelerations(const Scalar& t, Input q, Input qd, Input tau, Output qdd) = 0;

  /// Joint torques of a desired motion, for open-loop control: inverse dynamics of the desired q,
  /// qd and qdd, which are joint vectors.
  virtual void feedforward_torques(const Scalar& t, Input q, Input qd, Input qdd, Output tau) = 0;

  /// Joint torques for computed-torque control: those that give the joints the accelerations qdd (a
  /// joint vector) in the actual state q, qd.
  virtual void computed_torques(const Scalar& t, Input q, Input qd, Input qdd, Output tau) = 0;

  /// Whether the energy changes even without joint torques: by friction, damping or a moving base.
  virtual bool exchanges_energy() const = 0;

  /// Power of joint torques, friction, damping and the moving base on the mechanism (W).
  virtual Scalar power(const Scalar& t, Input q, Input qd, Input qdd, Input tau) = 0;

 protected:
  EquationsOfMotion() = default;
};

/// Equations of motion that simulate() integrates, with what it records.
class Plant : public EquationsOfMotion<double> {
 public:
  /// Joints, frames and visuals.
  virtual const Model& model() const = 0;
  std::size_t joints() const final { return model().size(); }

  /// d/dt of kinetic, potential and strain energy along q, qd, qdd (W). Computed independently of
  /// power(): the difference is the residual of the equations of motion.
  virtual double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) = 0;

  /// M^-1 e_joint: the change of qd under a unit impulse on a joint. Default: difference of two
  /// accelerations(), which allocates.
  virtual void impulse_response(double t, ConstVector q, std::size_t joint,
                                MutableVector velocity_change);

  /// M^-1 e_joint of several joints, one per column. Default: impulse_response() of each.
  virtual void impulse_responses(double t, ConstVector q, std::span<const std::size_t> joints,
                                 Eigen::Ref<Eigen::MatrixXd> velocity_changes);

  /// Coulomb friction of a joint that accelerations(), power() and energy_rate() leave to the
  /// simulator, which lets joints stick and slide (N m or N).
  virtual double dry_friction(std::size_t /*joint*/) const { return 0.0; }

  /// The same plant without the model's payload; null if there is no payload.
  virtual std::unique_ptr<Plant> without_payload() const { return nullptr; }

  /// Prepares the columns that record() fills beyond those of a rigid robot: names of amplitudes
  /// and tips, and the shape functions of the beams.
  virtual void describe(Recording&) const {}

  /// Appends one sample of kinetic, potential, strain, end_effector, end_effector_orientation,
  /// center_of_mass and the columns of describe(). The simulator appends times, joint vectors, work
  /// and power.
  virtual void record(double t, ConstVector q, ConstVector qd, Recording& run) = 0;
};

/// Options of rigid_plant().
struct RigidPlantOptions {
  bool friction = true;  ///< damping and Coulomb friction of the joints
  /// Coulomb friction holds joints at rest; otherwise it is smooth at low velocities, as in
  /// inverse_dynamics().
  bool dry_friction = true;
  std::shared_ptr<const BaseTrajectory> base = {};  ///< prescribed base motion; null: at rest
};

/// Rigid-body dynamics of the model; flexible links are treated as rigid.
std::unique_ptr<Plant> rigid_plant(const Model& model, const RigidPlantOptions& options = {});

/// Options of flexible_plant().
struct FlexiblePlantOptions {
  bool friction = true;      ///< damping and Coulomb friction of the joints
  bool dry_friction = true;  ///< as in RigidPlantOptions
  bool cholesky = false;     ///< solve with the full inertia matrix, O(n^3), instead of O(n)
};

/// Dynamics of a robot with flexible links. feedforward_torques() are those of the rigid robot
/// (Mohan and Saha, section 7). computed_torques() control the joints only; the beams vibrate
/// freely.
std::unique_ptr<Plant> flexible_plant(const FlexibleModel& model,
                                      const FlexiblePlantOptions& options = {});

}  // namespace dynamics
