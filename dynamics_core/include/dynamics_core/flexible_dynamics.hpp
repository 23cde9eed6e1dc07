// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dynamics of robots with flexible links.
//
// All functions here: q, qd, qdd are joints and amplitudes in the order of FlexibleModel; a wrong
// size or a number that is not finite throws ArgumentError naming the argument, and nothing is
// written; nothing is allocated; different threads may share the model, each with a workspace of
// its own. `friction` (true or false) says whether damping and Coulomb friction of the joints act;
// the beams' own damping always does.

#include <Eigen/Core>
#include <memory>

#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/flexible_model.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// All scratch memory, for one thread at a time. After construction nothing allocates. It carries
/// no state from call to call.
class FlexibleWorkspace {
 public:
  explicit FlexibleWorkspace(const FlexibleModel& model);
  ~FlexibleWorkspace();
  FlexibleWorkspace(FlexibleWorkspace&&) noexcept;
  FlexibleWorkspace& operator=(FlexibleWorkspace&&) noexcept;
  FlexibleWorkspace(const FlexibleWorkspace&) = delete;
  FlexibleWorkspace& operator=(const FlexibleWorkspace&) = delete;

  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Accelerations of joints and amplitudes under joint forces, by the block UDU^T decomposition of
/// the inertia matrix in O(n) (Mohan and Saha, section 5). `tau`: one entry a joint, or of full
/// size with forces on the amplitudes.
void forward_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector tau, MutableVector qdd, Friction friction = {});

/// The same by the whole inertia matrix and Cholesky's decomposition, in O(n^3): the paper's
/// non-recursive algorithm, for comparison.
void forward_dynamics_cholesky(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                               Friction friction = {});

/// Joint torques for a motion of the joints, and how the beams move under it: `joint_qdd` and `tau`
/// one entry a joint, `amplitude_qdd` one an amplitude. O(n).
void joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   ConstVector qd, ConstVector joint_qdd, MutableVector tau,
                   MutableVector amplitude_qdd, Friction friction = {});

/// All generalized forces of a motion of joints and amplitudes: M qdd + bias. O(n). Those on the
/// amplitudes are zero when the motion is one that the beams would make by themselves.
void inverse_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector qdd, MutableVector forces,
                      Friction friction = {});

/// Velocity terms, gravity, strain, damping and friction: inverse dynamics without acceleration.
void bias_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                 ConstVector qd, MutableVector bias, Friction friction = {});

/// Gravity and strain: what holds the robot still.
void static_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   MutableVector forces);

/// M, full and symmetric (Eq. 32).
void inertia_matrix(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M);

/// M = U D U^T (Eqs. 34 to 37) in block order (FlexibleModel::block_order): U unit upper block
/// triangular, D block diagonal, a block being a body's joint and amplitudes. Both of full size.
void udut(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
          Eigen::Ref<Eigen::MatrixXd> U, Eigen::Ref<Eigen::MatrixXd> D);

struct FlexibleEnergy {
  double kinetic = 0.0;    ///< rotor inertias included (J)
  double potential = 0.0;  ///< of gravity, zero at the world's origin (J)
  double strain = 0.0;     ///< (J)
  double total() const { return kinetic + potential + strain; }
};
FlexibleEnergy energy(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd);

/// What flows into and out of the robot: d(energy)/dt = actuators - friction - damping.
struct FlexiblePower {
  double actuators = 0.0;  ///< tau qd of the joints (W)
  double friction = 0.0;   ///< of the joints, zero or more (W)
  double damping = 0.0;    ///< of the beams, zero or more (W)
};
FlexiblePower power(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector qd,
                    ConstVector tau);

/// The pose of a frame in the world, carried by deflections and slopes.
Pose frame_pose(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                std::size_t frame);

/// The mass centre of all moving bodies (m).
Eigen::Vector3d mass_centre(const FlexibleModel& model, FlexibleWorkspace& workspace,
                            ConstVector q);

/// Bending deflection (0, u_y, u_z) of a point of a beam in its link's axes, x along the undeformed
/// beam. cross_section_pose() adds the foreshortening and the rotation.
Eigen::Vector3d deflection(const FlexibleModel& model, ConstVector q, std::size_t link, double x);

/// The cross-section of flexible link `link` at x, from 0 to its length: the shapes, slopes and
/// foreshortening there. Allocates. Throws ArgumentError for x outside the beam.
BeamSection cross_section(const FlexibleModel& model, std::size_t link, double x);

/// The pose of a cross-section in its link's frame: translation (x + u_x, u_y, u_z), rotation
/// Rz(u_y') Ry(-u_z'). `at` comes from cross_section() for the same model and link.
Pose cross_section_pose(const FlexibleModel& model, ConstVector q, std::size_t link,
                        const BeamSection& at);

}  // namespace dynamics
