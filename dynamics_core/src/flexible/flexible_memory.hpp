// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contents of FlexibleWorkspace, and the checks and helpers shared by all functions for flexible
// robots.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/recursions/link_kinematics.hpp"
#include "rigid/problem.hpp"

namespace dynamics {

struct FlexibleWorkspace::Memory {
  explicit Memory(const FlexibleModel& model);

  /// The coordinates of one body.
  struct BodyCoordinates {
    std::optional<std::size_t> joint;
    std::size_t first_amplitude, modes;
    bool operator==(const BodyCoordinates&) const = default;
  };

  std::size_t joints, size;
  flexible::Scratch<double> scratch;
  std::vector<double> q;                            ///< one entry per coordinate
  std::vector<double> tau;                          ///< one entry per joint
  std::vector<double> projected_forces;             ///< scratch: amplitudes of one body
  std::vector<double> zeros;                        ///< one entry per coordinate
  Eigen::MatrixXd dense;                            ///< size x size
  Eigen::VectorXd rhs;                              ///< size
  Eigen::MatrixXd block;                            ///< scratch: joint and amplitudes of one body
  Eigen::MatrixXd block_columns;                    ///< scratch: (joint and amplitudes) x 6
  std::vector<spatial::SpatialVector<double>> psi;  ///< by coordinate in block order
  std::vector<std::size_t> block_index;             ///< by coordinate: its index in block order
  std::vector<Pose> world;                          ///< poses of the bodies in the world
  std::vector<BodyCoordinates> bodies;              ///< of the model that the memory is for
  Problem problem;                                  ///< of the last call that failed
};

/// What q, qd and qdd are, for messages about their size.
inline constexpr const char* coordinates_hint = "joints, then amplitudes";

/// What tau is where forces on the amplitudes are allowed, for the same messages.
inline constexpr const char* forces_hint = "one per joint, or one per coordinate";

/// Begins the checks of a call: that the workspace was made for the model.
Checks check_workspace(const FlexibleModel& model, FlexibleWorkspace::Memory& memory) noexcept;
/// Status::singular, as the result of a Cholesky decomposition that fails.
Status massless(FlexibleWorkspace::Memory& memory) noexcept;
/// Throws ArgumentError for a wrong size or entries that are not finite.
void check_flexible_input(const FlexibleModel& model, const char* name, ConstVector vector,
                          std::size_t size, const char* hint);

/// A base at rest; gravity enters as the base acceleration -g.
flexible::BaseState<double> gravity_base(const FlexibleModel& model);

/// Viscous and smoothed Coulomb friction of a joint at velocity `rate`, as for rigid robots.
double joint_friction(const FlexibleModel& model, const flexible::ElasticBody& body, double rate);

/// Pose of a cross-section of a body's beam in the body's frame; `d`: all amplitudes.
Pose section_pose(const flexible::ElasticBody& body, const BeamSection& at, const double* d);

/// Writes the poses of all bodies to memory.world.
void update_body_poses(const FlexibleModel& model, FlexibleWorkspace::Memory& memory,
                       const double* q);

}  // namespace dynamics
