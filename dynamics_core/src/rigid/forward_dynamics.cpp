// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/forward_dynamics.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "rigid/coordinate_matrix.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// Body accelerations into memory.qdd, ignoring that mimic joints are coupled.
void run_bodies(const Model& model, Workspace::Memory& memory, const double* q, const double* qd,
                const Conditions& conditions) {
  const auto* wrenches = body_wrenches(model, memory, q, conditions.wrenches, conditions.base);
  memory.kernels.forward_dynamics(model.tree(), memory.forward.data(),
                                  base_state(model, conditions.base), wrenches, q, qd,
                                  memory.tau.data(), memory.qdd.data());
  for (std::size_t i = 0; i < memory.body_count; ++i)
    require_pivot(model, i, memory.forward[i].pivot);
}

}  // namespace

void require_regular(const Model& model, ConstVector q) {
  if (!model.singular_reason().empty()) throw StateError("", model.singular_reason());
  for (const std::size_t pitch : model.pitch_coordinates()) {
    if (std::abs(std::cos(q[pitch])) < 1e-7) {
      throw StateError(
          "joint '" + model.coordinates()[pitch].joint + "'",
          "its pitch is +-90 degrees, where roll and yaw are the same turn: the inertia "
          "matrix is singular there; describe the base from another side");
    }
  }
}

void refuse_pivot(const Model& model, std::size_t body, double pivot) {
  throw StateError(
      "joint '" + model.bodies()[body].joint + "'",
      fmt::format("the inertia that it moves in this position is {:.3g}: no acceleration "
                  "can be computed",
                  pivot));
}

void factor_couplings(const Model& model, Workspace::Memory& memory, const double* q) {
  memory.kernels.decompose(model.tree(), memory.udut.data(), q, false);
  const auto count = static_cast<Eigen::Index>(memory.followers.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    auto column = memory.coupling_columns.col(k);
    const std::size_t follower = memory.followers[static_cast<std::size_t>(k)];
    column.setZero();
    column[static_cast<Eigen::Index>(follower)] = 1.0;
    column[static_cast<Eigen::Index>(memory.leaders[static_cast<std::size_t>(k)])] -=
        model.bodies()[follower].multiplier;
    memory.kernels.solve(model.tree(), memory.udut.data(), column.data(), column.data());
  }
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::size_t follower = memory.followers[static_cast<std::size_t>(k)];
    memory.coupling_matrix.row(k) =
        memory.coupling_columns.row(static_cast<Eigen::Index>(follower)) -
        model.bodies()[follower].multiplier * memory.coupling_columns.row(static_cast<Eigen::Index>(
                                                  memory.leaders[static_cast<std::size_t>(k)]));
  }
}

void apply_couplings(const Model& model, Workspace::Memory& memory, double* x) {
  const auto count = static_cast<Eigen::Index>(memory.followers.size());
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::size_t follower = memory.followers[static_cast<std::size_t>(k)];
    memory.coupling_force[k] = -(x[follower] - model.bodies()[follower].multiplier *
                                                   x[memory.leaders[static_cast<std::size_t>(k)]]);
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(memory.coupling_matrix);
  factor.solveInPlace(memory.coupling_force);
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    double sum = 0.0;
    for (Eigen::Index k = 0; k < count; ++k) {
      sum += memory.coupling_columns(static_cast<Eigen::Index>(i), k) * memory.coupling_force[k];
    }
    x[i] += sum;
  }
}

void solve_dense(const Model& model, Workspace::Memory& memory, const double* q, double* x) {
  fill_inertia_matrix(model, memory, q, memory.dense);
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(memory.dense);
  if (factor.info() != Eigen::Success) {
    throw StateError("robot '" + model.name() + "'",
                     "its inertia matrix is singular: a joint moves no mass");
  }
  Eigen::Map<Eigen::VectorXd> solution(x, static_cast<Eigen::Index>(memory.size));
  factor.solveInPlace(solution);
}

void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector tau, MutableVector qdd, const Conditions& conditions) {
  if (const Model::Data& data = model.data();
      is_plain(data, workspace.memory(), conditions, qdd, q, qd, tau) &&
      data.singular_reason.empty() && data.pitch_coordinates.empty()) {
    Workspace::Memory& plain = workspace.memory();
    plain.kernels.forward_dynamics(data.tree, plain.forward.data(), still_base(data), nullptr,
                                   q.data(), qd.data(), tau.data(), plain.qdd.data());
    for (std::size_t i = 0; i < plain.body_count; ++i)
      require_pivot(model, i, plain.forward[i].pivot);
    for (std::size_t i = 0; i < plain.body_count; ++i) qdd[i] = plain.qdd[i];
    return;
  }
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_vector("tau", tau, memory.size);
  check_output("qdd", qdd, memory.size);
  check_base(conditions.base);
  check_wrenches(model, conditions.wrenches);
  require_regular(model, q);

  const double* positions = body_positions(model, q, memory.q);
  const double* rates = body_rates(model, qd, memory.qd);
  // joint forces act on the bodies that lead, friction on each joint by itself
  const Tree& tree = model.tree();
  const bool plain = model.plain();
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    const TreeBody& body = tree[i];
    if (plain) {
      memory.tau[i] = tau[i];
    } else {
      memory.tau[i] = model.is_mimic(i) ? 0.0 : tau[model.bodies()[i].coordinate];
    }
    if (conditions.friction && (body.damping != 0.0 || body.friction != 0.0)) {
      memory.tau[i] -= kernel::joint_friction(body, rates[i], model.friction_velocity());
    }
  }

  if (solves_over_coordinates(model)) {
    // M (over coordinates) qdd = G^T (tau - bias)
    const auto* wrenches =
        body_wrenches(model, memory, positions, conditions.wrenches, conditions.base);
    memory.kernels.inverse_dynamics(model.tree(), memory.inverse.data(),
                                    base_state(model, conditions.base), wrenches, positions, rates,
                                    memory.zeros.data(), memory.qdd.data());
    for (std::size_t i = 0; i < memory.body_count; ++i) memory.tau[i] -= memory.qdd[i];
    collect_forces(model, memory.tau.data(), memory.result);
    solve_dense(model, memory, positions, memory.result.data());
    std::copy(memory.result.begin(), memory.result.end(), qdd.begin());
    return;
  }

  run_bodies(model, memory, positions, rates, conditions);
  if (plain) {
    std::copy(memory.qdd.begin(), memory.qdd.end(), qdd.begin());
    return;
  }
  if (!memory.followers.empty()) {
    factor_couplings(model, memory, positions);
    apply_couplings(model, memory, memory.qdd.data());
  }
  for (std::size_t i = 0; i < memory.body_count; ++i) {
    if (!model.is_mimic(i)) qdd[model.bodies()[i].coordinate] = memory.qdd[i];
  }
}

}  // namespace dynamics
