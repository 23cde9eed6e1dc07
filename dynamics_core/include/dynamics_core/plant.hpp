// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plant: the equations of motion that simulate() integrates. Three are provided: rigid robots,
// robots with flexible links, and mechanisms with closed loops.
//
//   auto plant = dynamics::rigid_plant(model, {.friction = true});
//   dynamics::Recording run = dynamics::simulate(*plant, options);
//   const double kinetic = plant->energy(0.0, q, qd).kinetic;
//
// Coordinates: the joints of model(), in its order, then coordinates without actuator (the modal
// amplitudes of flexible links). Joint vectors have joints() entries, state vectors have size()
// entries. q, qd and qdd are state vectors unless stated otherwise; tau is a joint vector, or a
// state vector that includes forces on the amplitudes. SI units. Only beams() and with_payload()
// allocate. Not thread-safe: use one plant per simulation.

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

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

/// Energies of a plant (J).
struct PlantEnergy {
  double kinetic = 0.0;
  double potential = 0.0;  ///< of gravity
  double strain = 0.0;     ///< of flexible links
  /// The sum of the three.
  double total() const { return kinetic + potential + strain; }
};

/// Shape functions of a flexible link, tabulated at stations x[i] along the beam. With the modal
/// amplitudes d of a state they give the deflected shape:
///
///   u_y(x_i) = sum_j modes[j].value[i] d_j over the modes along y, u_z likewise along z,
///   u_x(x_i) = -1/2 sum (j == k ? 1 : 2) value[i] d_j d_k over `shortening`,
///
/// and the cross-section is rotated by Rz(u_y') Ry(-u_z').
struct BeamShapes {
  /// One entry per station.
  struct Mode {
    std::vector<double> value, slope, curvature;  ///< s, ds/dx (1/m), d2s/dx2 (1/m^2)
  };
  /// int_0^x s_j' s_k' dx for j <= k of the same direction.
  struct Shortening {
    std::size_t j, k;
    std::vector<double> value;  ///< one entry per station (1/m)
  };
  std::string link;
  std::size_t first;      ///< index of its first amplitude among all amplitudes
  std::size_t modes_y;    ///< number of modes along y; they come first
  std::vector<double> x;  ///< stations along the undeformed beam, ascending, with both ends (m)
  std::vector<Mode> modes;
  std::vector<Shortening> shortening;  ///< empty without foreshortening
};

/// Equations of motion that simulate() integrates, and the answers to what is recorded.
class Plant : public EquationsOfMotion<double> {
 public:
  /// Joints, frames and visuals.
  virtual const Model& model() const = 0;
  std::size_t joints() const final { return model().size(); }

  /// d/dt of kinetic, potential and strain energy along q, qd, qdd (W). Computed independently of
  /// power(): the difference is the residual of the equations of motion.
  virtual double energy_rate(double t, ConstVector q, ConstVector qd, ConstVector qdd) = 0;

  /// The prescribed motion of the base at time t; none: at rest.
  virtual std::optional<BaseMotion> base_motion(double /*t*/) const { return std::nullopt; }
  virtual PlantEnergy energy(double t, ConstVector q, ConstVector qd) = 0;
  /// The pose of a frame of model() in the world.
  virtual Pose frame_pose(double t, ConstVector q, std::size_t frame) = 0;
  /// The center of mass of all moving bodies in the world (m).
  virtual Eigen::Vector3d center_of_mass(double t, ConstVector q, ConstVector qd) = 0;

  /// Adds J^T w of wrenches on links to `forces`, which has one entry per coordinate. Wrenches with
  /// Axes::local_world_aligned or Axes::local. Default: throws ArgumentError.
  virtual void add_wrenches(double t, ConstVector q, std::span<const LinkWrench> wrenches,
                            MutableVector forces);

  /// The center of mass of a frame's link, in the link's frame (m); zero for a link without mass.
  Eigen::Vector3d mass_center(std::size_t frame) const;

  /// The same for a wrench at the center of mass of a frame's link, in the world's axes. On a
  /// flexible link it acts on the cross-section that has the center of mass of the undeformed link.
  /// Default: by frame_pose() and add_wrenches().
  virtual void add_wrench_at_mass_center(double t, ConstVector q, std::size_t frame,
                                         const Wrench& wrench, MutableVector forces);

