// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robots with flexible links, modeled as slender beams in bending with assumed modes (Mohan and
// Saha): FlexibleModel, immutable, cheap to copy, shared by threads, and its dynamics.
//
//   dynamics::FlexibleModel arm(dynamics::model_from_dh(dynamics::built_in_robot("canadarm")));
//   dynamics::FlexibleWorkspace workspace(arm);
//   std::vector<double> q(arm.size()), qd(arm.size()), qdd(arm.size()), tau(arm.joint_count());
//   dynamics::forward_dynamics(arm, workspace, q, qd, tau, qdd);       // throws for bad arguments
//   // in a control loop: no exception, a Status (see error.hpp)
//   if (dynamics::try_joint_torques(arm, workspace, q, qd, joint_qdd, tau, amplitude_qdd) !=
//       dynamics::Status::ok) stop();
//
// Coordinates: the joints in the order of Model, then the modal amplitudes, link by link in the
// order of the tree, modes along y before modes along z. Links without modes are rigid. SI units.
//
// For all functions: q, qd and qdd have one entry per coordinate. A wrong size or a value that is
// not finite throws ArgumentError naming the argument, and nothing is written; an output may be one
// of the inputs. Nothing is allocated unless stated. Threads may share the model, each with its own
// workspace. `friction` switches damping and Coulomb friction of the joints; the damping of the
// beams always acts. n: number of coordinates. Every function that takes a workspace has a variant
// try_NAME.

#include <Eigen/Core>
#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

namespace flexible {
struct ElasticBody;
}  // namespace flexible

// Shape functions of a beam that is clamped at its root: the deflection is u(x, t) = sum_j s_j(x)
// d_j(t) with the amplitudes d_j (Mohan and Saha, Eq. 1c).

/// A shape function at one x.
struct BeamShape {
  double value;      ///< s
  double slope;      ///< ds/dx (1/m)
  double curvature;  ///< d2s/dx2 (1/m^2)
};

/// Basis of shape functions. User-defined: derive from it and set FlexibleOptions::basis.
class BeamBasis {
 public:
  virtual ~BeamBasis() = default;
  /// Name of the basis, for messages.
  virtual std::string name() const = 0;
  /// Shape function `mode` (from 0) at x, 0 <= x <= length. Value and slope must be zero at x = 0.
  virtual BeamShape at(int mode, double x, double length) const = 0;
};

/// Eigenfunctions of a uniform cantilever: s = sin z - sinh z - sigma (cos z - cosh z) with z = m_j
/// x/length and cos m_j cosh m_j = -1 (Mohan and Saha, Eq. 43), evaluated without the cancellation
/// of this formula for high modes.
std::shared_ptr<const BeamBasis> clamped_free_basis();

/// Polynomials: (x/length)^2 times Jacobi polynomials, orthogonal over the length, 1 at the tip.
/// Unlike the cantilever's eigenfunctions they have curvature at the tip: two of them contain the
/// exact static shape of a beam loaded at its end, so that links with a joint at the tip need fewer
/// modes.
std::shared_ptr<const BeamBasis> polynomial_basis();

/// Basis by name: "clamped-free" or "polynomial". Throws ArgumentError listing them.
std::shared_ptr<const BeamBasis> beam_basis(const std::string& name);

/// Root `mode` (from 0) of cos m cosh m = -1: 1.8751, 4.6941, ...
double clamped_free_root(int mode);

/// A cross-section of a beam: the shape functions at its x. See cross_section().
struct BeamSection {
  bool deflects = false;      ///< false at the beam's root, where all shapes are zero
  double x = 0.0;             ///< along the beam (m)
  std::vector<double> shape;  ///< s_j, one entry per amplitude
  std::vector<double> slope;  ///< s_j', one entry per amplitude (1/m)
  std::vector<double>
      shortening;  ///< int_0^x s_j' s_k', m x m for m amplitudes (1/m); may be empty
};

/// Options of a FlexibleModel.
struct FlexibleOptions {
  std::shared_ptr<const BeamBasis> basis;  ///< for all beams; null: the basis named by each link
  std::optional<bool> stiffening;  ///< foreshortening, for all beams; unset: as set by each link
  std::size_t quadrature_points = 32;  ///< per beam
};

