// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/find_by_name.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "papers/formulations/algorithms.hpp"
#include "papers/formulations/make_dynamics_input.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics::formulations {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Input = DynamicsInput<double>;
using Numbers = std::vector<double>;

constexpr Coverage serial_only = {.branches = false, .mimic = true};
constexpr Coverage serial_moving = {
    .branches = false, .rotating_base = true, .wrenches = true, .mimic = true};
constexpr Coverage everything = {
    .branches = true, .rotating_base = true, .wrenches = true, .mimic = true};
constexpr Coverage all_but_mimic = {.branches = true, .rotating_base = true, .wrenches = true};

constexpr std::array formulation_list = {
    Formulation{"lagrange", "Turney 1980, section 2 and appendix", serial_only, serial_only},
    Formulation{"newton-euler", "Turney 1980, section 3", serial_moving, std::nullopt},
    Formulation{"modified-newton-euler", "Turney 1980, section 5", serial_moving, std::nullopt},
    // inverse: qd^t C^i qd does not contain the velocity of a rotating base; forward (section 7)
    // computes C + G in one call and supports it
    Formulation{"strobing", "Turney 1980, sections 3 and 7",
                Coverage{.wrenches = true, .mimic = true}, serial_moving},
    Formulation{"walker-orin", "Walker and Orin 1982", std::nullopt, everything},
    Formulation{"articulated-body", "Featherstone 1983", std::nullopt, all_but_mimic},
    Formulation{"nasser", "Nasser 1990", std::nullopt, all_but_mimic},
    Formulation{"denoc-explicit", "Saha 1999, Eqs. (16) to (20)", everything, everything},
    Formulation{"saha-1999", "Saha 1999, section 5.1", serial_moving, std::nullopt},
    Formulation{"saha-2003", "Saha 2003, section 3", std::nullopt,
                Coverage{.rotating_base = true, .wrenches = true}},
    // the library's own recursions
    Formulation{"denoc", "Saha 1999, about the joints", everything, std::nullopt},
    Formulation{"udut", "Saha 2003, about the joints", std::nullopt, everything}};

void require_registered(const Formulation& formulation) {
  for (const Formulation& known : formulation_list) {
    if (known.name == formulation.name) return;
  }
  throw ArgumentError(fmt::format("'{}' is not a registered formulation", formulation.name));
}

std::string body_name(const Model& model, int body) {
  if (body < 0) return model.base_link();
  const Body& input = model.bodies()[static_cast<std::size_t>(body)];
  return input.link.empty() ? input.joint : input.link;
}

/// Name of the first link with more than one moving child joint.
std::string branching_link(const Model& model) {
  std::vector<int> children(model.body_count() + 1, 0);
  for (const TreeBody& body : model.tree()) {
    const int slot = body.parent + 1;  // entry 0 is the base
    if (++children[static_cast<std::size_t>(slot)] > 1) {
      return body_name(model, body.parent);
    }
  }
  return "";
}

void require(const Formulation& formulation, Task task, const Model& model,
             const ExternalInputs& external) {
  const std::string reason = not_covered(formulation, task, model, external);
  if (!reason.empty())
    throw ArgumentError(fmt::format("formulation {} {}", formulation.name, reason));
}

}  // namespace

std::span<const Formulation> all() { return formulation_list; }

const Formulation& find(std::string_view name) { return find_by_name(all(), "formulation", name); }

