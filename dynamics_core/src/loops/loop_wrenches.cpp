// SPDX-License-Identifier: Apache-2.0
// Wrenches at the cuts and at the joints.

#include <algorithm>

#include "loops/mechanism_memory.hpp"
#include "rigid/recursions/joint_wrenches.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

using Memory = MechanismWorkspace::Memory;

/// Multipliers with G^T lambda = residual of least norm: lambda = G_P y with the columns P that
/// have a pivot, G_P^T G_P y = residual_P. Into own.phi.
bool least_multipliers(const LoopCluster& cluster, ClusterMemory& own,
                       const std::vector<double>& residual) {
  for (std::size_t i = 0; i < cluster.rank; ++i) {
    const std::size_t a = own.lu.cols[i];
    for (std::size_t j = 0; j <= i; ++j) {
      own.normal(eigen_index(i), eigen_index(j)) =
          own.G.col(eigen_index(a)).dot(own.G.col(eigen_index(own.lu.cols[j])));
    }
    own.multipliers[eigen_index(i)] = residual[cluster.bodies[a]] * cluster.scale[a];
  }
  if (!cholesky(own.normal)) return false;
  solve_cholesky(own.normal, own.multipliers);
  own.phi.setZero();
  for (std::size_t i = 0; i < cluster.rank; ++i)
    own.phi += own.multipliers[eigen_index(i)] * own.G.col(eigen_index(own.lu.cols[i]));
  return true;
}

/// Adds a wrench about a point, in the world's axes, to those on a body.
void add_to_body(const Memory& memory, int body, const Eigen::Vector3d& point, const Wrench& wrench,
                 double sign, std::vector<kernel::BodyWrench<double>>& wrenches) {
  if (body < 0) return;  // the base takes it
  const auto b = static_cast<std::size_t>(body);
  const WorldMotion& at = memory.kinematics.bodies[b];
  const Eigen::Vector3d moment = wrench.moment + (point - at.position).cross(wrench.force);
  wrenches[b].force += from_eigen(sign * (at.rotation.transpose() * wrench.force));
  wrenches[b].moment += from_eigen(sign * (at.rotation.transpose() * moment));
}

}  // namespace

Status try_loop_wrenches(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                         ConstVector qd, ConstVector qdd, ConstVector tau, std::span<Wrench> cuts,
                         std::span<Wrench> joints, const ExternalInputs& external) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const Model& tree = data.tree;
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .vector("qd", qd, n)
                      .vector("qdd", qdd, n)
                      .vector("tau", tau, n)
                      .output("cuts", cuts.size(), memory.cut_wrenches.size())
                      .output("joints", joints.size(), tree.body_count())
                      .external_inputs(tree, external)
                      .status();
  if (status != Status::ok) return status;
  loop_motion(data, memory, body_positions(tree, q, memory.q), nullptr);
  status = check_closed(data, memory, memory.q.data());
  if (status == Status::ok) status = factor_loops(data, memory, Pivots::all);
  if (status != Status::ok) return status;
  const double* rates = body_rates(tree, qd, memory.qd);
  const double* accelerations = body_rates(tree, qdd, memory.qdd);
  tree_forces(data, memory, memory.q.data(), rates, accelerations, external, memory.x.data());
  for (std::size_t c = 0; c < n; ++c) memory.x[data.leading[c]] -= tau[c];

  Workspace::Memory& own_tree = memory.tree.memory();
  const bool outside =
      body_wrenches(tree, own_tree, memory.q.data(), external.wrenches, external.base) != nullptr;
  if (!outside) {
    for (auto& wrench : own_tree.wrenches) wrench = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  }
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    ClusterMemory& own = memory.clusters[k];
    if (!least_multipliers(cluster, own, memory.x)) {
      memory.problem.kind = Problem::Kind::loop_singular;
      memory.problem.name = data.constraints[cluster.constraints.front()].name.c_str();
      memory.problem.value = own.lu.condition();
      memory.problem.index = tree.bodies()[cluster.bodies.front()].coordinate;
      return Status::singular_loop;
    }
    Eigen::Index at = 0;
    for (const std::size_t c : cluster.constraints) {
      const LoopConstraint& constraint = data.constraints[c];
      const Eigen::Index rows = eigen_index(constraint.rows.size());
      const Wrench wrench =
          constraint_wrench(data, constraint, memory.kinematics, own.phi.segment(at, rows));
      at += rows;
      if (constraint.coupling) continue;
      memory.cut_wrenches[c] = wrench;
      const Eigen::Vector3d point = point_b_in_world(constraint, memory.kinematics);
      add_to_body(memory, constraint.body_b, point, wrench, 1.0, own_tree.wrenches);
      add_to_body(memory, constraint.body_a, point, wrench, -1.0, own_tree.wrenches);
    }
  }
  kernel::joint_wrenches<double>(tree.tree(), own_tree.joint_wrenches.data(),
                                 base_state(tree, external.base), own_tree.wrenches.data(),
                                 memory.q.data(), rates, accelerations);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const Body& body = tree.bodies()[i];
    const Eigen::Matrix3d axes =
        body.link.empty() ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : body.axes;
    joints[i].force = axes * to_eigen(own_tree.joint_wrenches[i].f);
    joints[i].moment = axes * to_eigen(own_tree.joint_wrenches[i].n);
  }
  const Eigen::Matrix3d world =
      external.base ? external.base->pose.rotation : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    cuts[c].force = world * memory.cut_wrenches[c].force;
    cuts[c].moment = world * memory.cut_wrenches[c].moment;
  }
  return Status::ok;
}

void loop_wrenches(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                   ConstVector qd, ConstVector qdd, ConstVector tau, std::span<Wrench> cuts,
                   std::span<Wrench> joints, const ExternalInputs& external) {
  require(try_loop_wrenches(mechanism, workspace, q, qd, qdd, tau, cuts, joints, external),
          workspace.memory().problem, mechanism.tree());
}

}  // namespace dynamics
