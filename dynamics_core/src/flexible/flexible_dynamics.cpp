// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/flexible_memory.hpp"
#include "flexible/recursions/forward_dynamics.hpp"
#include "flexible/recursions/inertia_matrix.hpp"
#include "flexible/recursions/inverse_dynamics.hpp"
#include "spatial/cholesky.hpp"

namespace dynamics {
namespace {

using flexible::ElasticBody;
using flexible::JointKind;
using Memory = FlexibleWorkspace::Memory;

Eigen::Index idx(std::size_t i) { return static_cast<Eigen::Index>(i); }

Checks check_state(const FlexibleModel& model, Memory& memory, ConstVector q,
                   ConstVector qd) noexcept {
  return check_workspace(model, memory)
      .vector("q", q, memory.size, coordinates_hint)
      .vector("qd", qd, memory.size, coordinates_hint);
}

/// The checks of both kinds of forward dynamics: torques of the joints, or of all coordinates.
Checks check_forward(const FlexibleModel& model, Memory& memory, ConstVector q, ConstVector qd,
                     ConstVector tau, MutableVector qdd) noexcept {
  return check_state(model, memory, q, qd)
      .vector("tau", tau, tau.size() == memory.size ? memory.size : memory.joints, forces_hint)
      .output("qdd", qdd, memory.size);
}

/// memory.tau = tau - friction.
void subtract_friction(const FlexibleModel& model, Memory& memory, ConstVector qd, ConstVector tau,
                       Friction friction) {
  for (std::size_t i = 0; i < memory.joints; ++i) memory.tau[i] = tau[i];
  if (!friction) return;
  for (const ElasticBody& body : model.tree()) {
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    memory.tau[body.coordinate] -= joint_friction(model, body, qd[body.coordinate]);
  }
}

/// Status::singular where the pivot of a joint is not above zero.
Status check_joint_pivots(const FlexibleModel& model, Memory& memory) noexcept {
  for (std::size_t i = 0; i < model.tree().size(); ++i) {
    const ElasticBody& body = model.tree()[i];
    const double pivot = memory.scratch.links[i].pivot;
    if (body.joint == JointKind::fixed || is_regular(pivot)) continue;
    memory.problem.kind = Problem::Kind::matrix_pivot;
    memory.problem.index = body.coordinate;
    memory.problem.value = pivot;
    return memory.problem.status();
  }
  return Status::ok;
}

/// Adds the friction of the joints to their torques, the first entries of `forces`.
void add_friction(const FlexibleModel& model, ConstVector qd, Eigen::VectorXd& forces,
                  bool friction) {
  if (!friction) return;
  for (const ElasticBody& body : model.tree()) {
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    forces[idx(body.coordinate)] += joint_friction(model, body, qd[body.coordinate]);
  }
}

template <class Matrix>
void fill_inertia_matrix(const FlexibleModel& model, Memory& memory, const double* q, Matrix& M) {
  M.setZero();
  flexible::inertia_matrix<double>(model.tree(), memory.scratch, memory.joints, q,
                                   q + memory.joints, memory.projected_forces.data(),
                                   [&](std::size_t row, std::size_t column, double value) {
                                     M(idx(row), idx(column)) = value;
                                     M(idx(column), idx(row)) = value;
                                   });
}

}  // namespace

// Results are computed in the workspace and copied: an output may be an input, and keeps its values
// where there is no answer.

Status try_forward_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                            ConstVector qd, ConstVector tau, MutableVector qdd,
                            Friction friction) noexcept {
  Memory& memory = workspace.memory();
  Checks checks = check_forward(model, memory, q, qd, tau, qdd);
  if (model.amplitude_count() == 0) checks.regular(model.rigid());
  if (checks.status() != Status::ok) return checks.status();
  subtract_friction(model, memory, qd, tau, friction);
  const std::size_t n = memory.joints;
  const double* phi = tau.size() == memory.size && memory.size > n ? tau.data() + n : nullptr;
  double* result = memory.rhs.data();
  flexible::forward_dynamics<double>(
      model.tree(), memory.scratch, gravity_base(model), flexible::Known::joint_torques, q.data(),
      q.data() + n, qd.data(), qd.data() + n, phi, memory.tau.data(), result, result + n);
  const Status status = check_joint_pivots(model, memory);
  if (status == Status::ok) std::copy(memory.rhs.begin(), memory.rhs.end(), qdd.begin());
  return status;
}

void forward_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector tau, MutableVector qdd, Friction friction) {
  require(try_forward_dynamics(model, workspace, q, qd, tau, qdd, friction),
          workspace.memory().problem, model.rigid());
}

Status try_forward_dynamics_cholesky(const FlexibleModel& model, FlexibleWorkspace& workspace,
                                     ConstVector q, ConstVector qd, ConstVector tau,
                                     MutableVector qdd, Friction friction) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_forward(model, memory, q, qd, tau, qdd).status();
  if (status != Status::ok) return status;
  subtract_friction(model, memory, qd, tau, friction);
  const std::size_t n = memory.joints;
  double* bias = memory.rhs.data();
  flexible::inverse_dynamics<double>(model.tree(), memory.scratch, gravity_base(model), true, false,
                                     q.data(), q.data() + n, qd.data(), qd.data() + n, nullptr,
                                     nullptr, bias, bias + n);
  for (std::size_t i = 0; i < memory.size; ++i) {
    const double applied = i < n ? memory.tau[i] : (tau.size() == memory.size ? tau[i] : 0.0);
    bias[i] = applied - bias[i];
  }
  fill_inertia_matrix(model, memory, q.data(), memory.dense);
  if (!cholesky(memory.dense)) return massless(memory);
  solve_cholesky(memory.dense, memory.rhs);
  std::copy(memory.rhs.begin(), memory.rhs.end(), qdd.begin());
  return Status::ok;
}

