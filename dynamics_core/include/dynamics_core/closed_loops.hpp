// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mechanisms with closed loops: four-bar linkages, parallelogram arms, parallel robots.
//
//   const dynamics::Mechanism gripper = dynamics::mechanism_from_urdf_file("gripper.urdf");
//   dynamics::MechanismWorkspace workspace(gripper);              // once; allocates
//   std::vector<double> q(gripper.start().begin(), gripper.start().end());
//   q[gripper.independent()[0]] = 0.3;                            // move the independent joints,
//   dynamics::close_loops(gripper, workspace, q);                 // then the others follow
//   std::vector<double> qd(q.size()), tau(q.size()), qdd(q.size());
//   dynamics::forward_dynamics(gripper, workspace, q, qd, tau, qdd);
//
// One joint of each loop is cut and described by a <constraint>; the rest is a tree (tree()). The
// constraints hold exactly: there is no penalty force and no stabilization. Constraints that share
// joints form a group; a group is eliminated within the recursion over the tree like a joint with
// several coordinates, so that the cost is O(n + sum of m^3) over groups with m equations each
// (docs/closed_loops.md).
//
// q, qd, qdd and joint torques have one entry per coordinate of tree(), in its order. Vectors "of
// the independent joints" have size() entries, in the order of independent(). Units are SI. A wrong
// size or a value that is not finite throws ArgumentError and nothing is written. StateError: q
// does not close the loops to 1e-6 of length(), or the position is singular. Nothing is allocated
// unless stated. Threads may share the mechanism, each with its own workspace. Every function that
// takes a workspace has a variant try_NAME (error.hpp).

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/description.hpp"
#include "dynamics_core/energy.hpp"
#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/rigid_dynamics.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

struct DhTable;

/// Constraints that share joints, and the joints that they couple.
struct LoopGroup {
  std::vector<std::string> constraints;  ///< names, in the order of the description
  std::vector<std::size_t> joints;       ///< coordinates of the tree
  std::size_t equations = 0;             ///< number of constraint equations m
  std::size_t rank = 0;                  ///< number of independent ones
  /// The other equations, as text: "cut: rotation 1". They hold by themselves; how the wrench of
  /// the cut divides between them and the others is not determined (loop_wrenches()).
  std::vector<std::string> redundant;
};

/// A mechanism with closed loops: immutable, cheap to copy, shared between threads.
class Mechanism {
 public:
  struct [[gnu::visibility("hidden")]] Data;

  /// Throws ModelError for the first error, naming the constraint: one that cannot close, loops in
  /// which no joint can move, ...; ArgumentError for invalid options.
  explicit Mechanism(RobotDescription description, const ModelOptions& options = {});

  // References and views live as long as any copy of the mechanism.

  /// The tree without the constraints.
  const Model& tree() const&;
  /// The description with the constraints.
  const RobotDescription& description() const&;
  /// The independent joints, as coordinates of tree(), ascending: joints outside of loops; in each
  /// group those with actuated="true", else those of <ros2_control>, else the best-conditioned.
  std::span<const std::size_t> independent() const&;
  /// The joints with an actuator. More than independent ones: redundant actuation.
  std::span<const std::size_t> actuated() const&;
  std::span<const LoopGroup> groups() const&;
  /// A position that closes the loops: the nearest to zero (within the joints' limits).
  std::span<const double> start() const&;
  /// Warnings and remarks about the loops: a start that was moved, redundant equations, ...
  std::span<const Note> notes() const&;
  const Model& tree() const&& = delete;
  const RobotDescription& description() const&& = delete;
  std::span<const std::size_t> independent() const&& = delete;
  std::span<const std::size_t> actuated() const&& = delete;
  std::span<const LoopGroup> groups() const&& = delete;
  std::span<const double> start() const&& = delete;
  std::span<const Note> notes() const&& = delete;

  std::size_t size() const;  ///< number of independent joints (the mobility)
  double length() const;     ///< size of the loops (m); errors are relative to it

