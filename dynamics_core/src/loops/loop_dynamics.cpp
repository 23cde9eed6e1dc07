// SPDX-License-Identifier: Apache-2.0
// Forward and inverse dynamics of mechanisms.

#include <algorithm>

#include "loops/mechanism_memory.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

using Memory = MechanismWorkspace::Memory;

/// Torques of coordinates on the bodies that they move directly.
void distribute(const Mechanism::Data& data, ConstVector tau, std::vector<double>& bodies) {
  std::fill(bodies.begin(), bodies.end(), 0.0);
  for (std::size_t c = 0; c < tau.size(); ++c) bodies[data.leading[c]] = tau[c];
}

/// An acceleration over bodies with G qdd + gamma = 0, zero where there is no pivot.
void particular_accelerations(const Mechanism::Data& data, Memory& memory) {
  std::fill(memory.qdd.begin(), memory.qdd.end(), 0.0);
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    ClusterMemory& own = memory.clusters[k];
    loop_bias(data, cluster, memory.kinematics, own.gamma);
    own.lu.solve(own.gamma, own.u);
    for (std::size_t b = 0; b < cluster.size(); ++b)
      memory.qdd[cluster.bodies[b]] = -own.u[eigen_index(b)] * cluster.scale[b];
  }
}

/// Bases N of the motions of all clusters, then the decomposition.
Status decompose(const Mechanism::Data& data, Memory& memory) {
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    ClusterMemory& own = memory.clusters[k];
    own.lu.null_space(own.N);
    for (std::size_t b = 0; b < cluster.size(); ++b) {
      if (cluster.scale[b] == 1.0) continue;
      own.N.col(eigen_index(b)) *= cluster.scale[b];
    }
  }
  const kernel::Tree tree(data.tree.tree());
  const std::size_t singular = kernel::decompose_clusters(
      tree, memory.bodies.data(), data.cluster_of.data(), memory.views.data(), memory.q.data());
  if (singular == tree.size()) return Status::ok;
  memory.problem.kind = Problem::Kind::pivot;
  memory.problem.index = singular;
  memory.problem.value = 0.0;
  return Status::singular;
}

}  // namespace

void fill_basis(const Mechanism::Data& data, Memory& memory) noexcept {
  memory.basis.setZero();
  for (std::size_t c = 0; c < data.independent.size(); ++c) {
    std::fill(memory.x.begin(), memory.x.end(), 0.0);
    const std::size_t body = data.leading[data.independent[c]];
    memory.x[body] = 1.0;
    if (const int k = data.cluster_of[body]; k >= 0) {
      // only this cluster moves
      const LoopCluster& cluster = data.clusters[static_cast<std::size_t>(k)];
      ClusterMemory& own = memory.clusters[static_cast<std::size_t>(k)];
      for (const std::size_t column : cluster.independent) {
        if (cluster.bodies[column] == body)
          own.gamma = own.G.col(eigen_index(column)) / cluster.scale[column];
      }
      own.lu.solve(own.gamma, own.u);
      for (const std::size_t column : cluster.dependent)
        memory.x[cluster.bodies[column]] = -own.u[eigen_index(column)] * cluster.scale[column];
    }
    for (std::size_t i = 0; i < data.leading.size(); ++i)
      memory.basis(eigen_index(i), eigen_index(c)) = memory.x[data.leading[i]];
  }
}

void reduce_forces(const Mechanism::Data& data, Memory& memory, const double* forces,
                   MutableVector reduced) noexcept {
  for (std::size_t c = 0; c < data.independent.size(); ++c) {
    const std::size_t body = data.leading[data.independent[c]];
    reduced[c] = forces[body];
    const int k = data.cluster_of[body];
    if (k < 0) continue;
    const LoopCluster& cluster = data.clusters[static_cast<std::size_t>(k)];
    ClusterMemory& own = memory.clusters[static_cast<std::size_t>(k)];
    for (const std::size_t column : cluster.independent) {
      if (cluster.bodies[column] == body)
        own.gamma = own.G.col(eigen_index(column)) / cluster.scale[column];
    }
    own.lu.solve(own.gamma, own.u);
    for (const std::size_t column : cluster.dependent) {
      reduced[c] -=
          own.u[eigen_index(column)] * cluster.scale[column] * forces[cluster.bodies[column]];
    }
  }
}

Status try_forward_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                            const ExternalInputs& external) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .vector("qd", qd, n)
                      .vector("tau", tau, n)
                      .output("qdd", qdd, n)
                      .external_inputs(mechanism.tree(), external)
                      .status();
  if (status != Status::ok) return status;
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q),
                               body_rates(data.tree, qd, memory.qd), Pivots::all);
  if (status != Status::ok) return status;
  distribute(data, tau, memory.tau);
  particular_accelerations(data, memory);
  // N^T M N zeta = N^T (tau - M qdd_p - C qd - g ...), qdd = qdd_p + N zeta
  tree_forces(data, memory, memory.q.data(), memory.qd.data(), memory.qdd.data(), external,
              memory.x.data());
  status = decompose(data, memory);
  if (status != Status::ok) return status;
  for (std::size_t i = 0; i < memory.x.size(); ++i) memory.x[i] = memory.tau[i] - memory.x[i];
  kernel::solve_clusters(kernel::Tree(data.tree.tree()), memory.bodies.data(),
                         data.cluster_of.data(), memory.views.data(), memory.x.data(),
                         memory.x.data());
  for (std::size_t i = 0; i < memory.x.size(); ++i) memory.qdd[i] += memory.x[i];
  to_coordinates(data, memory.qdd, qdd);
  return Status::ok;
}

