// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a Workspace holds, and the steps that every entry point shares: checking arguments, going
// from coordinates to the bodies' joints and back, turning conditions into what the kernels take.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/workspace.hpp"
#include "model/model_data.hpp"
#include "rigid/kernels/kernel_table.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/recursions/joints.hpp"

namespace dynamics {

/// Where a body is in the world and how it moves, in the world's axes, at the body's origin.
struct WorldMotion {
  Eigen::Matrix3d rotation;
  Eigen::Vector3d position;
  Eigen::Vector3d omega, velocity;
  Eigen::Vector3d alpha, acceleration;
  Eigen::Vector3d axis() const { return rotation.col(2); }
};

struct [[gnu::visibility("hidden")]] Workspace::Memory {
  explicit Memory(const Model& model);

  const KernelTable& kernels = kernel_table(instruction_set());

  std::size_t size;        ///< coordinates
  std::size_t body_count;  ///< bodies

  std::vector<kernel::InverseScratch<double>> inverse;
  std::vector<kernel::WrenchScratch<double>> joint_wrenches;
  std::vector<kernel::ForwardScratch<double>> forward;
  std::vector<kernel::CompositeScratch<double>> composite;
  std::vector<kernel::CoriolisScratch<double>> coriolis;
  std::vector<kernel::UdutScratch<double>> udut;
  std::vector<WorldMotion> world;
  std::vector<kernel::BodyWrench<double>> wrenches;

  std::vector<double> q, qd, qdd, tau;  ///< of bodies
  std::vector<double> zeros;            ///< of bodies
  std::vector<double> result;           ///< of coordinates

  // only for mimic joints: the couplings' rows A, Y = M^-1 A^T, A Y; empty where they are too many
  std::vector<std::size_t> leaders, followers;  ///< bodies
  Eigen::MatrixXd coupling_columns, coupling_matrix;
  Eigen::VectorXd coupling_force;
  Eigen::MatrixXd dense;           ///< over coordinates; empty where they are too many
  std::vector<double> column;      ///< of bodies
  std::size_t ancestor_count = 0;  ///< pairs of a body and one that carries it
};

/// Whether forward dynamics goes by the matrix over coordinates, and not by couplings of the
/// bodies: with a massless mimic joint, and where more joints mimic than do not.
inline bool solves_over_coordinates(const Model& model) {
  return model.has_massless_mimic() || model.body_count() - model.size() > model.size();
}

/// The memory of a workspace that was made for a model of this size, or an error.
Workspace::Memory& memory_for(const Model& model, Workspace& workspace);

/// Whether all entries of vectors of one size are finite: x - x is zero for them, and not a number
/// for the others.
template <class... Vectors>
inline bool all_finite(std::size_t size, const Vectors&... vectors) {
  double total = 0.0;
  // NOLINTNEXTLINE(misc-redundant-expression): zero, or not a number
  for (std::size_t i = 0; i < size; ++i) total += ((vectors[i] - vectors[i]) + ...);
  return total == 0.0;
}

/// Whether a call is the plain one: coordinates that are the bodies' joints, nothing around the
/// robot, no friction, vectors of the right size and finite. All others take the way with checks.
template <class... Vectors>
inline bool is_plain(const Model::Data& data, const Workspace::Memory& memory,
                     const Conditions& conditions, MutableVector out, const Vectors&... vectors) {
  const std::size_t n = data.tree.size();
  return data.plain && (data.frictionless || !conditions.friction) && !conditions.base &&
         conditions.wrenches.empty() && memory.size == n && memory.body_count == n &&
         out.checked_size() == n && ((vectors.checked_size() == n) && ...) &&
         all_finite(n, vectors...);
}

/// The base at rest: gravity as an acceleration the other way.
inline kernel::BaseState<double> still_base(const Model::Data& data) {
  kernel::BaseState<double> state;
  const Eigen::Vector3d& g = data.options.gravity;
  state.acceleration = {-g.x(), -g.y(), -g.z()};
  return state;
}

void check_vector(const char* name, ConstVector vector, std::size_t size);
void check_output(const char* name, MutableVector vector, std::size_t expected);
void check_output(const char* name, std::size_t size, std::size_t expected);
void check_matrix(const char* name, Eigen::Index rows, Eigen::Index cols, std::size_t expected_rows,
                  std::size_t expected_cols);
void check_frame(const Model& model, std::size_t frame);
void check_base(const std::optional<BaseMotion>& base);
void check_wrenches(const Model& model, std::span<const LinkWrench> wrenches);

/// Joint positions of bodies (with the mimic offsets), or rates (without).
const double* body_positions(const Model& model, ConstVector q, std::vector<double>& buffer);
const double* body_rates(const Model& model, ConstVector qd, std::vector<double>& buffer);
/// sum over a coordinate's bodies of multiplier * body force
void collect_forces(const Model& model, const double* body_forces, MutableVector forces);

kernel::BaseState<double> base_state(const Model& model, const std::optional<BaseMotion>& base);

/// World poses of all bodies; with qd also velocities, with qdd also accelerations (may be null).
void world_motion(const Model& model, Workspace::Memory& memory, const double* q, const double* qd,
                  const double* qdd, const std::optional<BaseMotion>& base);

/// The wrenches on each body for the kernels; null where there are none. `q` of bodies.
const kernel::BodyWrench<double>* body_wrenches(const Model& model, Workspace::Memory& memory,
                                                const double* q,
                                                std::span<const LinkWrench> wrenches,
                                                const std::optional<BaseMotion>& base);

inline Eigen::Vector3d to_eigen(const kernel::Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline kernel::Vec3<double> from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// R^T or R of a body's axes (see Body::axes), for vectors between link and body frames.
Pose frame_in_world(const Model& model, const Workspace::Memory& memory, std::size_t frame,
                    const std::optional<BaseMotion>& base);

}  // namespace dynamics
