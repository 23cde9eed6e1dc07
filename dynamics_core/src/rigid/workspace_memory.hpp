// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a Workspace holds, and the steps that every entry point shares: from coordinates to the
// bodies' joints and back, from ExternalInputs to the kernels' arguments.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/workspace.hpp"
#include "model/model_data.hpp"
#include "rigid/kernels/kernel_table.hpp"
#include "rigid/kinematics_memory.hpp"
#include "rigid/problem.hpp"
#include "rigid/recursions/energy.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/recursions/joints.hpp"

namespace dynamics {

/// Of inverse_kinematics(), one entry or column per coordinate.
struct InverseKinematicsScratch {
  explicit InverseKinematicsScratch(std::size_t size)
      : jacobian(6, static_cast<Eigen::Index>(size)),
        start(size),
        q(size),
        trial(size),
        best(size),
        moves_frame(size),
        is_free(size) {}

  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian;
  std::vector<double> start, q, trial, best;
  std::vector<bool> moves_frame, is_free;
};

struct Workspace::Memory {
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
  std::vector<kernel::EnergyScratch<double>> energy;
  Kinematics::Memory kinematics;
  InverseKinematicsScratch inverse_kinematics;
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

  /// bodies x bodies, where coordinates are not the bodies; empty where they are too many
  Eigen::MatrixXd over_bodies;

  Problem problem;  ///< of the last call that failed
};

/// Whether forward dynamics goes by the matrix over coordinates, and not by couplings of the
/// bodies: with a massless mimic joint, and where more joints mimic than do not.
inline bool solves_over_coordinates(const Model& model) {
  return model.has_massless_mimic() || model.body_count() - model.size() > model.size();
}

/// Begins the checks of a call: that the workspace was made for the model.
Checks check_workspace(const Model& model, Workspace::Memory& memory) noexcept;
/// The same, throwing; returns the workspace's memory.
Workspace::Memory& memory_for(const Model& model, Workspace& workspace);

class DerivativeWorkspace;
/// The reason why the last call with this workspace failed.
Problem& problem_of(DerivativeWorkspace& workspace) noexcept;

/// Whether all entries of vectors of one size are finite: x - x is zero for them, and not a number
/// for the others.
template <class... Vectors>
inline bool all_finite(std::size_t size, const Vectors&... vectors) {
  double total = 0.0;
  // NOLINTNEXTLINE(misc-redundant-expression): zero, or not a number
  for (std::size_t i = 0; i < size; ++i) total += ((vectors[i] - vectors[i]) + ...);
  return total == 0.0;
}

/// Whether a call needs no preparation: coordinates that are the bodies' joints, no conditions, no
/// friction, vectors of the right size and finite. All others take the path with checks, which
/// finds out what is wrong.
template <class... Vectors>
inline bool takes_fast_path(const Model::Data& data, const Workspace::Memory& memory,
                            const ExternalInputs& external, MutableVector out,
                            const Vectors&... vectors) {
  const std::size_t n = data.tree.size();
  return data.coordinates_are_bodies && (data.frictionless || !external.friction) &&
         !external.base && external.wrenches.empty() && memory.size == n &&
         memory.body_count == n && out.checked_size() == n &&
         ((vectors.checked_size() == n) && ...) && all_finite(n, vectors...);
}

/// The base at rest: gravity as an acceleration the other way.
inline kernel::BaseState<double> still_base(const Model::Data& data) {
  kernel::BaseState<double> state;
  const Eigen::Vector3d& g = data.options.gravity;
  state.acceleration = {-g.x(), -g.y(), -g.z()};
  return state;
}

/// Joint positions of bodies (with the mimic offsets), or rates (without), in `buffer`: an output
/// may share memory with q or qd.
const double* body_positions(const Model& model, ConstVector q,
                             std::vector<double>& buffer) noexcept;
const double* body_rates(const Model& model, ConstVector qd, std::vector<double>& buffer) noexcept;
/// sum over a coordinate's bodies of multiplier * body force
void collect_forces(const Model& model, const double* body_forces, MutableVector forces) noexcept;

kernel::BaseState<double> base_state(const Model& model,
                                     const std::optional<BaseMotion>& base) noexcept;

/// The wrenches on each body for the kernels; null where there are none. `q` of bodies.
const kernel::BodyWrench<double>* body_wrenches(const Model& model, Workspace::Memory& memory,
                                                const double* q,
                                                std::span<const LinkWrench> wrenches,
                                                const std::optional<BaseMotion>& base) noexcept;

inline Eigen::Vector3d to_eigen(const kernel::Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline kernel::Vec3<double> from_eigen(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace dynamics
