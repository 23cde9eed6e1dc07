// SPDX-License-Identifier: Apache-2.0
// Operation counts of the papers' formulations.

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

using formulations::DynamicsInput;
using formulations::Formulation;
using formulations::MatrixX;
using formulations::Task;
using formulations::VectorX;
using Input = DynamicsInput<Counted>;
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

Input make_dynamics_input(const Model& model) {
  const Counted zero(0.0);
  const Eigen::Vector3d up = -model.gravity();
  Input input;
  input.tree = &model.tree();
  input.q = generic_numbers(model.body_count(), 0.3);
  input.qd = generic_numbers(model.body_count(), 0.9);
  input.base.angular_velocity = input.base.angular_acceleration = {zero, zero, zero};
  input.base.acceleration = {Counted(up.x()), Counted(up.y()), Counted(up.z())};
  input.base.not_rotating = true;
  return input;
}

/// The algorithms of the registry over the counting scalar.
struct Algorithm {
  std::string_view name;
  void (*inverse)(const Input&, const Numbers& qdd) = nullptr;
  Matrix (*matrix)(const Input&) = nullptr;
  Vector (*bias)(const Input&) = nullptr;
  bool (*solve)(Matrix, Vector, Vector&) = nullptr;
  Vector (*direct)(const Input&, const Vector& tau, Vector* pivots) = nullptr;
  std::array<const char*, 2> phi_lines = {"", ""};  ///< lines of `direct` that belong to phi
};

const std::array<Algorithm, 8>& algorithms() {
  namespace f = formulations;
  static const std::array<Algorithm, 8> list = {{
      {.name = "lagrange",
       .inverse = [](const Input& in,
                     const Numbers& qdd) { f::lagrange(f::serial_arm(in), in.qd, qdd); },
       .matrix = [](const Input& in) { return f::lagrange_inertia_matrix(f::serial_arm(in)); },
       .bias =
           [](const Input& in) {
             return to_vector(
                 f::lagrange(f::serial_arm(in), in.qd, Numbers(in.size(), Counted(0.0))));
           },
       .solve = f::solve_by_elimination<Counted>},
      {.name = "newton-euler",
       .inverse = [](const Input& in,
                     const Numbers& qdd) { f::newton_euler(f::serial_arm(in), in.qd, qdd); }},
      {.name = "modified-newton-euler",
       .inverse =
           [](const Input& in, const Numbers& qdd) {
             f::modified_newton_euler(f::serial_arm(in), in.qd, qdd);
           }},
      {.name = "strobing",
       .inverse = [](const Input& in,
                     const Numbers& qdd) { f::strobed_inverse_dynamics<Counted>(in, qdd); },
       .matrix = f::strobed_inertia_matrix<Counted>,
       .bias =
           [](const Input& in) {
             return to_vector(f::modified_newton_euler(f::serial_arm(in), in.qd,
                                                       Numbers(in.size(), Counted(0.0))));
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
       .inverse = [](const Input& in,
                     const Numbers& qdd) { f::denoc_explicit<Counted>(in, to_vector(qdd)); },
       .matrix = [](const Input& in) { return f::denoc_inertia_matrix(f::denoc_matrices(in)); },
       .bias =
           [](const Input& in) {
             return f::denoc_explicit<Counted>(in, to_vector(Numbers(in.size(), Counted(0.0))));
           },
       .solve = f::solve_by_cholesky<Counted>},
  }};
  return list;
}

Result count_forward(const Algorithm& algorithm, const Input& input, const Numbers& tau) {
  using LineCounter = LineCounter<Counted>;
  Result result;
  const OperationCounter all;
  if (algorithm.direct != nullptr) {
    algorithm.direct(input, to_vector(tau), nullptr);
  } else {
    const Matrix M = algorithm.matrix(input);
    const OperationCounter phi;
    const Vector bias = algorithm.bias(input);
    LineCounter::start_line("phi");
    Vector right(bias.size());
    for (Eigen::Index i = 0; i < right.size(); ++i) {
      right[i] = tau[static_cast<std::size_t>(i)] - bias[i];
    }
    result.phi = phi.count();
    LineCounter::start_line("solution");
    Vector qdd;
    algorithm.solve(M, right, qdd);
  }
  result.counts = all.count();
  result.lines = LineCounter::lines();
  for (const char* line : algorithm.phi_lines) {
    if (*line != '\0') result.phi = result.phi + result.lines[line];
  }
  return result;
}

}  // namespace

Result count(const Formulation& formulation, Task task, const Model& model) {
  const std::string reason = formulations::not_covered(formulation, task, model);
  if (!reason.empty())
    throw ArgumentError(fmt::format("formulation {} {}", formulation.name, reason));
  // these two are the library's own recursions
  if (formulation.name == "denoc") return count(Computation::inverse, model);
  if (formulation.name == "udut") {
    Result result = count(Computation::forward, model);
    result.phi = result.counts - count(Computation::solve, model).counts;
    return result;
  }
  const Input input = make_dynamics_input(model);
  const Numbers qdd_or_tau = generic_numbers(model.body_count(), 1.5);
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.name != formulation.name) continue;
    LineCounter<Counted>::reset();
    if (task == Task::forward) return count_forward(algorithm, input, qdd_or_tau);
    const OperationCounter counter;
    algorithm.inverse(input, qdd_or_tau);
    return {.counts = counter.count(), .phi = {}, .lines = LineCounter<Counted>::lines()};
  }
  throw ArgumentError(fmt::format("formulation '{}' has no operation count", formulation.name));
}

}  // namespace dynamics::counting
