// SPDX-License-Identifier: Apache-2.0
// Positions, velocities and accelerations that satisfy the constraints.

#include <algorithm>
#include <cmath>

#include "loops/mechanism_memory.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

using Memory = MechanismWorkspace::Memory;

constexpr int max_iterations = 100;
/// Largest change of a joint in one iteration (rad, or in units of the length).
constexpr double max_step = 0.5;

double largest_error(const ClusterMemory& own) {
  double largest = 0.0;
  for (const double error : own.phi) largest = std::max(largest, std::abs(error));
  return std::isfinite(own.phi.sum()) ? largest : std::numeric_limits<double>::infinity();
}

/// The constraint of the row with the largest error.
const char* worst_constraint(const Mechanism::Data& data, const LoopCluster& cluster,
                             const Eigen::VectorXd& phi) {
  Eigen::Index worst = 0, at = 0;
  phi.cwiseAbs().maxCoeff(&worst);
  for (const std::size_t k : cluster.constraints) {
    at += eigen_index(data.constraints[k].rows.size());
    if (worst < at) return data.constraints[k].name.c_str();
  }
  return "";
}

Status fail(Memory& memory, Problem::Kind kind, const char* name, double value,
            std::size_t coordinate = 0) {
  memory.problem.kind = kind;
  memory.problem.name = name;
  memory.problem.value = value;
  memory.problem.index = coordinate;
  return memory.problem.status();
}

Status factor_cluster(const Mechanism::Data& data, Memory& memory, std::size_t k, Pivots pivots) {
  const LoopCluster& cluster = data.clusters[k];
  ClusterMemory& own = memory.clusters[k];
  if (own.lu.factor(own.G, cluster.rank,
                    pivots == Pivots::all ? cluster.order : cluster.dependent_order))
    return Status::ok;
  own.lu.matrix = own.G;
  if (cluster.rank == 0) return own.lu.factor(0) ? Status::ok : Status::singular_loop;
  const bool done = pivots == Pivots::all
                        ? own.lu.factor(cluster.rank)
                        : own.lu.factor(cluster.rank, cluster.dependent, cluster.independent);
  if (done && own.lu.condition() < largest_condition) return Status::ok;
  // the column of the last pivot found
  const std::size_t last = std::min(cluster.rank, cluster.size()) - 1;
  const std::size_t body = cluster.bodies[own.lu.cols[last]];
  return fail(memory, Problem::Kind::loop_singular,
              data.constraints[cluster.constraints.front()].name.c_str(), own.lu.condition(),
              data.tree.bodies()[body].coordinate);
}

/// G_R G_R^T of the rows with pivot, decomposed.
bool factor_normal(const LoopCluster& cluster, ClusterMemory& own) {
  for (std::size_t i = 0; i < cluster.rank; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      own.normal(eigen_index(i), eigen_index(j)) =
          own.G.row(eigen_index(own.lu.rows[i])).dot(own.G.row(eigen_index(own.lu.rows[j])));
    }
  }
  return cholesky(own.normal);
}

/// u := G_R^T (G_R G_R^T)^-1 b_R.
void least_norm(const LoopCluster& cluster, ClusterMemory& own, const Eigen::VectorXd& b) {
  for (std::size_t i = 0; i < cluster.rank; ++i)
    own.multipliers[eigen_index(i)] = b[eigen_index(own.lu.rows[i])];
  solve_cholesky(own.normal, own.multipliers);
  own.u.setZero();
  for (std::size_t i = 0; i < cluster.rank; ++i) {
    const double factor = own.multipliers[eigen_index(i)];
    for (Eigen::Index j = 0; j < own.u.size(); ++j)
      own.u[j] += factor * own.G(eigen_index(own.lu.rows[i]), j);
  }
}

