// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a FlexibleWorkspace holds, and the steps that every entry point shares.

#include <Eigen/Core>
#include <vector>

#include "dynamics_core/flexible_dynamics.hpp"
#include "flexible/recursions/motion.hpp"

namespace dynamics {

struct FlexibleWorkspace::Memory {
  explicit Memory(const FlexibleModel& model);

  std::size_t joints, size;
  flexible::Scratch<double> scratch;
  std::vector<double> tau;                          ///< of joints
  std::vector<double> felt;                         ///< of one body's amplitudes
  std::vector<double> zeros;                        ///< of all coordinates
  Eigen::MatrixXd dense;                            ///< size x size
  Eigen::VectorXd right_side;                       ///< size
  Eigen::MatrixXd block;                            ///< of one body's joint and amplitudes
  Eigen::MatrixXd block_columns;                    ///< the same times 6
  std::vector<spatial::SpatialVector<double>> psi;  ///< by coordinate in block order
  std::vector<std::size_t> block_index;             ///< by coordinate: its place in block order
  std::vector<Pose> world;                          ///< of bodies
};

/// The memory of a workspace that was made for a model of this size, or an error.
FlexibleWorkspace::Memory& memory_for(const FlexibleModel& model, FlexibleWorkspace& workspace);

void check_flexible(const char* name, ConstVector vector, std::size_t size);
void check_flexible_output(const char* name, MutableVector vector, std::size_t expected);

/// Gravity as the base's acceleration.
flexible::BaseState<double> gravity_base(const FlexibleModel& model);

/// Damping and Coulomb friction of a joint at a speed, as the rigid core has it.
double joint_friction(const FlexibleModel& model, const flexible::ElasticBody& body, double rate);

/// Where all bodies are, into memory.world.
void place_bodies(const FlexibleModel& model, FlexibleWorkspace::Memory& memory, const double* q);

}  // namespace dynamics
