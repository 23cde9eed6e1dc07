// SPDX-License-Identifier: Apache-2.0
// Derivatives of inverse and forward dynamics in independent coordinates z, by differences along
// the loops.
//
// tau(z, zd, zdd) = B^T f, with the forces f of the tree at the q, qd, qdd that follow from the
// loops. Central differences with three steps h, h/2, h/4 and Richardson's extrapolation: the error
// is of the order h^6. Smooth friction varies within friction_velocity, which no step resolves: its
// force is held constant in the differences, and its slope is added by the chain rule. By zd the
// rest is quadratic, and one central difference is exact.
//
// Forward dynamics by the implicit function: M d(zdd) = -d(tau - B^T tau_joints).

#include <algorithm>
#include <cmath>

#include "loops/mechanism_memory.hpp"
#include "rigid/recursions/friction.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

using Memory = MechanismWorkspace::Memory;

constexpr double largest_step = 0.02;  // of z (rad, or in units of the length)

/// The independent rates zd in memory.qd and accelerations zdd in memory.qdd, with the others from
/// the loops, then the forces B^T (f + constant) in `tau`. memory.q closes the loops.
Status forces_of_motion(const Mechanism::Data& data, Memory& memory, const ExternalInputs& external,
                        Eigen::Ref<Eigen::VectorXd> tau) {
  DerivativeMemory& own = memory.derivatives;
  loop_motion(data, memory, memory.q.data(), nullptr);
  const Status status = factor_loops(data, memory, Pivots::dependent);
  if (status != Status::ok) return status;
  for (ClusterMemory& cluster : memory.clusters) cluster.gamma.setZero();
  body_rates(data.tree, own.zd, memory.qd);
  close_rates(data, memory, memory.qd.data());
  loop_motion(data, memory, memory.q.data(), memory.qd.data());
  for (std::size_t k = 0; k < data.clusters.size(); ++k)
    loop_bias(data, data.clusters[k], memory.kinematics, memory.clusters[k].gamma);
  body_rates(data.tree, own.zdd, memory.qdd);
  close_rates(data, memory, memory.qdd.data());
  tree_forces(data, memory, memory.q.data(), memory.qd.data(), memory.qdd.data(), external,
              memory.x.data());
  for (std::size_t i = 0; i < memory.x.size(); ++i) memory.x[i] += own.constant[i];
  reduce_forces(data, memory, memory.x.data(), tau);
  return Status::ok;
}

/// (f(z + s e_k) - f(z - s e_k)) / (2 s) of tau and of qd over bodies, in column `level`.
Status difference_by_position(const Mechanism::Data& data, Memory& memory, Eigen::Index k, double s,
                              const ExternalInputs& external, Eigen::Index level) {
  DerivativeMemory& own = memory.derivatives;
  for (const double sign : {1.0, -1.0}) {
    for (std::size_t i = 0; i < own.moved.size(); ++i)
      own.moved[i] = own.q[i] + sign * s * own.basis(eigen_index(i), k);
    body_positions(data.tree, own.moved, memory.q);
    Status status = close_positions(data, memory, Pivots::dependent);
    if (status == Status::ok) status = forces_of_motion(data, memory, external, own.tau);
    if (status != Status::ok) return status;
    const double factor = sign / (2.0 * s);
    for (Eigen::Index i = 0; i < own.tau.size(); ++i)
      own.tau_rates(i, level) = (sign > 0.0 ? 0.0 : own.tau_rates(i, level)) + factor * own.tau[i];
    for (std::size_t b = 0; b < memory.qd.size(); ++b) {
      double& entry = own.qd_rates(eigen_index(b), level);
      entry = (sign > 0.0 ? 0.0 : entry) + factor * memory.qd[b];
    }
  }
  return Status::ok;
}

/// The value at step zero from those at h, h/2 and h/4.
double extrapolated(const Eigen::MatrixXd& at, Eigen::Index row) {
  const double a = (4.0 * at(row, 1) - at(row, 0)) / 3.0, b = (4.0 * at(row, 2) - at(row, 1)) / 3.0;
  return (16.0 * b - a) / 15.0;
}

