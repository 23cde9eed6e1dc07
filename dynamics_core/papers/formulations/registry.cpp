// SPDX-License-Identifier: Apache-2.0
#include "papers/formulations/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/find_by_name.hpp"
#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
#include "papers/formulations/articulated_body.hpp"
#include "papers/formulations/denoc_matrices.hpp"
#include "papers/formulations/lagrange.hpp"
#include "papers/formulations/linear_solve.hpp"
#include "papers/formulations/make_dynamics_input.hpp"
#include "papers/formulations/nasser.hpp"
#include "papers/formulations/newton_euler.hpp"
#include "papers/formulations/strobing.hpp"
#include "papers/formulations/walker_orin.hpp"
#include "rigid/recursions/friction.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics::formulations {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Input = DynamicsInput<double>;
using Numbers = std::vector<double>;

VectorXd to_vector(const Numbers& numbers) {
  return Eigen::Map<const VectorXd>(numbers.data(), at(numbers.size()));
}
VectorXd bias_of(Numbers (*inverse)(const SerialArm<double>&, const Numbers&, const Numbers&),
                 const Input& input) {
  return to_vector(inverse(serial_arm(input), input.qd, Numbers(input.size(), 0.0)));
}

/// The functions of a formulation, over bodies and without friction. `inverse` computes tau.
/// Forward dynamics is either `solve` with `matrix` and `bias`, or `direct`.
struct Algorithm {
  Formulation formulation;
  Numbers (*inverse)(const Input&, const Numbers& qdd) = nullptr;
  MatrixXd (*matrix)(const Input&) = nullptr;
  VectorXd (*bias)(const Input&) = nullptr;
  bool (*solve)(MatrixXd, VectorXd, VectorXd&) = nullptr;
  VectorXd (*direct)(const Input&, const VectorXd& tau, VectorXd* pivots) = nullptr;
};

constexpr Coverage serial_only = {.branches = false, .mimic = true};
constexpr Coverage serial_moving = {
    .branches = false, .rotating_base = true, .wrenches = true, .mimic = true};
constexpr Coverage everything = {
    .branches = true, .rotating_base = true, .wrenches = true, .mimic = true};
constexpr Coverage all_but_mimic = {.branches = true, .rotating_base = true, .wrenches = true};

const std::array<Algorithm, 10>& algorithms() {
  static const std::array<Algorithm, 10> list = {{
      {.formulation = {"lagrange", "Turney 1980, section 2 and appendix", serial_only, serial_only},
       .inverse = [](const Input& in,
                     const Numbers& qdd) { return lagrange(serial_arm(in), in.qd, qdd); },
       .matrix = [](const Input& in) { return lagrange_inertia_matrix(serial_arm(in)); },
       .bias = [](const Input& in) { return bias_of(lagrange<double>, in); },
       .solve = solve_by_elimination<double>},
      {.formulation = {"newton-euler", "Turney 1980, section 3", serial_moving, std::nullopt},
       .inverse = [](const Input& in,
                     const Numbers& qdd) { return newton_euler(serial_arm(in), in.qd, qdd); }},
      {.formulation = {"modified-newton-euler", "Turney 1980, section 5", serial_moving,
                       std::nullopt},
       .inverse =
           [](const Input& in, const Numbers& qdd) {
             return modified_newton_euler(serial_arm(in), in.qd, qdd);
           }},
      // inverse: qd^t C^i qd does not contain the velocity of a rotating base; forward (section 7)
      // computes C + G in one call and supports it
      {.formulation = {"strobing", "Turney 1980, sections 3 and 7",
                       Coverage{.wrenches = true, .mimic = true}, serial_moving},
       .inverse = strobed_inverse_dynamics<double>,
       .matrix = strobed_inertia_matrix<double>,
       .bias = [](const Input& in) { return bias_of(modified_newton_euler<double>, in); },
       .solve = solve_by_elimination<double>},
      {.formulation = {"walker-orin", "Walker and Orin 1982", std::nullopt, everything},
       .matrix = walker_orin_inertia_matrix<double>,
       .bias = walker_orin_bias<double>,
       .solve = solve_by_cholesky<double>},
      {.formulation = {"articulated-body", "Featherstone 1983", std::nullopt, all_but_mimic},
       .direct = articulated_body<double>},
      {.formulation = {"nasser", "Nasser 1990", std::nullopt, all_but_mimic},
       .direct = nasser<double>},
      {.formulation = {"denoc-explicit", "Saha 1999, Eqs. (16) to (20)", everything, everything},
       .inverse =
           [](const Input& in, const Numbers& qdd) {
             const VectorXd tau = denoc_explicit<double>(in, to_vector(qdd));
             return Numbers(tau.begin(), tau.end());
           },
       .matrix = [](const Input& in) { return denoc_inertia_matrix(denoc_matrices(in)); },
       .bias =
           [](const Input& in) {
             return denoc_explicit<double>(in, VectorXd::Zero(at(in.size())));
           },
       .solve = solve_by_cholesky<double>},
      {.formulation = {"denoc", "Saha 1999, section 5.1", everything, std::nullopt}},
      {.formulation = {"udut", "Saha 2003, sections 2 and 3", std::nullopt, everything}},
  }};
  return list;
}

const Algorithm& find_algorithm(const Formulation& formulation) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.formulation.name == formulation.name) return algorithm;
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

std::span<const Formulation> all() {
  static const std::vector<Formulation> list = [] {
    std::vector<Formulation> result;
    for (const Algorithm& algorithm : algorithms()) result.push_back(algorithm.formulation);
    return result;
  }();
  return list;
}

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
  const Algorithm& algorithm = find_algorithm(formulation);
  require(formulation, Task::inverse, model, external);
  Workspace workspace(model);
  VectorXd tau(at(model.size()));
  if (algorithm.inverse == nullptr) {
    dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
    return tau;
  }
  const Input input = make_dynamics_input(model, workspace, q, qd, external);
  check_vector(model, "qdd", qdd);
  Numbers accelerations(model.body_count());
  const double* body_accelerations = body_rates(model, qdd, accelerations);
  accelerations.assign(body_accelerations, body_accelerations + model.body_count());
  Numbers forces = algorithm.inverse(input, accelerations);
  for (std::size_t i = 0; i < forces.size() && external.friction; ++i) {
    forces[i] += kernel::joint_friction(model.tree()[i], input.qd[i], model.friction_velocity());
  }
  collect_forces(model, forces.data(), tau);
  return tau;
}

Eigen::VectorXd forward_dynamics(const Formulation& formulation, const Model& model, ConstVector q,
                                 ConstVector qd, ConstVector tau, const ExternalInputs& external) {
  const Algorithm& algorithm = find_algorithm(formulation);
  require(formulation, Task::forward, model, external);
  Workspace workspace(model);
  VectorXd qdd(at(model.size()));
  if (algorithm.direct == nullptr && algorithm.matrix == nullptr) {
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
  if (algorithm.direct != nullptr) {
    VectorXd pivots(at(bodies));
    const VectorXd accelerations = algorithm.direct(input, forces, &pivots);
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
  const MatrixXd M = G.transpose() * algorithm.matrix(input) * G;
  const VectorXd phi = G.transpose() * (forces - algorithm.bias(input));
  if (!algorithm.solve(M, phi, qdd)) {
    throw StateError("robot '" + model.name() + "'",
                     "the inertia matrix is singular: a joint moves no mass");
  }
  return qdd;
}

}  // namespace dynamics::formulations