/// A link with modes.
struct FlexibleLink {
  std::string name;
  std::size_t body;  ///< index into FlexibleModel::tree()
  double length;     ///< (m)
  std::size_t modes_y, modes_z;
  std::size_t first;  ///< index of its first amplitude among all coordinates
  /// Number of modes in both directions.
  std::size_t modes() const { return modes_y + modes_z; }
};

/// A robot with flexible links: immutable, shared by threads. See the example above.
class FlexibleModel {
 public:
  /// Throws ModelError naming the invalid link or joint.
  explicit FlexibleModel(const Model& model, const FlexibleOptions& options = {});

  /// Whether any link of the model has modes.
  static bool has_modes(const Model& model);

  // References and views refer to the model's data, as those of Model; on a temporary they do not
  // compile.

  const Model& rigid() const&;  ///< the same robot with rigid links
  /// The options that the model was built with.
  const FlexibleOptions& options() const&;
  std::size_t size() const;         ///< number of coordinates: joints and amplitudes
  std::size_t joint_count() const;  ///< rigid().size()
  /// Number of amplitudes, size() - joint_count().
  std::size_t amplitude_count() const;
  std::span<const FlexibleLink> links() const&;   ///< the links with modes
  std::size_t link(std::string_view name) const;  ///< index into links(); throws ArgumentError
  std::span<const Note> notes() const&;           ///< warnings of the construction
  /// The bodies of the recursions (src/flexible/tree.hpp, not installed), parents first.
  const std::vector<flexible::ElasticBody>& tree() const&;
  /// Joint names, then amplitude_names().
  std::vector<std::string> coordinate_names() const;
  /// "e_LINK_y1", "e_LINK_y2", ..., "e_LINK_z1", ...
  std::span<const std::string> amplitude_names() const&;
  /// The basis of a link of links().
  const BeamBasis& basis(std::size_t link) const&;
  /// The coordinates ordered by body, parents first: the joint of each body, then its amplitudes.
  /// In this order the U of udut() is upper triangular.
  std::span<const std::size_t> block_order() const&;

  const Model& rigid() const&& = delete;
  const FlexibleOptions& options() const&& = delete;
  std::span<const FlexibleLink> links() const&& = delete;
  std::span<const Note> notes() const&& = delete;
  const std::vector<flexible::ElasticBody>& tree() const&& = delete;
  std::span<const std::string> amplitude_names() const&& = delete;
  const BeamBasis& basis(std::size_t link) const&& = delete;
  std::span<const std::size_t> block_order() const&& = delete;

  struct [[gnu::visibility("hidden")]] Data;
  const Data& data() const& { return *data_; }  ///< internal
  const Data& data() const&& = delete;

 private:
  std::shared_ptr<const Data> data_;
};

/// Scratch memory of the functions below, for one thread at a time. Allocates at construction only.
/// Carries no state from call to call.
class FlexibleWorkspace {
 public:
  /// Allocates the memory for this model.
  explicit FlexibleWorkspace(const FlexibleModel& model);
  ~FlexibleWorkspace();
  FlexibleWorkspace(FlexibleWorkspace&&) noexcept;
  FlexibleWorkspace& operator=(FlexibleWorkspace&&) noexcept;
  FlexibleWorkspace(const FlexibleWorkspace&) = delete;
  FlexibleWorkspace& operator=(const FlexibleWorkspace&) = delete;

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// Forward dynamics: qdd = M^-1 (tau - bias), by the block UDU^T decomposition of the inertia
/// matrix (Mohan and Saha, section 5). O(n). `tau`: one entry per joint, or one per coordinate,
/// including forces on the amplitudes. Throws StateError where the inertia matrix is singular.
void forward_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector tau, MutableVector qdd, Friction friction = {});
Status try_forward_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                            ConstVector qd, ConstVector tau, MutableVector qdd,
                            Friction friction = {}) noexcept;

/// Forward dynamics by Cholesky decomposition of the full inertia matrix: the paper's non-recursive
/// algorithm, for comparison. O(n^3).
void forward_dynamics_cholesky(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                               Friction friction = {});
Status try_forward_dynamics_cholesky(const FlexibleModel& model, FlexibleWorkspace& workspace,
                                     ConstVector q, ConstVector qd, ConstVector tau,
                                     MutableVector qdd, Friction friction = {}) noexcept;