/// d tau / d z and d tau / d zd at the motion own.q, own.zd, own.zdd.
Status differentiate(const Mechanism::Data& data, Memory& memory, const ExternalInputs& external,
                     Eigen::Ref<Eigen::MatrixXd> by_z, Eigen::Ref<Eigen::MatrixXd> by_zd) {
  DerivativeMemory& own = memory.derivatives;
  ExternalInputs frictionless = external;
  frictionless.friction = false;
  const Tree& tree = data.tree.tree();
  // friction: its force is constant, its slope is added below
  body_positions(data.tree, own.q, memory.q);
  Status status = forces_of_motion(data, memory, frictionless, own.tau);
  if (status != Status::ok) return status;
  for (std::size_t b = 0; b < tree.size(); ++b) {
    own.slope[b] = 0.0;
    if (!external.friction || (tree[b].damping == 0.0 && tree[b].friction == 0.0)) continue;
    own.constant[b] += kernel::joint_friction(tree[b], memory.qd[b], data.tree.friction_velocity());
    own.slope[b] = kernel::friction_slope(tree[b], memory.qd[b], data.tree.friction_velocity());
  }
  fill_basis(data, memory);
  own.basis = memory.basis;
  // B^T slope v for rates v over bodies
  const auto add_friction = [&](const auto& rates, Eigen::Ref<Eigen::MatrixXd> into,
                                Eigen::Index k) {
    for (Eigen::Index r = 0; r < own.basis.cols(); ++r) {
      for (std::size_t b = 0; b < tree.size(); ++b) {
        if (own.slope[b] == 0.0) continue;
        const Body& body = data.tree.bodies()[b];
        into(r, k) +=
            body.multiplier * own.basis(eigen_index(body.coordinate), r) * own.slope[b] * rates(b);
      }
    }
  };
  for (Eigen::Index k = 0; k < own.basis.cols(); ++k) {
    // by zd
    const std::size_t joint = data.independent[static_cast<std::size_t>(k)];
    const double unit = data.tree.coordinates()[joint].prismatic ? data.length : 1.0;
    const double rate = own.zd[joint], step = std::max(unit, std::abs(rate));
    body_positions(data.tree, own.q, memory.q);
    own.zd[joint] = rate + step;
    status = forces_of_motion(data, memory, frictionless, own.tau);
    if (status != Status::ok) return status;
    by_zd.col(k) = own.tau / (2.0 * step);
    body_positions(data.tree, own.q, memory.q);
    own.zd[joint] = rate - step;
    status = forces_of_motion(data, memory, frictionless, own.tau);
    own.zd[joint] = rate;
    if (status != Status::ok) return status;
    by_zd.col(k) -= own.tau / (2.0 * step);
    add_friction(
        [&](std::size_t b) {
          const Body& body = data.tree.bodies()[b];
          return body.multiplier * own.basis(eigen_index(body.coordinate), k);
        },
        by_zd, k);
    // by z: no joint moves further than the largest step
    double most = 1.0 / unit;
    for (std::size_t i = 0; i < own.moved.size(); ++i) {
      const double size = data.tree.coordinates()[i].prismatic ? data.length : 1.0;
      most = std::max(most, std::abs(own.basis(eigen_index(i), k)) / size);
    }
    double h = largest_step / most;
    for (Eigen::Index level = 0; level < 3; ++level, h *= 0.5) {
      status = difference_by_position(data, memory, k, h, frictionless, level);
      if (status != Status::ok) return status;
    }
    for (Eigen::Index r = 0; r < by_z.rows(); ++r) by_z(r, k) = extrapolated(own.tau_rates, r);
    add_friction([&](std::size_t b) { return extrapolated(own.qd_rates, eigen_index(b)); }, by_z,
                 k);
  }
  return Status::ok;
}

/// The motion of the independent joints, and no constant forces.
void set_motion(const Mechanism::Data& data, Memory& memory, ConstVector q, ConstVector qd,
                ConstVector qdd) {
  DerivativeMemory& own = memory.derivatives;
  std::copy(q.begin(), q.end(), own.q.begin());
  std::fill(own.zd.begin(), own.zd.end(), 0.0);
  std::fill(own.zdd.begin(), own.zdd.end(), 0.0);
  std::fill(own.constant.begin(), own.constant.end(), 0.0);
  for (const std::size_t joint : data.independent) {
    own.zd[joint] = qd[joint];
    own.zdd[joint] = qdd[joint];
  }
}

}  // namespace

