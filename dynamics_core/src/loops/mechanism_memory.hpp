// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a MechanismWorkspace holds, and the steps that the functions on mechanisms share. Vectors
// are over bodies of the tree: joint positions with mimic offsets, rates, forces.

#include <Eigen/Core>
#include <vector>

#include "loops/cluster_udut.hpp"
#include "loops/loop_equations.hpp"
#include "loops/mechanism_data.hpp"
#include "loops/pivoted_lu.hpp"

namespace dynamics {

/// The scratch of one cluster.
struct ClusterMemory {
  explicit ClusterMemory(const LoopCluster& cluster);

  Eigen::MatrixXd G;
  PivotedLu lu;
  Eigen::MatrixXd N;            ///< basis of the motions, transposed: qd = N^T zeta
  Eigen::VectorXd phi, gamma;   ///< one entry per equation
  Eigen::VectorXd u;            ///< one entry per body, scaled
  Eigen::MatrixXd normal;       ///< G_R G_R^T of the rows with pivot, or G_P^T G_P
  Eigen::VectorXd multipliers;  ///< one entry per pivot
  kernel::ClusterScratch<double> factor;
  // Newton's method
  std::vector<double> position, step;
  double error = 0.0, fraction = 1.0;
  bool converged = false;
};

/// The scratch of the derivatives.
struct DerivativeMemory {
  DerivativeMemory(std::size_t coordinates, std::size_t independent, std::size_t bodies);

  std::vector<double> q, zd, zdd, moved;  ///< of coordinates
  std::vector<double> constant, slope;    ///< of bodies: constant forces, slope of friction
  Eigen::MatrixXd basis;                  ///< B, coordinates x independent
  Eigen::MatrixXd tau_rates, qd_rates;    ///< one column per step
  Eigen::MatrixXd by_z, by_zd, M;         ///< independent x independent
  Eigen::VectorXd tau;
};

struct MechanismWorkspace::Memory {
  explicit Memory(const Mechanism& mechanism);

  Workspace tree;
  Kinematics::Memory kinematics;
  std::vector<ClusterMemory> clusters;
  std::vector<kernel::ClusterBodyScratch<double>> bodies;
  std::vector<kernel::ClusterView<double>> views;
  std::vector<double> q, qd, qdd, tau, x;  ///< of bodies
  std::vector<double> all;                 ///< of coordinates
  Eigen::MatrixXd over_tree, over_tree2;   ///< coordinates x coordinates
  Eigen::MatrixXd basis, basis_rate;       ///< B of qd = B zd, coordinates x independent
  Eigen::MatrixXd actuator_map;            ///< independent x actuated
  Eigen::MatrixXd actuator_normal;         ///< independent x independent
  Eigen::VectorXd reduced;                 ///< of the independent joints
  std::vector<Wrench> cut_wrenches;
  DerivativeMemory derivatives;
  Problem problem;
};

/// Accuracy that positions given by the caller must have.
inline constexpr double closed_tolerance = 1e-6;
/// A larger condition number of the loops counts as singular.
inline constexpr double largest_condition = 1e11;

/// Checks of a call: that the workspace was made for the mechanism.
Checks check_mechanism(const Mechanism& mechanism, MechanismWorkspace::Memory& memory) noexcept;

/// World poses and, with qd, velocities and the accelerations for qdd = 0; over bodies.
void loop_motion(const Mechanism::Data& data, MechanismWorkspace::Memory& memory, const double* q,
                 const double* qd) noexcept;

/// Status::not_closed where q, after loop_motion(), does not close the loops.
Status check_closed(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                    const double* q) noexcept;

/// G of all clusters and its decomposition, with pivots in all columns or in those of the dependent
/// joints.
enum class Pivots { all, dependent };
Status factor_loops(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                    Pivots pivots) noexcept;
/// loop_motion(), check_closed() and factor_loops() for a state over bodies: q is memory.q.
Status factor_closed_loops(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                           const double* q, const double* qd, Pivots pivots) noexcept;

/// Newton's method on memory.q, with steps of the dependent joints or of the least norm.
Status close_positions(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                       Pivots pivots) noexcept;

/// memory.qd: the dependent rates from the independent ones, after factor_loops(dependent).
void close_rates(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                 double* rates) noexcept;
/// The nearest rates with G qd = 0, after factor_loops(all).
Status project_rates(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                     double* rates) noexcept;

/// The values of coordinates from those of the bodies that they move directly.
void to_coordinates(const Mechanism::Data& data, const std::vector<double>& bodies,
                    MutableVector out) noexcept;

/// Inverse dynamics of the tree over bodies: forces := M qdd + C qd + g + friction - J^T w.
void tree_forces(const Mechanism::Data& data, MechanismWorkspace::Memory& memory, const double* q,
                 const double* qd, const double* qdd, const ExternalInputs& external,
                 double* forces) noexcept;

/// B of qd = B zd over coordinates and independent joints, after factor_loops(dependent).
void fill_basis(const Mechanism::Data& data, MechanismWorkspace::Memory& memory) noexcept;

/// Forces over bodies reduced to the independent joints: B^T forces. After factor_loops(dependent).
void reduce_forces(const Mechanism::Data& data, MechanismWorkspace::Memory& memory,
                   const double* forces, MutableVector reduced) noexcept;

}  // namespace dynamics