  /// Copies with another gravity (m/s^2), with another payload, or without payload, as for Model.
  Mechanism with_gravity(const Eigen::Vector3d& gravity) const;
  Mechanism with_payload(const Payload& payload) const;
  Mechanism without_payload() const;

  const Data& data() const& { return *data_; }  ///< for the library's own code
  const Data& data() const&& = delete;

 private:
  explicit Mechanism(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// Reads a URDF with <constraint> elements; without any, the mechanism is the tree. Throws
/// ParseError or ModelError.
Mechanism mechanism_from_urdf(std::string_view text, const ModelOptions& options = {},
                              std::string_view source = "URDF");
Mechanism mechanism_from_urdf_file(const std::string& path, const ModelOptions& options = {});

/// The mechanism of a DH table, with the table's gravity. Throws ModelError.
Mechanism mechanism_from_dh(const DhTable& table);

/// Scratch memory of the functions below, for one thread at a time. Allocates at construction only.
class MechanismWorkspace {
 public:
  /// Allocates the memory for this mechanism.
  explicit MechanismWorkspace(const Mechanism& mechanism);
  ~MechanismWorkspace();
  MechanismWorkspace(MechanismWorkspace&&) noexcept;
  MechanismWorkspace& operator=(MechanismWorkspace&&) noexcept;
  MechanismWorkspace(const MechanismWorkspace&) = delete;
  MechanismWorkspace& operator=(const MechanismWorkspace&) = delete;

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// The largest error of all constraint equations: positions relative to length(), directions as
/// sine of the angle. Zero for closed loops. O(n).
double loop_error(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q);
Status try_loop_error(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      double& error) noexcept;

/// The positions of the dependent joints from those of the independent joints, by Newton's method
/// from the given positions: on the branch where it starts. Throws StateError where it does not
/// converge, with the joint and the condition number.
void close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, MutableVector q);
Status try_close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace,
                       MutableVector q) noexcept;

/// The same for the positions z of the independent joints, following the loops in small steps from
/// a position that closes them: to the branch of `from`. `q` may be `from`.
void close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector from,
                 ConstVector z, MutableVector q);
Status try_close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector from,
                       ConstVector z, MutableVector q) noexcept;

/// The nearest position that closes the loops and, with it, the nearest velocity; all joints move.
/// Throws StateError where Newton's method does not converge.
void project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, MutableVector q);
void project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, MutableVector q,
                      MutableVector qd);
Status try_project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            MutableVector q) noexcept;
Status try_project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            MutableVector q, MutableVector qd) noexcept;

/// The velocities of the dependent joints from those of the independent joints. Throws StateError
/// where the independent joints do not determine them (a dead center).
void close_velocities(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      MutableVector qd);
Status try_close_velocities(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, MutableVector qd) noexcept;

/// The accelerations of the dependent joints from those of the independent joints.
void close_accelerations(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                         ConstVector qd, MutableVector qdd);
Status try_close_accelerations(const Mechanism& mechanism, MechanismWorkspace& workspace,
                               ConstVector q, ConstVector qd, MutableVector qdd) noexcept;

/// The accelerations of all joints under joint torques: M qdd + C qd + g + friction - J^T w = tau +
/// G^T lambda, G qdd + G' qd = 0. Independent of the choice of independent joints: defined at their
/// dead centers too.
void forward_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector tau, MutableVector qdd,
                      const ExternalInputs& external = {});
Status try_forward_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                            const ExternalInputs& external = {}) noexcept;

/// X = N (N^T M N)^-1 N^T B for the columns of B, N a basis of the motions that keep the loops
/// closed: the accelerations, or changes of velocity, under joint torques, or impulses, alone. B
/// and X have one row per coordinate of tree(); X may be B. O(n) per column.
void solve_inertia(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                   ConstMatrix B, Eigen::Ref<Eigen::MatrixXd> X);
Status try_solve_inertia(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                         ConstMatrix B, Eigen::Ref<Eigen::MatrixXd> X) noexcept;

/// The torques of the independent joints for a motion of all joints: size() entries. O(n).
void inverse_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector qdd, MutableVector tau,
                      const ExternalInputs& external = {});
