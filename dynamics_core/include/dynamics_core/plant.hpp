// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plant: a mechanism as the simulator runs it. The rigid arm is one, an arm with flexible links
// another; simulate() knows neither.
//
//   auto plant = dynamics::rigid_plant(model, {.friction = true});
//   dynamics::Recording run = dynamics::simulate(*plant, options);
//
// The coordinates are the joints of model(), in its order, and after them any others that no
// actuator moves (the amplitudes of flexible links). Joint vectors have joints() entries, state
// vectors size() entries; q, qd and qdd are state vectors unless said otherwise, tau always is a
// joint vector. Nothing here allocates except describe() and record(). Not thread-safe: one plant a
// run.

#include <memory>

#include "dynamics_core/export.hpp"
#include "dynamics_core/flexible_model.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// M(q) q'' = tau - ..., over any scalar.
template <class Scalar>
class EquationsOfMotion {
 public:
  using Input = VectorView<const Scalar>;
  using Output = VectorView<Scalar>;

  virtual ~EquationsOfMotion() = default;
  EquationsOfMotion(const EquationsOfMotion&) = delete;
  EquationsOfMotion& operator=(const EquationsOfMotion&) = delete;

  virtual std::size_t joints() const = 0;
  virtual std::size_t size() const = 0;

  /// qdd for the joint forces tau.
  virtual void accelerations(const Scalar& t, Input q, Input qd, Input tau, Output qdd) = 0;

  /// The joint forces of a desired motion of the joints (q, qd and qdd are joint vectors), to be
  /// applied open loop.
  virtual void motion_forces(const Scalar& t, Input q, Input qd, Input qdd, Output tau) = 0;

  /// The joint forces that give the joints the accelerations qdd (a joint vector) in the state q,
  /// qd: computed torque.
  virtual void control_forces(const Scalar& t, Input q, Input qd, Input qdd, Output tau) = 0;

  /// Whether energy flows in or out without joint forces: friction, damping, a moving base.
  virtual bool exchanges_energy() const = 0;

  /// What joint forces, friction, damping and the base put into the mechanism (W).
  virtual Scalar power(const Scalar& t, Input q, Input qd, Input qdd, Input tau) = 0;

 protected:
  EquationsOfMotion() = default;
};

class Plant : public EquationsOfMotion<double> {
 public:
  /// Joints, frames and looks.
  virtual const Model& model() const = 0;
  std::size_t joints() const final { return model().size(); }

  /// The rate of kinetic, potential and strain energy along q, qd, qdd (W), found otherwise than by
  /// power(), so that their difference says how well the equations of motion are solved.
  virtual double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) = 0;

  /// M^-1 times a unit impulse on a joint: the jump of qd. By differences of accelerations() unless
  /// a plant knows better.
  virtual void impulse_response(double t, ConstVector q, std::size_t joint, MutableVector jump);

  /// The same plant without the model's payload; null where it cannot be let go of.
  virtual std::unique_ptr<Plant> without_payload() const { return nullptr; }

  /// Names what record() will fill beyond the rigid columns: amplitudes, tips, and the
  /// shapes of beams.
  virtual void describe(Recording&) const {}

  /// Appends one sample of kinetic, potential, strain, end_effector, end_effector_turn and centre,
  /// and of what describe() named. Times, joint vectors, work and power are the simulator's.
  virtual void record(double t, ConstVector q, ConstVector qd, Recording& run) = 0;
};

struct RigidPlantOptions {
  bool friction = true;                             ///< damping and Coulomb friction of the joints
  std::shared_ptr<const BaseTrajectory> base = {};  ///< prescribed motion, at rest where null
};

/// The model's rigid dynamics. Links that are flexible count as rigid.
std::unique_ptr<Plant> rigid_plant(const Model& model, const RigidPlantOptions& options = {});

// An arm with flexible links for simulate():
//
//   auto plant = dynamics::flexible_plant(model);
//   dynamics::Recording run = dynamics::simulate(*plant, options);
//
// The forced run's torques are those of the rigid arm along the desired motion (Mohan and Saha,
// section 7); computed torque and hold make the joints follow, the beams swing as they will.

struct FlexiblePlantOptions {
  bool friction = true;   ///< damping and Coulomb friction of the joints
  bool cholesky = false;  ///< accelerations by the whole matrix instead of the recursion
};

std::unique_ptr<Plant> flexible_plant(const FlexibleModel& model,
                                      const FlexiblePlantOptions& options = {});

}  // namespace dynamics
