// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/recursions/joint_wrenches.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// Body forces into memory.tau.
void run(const Model& model, Workspace::Memory& memory, const double* q, const double* qd,
         const double* qdd, const ExternalInputs& external) noexcept {
  const auto* wrenches = body_wrenches(model, memory, q, external.wrenches, external.base);
  memory.kernels.inverse_dynamics(model.tree(), memory.inverse.data(),
                                  base_state(model, external.base), wrenches, q, qd, qdd,
                                  memory.tau.data());
  if (!external.friction) return;
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    memory.tau[i] += kernel::joint_friction(body, qd[i], model.friction_velocity());
  }
}

/// The kernel alone, where nothing else is needed; false: nothing was done.
inline bool run_inverse_fast(const Model& model, Workspace::Memory& memory, ConstVector q,
                             ConstVector qd, ConstVector qdd, MutableVector tau,
                             const ExternalInputs& external) noexcept {
  const Model::Data& data = model.data();
  if (!takes_fast_path(data, memory, external, tau, q, qd, qdd)) return false;
  memory.kernels.inverse_dynamics(data.tree, memory.inverse.data(), still_base(data), nullptr,
                                  q.data(), qd.data(), qdd.data(), memory.tau.data());
  // by way of the workspace: tau may be one of the arguments
  for (std::size_t i = 0; i < memory.body_count; ++i) tau[i] = memory.tau[i];
  return true;
}

Status run_inverse_checked(const Model& model, Workspace::Memory& memory, ConstVector q,
                           ConstVector qd, ConstVector qdd, MutableVector tau,
                           const ExternalInputs& external) noexcept {
  const std::size_t n = memory.size;
  const Status status = check_workspace(model, memory)
                            .vector("q", q, n)
                            .vector("qd", qd, n)
                            .vector("qdd", qdd, n)
                            .output("tau", tau, n)
                            .external_inputs(model, external)
                            .status();
  if (status != Status::ok) return status;
  run(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
      body_rates(model, qdd, memory.qdd), external);
  collect_forces(model, memory.tau.data(), tau);
  return Status::ok;
}

}  // namespace

Status try_inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector qdd, MutableVector tau,
                            const ExternalInputs& external) noexcept {
  Workspace::Memory& memory = workspace.memory();
  if (run_inverse_fast(model, memory, q, qd, qdd, tau, external)) return Status::ok;
  return run_inverse_checked(model, memory, q, qd, qdd, tau, external);
}

void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, const ExternalInputs& external) {
  Workspace::Memory& memory = workspace.memory();
  if (run_inverse_fast(model, memory, q, qd, qdd, tau, external)) return;
  require(run_inverse_checked(model, memory, q, qd, qdd, tau, external), memory.problem, model);
}

Status try_inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector qdd, MutableVector tau, WrenchOutput wrenches,
                            const ExternalInputs& external) noexcept {
  Workspace::Memory& memory = workspace.memory();
  Status status =
      Checks(memory.problem).output("wrenches", wrenches.size(), model.body_count()).status();
  if (status != Status::ok) return status;
  status = run_inverse_checked(model, memory, q, qd, qdd, tau, external);
  if (status != Status::ok) return status;
  // from the copies in the workspace: tau may be one of the arguments
  const auto* outside =
      body_wrenches(model, memory, memory.q.data(), external.wrenches, external.base);
  kernel::joint_wrenches<double>(model.tree(), memory.joint_wrenches.data(),
                                 base_state(model, external.base), outside, memory.q.data(),
                                 memory.qd.data(), memory.qdd.data());
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const Body& body = model.bodies()[i];
    const Eigen::Matrix3d axes =
        body.link.empty() ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : body.axes;
    wrenches[i].force = axes * to_eigen(memory.joint_wrenches[i].f);
    wrenches[i].moment = axes * to_eigen(memory.joint_wrenches[i].n);
  }
  return Status::ok;
}

void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, WrenchOutput wrenches,
                      const ExternalInputs& external) {
  require(try_inverse_dynamics(model, workspace, q, qd, qdd, tau, wrenches, external),
          workspace.memory().problem, model);
}

