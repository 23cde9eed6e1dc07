// SPDX-License-Identifier: Apache-2.0
// M, C and g in independent coordinates, and energies.

#include <algorithm>
#include <cmath>

#include "dynamics_core/inertia_matrix.hpp"
#include "loops/mechanism_memory.hpp"

namespace dynamics {
namespace {

using Memory = MechanismWorkspace::Memory;

/// B at a closed position.
Status prepare_basis(const Mechanism::Data& data, Memory& memory, ConstVector q) {
  Status status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q), nullptr,
                                      Pivots::dependent);
  if (status == Status::ok) fill_basis(data, memory);
  return status;
}

/// result := B^T matrix right, where right has one column per independent joint.
void reduce(Memory& memory, const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right,
            Eigen::Ref<Eigen::MatrixXd>& result, bool add) {
  const Eigen::Index n = matrix.rows();
  for (Eigen::Index c = 0; c < right.cols(); ++c) {
    for (Eigen::Index i = 0; i < n; ++i) {
      double sum = 0.0;
      for (Eigen::Index j = 0; j < n; ++j) sum += matrix(i, j) * right(j, c);
      memory.all[static_cast<std::size_t>(i)] = sum;
    }
    for (Eigen::Index r = 0; r < right.cols(); ++r) {
      double sum = 0.0;
      for (Eigen::Index i = 0; i < n; ++i)
        sum += memory.basis(i, r) * memory.all[static_cast<std::size_t>(i)];
      result(r, c) = add ? result(r, c) + sum : sum;
    }
  }
}

/// gamma(qd + s v) - gamma(qd - s v) = 4 s G'(qd) v, since gamma is a quadratic form.
void add_bias(const Mechanism::Data& data, Memory& memory, double sign, double factor) {
  for (std::size_t i = 0; i < memory.qd.size(); ++i)
    memory.qdd[i] = memory.qd[i] + sign * memory.x[i];
  loop_motion(data, memory, memory.q.data(), memory.qdd.data());
  for (std::size_t k = 0; k < data.clusters.size(); ++k) {
    ClusterMemory& own = memory.clusters[k];
    loop_bias(data, data.clusters[k], memory.kinematics, own.phi);
    own.gamma += factor * own.phi;
  }
}

/// dB/dt over coordinates: from G B = 0, G_D B'_D = -G' B.
void fill_basis_rate(const Mechanism::Data& data, Memory& memory) {
  double speed = 0.0;
  for (const double rate : memory.qd) speed = std::max(speed, std::abs(rate));
  memory.basis_rate.setZero();
  if (speed == 0.0) return;
  for (Eigen::Index c = 0; c < memory.basis.cols(); ++c) {
    const double scale = speed / std::max(1.0, memory.basis.col(c).cwiseAbs().maxCoeff());
    std::fill(memory.x.begin(), memory.x.end(), 0.0);
    for (std::size_t i = 0; i < memory.x.size(); ++i) {
      const Body& body = data.tree.bodies()[i];
      memory.x[i] = scale * body.multiplier * memory.basis(eigen_index(body.coordinate), c);
    }
    for (ClusterMemory& own : memory.clusters) own.gamma.setZero();
    add_bias(data, memory, 1.0, 0.25 / scale);
    add_bias(data, memory, -1.0, -0.25 / scale);
    std::fill(memory.x.begin(), memory.x.end(), 0.0);
    close_rates(data, memory, memory.x.data());
    for (std::size_t i = 0; i < data.leading.size(); ++i)
      memory.basis_rate(eigen_index(i), c) = memory.x[data.leading[i]];
  }
}

}  // namespace

Status try_inertia_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t d = mechanism.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, memory.all.size())
                      .matrix("M", M, d, d)
                      .status();
  if (status == Status::ok) status = prepare_basis(data, memory, q);
  if (status != Status::ok) return status;
  status = try_inertia_matrix(data.tree, memory.tree, q, memory.over_tree);
  if (status != Status::ok) return status;
  reduce(memory, memory.over_tree, memory.basis, M, false);
  return Status::ok;
}

Status try_coriolis_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                           ConstVector qd, Eigen::Ref<Eigen::MatrixXd> C) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size(), d = mechanism.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .vector("qd", qd, n)
                      .matrix("C", C, d, d)
                      .status();
  if (status == Status::ok) status = prepare_basis(data, memory, q);
  if (status != Status::ok) return status;
  body_rates(data.tree, qd, memory.qd);
  fill_basis_rate(data, memory);
  status = try_inertia_matrix(data.tree, memory.tree, q, memory.over_tree);
  if (status == Status::ok)
    status = try_coriolis_matrix(data.tree, memory.tree, q, qd, memory.over_tree2);
  if (status != Status::ok) return status;
  reduce(memory, memory.over_tree, memory.basis_rate, C, false);
  reduce(memory, memory.over_tree2, memory.basis, C, true);
  return Status::ok;
}

Status try_gravity_forces(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                          MutableVector g) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, memory.all.size())
                      .output("g", g, mechanism.size())
                      .status();
  if (status != Status::ok) return status;
  status = factor_closed_loops(data, memory, body_positions(data.tree, q, memory.q), nullptr,
                               Pivots::dependent);
  if (status != Status::ok) return status;
  const double* zeros = memory.tree.memory().zeros.data();
  tree_forces(data, memory, memory.q.data(), zeros, zeros,
              {.base = std::nullopt, .wrenches = {}, .friction = false}, memory.x.data());
  reduce_forces(data, memory, memory.x.data(), g);
  return Status::ok;
}

Status try_energy(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                  ConstVector qd, Energy& energy) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_mechanism(mechanism, memory).status();
  if (status != Status::ok) return status;
  const Status done = try_energy(mechanism.tree(), memory.tree, q, qd, energy);
  if (done != Status::ok) memory.problem = memory.tree.memory().problem;
  return done;
}

void inertia_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M) {
  require(try_inertia_matrix(mechanism, workspace, q, M), workspace.memory().problem,
          mechanism.tree());
}
void coriolis_matrix(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                     ConstVector qd, Eigen::Ref<Eigen::MatrixXd> C) {
  require(try_coriolis_matrix(mechanism, workspace, q, qd, C), workspace.memory().problem,
          mechanism.tree());
}
void gravity_forces(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
                    MutableVector g) {
  require(try_gravity_forces(mechanism, workspace, q, g), workspace.memory().problem,
          mechanism.tree());
}
Energy energy(const Mechanism& mechanism, MechanismWorkspace& workspace, ConstVector q,
              ConstVector qd) {
  Energy result;
  require(try_energy(mechanism, workspace, q, qd, result), workspace.memory().problem,
          mechanism.tree());
  return result;
}

}  // namespace dynamics
