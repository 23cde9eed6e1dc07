// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/inverse_dynamics.hpp"

#include "rigid/recursions/friction.hpp"
#include "rigid/recursions/joint_wrenches.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// Body forces into memory.tau; returns nothing, writes no output of the caller's.
void run(const Model& model, Workspace::Memory& memory, const double* q, const double* qd,
         const double* qdd, const Conditions& conditions) {
  const auto* wrenches = body_wrenches(model, memory, q, conditions.wrenches, conditions.base);
  memory.kernels.inverse_dynamics(model.tree(), memory.inverse.data(),
                                  base_state(model, conditions.base), wrenches, q, qd, qdd,
                                  memory.tau.data());
  if (!conditions.friction) return;
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    if (body.damping == 0.0 && body.friction == 0.0) continue;
    memory.tau[i] += kernel::joint_friction(body, qd[i], model.friction_velocity());
  }
}

void check(const Model& model, const Conditions& conditions) {
  check_base(conditions.base);
  check_wrenches(model, conditions.wrenches);
}

}  // namespace

void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, const Conditions& conditions) {
  if (const Model::Data& data = model.data();
      is_plain(data, workspace.memory(), conditions, tau, q, qd, qdd)) {
    Workspace::Memory& plain = workspace.memory();
    plain.kernels.inverse_dynamics(data.tree, plain.inverse.data(), still_base(data), nullptr,
                                   q.data(), qd.data(), qdd.data(), plain.tau.data());
    // by way of the workspace: tau may be one of the arguments
    for (std::size_t i = 0; i < plain.body_count; ++i) tau[i] = plain.tau[i];
    return;
  }
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_vector("qdd", qdd, memory.size);
  check_output("tau", tau, memory.size);
  check(model, conditions);
  run(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
      body_rates(model, qdd, memory.qdd), conditions);
  collect_forces(model, memory.tau.data(), tau);
}

void inverse_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector qdd, MutableVector tau, WrenchOutput wrenches,
                      const Conditions& conditions) {
  check_output("wrenches", wrenches.size(), model.body_count());
  inverse_dynamics(model, workspace, q, qd, qdd, tau, conditions);
  Workspace::Memory& memory = workspace.memory();
  const double* positions = body_positions(model, q, memory.q);
  const auto* outside =
      body_wrenches(model, memory, positions, conditions.wrenches, conditions.base);
  kernel::joint_wrenches<double>(
      model.tree(), memory.joint_wrenches.data(), base_state(model, conditions.base), outside,
      positions, body_rates(model, qd, memory.qd), body_rates(model, qdd, memory.qdd));
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const Body& body = model.bodies()[i];
    const Eigen::Matrix3d axes =
        body.link.empty() ? Eigen::Matrix3d(Eigen::Matrix3d::Identity()) : body.axes;
    wrenches[i].force = axes * to_eigen(memory.joint_wrenches[i].f);
    wrenches[i].moment = axes * to_eigen(memory.joint_wrenches[i].n);
  }
}

void gravity_forces(const Model& model, Workspace& workspace, ConstVector q, MutableVector g) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_output("g", g, memory.size);
  run(model, memory, body_positions(model, q, memory.q), memory.zeros.data(), memory.zeros.data(),
      {.base = std::nullopt, .wrenches = {}, .friction = false});
  collect_forces(model, memory.tau.data(), g);
}

void bias_forces(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                 MutableVector bias, const Conditions& conditions) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_output("bias", bias, memory.size);
  check(model, conditions);
  run(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
      memory.zeros.data(), conditions);
  collect_forces(model, memory.tau.data(), bias);
}

void generalized_forces(const Model& model, Workspace& workspace, ConstVector q,
                        std::span<const LinkWrench> wrenches, MutableVector tau,
                        const std::optional<BaseMotion>& base) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_output("tau", tau, memory.size);
  check_base(base);
  check_wrenches(model, wrenches);
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
}

void friction_forces(const Model& model, Workspace& workspace, ConstVector qd, MutableVector tau) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("qd", qd, memory.size);
  check_output("tau", tau, memory.size);
  const double* rates = body_rates(model, qd, memory.qd);
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    memory.tau[i] = kernel::joint_friction(model.tree()[i], rates[i], model.friction_velocity());
  }
  collect_forces(model, memory.tau.data(), tau);
}

}  // namespace dynamics