Status try_inverse_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, ConstVector qd, ConstVector qdd, MutableVector tau,
                            const ExternalInputs& external = {}) noexcept;

/// The torques of actuated(), in its order, that act as `tau` of the independent joints. With more
/// actuators than independent joints the solution with the smallest sum of squares. Throws
/// StateError where the actuators cannot: there are fewer, or the position is singular for them.
void actuator_torques(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      ConstVector tau, MutableVector torques);
Status try_actuator_torques(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, ConstVector tau, MutableVector torques) noexcept;

/// M, C and g of M zdd + C zd + g = tau, z the independent joints; dM/dt - 2C is skew-symmetric.
/// With the matrix B of qd = B zd: M = B^T M_tree B, C = B^T (M_tree B' + C_tree B). O(n^2).
void inertia_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M);
Status try_inertia_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept;
void coriolis_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                     ConstVector qd, Eigen::Ref<Eigen::MatrixXd> C);
Status try_coriolis_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                           ConstVector qd, Eigen::Ref<Eigen::MatrixXd> C) noexcept;
void gravity_forces(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                    MutableVector g);
Status try_gravity_forces(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                          MutableVector g) noexcept;

/// Derivatives of inverse dynamics in the independent joints z, size() x size(): of tau(z, zd, zdd)
/// by z and by zd, where the dependent joints follow from the loops; by zdd it is the inertia
/// matrix. By differences along the loops, extrapolated: to 1e-9 of the largest entry away from
/// singular positions. Of qd and qdd only the entries of the independent joints count. O(n) per
/// independent joint.
void inverse_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                  ConstVector q, ConstVector qd, ConstVector qdd,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_z,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_zd,
                                  const ExternalInputs& external = {});
Status try_inverse_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector qdd,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_z,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_zd,
                                        const ExternalInputs& external = {}) noexcept;

/// Derivatives of the accelerations zdd of the independent joints by z, by zd, and by torques of
/// the independent joints, size() x size(). `tau`: torques of all joints, constant. As above;
/// throws StateError at dead centers of the independent joints too.
void forward_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                  ConstVector q, ConstVector qd, ConstVector tau,
                                  Eigen::Ref<Eigen::MatrixXd> zdd_by_z,
                                  Eigen::Ref<Eigen::MatrixXd> zdd_by_zd,
                                  Eigen::Ref<Eigen::MatrixXd> zdd_by_tau,
                                  const ExternalInputs& external = {});
Status try_forward_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector tau,
                                        Eigen::Ref<Eigen::MatrixXd> zdd_by_z,
                                        Eigen::Ref<Eigen::MatrixXd> zdd_by_zd,
                                        Eigen::Ref<Eigen::MatrixXd> zdd_by_tau,
                                        const ExternalInputs& external = {}) noexcept;

/// The wrenches in the loops: cuts[k] is the wrench of constraint k of the description on its child
/// link, about the origin of child_origin, in the world's axes; joints[i] is the wrench that joint
/// i of tree().bodies() transmits, as in inverse_dynamics() of a tree. `tau`: torques of all joints
/// that cause qdd (the actuators'). With redundant equations the cut wrenches have the smallest sum
/// of squares over the equations (moments divided by length()).
void loop_wrenches(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                   ConstVector qd, ConstVector qdd, ConstVector tau, std::span<Wrench> cuts,
                   std::span<Wrench> joints, const ExternalInputs& external = {});
Status try_loop_wrenches(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                         ConstVector qd, ConstVector qdd, ConstVector tau, std::span<Wrench> cuts,
                         std::span<Wrench> joints, const ExternalInputs& external = {}) noexcept;

/// Kinetic and potential energy. O(n).
Energy energy(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
              ConstVector qd);
Status try_energy(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                  ConstVector qd, Energy& energy) noexcept;

/// The scratch memory of the functions on tree(), for kinematics and energies of the mechanism.
Workspace& tree_workspace(MechanismWorkspace& workspace);

}  // namespace dynamics
#pragma GCC visibility pop
