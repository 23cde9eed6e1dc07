// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contents of FlexibleWorkspace, and the checks and helpers shared by all functions for flexible
// robots.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "dynamics_core/flexible_dynamics.hpp"
#include "flexible/recursions/link_kinematics.hpp"

namespace dynamics {

struct [[gnu::visibility("hidden")]] FlexibleWorkspace::Memory {
  explicit Memory(const FlexibleModel& model);

  /// The coordinates of one body.
  struct BodyCoordinates {
    std::optional<std::size_t> joint;
    std::size_t first_amplitude, modes;
    bool operator==(const BodyCoordinates&) const = default;
  };

  std::size_t joints, size;
  flexible::Scratch<double> scratch;
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
};

/// The workspace's memory. Throws ArgumentError if its sizes differ from the model's.
FlexibleWorkspace::Memory& memory_for(const FlexibleModel& model, FlexibleWorkspace& workspace);

/// Throws ArgumentError for a wrong size or entries that are not finite.
void check_flexible_input(const char* name, ConstVector vector, std::size_t size);
/// Throws ArgumentError for a wrong size.
void check_flexible_output(const char* name, MutableVector vector, std::size_t expected);

/// A base at rest; gravity enters as the base acceleration -g.
flexible::BaseState<double> gravity_base(const FlexibleModel& model);

/// Viscous and smoothed Coulomb friction of a joint at velocity `rate`, as for rigid robots.
double joint_friction(const FlexibleModel& model, const flexible::ElasticBody& body, double rate);

/// Writes the poses of all bodies to memory.world.
void update_body_poses(const FlexibleModel& model, FlexibleWorkspace::Memory& memory,
                       const double* q);

}  // namespace dynamics