  /// M^-1 e_joint: the change of qd under a unit impulse on a joint. Default: difference of two
  /// accelerations(), which allocates.
  virtual void impulse_response(double t, ConstVector q, std::size_t joint,
                                MutableVector velocity_change);

  /// M^-1 e_joint of several joints, one per column. Default: impulse_response() of each.
  virtual void impulse_responses(double t, ConstVector q, std::span<const std::size_t> joints,
                                 Eigen::Ref<Eigen::MatrixXd> velocity_changes);

  /// Hybrid dynamics: the accelerations qdd of all coordinates and the joint torques tau, where the
  /// joints have the accelerations joint_qdd (a joint vector). `forces` (a state vector) act in
  /// addition to tau. Default: by accelerations() and impulse_responses(), which allocates.
  virtual void hybrid_dynamics(double t, ConstVector q, ConstVector qd, ConstVector joint_qdd,
                               ConstVector forces, MutableVector qdd, MutableVector tau);

  /// The inertia matrix M(q), size() x size(). Default: from impulse_responses(), which allocates;
  /// then only the responses to joint forces are those of the plant.
  virtual void inertia_matrix(double t, ConstVector q, Eigen::Ref<Eigen::MatrixXd> M);

  /// The bias forces: M qdd + bias = tau, with zero force on the coordinates without actuator.
  /// Default: by inertia_matrix() and accelerations(), which allocates.
  virtual void bias_forces(double t, ConstVector q, ConstVector qd, MutableVector bias);

  /// The constant matrices D and K, size() x size(), of the forces -D qd - K q in accelerations().
  /// Implicit integrators are stable for any such forces. Default: zero.
  virtual void linear_forces(Eigen::Ref<Eigen::MatrixXd> D, Eigen::Ref<Eigen::MatrixXd> K) const;

  /// Coulomb friction of a joint that accelerations(), power() and energy_rate() leave to the
  /// simulator, which lets joints stick and slide (N m or N).
  virtual double dry_friction(std::size_t /*joint*/) const { return 0.0; }

  // closed loops; none on a tree

  /// The mechanism, null for a tree.
  virtual const Mechanism* mechanism() const { return nullptr; }
  /// Moves a state to the nearest one that closes the loops. Returns how far it was moved, relative
  /// to the size of the mechanism.
  virtual double project(MutableVector /*q*/, MutableVector /*qd*/) { return 0.0; }
  /// Whether the joint has an actuator; controllers exert no torque on the others.
  virtual bool actuated(std::size_t /*joint*/) const { return true; }

  /// The same plant with another payload, or without one. Throws ArgumentError for an invalid
  /// payload. Default: throws ArgumentError.
  virtual std::unique_ptr<Plant> with_payload(const std::optional<Payload>& payload) const;

  // flexible links; none on a rigid robot

  /// Names of the amplitudes: LINK_y1, ..., in the order of the coordinates behind the joints.
  virtual std::vector<std::string> amplitude_names() const { return {}; }
  /// The flexible links and their shape functions.
  virtual std::vector<BeamShapes> beams() const { return {}; }
  /// Deflection (0, u_y, u_z) of the tip of beams()[beam] in the link's axes (m).
  virtual Eigen::Vector3d tip_deflection(ConstVector /*q*/, std::size_t /*beam*/) {
    return Eigen::Vector3d::Zero();
  }
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

/// Options of loop_plant(), as in RigidPlantOptions.
struct LoopPlantOptions {
  bool friction = true;
  bool dry_friction = true;
  std::shared_ptr<const BaseTrajectory> base = {};
};

/// Dynamics of a mechanism with closed loops. Coordinates: all joints of Mechanism::tree(). States
/// are projected onto the loops before accelerations and energies are computed. feedforward_torques
/// and computed_torques are those of Mechanism::actuated(); of a desired motion only the
/// independent joints count, the others follow from the loops.
std::unique_ptr<Plant> loop_plant(const Mechanism& mechanism, const LoopPlantOptions& options = {});

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
#pragma GCC visibility pop