Status try_gravity_forces(const Model& model, Workspace& workspace, ConstVector q,
                          MutableVector g) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Model::Data& data = model.data();
  if (takes_fast_path(data, memory, {.base = {}, .wrenches = {}, .friction = false}, g, q)) {
    memory.kernels.inverse_dynamics(data.tree, memory.inverse.data(), still_base(data), nullptr,
                                    q.data(), memory.zeros.data(), memory.zeros.data(),
                                    memory.tau.data());
    for (std::size_t i = 0; i < memory.body_count; ++i) g[i] = memory.tau[i];
    return Status::ok;
  }
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .output("g", g, memory.size)
                            .status();
  if (status != Status::ok) return status;
  run(model, memory, body_positions(model, q, memory.q), memory.zeros.data(), memory.zeros.data(),
      {.base = std::nullopt, .wrenches = {}, .friction = false});
  collect_forces(model, memory.tau.data(), g);
  return Status::ok;
}

void gravity_forces(const Model& model, Workspace& workspace, ConstVector q, MutableVector g) {
  require(try_gravity_forces(model, workspace, q, g), workspace.memory().problem, model);
}

Status try_bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                       MutableVector bias, const ExternalInputs& external) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .vector("qd", qd, memory.size)
                            .output("bias", bias, memory.size)
                            .external_inputs(model, external)
                            .status();
  if (status != Status::ok) return status;
  run(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
      memory.zeros.data(), external);
  collect_forces(model, memory.tau.data(), bias);
  return Status::ok;
}

void bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                 MutableVector bias, const ExternalInputs& external) {
  require(try_bias_forces(model, workspace, q, qd, bias, external), workspace.memory().problem,
          model);
}

Status try_wrenches_to_joint_torques(const Model& model, Workspace& workspace, ConstVector q,
                                     std::span<const LinkWrench> wrenches, MutableVector tau,
                                     const std::optional<BaseMotion>& base) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .output("tau", tau, memory.size)
                            .base(base)
                            .wrenches(model, wrenches)
                            .status();
  if (status != Status::ok) return status;
  const double* positions = body_positions(model, q, memory.q);
  std::fill(memory.tau.begin(), memory.tau.end(), 0.0);
  if (body_wrenches(model, memory, positions, wrenches, base) != nullptr) {
    // w~_i = w_i + sum B^T w~_child, tau_i = p_i^T w~_i (Saha 1999, Eq. 30)
    for (std::size_t i = memory.body_count; i-- > 0;) {
      const TreeBody& body = model.tree()[i];
      const kernel::BodyWrench<double>& own = memory.wrenches[i];
      memory.tau[i] = body.prismatic ? own.force.z : own.moment.z;
      if (body.parent < 0) continue;
      const auto at = kernel::joint_transform(body, positions[i]);
      const auto force = kernel::to_parent(body, at, own.force);
      kernel::BodyWrench<double>& parent = memory.wrenches[static_cast<std::size_t>(body.parent)];
      parent.force += force;
      parent.moment += kernel::to_parent(body, at, own.moment) + kernel::cross(at.r, force);
    }
  }
  collect_forces(model, memory.tau.data(), tau);
  return Status::ok;
}

void wrenches_to_joint_torques(const Model& model, Workspace& workspace, ConstVector q,
                               std::span<const LinkWrench> wrenches, MutableVector tau,
                               const std::optional<BaseMotion>& base) {
  require(try_wrenches_to_joint_torques(model, workspace, q, wrenches, tau, base),
          workspace.memory().problem, model);
}

Status try_friction_forces(const Model& model, Workspace& workspace, ConstVector qd,
                           MutableVector tau) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("qd", qd, memory.size)
                            .output("tau", tau, memory.size)
                            .status();
  if (status != Status::ok) return status;
  const double* rates = body_rates(model, qd, memory.qd);
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    memory.tau[i] = kernel::joint_friction(model.tree()[i], rates[i], model.friction_velocity());
  }
  collect_forces(model, memory.tau.data(), tau);
  return Status::ok;
}

void friction_forces(const Model& model, Workspace& workspace, ConstVector qd, MutableVector tau) {
  require(try_friction_forces(model, workspace, qd, tau), workspace.memory().problem, model);
}

}  // namespace dynamics
