// SPDX-License-Identifier: Apache-2.0
#pragma once

// Contents of a Mechanism: the constraints, resolved to bodies of the tree, and the clusters.
//
// A constraint between bodies A and B concerns the joints on the paths from A and from B up to
// their nearest common ancestor: motions above move both alike. Constraints that share joints are
// one cluster. The bodies of a cluster form a connected part of the tree with a single body (or the
// base) above it, its `parent`. Bodies without loops belong to no cluster.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "loops/pivot_order.hpp"
#include "model/model_data.hpp"

namespace dynamics {

/// One equation phi = 0 of a constraint, in terms of the two frames A and B. L is the length.
struct LoopRow {
  enum class Kind {
    position,   ///< A_i . (p_B - p_A) / L
    direction,  ///< A_i . B_j
    distance,   ///< (|p_B - p_A|^2 - value^2) / (2 value L)
    coupling    ///< position of the follower - multiplier * that of the leader - offset
  };
  Kind kind;
  Eigen::Index i = 0, j = 0;
};

/// A constraint between two bodies, or the coupling of a mimic joint to its leader.
struct LoopConstraint {
  std::string name;
  ConstraintType type = ConstraintType::fixed;
  bool coupling = false;
  int body_a = -1, body_b = -1;      ///< -1: the base; coupling: leader and follower
  Eigen::Vector3d point_a, point_b;  ///< origins, in the axes of the bodies' frames
  Eigen::Matrix3d axes_a, axes_b;    ///< axes; column 2 is the axis of the constraint
  double distance = 0.0;
  double multiplier = 1.0, offset = 0.0;  ///< of a coupling
  std::size_t frame_a = 0, frame_b = 0;   ///< frames of the links
  std::vector<LoopRow> rows;
};

/// A joint that moves one of the two frames of a constraint.
struct LoopColumn {
  std::size_t column;  ///< index in LoopCluster::bodies
  int sign;            ///< 1: moves B, -1: moves A
};

/// Constraints that share joints.
struct LoopCluster {
  std::vector<std::size_t> bodies;       ///< ascending
  std::vector<int> local_parent;         ///< index in `bodies` of the parent, -1: outside
  int parent = -1;                       ///< the body above the cluster, -1: the base
  std::vector<std::size_t> constraints;  ///< indices in Data::constraints
  bool carries = false;                  ///< a body outside hangs on one of the cluster's bodies
  std::vector<std::vector<LoopColumn>> moved;  ///< by constraint: the joints that move it
  std::vector<double> scale;                   ///< of joint positions: 1 (rad) or L (m)
  std::size_t rows = 0;                        ///< number of equations
  std::size_t rank = 0;                        ///< number of independent ones
  std::vector<std::size_t> dependent;          ///< columns, `rank` of them
  std::vector<std::size_t> independent;        ///< columns, the others
  PivotOrder order;                            ///< of G, with pivots in any column
  PivotOrder dependent_order;  ///< with pivots in the columns of the dependent joints

  std::size_t size() const { return bodies.size(); }
  std::size_t mobility() const { return bodies.size() - rank; }
};

/// Contents of a Mechanism, filled once by its constructor.
struct Mechanism::Data {
  explicit Data(Model model) : tree(std::move(model)) {}

  RobotDescription description;
  Model tree;
  double length = 1.0;
  std::vector<LoopConstraint> constraints;  ///< those of the description, then couplings
  std::vector<LoopCluster> clusters;
  std::vector<int> cluster_of;       ///< by body, -1: none
  std::vector<std::size_t> leading;  ///< by coordinate: the body that it moves directly
  std::vector<std::size_t> independent, actuated;
  std::vector<LoopGroup> groups;
  std::vector<double> start;
  std::vector<Note> notes;
};

/// Fills length, constraints, clusters (without rank) and the maps.
void build_clusters(Mechanism::Data& data);
/// Finds the start position. Throws ModelError naming a constraint that cannot close.
void assemble(Mechanism::Data& data);
/// Finds ranks, redundant equations, independent and actuated joints. Throws ModelError where no
/// joint can move.
void choose_independent_joints(Mechanism::Data& data);

/// "cut: position 1", ...
std::string equation_name(const LoopConstraint& constraint, std::size_t row);

}  // namespace dynamics