/// Hybrid dynamics: joint torques for given joint accelerations, and the resulting accelerations of
/// the amplitudes. `joint_qdd` and `tau`: one entry per joint; `amplitude_qdd`: one per amplitude;
/// `amplitude_forces`: forces on the amplitudes, one entry per amplitude, or empty for none. O(n).
void joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   ConstVector qd, ConstVector joint_qdd, MutableVector tau,
                   MutableVector amplitude_qdd, Friction friction = {},
                   ConstVector amplitude_forces = {});
Status try_joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                         ConstVector qd, ConstVector joint_qdd, MutableVector tau,
                         MutableVector amplitude_qdd, Friction friction = {},
                         ConstVector amplitude_forces = {}) noexcept;

/// Inverse dynamics: all generalized forces M qdd + bias. O(n). The forces on the amplitudes are
/// zero for a free vibration of the beams.
void inverse_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector qdd, MutableVector forces,
                      Friction friction = {});
Status try_inverse_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                            ConstVector qd, ConstVector qdd, MutableVector forces,
                            Friction friction = {}) noexcept;

/// Bias forces: velocity terms, gravity, strain, damping and friction; inverse dynamics for qdd =
/// 0. O(n).
void bias_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                 ConstVector qd, MutableVector bias, Friction friction = {});
Status try_bias_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                       ConstVector qd, MutableVector bias, Friction friction = {}) noexcept;

/// Gravity and strain forces: inverse dynamics for qd = qdd = 0. O(n).
void static_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   MutableVector forces);
Status try_static_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                         MutableVector forces) noexcept;

/// Where a wrench acts on its link.
enum class WrenchPoint {
  frame_origin,
  /// The center of mass of the link, where the undeformed link has it. On a flexible link: the
  /// cross-section at its x, to which a component beside the beam's axis is fixed.
  mass_center
};

/// J^T w: the forces on all coordinates that do the same work as wrenches on links. `forces`: one
/// entry per coordinate. The moment of a wrench is about its point (Axes::world: about the world's
/// origin); a frame moves with deflections and slopes as in frame_pose(). The frame of a flexible
/// link is at the root of its beam; a link without mass that is fixed to the beam is a frame at any
/// other cross-section. Wrenches on the base have no effect. O(n).
void wrenches_to_joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q, std::span<const LinkWrench> wrenches,
                               MutableVector forces, WrenchPoint point = WrenchPoint::frame_origin);
Status try_wrenches_to_joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace,
                                     ConstVector q, std::span<const LinkWrench> wrenches,
                                     MutableVector forces,
                                     WrenchPoint point = WrenchPoint::frame_origin) noexcept;