Status try_inverse_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector qdd,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_z,
                                        Eigen::Ref<Eigen::MatrixXd> tau_by_zd,
                                        const ExternalInputs& external) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  const std::size_t n = memory.all.size(), d = mechanism.size();
  Status status = check_mechanism(mechanism, memory)
                      .vector("q", q, n)
                      .vector("qd", qd, n)
                      .vector("qdd", qdd, n)
                      .matrix("tau_by_z", tau_by_z, d, d)
                      .matrix("tau_by_zd", tau_by_zd, d, d)
                      .external_inputs(mechanism.tree(), external)
                      .status();
  if (status != Status::ok) return status;
  loop_motion(data, memory, body_positions(data.tree, q, memory.q), nullptr);
  status = check_closed(data, memory, memory.q.data());
  if (status != Status::ok) return status;
  set_motion(data, memory, q, qd, qdd);
  DerivativeMemory& own = memory.derivatives;
  status = differentiate(data, memory, external, own.by_z, own.by_zd);
  if (status != Status::ok) return status;
  tau_by_z = own.by_z;
  tau_by_zd = own.by_zd;
  return Status::ok;
}

Status try_forward_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                        ConstVector q, ConstVector qd, ConstVector tau,
                                        Eigen::Ref<Eigen::MatrixXd> zdd_by_z,
                                        Eigen::Ref<Eigen::MatrixXd> zdd_by_zd,
                                        Eigen::Ref<Eigen::MatrixXd> zdd_by_tau,
                                        const ExternalInputs& external) noexcept {
  Memory& memory = workspace.memory();
  const Mechanism::Data& data = mechanism.data();
  DerivativeMemory& own = memory.derivatives;
  const std::size_t d = mechanism.size();
  Status status = check_mechanism(mechanism, memory)
                      .matrix("zdd_by_z", zdd_by_z, d, d)
                      .matrix("zdd_by_zd", zdd_by_zd, d, d)
                      .matrix("zdd_by_tau", zdd_by_tau, d, d)
                      .status();
  if (status == Status::ok)
    status = try_forward_dynamics(mechanism, workspace, q, qd, tau, own.moved, external);
  if (status != Status::ok) return status;
  set_motion(data, memory, q, qd, own.moved);
  for (std::size_t c = 0; c < tau.size(); ++c) own.constant[data.leading[c]] -= tau[c];
  status = differentiate(data, memory, external, own.by_z, own.by_zd);
  if (status == Status::ok) status = try_inertia_matrix(mechanism, workspace, q, own.M);
  if (status != Status::ok) return status;
  if (!cholesky(own.M)) {
    memory.problem.kind = Problem::Kind::matrix_pivot;
    memory.problem.index = data.independent.front();
    memory.problem.value = 0.0;
    return Status::singular;
  }
  for (Eigen::Index k = 0; k < own.by_z.cols(); ++k) {
    own.tau = -own.by_z.col(k);
    solve_cholesky(own.M, own.tau);
    zdd_by_z.col(k) = own.tau;
    own.tau = -own.by_zd.col(k);
    solve_cholesky(own.M, own.tau);
    zdd_by_zd.col(k) = own.tau;
    own.tau.setZero();
    own.tau[k] = 1.0;
    solve_cholesky(own.M, own.tau);
    zdd_by_tau.col(k) = own.tau;
  }
  return Status::ok;
}

void inverse_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                  ConstVector q, ConstVector qd, ConstVector qdd,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_z,
                                  Eigen::Ref<Eigen::MatrixXd> tau_by_zd,
                                  const ExternalInputs& external) {
  require(try_inverse_dynamics_derivatives(mechanism, workspace, q, qd, qdd, tau_by_z, tau_by_zd,
                                           external),
          workspace.memory().problem, mechanism.tree());
}
void forward_dynamics_derivatives(const Mechanism& mechanism, MechanismWorkspace& workspace,
                                  ConstVector q, ConstVector qd, ConstVector tau,
                                  Eigen::Ref<Eigen::MatrixXd> zdd_by_z,
                                  Eigen::Ref<Eigen::MatrixXd> zdd_by_zd,
                                  Eigen::Ref<Eigen::MatrixXd> zdd_by_tau,
                                  const ExternalInputs& external) {
  require(try_forward_dynamics_derivatives(mechanism, workspace, q, qd, tau, zdd_by_z, zdd_by_zd,
                                           zdd_by_tau, external),
          workspace.memory().problem, mechanism.tree());
}

}  // namespace dynamics