/// A Newton step of one cluster from memory.q, where phi is known.
Status newton_step(const Mechanism::Data& data, Memory& memory, std::size_t k, Pivots pivots) {
  const LoopCluster& cluster = data.clusters[k];
  ClusterMemory& own = memory.clusters[k];
  loop_jacobian(data, cluster, memory.kinematics, own.G);
  const Status status = factor_cluster(data, memory, k, pivots);
  if (status != Status::ok) return status;
  if (pivots == Pivots::dependent) {
    own.lu.solve(own.phi, own.u);
  } else {
    if (!factor_normal(cluster, own))
      return fail(memory, Problem::Kind::loop_singular,
                  data.constraints[cluster.constraints.front()].name.c_str(), own.lu.condition(),
                  data.tree.bodies()[cluster.bodies.front()].coordinate);
    least_norm(cluster, own, own.phi);
  }
  const double size = own.u.cwiseAbs().maxCoeff();
  const double limit = size > max_step ? max_step / size : 1.0;
  for (std::size_t b = 0; b < cluster.size(); ++b) {
    own.position[b] = memory.q[cluster.bodies[b]];
    own.step[b] = -limit * own.u[eigen_index(b)] * cluster.scale[b];
  }
  own.fraction = 1.0;
  return Status::ok;
}

void take_step(const LoopCluster& cluster, const ClusterMemory& own, std::vector<double>& q) {
  for (std::size_t b = 0; b < cluster.size(); ++b)
    q[cluster.bodies[b]] = own.position[b] + own.fraction * own.step[b];
}

}  // namespace

void loop_motion(const Mechanism::Data& data, Memory& memory, const double* q,
                 const double* qd) noexcept {
  world_motion(data.tree, memory.kinematics, q, qd,
               qd == nullptr ? nullptr : memory.tree.memory().zeros.data(), std::nullopt);
}

Status check_closed(const Mechanism::Data& data, Memory& memory, const double* q) noexcept {
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    ClusterMemory& own = memory.clusters[k];
    loop_errors(data, data.clusters[k], memory.kinematics, q, own.phi);
    const double error = largest_error(own);
    if (error <= closed_tolerance) continue;
    return fail(memory, Problem::Kind::loop_open, worst_constraint(data, data.clusters[k], own.phi),
                error);
  }
  return Status::ok;
}

Status factor_loops(const Mechanism::Data& data, Memory& memory, Pivots pivots) noexcept {
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    loop_jacobian(data, data.clusters[k], memory.kinematics, memory.clusters[k].G);
    const Status status = factor_cluster(data, memory, k, pivots);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

Status factor_closed_loops(const Mechanism::Data& data, Memory& memory, const double* q,
                           const double* qd, Pivots pivots) noexcept {
  loop_motion(data, memory, q, qd);
  const Status status = check_closed(data, memory, q);
  return status == Status::ok ? factor_loops(data, memory, pivots) : status;
}

Status close_positions(const Mechanism::Data& data, Memory& memory, Pivots pivots) noexcept {
  for (ClusterMemory& own : memory.clusters) {
    own.converged = false;
    own.error = std::numeric_limits<double>::infinity();
    own.fraction = 0.0;
  }
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    bool open = false;
    loop_motion(data, memory, memory.q.data(), nullptr);
    for (std::size_t k = 0; k < data.clusters.size(); ++k) {
      ClusterMemory& own = memory.clusters[k];
      if (own.converged) continue;
      loop_errors(data, data.clusters[k], memory.kinematics, memory.q.data(), own.phi);
      const double error = largest_error(own), before = own.error;
      if (error == 0.0 || (error < 1e-12 && error > 0.25 * before) ||
          (error < closed_tolerance && error > 0.99 * before)) {
        // round-off, or what the redundant equations leave
        if (error > before) {
          own.fraction = 0.0;
          take_step(data.clusters[k], own, memory.q);
        }
        own.converged = true;
        continue;
      }
      open = true;
      if (error > before && own.fraction > 1e-6) {  // too far: a part of the same step
        own.fraction *= 0.5;
        take_step(data.clusters[k], own, memory.q);
        continue;
      }
      own.error = error;
      const Status status = newton_step(data, memory, k, pivots);
      if (status != Status::ok) return status;
      take_step(data.clusters[k], own, memory.q);
    }
    if (!open) return Status::ok;
  }
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    const ClusterMemory& own = memory.clusters[k];
    if (own.converged || own.error < closed_tolerance) continue;
    return fail(memory, Problem::Kind::loop_diverged,
                worst_constraint(data, data.clusters[k], own.phi), own.error);
  }
  return Status::ok;
}

void close_rates(const Mechanism::Data& data, Memory& memory, double* rates) noexcept {
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    ClusterMemory& own = memory.clusters[k];
    // own.gamma: G times the independent rates, plus what the caller has left there
    for (const std::size_t column : cluster.independent) {
      const double rate = rates[cluster.bodies[column]] / cluster.scale[column];
      for (Eigen::Index i = 0; i < own.gamma.size(); ++i)
        own.gamma[i] += own.G(i, eigen_index(column)) * rate;
    }
    own.lu.solve(own.gamma, own.u);
    for (const std::size_t column : cluster.dependent)
      rates[cluster.bodies[column]] = -own.u[eigen_index(column)] * cluster.scale[column];
  }
}

