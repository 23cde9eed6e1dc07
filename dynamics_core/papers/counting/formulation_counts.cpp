// SPDX-License-Identifier: Apache-2.0
// Operation counts of the papers' formulations.

#include <fmt/format.h>

#include <array>

#include "model/tree.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/counting/counted.hpp"
#include "papers/counting/generic_state.hpp"
#include "papers/formulations/algorithms.hpp"

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

/// The lines of a direct algorithm that belong to phi.
std::vector<const char*> phi_lines(std::string_view name) {
  if (name == "articulated-body") return {"v, c, p", "I^a c"};
  if (name == "saha-2003") {
    return {"d_i", "c_{i,i-1}", "nu_i", "xi_i", "gamma_i", "tau_i", "phi"};
  }
  return {};
}

Result count_forward(const formulations::Algorithm<Counted>& algorithm, const Input& input,
                     const Numbers& tau) {
  using LineCounter = LineCounter<Counted>;
  Result result;
  const OperationCounter all;
  if (algorithm.direct != nullptr) {
    algorithm.direct(input, formulations::detail::to_vector(tau), nullptr);
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
  for (const char* line : phi_lines(algorithm.name)) {
    result.phi = result.phi + result.lines[line];
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
  const auto* algorithm = formulations::find_algorithm<Counted>(formulation.name);
  if (algorithm == nullptr) {
    throw ArgumentError(fmt::format("formulation '{}' has no operation count", formulation.name));
  }
  LineCounter<Counted>::reset();
  if (task == Task::forward) return count_forward(*algorithm, input, qdd_or_tau);
  const OperationCounter counter;
  algorithm->inverse(input, qdd_or_tau);
  return {.counts = counter.count(), .phi = {}, .lines = LineCounter<Counted>::lines()};
}

}  // namespace dynamics::counting