/// The inertia matrix M, n x n, full and symmetric (Eq. 32). O(n^2).
void inertia_matrix(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M);
Status try_inertia_matrix(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept;

/// M = U D U^T (Eqs. 34 to 37) with rows and columns in block order (FlexibleModel::block_order): U
/// unit upper block triangular, D block diagonal, one block per body (joint and amplitudes). Both
/// n x n. Throws StateError where the inertia matrix is singular.
void udut(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
          Eigen::Ref<Eigen::MatrixXd> U, Eigen::Ref<Eigen::MatrixXd> D);
Status try_udut(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                Eigen::Ref<Eigen::MatrixXd> U, Eigen::Ref<Eigen::MatrixXd> D) noexcept;

/// Energies of a robot with flexible links.
struct FlexibleEnergy {
  double kinetic = 0.0;    ///< rotor inertias included (J)
  double potential = 0.0;  ///< of gravity, zero at the world's origin (J)
  double strain = 0.0;     ///< (J)
  /// The sum of the three (J).
  double total() const { return kinetic + potential + strain; }
};
/// Kinetic, potential and strain energy. O(n).
FlexibleEnergy energy(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd);
Status try_energy(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                  ConstVector qd, FlexibleEnergy& energy) noexcept;

/// Stiffness K and damping D of the beams over all coordinates, n x n, zero for the joints: the
/// strain energy is q^T K q / 2, the dissipated power qd^T D qd. Both are constant. Throws
/// ArgumentError if the matrix is not n x n.
void stiffness_matrix(const FlexibleModel& model, Eigen::Ref<Eigen::MatrixXd> K);
void damping_matrix(const FlexibleModel& model, Eigen::Ref<Eigen::MatrixXd> D);

/// Power balance: d(energy)/dt = actuators - friction - damping.
struct FlexiblePower {
  double actuators = 0.0;  ///< tau^T qd (W)
  double friction = 0.0;   ///< dissipated in the joints, not negative (W)
  double damping = 0.0;    ///< dissipated in the beams, not negative (W)
};
/// `tau`: one entry per joint, or one per coordinate, including forces on the amplitudes.
FlexiblePower power(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector qd,
                    ConstVector tau);
Status try_power(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector qd,
                 ConstVector tau, FlexiblePower& power) noexcept;

/// The pose of a frame of rigid().frames() in the world, including deflections and slopes.
Pose frame_pose(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                std::size_t frame);
Status try_frame_pose(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      std::size_t frame, Pose& pose) noexcept;

/// The center of mass of all moving bodies in the world (m).
Eigen::Vector3d center_of_mass(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q);
Status try_center_of_mass(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                          Eigen::Vector3d& center) noexcept;

/// Bending deflection (0, u_y, u_z) of flexible link `link` at x along the undeformed beam, in the
/// link's axes (m). cross_section_pose() also has the foreshortening and the rotation. Throws
/// ArgumentError for x outside the beam.
Eigen::Vector3d deflection(const FlexibleModel& model, ConstVector q, std::size_t link, double x);

/// The cross-section of flexible link `link` at x, 0 <= x <= length: shapes, slopes and
/// foreshortening. Allocates. Throws ArgumentError for x outside the beam.
BeamSection cross_section(const FlexibleModel& model, std::size_t link, double x);

/// The pose of a cross-section in its link's frame: translation (x + u_x, u_y, u_z), rotation
/// Rz(u_y') Ry(-u_z'). `at` comes from cross_section() for the same model and link.
Pose cross_section_pose(const FlexibleModel& model, ConstVector q, std::size_t link,
                        const BeamSection& at);

// Natural modes: small vibrations of a robot with flexible links about a configuration.
//
//   const auto modes = dynamics::natural_modes(arm, q, dynamics::Joints::clamped);
//   const double lowest = modes.frequencies[0];  // rad/s
//
// q has one entry per coordinate of the model. These functions allocate and solve eigenvalue
// problems in O(n^3): they are for analysis, not for real-time loops. Errors: ArgumentError for
// wrong sizes, StateError for a singular inertia matrix.

/// What the joints do while the beams vibrate.
enum class Joints {
  free,    ///< the joints move without torque
  clamped  ///< the joints are locked: only the beams vibrate
};

/// Natural frequencies and mode shapes.
struct NaturalModes {
  Eigen::VectorXd frequencies;  ///< ascending (rad/s); negative where w^2 < 0 (unstable)
  Eigen::MatrixXd shapes;       ///< one column per mode, one row per coordinate; x^T M x = 1
};

/// Solves K x = w^2 M x at rest in q, with K the Hessian of gravity and strain energy. The forces
/// that keep the robot at q are taken as constant; damping is neglected.
NaturalModes natural_modes(const FlexibleModel& model, ConstVector q, Joints joints);

/// Eigenvalues of the linearized equations of the amplitudes at constant joint velocities
/// `joint_qd` (one entry per joint): M x'' + (dF/dx') x' + (dF/dx) x = 0, F being the bias forces
/// with centrifugal, gyroscopic and damping terms. Sorted by the magnitude of the imaginary part.
/// Example: the spinning beam with centrifugal stiffening.
Eigen::VectorXcd spinning_eigenvalues(const FlexibleModel& model, ConstVector q,
                                      ConstVector joint_qd);

/// Static deflection under gravity with the joints fixed: q with its amplitudes replaced by those
/// of the equilibrium. Throws ArgumentError if Newton's method does not converge.
Eigen::VectorXd static_deflection(const FlexibleModel& model, ConstVector q);

}  // namespace dynamics
#pragma GCC visibility pop