Status project_rates(const Mechanism::Data& data, Memory& memory, double* rates) noexcept {
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    const LoopCluster& cluster = data.clusters[k];
    ClusterMemory& own = memory.clusters[k];
    if (!factor_normal(cluster, own))
      return fail(memory, Problem::Kind::loop_singular,
                  data.constraints[cluster.constraints.front()].name.c_str(), own.lu.condition(),
                  data.tree.bodies()[cluster.bodies.front()].coordinate);
    for (int pass = 0; pass < 2; ++pass) {  // the second one removes what round-off left
      own.gamma.setZero();
      for (std::size_t b = 0; b < cluster.size(); ++b) {
        const double rate = rates[cluster.bodies[b]] / cluster.scale[b];
        for (Eigen::Index i = 0; i < own.gamma.size(); ++i)
          own.gamma[i] += own.G(i, eigen_index(b)) * rate;
      }
      least_norm(cluster, own, own.gamma);
      for (std::size_t b = 0; b < cluster.size(); ++b)
        rates[cluster.bodies[b]] -= own.u[eigen_index(b)] * cluster.scale[b];
    }
  }
  return Status::ok;
}

Status try_loop_error(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      double& error) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const Status status =
      check_mechanism(mechanism, memory).vector("q", q, memory.all.size()).status();
  if (status != Status::ok) return status;
  loop_motion(data, memory, body_positions(data.tree, q, memory.q), nullptr);
  error = 0.0;
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    loop_errors(data, data.clusters[k], memory.kinematics, memory.q.data(), memory.clusters[k].phi);
    error = std::max(error, largest_error(memory.clusters[k]));
  }
  return Status::ok;
}

namespace {

/// Solves the loop equations from q, by moving the coordinates of the pivots.
Status move_onto_loops(const Mechanism& mechanism, Memory& memory, MutableVector q,
                       Pivots pivots) noexcept {
  const Mechanism::Data& data = mechanism.data();
  Status status = check_mechanism(mechanism, memory).vector("q", q, memory.all.size()).status();
  if (status != Status::ok) return status;
  body_positions(data.tree, q, memory.q);
  status = close_positions(data, memory, pivots);
  if (status == Status::ok) to_coordinates(data, memory.q, q);
  return status;
}

}  // namespace

Status try_close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace,
                       MutableVector q) noexcept {
  return move_onto_loops(mechanism, workspace.memory(), q, Pivots::dependent);
}

Status try_close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector from,
                       ConstVector z, MutableVector q) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("from", from, n)
                      .vector("z", z, mechanism.size(), "one per independent joint")
                      .output("q", q, n)
                      .status();
  if (status != Status::ok) return status;
  double distance = 0.0;
  for (std::size_t i = 0; i < data.independent.size(); ++i) {
    const std::size_t joint = data.independent[i];
    const double unit = data.tree.coordinates()[joint].prismatic ? data.length : 1.0;
    memory.reduced[eigen_index(i)] = z[i] - from[joint];
    distance = std::max(distance, std::abs(z[i] - from[joint]) / unit);
  }
  constexpr double increment = 0.05;
  if (!(distance < 1e4 * increment)) distance = 1e4 * increment;
  const auto steps = static_cast<std::size_t>(std::ceil(distance / increment)) + 1;
  std::copy(from.begin(), from.end(), memory.all.begin());
  body_positions(data.tree, from, memory.q);
  for (std::size_t step = 1; step <= steps; ++step) {
    const double part = static_cast<double>(step) / static_cast<double>(steps);
    // a step of all joints along the tangent, then Newton's method
    loop_motion(data, memory, memory.q.data(), nullptr);
    const bool tangent = factor_loops(data, memory, Pivots::dependent) == Status::ok;
    std::fill(memory.qd.begin(), memory.qd.end(), 0.0);
    for (std::size_t i = 0; i < data.independent.size(); ++i) {
      const std::size_t body = data.leading[data.independent[i]];
      const double target = memory.all[data.independent[i]] + part * memory.reduced[eigen_index(i)];
      memory.qd[body] = target - memory.q[body];
    }
    if (tangent) {
      for (ClusterMemory& own : memory.clusters) own.gamma.setZero();
      close_rates(data, memory, memory.qd.data());
    }
    for (std::size_t b = 0; b < memory.q.size(); ++b) memory.q[b] += memory.qd[b];
    for (std::size_t i = 0; i < data.independent.size(); ++i) {
      const std::size_t joint = data.independent[i];
      memory.q[data.leading[joint]] =
          step == steps ? memory.all[joint] + memory.reduced[eigen_index(i)]
                        : memory.all[joint] + part * memory.reduced[eigen_index(i)];
    }
    status = close_positions(data, memory, Pivots::dependent);
    if (status != Status::ok) return status;
  }
  to_coordinates(data, memory.q, q);
  return Status::ok;
}

