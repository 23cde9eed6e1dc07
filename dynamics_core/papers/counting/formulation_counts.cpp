// SPDX-License-Identifier: Apache-2.0
// The papers' formulations, counted.

#include <fmt/format.h>

#include <array>

#include "model/tree.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/counting/counted.hpp"
#include "papers/counting/generic_state.hpp"
#include "papers/formulations/articulated_body.hpp"
#include "papers/formulations/denoc_matrices.hpp"
#include "papers/formulations/lagrange.hpp"
#include "papers/formulations/linear_solve.hpp"
#include "papers/formulations/nasser.hpp"
#include "papers/formulations/newton_euler.hpp"
#include "papers/formulations/strobing.hpp"
#include "papers/formulations/walker_orin.hpp"

namespace dynamics::counting {
namespace {

using formulations::Formulation;
using formulations::MatrixX;
using formulations::Situation;
using formulations::Task;
using formulations::VectorX;
using Given = Situation<Counted>;
using Numbers = std::vector<Counted>;
using Vector = VectorX<Counted>;
using Matrix = MatrixX<Counted>;

Vector to_vector(const Numbers& numbers) {
  Vector vector(static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    vector[static_cast<Eigen::Index>(i)] = numbers[i];
  }
  return vector;
}

Given situation_of(const Model& model) {
  const Counted zero(0.0);
  const Eigen::Vector3d up = -model.gravity();
  Given given;
  given.tree = &model.tree();
  given.q = generic_numbers(model.body_count(), 0.3);
  given.qd = generic_numbers(model.body_count(), 0.9);
  given.base.angular_velocity = given.base.angular_acceleration = {zero, zero, zero};
  given.base.acceleration = {Counted(up.x()), Counted(up.y()), Counted(up.z())};
  given.base.not_rotating = true;
  return given;
}

/// The same roads as the registry's, over the counting scalar.
struct Road {
  std::string_view name;
  void (*inverse)(const Given&, const Numbers& qdd) = nullptr;
  Matrix (*matrix)(const Given&) = nullptr;
  Vector (*bias)(const Given&) = nullptr;
  bool (*solve)(Matrix, Vector, Vector&) = nullptr;
  Vector (*direct)(const Given&, const Vector& tau, Vector* pivots) = nullptr;
  std::array<const char*, 2> phi_lines = {"", ""};  ///< of `direct`: what belongs to phi
};

const std::array<Road, 8>& roads() {
  namespace f = formulations;
  static const std::array<Road, 8> list = {{
      {.name = "lagrange",
       .inverse = [](const Given& g,
                     const Numbers& qdd) { f::lagrange(f::serial_arm(g), g.qd, qdd); },
       .matrix = [](const Given& g) { return f::lagrange_inertia_matrix(f::serial_arm(g)); },
       .bias =
           [](const Given& g) {
             return to_vector(f::lagrange(f::serial_arm(g), g.qd, Numbers(g.size(), Counted(0.0))));
           },
       .solve = f::solve_by_elimination<Counted>},
      {.name = "newton-euler",
       .inverse = [](const Given& g,
                     const Numbers& qdd) { f::newton_euler(f::serial_arm(g), g.qd, qdd); }},
      {.name = "modified-newton-euler",
       .inverse =
           [](const Given& g, const Numbers& qdd) {
             f::modified_newton_euler(f::serial_arm(g), g.qd, qdd);
           }},
      {.name = "strobing",
       .inverse = [](const Given& g,
                     const Numbers& qdd) { f::strobed_inverse_dynamics<Counted>(g, qdd); },
       .matrix = f::strobed_inertia_matrix<Counted>,
       .bias =
           [](const Given& g) {
             return to_vector(
                 f::modified_newton_euler(f::serial_arm(g), g.qd, Numbers(g.size(), Counted(0.0))));
           },
       .solve = f::solve_by_elimination<Counted>},
      {.name = "walker-orin",
       .matrix = f::walker_orin_inertia_matrix<Counted>,
       .bias = f::walker_orin_bias<Counted>,
       .solve = f::solve_by_cholesky<Counted>},
      {.name = "articulated-body",
       .direct = f::articulated_body<Counted>,
       .phi_lines = {"v, c, p", "I^a c"}},
      {.name = "nasser", .direct = f::nasser<Counted>},
      {.name = "denoc-explicit",
       .inverse = [](const Given& g,
                     const Numbers& qdd) { f::denoc_explicit<Counted>(g, to_vector(qdd)); },
       .matrix = [](const Given& g) { return f::denoc_inertia_matrix(f::denoc_matrices(g)); },
       .bias =
           [](const Given& g) {
             return f::denoc_explicit<Counted>(g, to_vector(Numbers(g.size(), Counted(0.0))));
           },
       .solve = f::solve_by_cholesky<Counted>},
  }};
  return list;
}

Result count_forward(const Road& road, const Given& given, const Numbers& tau) {
  using Ledger = Ledger<Counted>;
  Result result;
  const Tally all;
  if (road.direct != nullptr) {
    road.direct(given, to_vector(tau), nullptr);
  } else {
    const Matrix M = road.matrix(given);
    const Tally phi;
    const Vector bias = road.bias(given);
    Ledger::line("phi");
    Vector right(bias.size());
    for (Eigen::Index i = 0; i < right.size(); ++i) {
      right[i] = tau[static_cast<std::size_t>(i)] - bias[i];
    }
    result.phi = phi.counts();
    Ledger::line("solution");
    Vector qdd;
    road.solve(M, right, qdd);
  }
  result.counts = all.counts();
  result.lines = Ledger::lines();
  for (const char* line : road.phi_lines) {
    if (*line != '\0') result.phi = result.phi + result.lines[line];
  }
  return result;
}

}  // namespace

Result count(const Formulation& formulation, Task task, const Model& model) {
  const std::string reason = formulations::not_covered(formulation, task, model);
  if (!reason.empty()) throw ArgumentError(fmt::format("{}: {}", formulation.name, reason));
  // the library's own recursions
  if (formulation.name == "denoc") return count(Work::inverse, model);
  if (formulation.name == "udut") {
    Result result = count(Work::forward, model);
    result.phi = result.counts - count(Work::solve, model).counts;
    return result;
  }
  const Given given = situation_of(model);
  const Numbers third = generic_numbers(model.body_count(), 1.5);
  for (const Road& road : roads()) {
    if (road.name != formulation.name) continue;
    Ledger<Counted>::start();
    if (task == Task::forward) return count_forward(road, given, third);
    const Tally tally;
    road.inverse(given, third);
    return {.counts = tally.counts(), .phi = {}, .lines = Ledger<Counted>::lines()};
  }
  throw ArgumentError(fmt::format("'{}' is not counted", formulation.name));
}

}  // namespace dynamics::counting
