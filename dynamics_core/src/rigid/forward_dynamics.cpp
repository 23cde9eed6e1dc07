// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// The kernel alone, where nothing else is needed; false: qdd has not been written.
inline bool run_forward_fast(const Model& model, Workspace::Memory& memory, ConstVector q,
                             ConstVector qd, ConstVector tau, MutableVector qdd,
                             const ExternalInputs& external) noexcept {
  const Model::Data& data = model.data();
  if (!takes_fast_path(data, memory, external, qdd, q, qd, tau) || !data.singular_reason.empty() ||
      !data.pitch_coordinates.empty()) {
    return false;
  }
  memory.kernels.forward_dynamics(data.tree, memory.forward.data(), still_base(data), nullptr,
                                  q.data(), qd.data(), tau.data(), memory.qdd.data());
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    if (!is_regular(memory.forward[i].pivot)) return false;
  }
  for (std::size_t i = 0; i < memory.body_count; ++i) qdd[i] = memory.qdd[i];
  return true;
}

/// Torques on bodies into memory.tau: those of coordinates act on the bodies that lead, friction on
/// each joint by itself.
void distribute_torques(const Model& model, Workspace::Memory& memory, ConstVector tau,
                        const double* rates, bool friction) noexcept {
  const bool direct = model.coordinates_are_bodies();
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = model.tree()[i];
    if (direct) {
      memory.tau[i] = tau[i];
    } else {
      memory.tau[i] = model.is_mimic(i) ? 0.0 : tau[model.bodies()[i].coordinate];
    }
    if (friction && (body.damping != 0.0 || body.friction != 0.0)) {
      memory.tau[i] -= kernel::joint_friction(body, rates[i], model.friction_velocity());
    }
  }
}

/// M over coordinates: M qdd = G^T (tau - bias), with the rates of bodies G qd.
Status run_over_coordinates(const Model& model, Workspace::Memory& memory, const double* q,
                            const double* qd, MutableVector qdd,
                            const ExternalInputs& external) noexcept {
  const auto* wrenches = body_wrenches(model, memory, q, external.wrenches, external.base);
  memory.kernels.inverse_dynamics(model.tree(), memory.inverse.data(),
                                  base_state(model, external.base), wrenches, q, qd,
                                  memory.zeros.data(), memory.qdd.data());
  for (std::size_t i = 0; i < memory.body_count; ++i) memory.tau[i] -= memory.qdd[i];
  collect_forces(model, memory.tau.data(), memory.result);
  const Status status = factor_dense(model, memory, q);
  if (status != Status::ok) return status;
  solve_dense(memory, memory.result.data());
  std::copy(memory.result.begin(), memory.result.end(), qdd.begin());
  return Status::ok;
}

/// Articulated bodies, then the couplings of mimic joints.
Status run_over_bodies(const Model& model, Workspace::Memory& memory, const double* q,
                       const double* qd, MutableVector qdd,
                       const ExternalInputs& external) noexcept {
  const auto* wrenches = body_wrenches(model, memory, q, external.wrenches, external.base);
  memory.kernels.forward_dynamics(model.tree(), memory.forward.data(),
                                  base_state(model, external.base), wrenches, q, qd,
                                  memory.tau.data(), memory.qdd.data());
  Status status = check_pivots(memory.forward, memory.problem);
  if (status == Status::ok && !memory.followers.empty()) {
    status = factor_couplings(model, memory, q);
    if (status == Status::ok) apply_couplings(model, memory, memory.qdd.data());
  }
  if (status != Status::ok) return status;
  if (model.coordinates_are_bodies()) {
    std::copy(memory.qdd.begin(), memory.qdd.end(), qdd.begin());
    return Status::ok;
  }
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    if (!model.is_mimic(i)) qdd[model.bodies()[i].coordinate] = memory.qdd[i];
  }
  return Status::ok;
}

Status run_forward_checked(const Model& model, Workspace::Memory& memory, ConstVector q,
                           ConstVector qd, ConstVector tau, MutableVector qdd,
                           const ExternalInputs& external) noexcept {
  const std::size_t n = memory.size;
  const Status status = check_workspace(model, memory)
                            .vector("q", q, n)
                            .vector("qd", qd, n)
                            .vector("tau", tau, n)
                            .output("qdd", qdd, n)
                            .external_inputs(model, external)
                            .regular(model, q)
                            .status();
  if (status != Status::ok) return status;
  const double* positions = body_positions(model, q, memory.q);
  const double* rates = body_rates(model, qd, memory.qd);
  distribute_torques(model, memory, tau, rates, external.friction);
  return solves_over_coordinates(model)
             ? run_over_coordinates(model, memory, positions, rates, qdd, external)
             : run_over_bodies(model, memory, positions, rates, qdd, external);
}

}  // namespace

Status try_forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector tau, MutableVector qdd,
                            const ExternalInputs& external) noexcept {
  Workspace::Memory& memory = workspace.memory();
  if (run_forward_fast(model, memory, q, qd, tau, qdd, external)) return Status::ok;
  return run_forward_checked(model, memory, q, qd, tau, qdd, external);
}

void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector tau, MutableVector qdd, const ExternalInputs& external) {
  Workspace::Memory& memory = workspace.memory();
  if (run_forward_fast(model, memory, q, qd, tau, qdd, external)) return;
  require(run_forward_checked(model, memory, q, qd, tau, qdd, external), memory.problem, model);
}

}  // namespace dynamics