Status try_project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            MutableVector q) noexcept {
  return move_onto_loops(mechanism, workspace.memory(), q, Pivots::all);
}

Status try_project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            MutableVector q, MutableVector qd) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory).vector("q", q, n).vector("qd", qd, n).status();
  if (status != Status::ok) return status;
  body_positions(data.tree, q, memory.q);
  body_rates(data.tree, qd, memory.qd);
  status = close_positions(data, memory, Pivots::all);
  if (status != Status::ok) return status;
  loop_motion(data, memory, memory.q.data(), nullptr);
  status = factor_loops(data, memory, Pivots::all);
  if (status == Status::ok) status = project_rates(data, memory, memory.qd.data());
  if (status != Status::ok) return status;
  to_coordinates(data, memory.q, q);
  to_coordinates(data, memory.qd, qd);
  return Status::ok;
}

Status try_close_velocities(const Mechanism& mechanism, MechanismWorkspace& workspace,
                            ConstVector q, MutableVector qd) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory).vector("q", q, n).vector("qd", qd, n).status();
  if (status != Status::ok) return status;
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q), nullptr,
                               Pivots::dependent);
  if (status != Status::ok) return status;
  body_rates(data.tree, qd, memory.qd);
  for (ClusterMemory& own : memory.clusters) own.gamma.setZero();
  close_rates(data, memory, memory.qd.data());
  to_coordinates(data, memory.qd, qd);
  return Status::ok;
}

Status try_close_accelerations(const Mechanism& mechanism, MechanismWorkspace& workspace,
                               ConstVector q, ConstVector qd, MutableVector qdd) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .vector("qd", qd, n)
                      .vector("qdd", qdd, n)
                      .status();
  if (status != Status::ok) return status;
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q),
                               body_rates(data.tree, qd, memory.qd), Pivots::dependent);
  if (status != Status::ok) return status;
  body_rates(data.tree, qdd, memory.qdd);
  for (std::size_t k = 0; k < data.clusters.size(); ++k)
    loop_bias(data, data.clusters[k], memory.kinematics, memory.clusters[k].gamma);
  close_rates(data, memory, memory.qdd.data());
  to_coordinates(data, memory.qdd, qdd);
  return Status::ok;
}

double loop_error(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q) {
  double error = 0.0;
  require(try_loop_error(mechanism, workspace, q, error), workspace.memory().problem,
          mechanism.tree());
  return error;
}
void close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, MutableVector q) {
  require(try_close_loops(mechanism, workspace, q), workspace.memory().problem, mechanism.tree());
}
void close_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector from,
                 ConstVector z, MutableVector q) {
  require(try_close_loops(mechanism, workspace, from, z, q), workspace.memory().problem,
          mechanism.tree());
}
void project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, MutableVector q) {
  require(try_project_on_loops(mechanism, workspace, q), workspace.memory().problem,
          mechanism.tree());
}
void project_on_loops(const Mechanism& mechanism, MechanismWorkspace& workspace, MutableVector q,
                      MutableVector qd) {
  require(try_project_on_loops(mechanism, workspace, q, qd), workspace.memory().problem,
          mechanism.tree());
}
void close_velocities(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                      MutableVector qd) {
  require(try_close_velocities(mechanism, workspace, q, qd), workspace.memory().problem,
          mechanism.tree());
}
void close_accelerations(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                         ConstVector qd, MutableVector qdd) {
  require(try_close_accelerations(mechanism, workspace, q, qd, qdd), workspace.memory().problem,
          mechanism.tree());
}

}  // namespace dynamics