Status try_solve_inertia(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                         ConstMatrix B, Eigen::Ref<Eigen::MatrixXd> X) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size(), columns = static_cast<std::size_t>(B.cols());
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .matrix("B", B, n, columns)
                      .finite("B", B)
                      .matrix("X", X, n, columns)
                      .status();
  if (status != Status::ok) return status;
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q), nullptr,
                               Pivots::all);
  if (status == Status::ok) status = decompose(data, memory);
  if (status != Status::ok) return status;
  for (Eigen::Index c = 0; c < B.cols(); ++c) {
    std::fill(memory.x.begin(), memory.x.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) memory.x[data.leading[i]] = B.column(c)[i];
    kernel::solve_clusters(kernel::Tree(data.tree.tree()), memory.bodies.data(),
                           data.cluster_of.data(), memory.views.data(), memory.x.data(),
                           memory.x.data());
    for (std::size_t i = 0; i < n; ++i) X(eigen_index(i), c) = memory.x[data.leading[i]];
  }
  return Status::ok;
}

Status try_inverse_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, ConstVector qd, ConstVector qdd, MutableVector tau,
                            const ExternalInputs& external) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .vector("qd", qd, n)
                      .vector("qdd", qdd, n)
                      .output("tau", tau, mechanism.size())
                      .external_inputs(mechanism.tree(), external)
                      .status();
  if (status != Status::ok) return status;
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q), nullptr,
                               Pivots::dependent);
  if (status != Status::ok) return status;
  tree_forces(data, memory, memory.q.data(), body_rates(data.tree, qd, memory.qd),
              body_rates(data.tree, qdd, memory.qdd), external, memory.x.data());
  reduce_forces(data, memory, memory.x.data(), tau);
  return Status::ok;
}

Status try_actuator_torques(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, ConstVector tau, MutableVector torques) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t d = mechanism.size(), a = data.actuated.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, memory.all.size())
                      .vector("tau", tau, d, "one per independent joint")
                      .output("torques", torques, a)
                      .status();
  if (status != Status::ok) return status;
  if (data.actuated == data.independent) {
    if (torques.data() != tau.data()) std::copy(tau.begin(), tau.end(), torques.begin());
    return Status::ok;
  }
  if (a < d) {
    memory.problem.kind = Problem::Kind::few_actuators;
    memory.problem.rows = eigen_index(a);
    memory.problem.cols = eigen_index(d);
    return Status::singular_loop;
  }
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q), nullptr,
                               Pivots::dependent);
  if (status != Status::ok) return status;
  // tau = A torques with A = B^T of the actuated joints; torques = A^T (A A^T)^-1 tau
  fill_basis(data, memory);
  for (std::size_t j = 0; j < a; ++j)
    memory.actuator_map.col(eigen_index(j)) =
        memory.basis.row(eigen_index(data.actuated[j])).transpose();
  memory.actuator_normal.noalias() =
      memory.actuator_map.lazyProduct(memory.actuator_map.transpose());
  if (!cholesky(memory.actuator_normal)) {
    memory.problem.kind = Problem::Kind::few_actuators;
    memory.problem.rows = eigen_index(a);
    memory.problem.cols = eigen_index(d);
    return Status::singular_loop;
  }
  for (std::size_t i = 0; i < d; ++i) memory.reduced[eigen_index(i)] = tau[i];
  solve_cholesky(memory.actuator_normal, memory.reduced);
  for (std::size_t j = 0; j < a; ++j)
    torques[j] = memory.actuator_map.col(eigen_index(j)).dot(memory.reduced);
  return Status::ok;
}

void forward_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector tau, MutableVector qdd,
                      const ExternalInputs& external) {
  require(try_forward_dynamics(mechanism, workspace, q, qd, tau, qdd, external),
          workspace.memory().problem, mechanism.tree());
}
void solve_inertia(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                   ConstMatrix B, Eigen::Ref<Eigen::MatrixXd> X) {
  require(try_solve_inertia(mechanism, workspace, q, B, X), workspace.memory().problem,
          mechanism.tree());
}
void inverse_dynamics(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector qdd, MutableVector tau,
                      const ExternalInputs& external) {
  require(try_inverse_dynamics(mechanism, workspace, q, qd, qdd, tau, external),
          workspace.memory().problem, mechanism.tree());
}
void actuator_torques(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      ConstVector tau, MutableVector torques) {
  require(try_actuator_torques(mechanism, workspace, q, tau, torques), workspace.memory().problem,
          mechanism.tree());
}

}  // namespace dynamics