void forward_dynamics_cholesky(const FlexibleModel& model, FlexibleWorkspace& workspace,
                               ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                               Friction friction) {
  require(try_forward_dynamics_cholesky(model, workspace, q, qd, tau, qdd, friction),
          workspace.memory().problem, model.rigid());
}

Status try_joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                         ConstVector qd, ConstVector joint_qdd, MutableVector tau,
                         MutableVector amplitude_qdd, Friction friction,
                         ConstVector amplitude_forces) noexcept {
  Memory& memory = workspace.memory();
  const std::size_t n = memory.joints;
  const bool forced = amplitude_forces.size() > 0;
  const Status status = check_state(model, memory, q, qd)
                            .vector("joint_qdd", joint_qdd, n, "one per joint")
                            .vector("amplitude_forces", amplitude_forces,
                                    forced ? memory.size - n : 0, "one per amplitude, or none")
                            .output("tau", tau, n)
                            .output("amplitude_qdd", amplitude_qdd, memory.size - n)
                            .separate("tau", {tau.data(), tau.size(), 1, 0}, "amplitude_qdd",
                                      {amplitude_qdd.data(), amplitude_qdd.size(), 1, 0})
                            .status();
  if (status != Status::ok) return status;
  std::copy(joint_qdd.begin(), joint_qdd.end(), memory.tau.begin());
  flexible::forward_dynamics<double>(
      model.tree(), memory.scratch, gravity_base(model), flexible::Known::joint_accelerations,
      q.data(), q.data() + n, qd.data(), qd.data() + n, forced ? amplitude_forces.data() : nullptr,
      memory.rhs.data(), memory.tau.data(), memory.rhs.data() + n);
  add_friction(model, qd, memory.rhs, friction);
  std::copy_n(memory.rhs.begin(), n, tau.begin());
  std::copy(memory.rhs.begin() + static_cast<std::ptrdiff_t>(n), memory.rhs.end(),
            amplitude_qdd.begin());
  return Status::ok;
}

void joint_torques(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   ConstVector qd, ConstVector joint_qdd, MutableVector tau,
                   MutableVector amplitude_qdd, Friction friction, ConstVector amplitude_forces) {
  require(try_joint_torques(model, workspace, q, qd, joint_qdd, tau, amplitude_qdd, friction,
                            amplitude_forces),
          workspace.memory().problem, model.rigid());
}

Status try_inverse_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                            ConstVector qd, ConstVector qdd, MutableVector forces,
                            Friction friction) noexcept {
  Memory& memory = workspace.memory();
  const std::size_t n = memory.joints;
  const Status status = check_state(model, memory, q, qd)
                            .vector("qdd", qdd, memory.size, coordinates_hint)
                            .output("forces", forces, memory.size)
                            .status();
  if (status != Status::ok) return status;
  flexible::inverse_dynamics<double>(model.tree(), memory.scratch, gravity_base(model), true, true,
                                     q.data(), q.data() + n, qd.data(), qd.data() + n, qdd.data(),
                                     qdd.data() + n, memory.rhs.data(), memory.rhs.data() + n);
  add_friction(model, qd, memory.rhs, friction);
  std::copy(memory.rhs.begin(), memory.rhs.end(), forces.begin());
  return Status::ok;
}

void inverse_dynamics(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                      ConstVector qd, ConstVector qdd, MutableVector forces, Friction friction) {
  require(try_inverse_dynamics(model, workspace, q, qd, qdd, forces, friction),
          workspace.memory().problem, model.rigid());
}

Status try_bias_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                       ConstVector qd, MutableVector bias, Friction friction) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory).output("bias", bias, memory.size).status();
  if (status != Status::ok) return status;
  return try_inverse_dynamics(model, workspace, q, qd, memory.zeros, bias, friction);
}

void bias_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                 ConstVector qd, MutableVector bias, Friction friction) {
  require(try_bias_forces(model, workspace, q, qd, bias, friction), workspace.memory().problem,
          model.rigid());
}

Status try_static_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                         MutableVector forces) noexcept {
  Memory& memory = workspace.memory();
  const std::size_t n = memory.joints;
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size, coordinates_hint)
                            .output("forces", forces, memory.size)
                            .status();
  if (status != Status::ok) return status;
  flexible::inverse_dynamics<double>(model.tree(), memory.scratch, gravity_base(model), false,
                                     false, q.data(), q.data() + n, nullptr, nullptr, nullptr,
                                     nullptr, memory.rhs.data(), memory.rhs.data() + n);
  std::copy(memory.rhs.begin(), memory.rhs.end(), forces.begin());
  return Status::ok;
}

void static_forces(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                   MutableVector forces) {
  require(try_static_forces(model, workspace, q, forces), workspace.memory().problem,
          model.rigid());
}

Status try_inertia_matrix(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept {
  Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size, coordinates_hint)
                            .matrix("M", M, memory.size, memory.size)
                            .status();
  if (status != Status::ok) return status;
  std::copy(q.begin(), q.end(), memory.q.begin());
  fill_inertia_matrix(model, memory, memory.q.data(), M);
  return Status::ok;
}

void inertia_matrix(const FlexibleModel& model, FlexibleWorkspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M) {
  require(try_inertia_matrix(model, workspace, q, M), workspace.memory().problem, model.rigid());
}

}  // namespace dynamics