std::string not_covered(const Formulation& formulation, Task task, const Model& model,
                        const ExternalInputs& external) {
  const bool inverse = task == Task::inverse;
  const std::optional<Coverage>& coverage = inverse ? formulation.inverse : formulation.forward;
  if (!coverage) {
    return fmt::format("supports only {} dynamics", inverse ? "forward" : "inverse");
  }
  if (!coverage->branches && !is_serial(model.tree())) {
    return fmt::format("supports only serial chains, but link '{}' has several child joints",
                       branching_link(model));
  }
  if (!coverage->rotating_base && external.base &&
      !(external.base->velocity.angular.isZero(0.0) &&
        external.base->acceleration.angular.isZero(0.0))) {
    return "does not support a rotating base";
  }
  if (!coverage->wrenches && !external.wrenches.empty()) {
    return "does not support wrenches on links";
  }
  if (!coverage->mimic) {
    for (std::size_t i = 0; i < model.body_count(); ++i) {
      if (model.is_mimic(i)) {
        return fmt::format("does not support mimic joints, but joint '{}' mimics another",
                           model.bodies()[i].joint);
      }
    }
  }
  return "";
}

Eigen::VectorXd inverse_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector qdd, const ExternalInputs& external) {
  require_registered(formulation);
  require(formulation, Task::inverse, model, external);
  const Algorithm<double>* algorithm = find_algorithm<double>(formulation.name);
  Workspace workspace(model);
  VectorXd tau(at(model.size()));
  if (algorithm == nullptr) {
    dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
    return tau;
  }
  const Input input = make_dynamics_input(model, workspace, q, qd, external);
  check_vector(model, "qdd", qdd);
  Numbers accelerations(model.body_count());
  const double* body_accelerations = body_rates(model, qdd, accelerations);
  accelerations.assign(body_accelerations, body_accelerations + model.body_count());
  Numbers forces = algorithm->inverse(input, accelerations);
  for (std::size_t i = 0; i < forces.size() && external.friction; ++i) {
    forces[i] += kernel::joint_friction(model.tree()[i], input.qd[i], model.friction_velocity());
  }
  collect_forces(model, forces.data(), tau);
  return tau;
}

Eigen::VectorXd forward_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector tau, const ExternalInputs& external) {
  require_registered(formulation);
  require(formulation, Task::forward, model, external);
  const Algorithm<double>* algorithm = find_algorithm<double>(formulation.name);
  Workspace workspace(model);
  VectorXd qdd(at(model.size()));
  if (algorithm == nullptr) {
    dynamics::forward_dynamics(model, workspace, q, qd, tau, qdd, external);
    return qdd;
  }
  const Input input = make_dynamics_input(model, workspace, q, qd, external);
  check_vector(model, "tau", tau);
  require_regular(model, q);
  // torques act on the joints that are not mimic joints, friction on every joint
  const std::size_t bodies = model.body_count();
  VectorXd forces(at(bodies));
  for (std::size_t i = 0; i < bodies; ++i) {
    forces[at(i)] = model.is_mimic(i) ? 0.0 : tau[model.bodies()[i].coordinate];
    if (external.friction) {
      forces[at(i)] -=
          kernel::joint_friction(model.tree()[i], input.qd[i], model.friction_velocity());
    }
  }
  if (algorithm->direct != nullptr) {
    VectorXd pivots(at(bodies));
    const VectorXd accelerations = algorithm->direct(input, forces, &pivots);
    for (std::size_t i = 0; i < bodies; ++i) {
      require_pivot(model, i, pivots[at(i)]);
      qdd[at(model.bodies()[i].coordinate)] = accelerations[at(i)];
    }
    return qdd;
  }
  // G^T M G qdd = G^T (forces - bias) with G = d(body positions)/d(coordinates)
  MatrixXd G = MatrixXd::Zero(at(bodies), at(model.size()));
  for (std::size_t i = 0; i < bodies; ++i) {
    G(at(i), at(model.bodies()[i].coordinate)) = model.bodies()[i].multiplier;
  }
  const MatrixXd M = G.transpose() * algorithm->matrix(input) * G;
  const VectorXd phi = G.transpose() * (forces - algorithm->bias(input));
  if (!algorithm->solve(M, phi, qdd)) {
    throw StateError("robot '" + model.name() + "'",
                     "the inertia matrix is singular: a joint moves no mass");
  }
  return qdd;
}

}  // namespace dynamics::formulations
