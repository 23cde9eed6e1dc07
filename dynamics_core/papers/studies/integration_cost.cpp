// SPDX-License-Identifier: Apache-2.0
#include "papers/studies/integration_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "papers/counting/algorithms.hpp"
#include "papers/formulations/algorithms.hpp"
#include "papers/formulations/formulation_plant.hpp"
#include "papers/studies/single.hpp"
#include "papers/wide/double_double.hpp"
#include "rigid/recursions/forward_dynamics.hpp"

namespace dynamics::studies {
namespace {

using formulations::DynamicsInput;
using formulations::ForwardDynamics;

template <class S>
std::vector<S> converted(ConstVector values) {
  std::vector<S> result;
  for (std::size_t i = 0; i < values.size(); ++i) result.push_back(S(values[i]));
  return result;
}

Eigen::VectorXd to_double(const auto& values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    result[i] = static_cast<double>(values[static_cast<std::size_t>(i)]);
  }
  return result;
}

template <class S>
kernel::BaseState<S> resting_base(const Model& model) {
  const Eigen::Vector3d up = -model.gravity();
  const S zero(0.0);
  kernel::BaseState<S> base;
  base.angular_velocity = base.angular_acceleration = {zero, zero, zero};
  base.acceleration = {S(up.x()), S(up.y()), S(up.z())};
  return base;
}

/// The library's recursion (udut) over S.
template <class S>
Eigen::VectorXd own_accelerations(const Model& model, ConstVector q, ConstVector qd,
                                  ConstVector tau) {
  std::vector<kernel::ForwardScratch<S>> scratch(model.body_count());
  const auto positions = converted<S>(q), rates = converted<S>(qd), torques = converted<S>(tau);
  std::vector<S> qdd(positions.size());
  kernel::forward_dynamics<S>(model.tree(), scratch.data(), resting_base<S>(model), nullptr,
                              positions.data(), rates.data(), torques.data(), qdd.data());
  return to_double(qdd);
}

/// A published algorithm over S. Throws StateError if its inertia matrix is not positive definite.
template <class S>
Eigen::VectorXd published_accelerations(const formulations::Algorithm<S>& algorithm,
                                        const Model& model, ConstVector q, ConstVector qd,
                                        ConstVector tau) {
  using Vector = formulations::VectorX<S>;
  DynamicsInput<S> input;
  input.tree = &model.tree();
  input.q = converted<S>(q);
  input.qd = converted<S>(qd);
  input.base = resting_base<S>(model);
  const Vector torques = formulations::detail::to_vector(converted<S>(tau));
  Vector qdd;
  if (algorithm.direct != nullptr) {
    qdd = algorithm.direct(input, torques, nullptr);
  } else {
    const Vector phi = torques - algorithm.bias(input);
    if (!algorithm.solve(algorithm.matrix(input), phi, qdd)) {
      throw StateError("", "the inertia matrix is not positive definite in this precision");
    }
  }
  return to_double(std::vector<S>(qdd.begin(), qdd.end()));
}

template <class S>
ForwardDynamics accelerations_in(std::string_view name) {
  const formulations::Algorithm<S>* algorithm = formulations::find_algorithm<S>(name);
  return [algorithm](const Model& model, ConstVector q, ConstVector qd, ConstVector tau,
                     const ExternalInputs&) {
    return algorithm == nullptr ? own_accelerations<S>(model, q, qd, tau)
                                : published_accelerations<S>(*algorithm, model, q, qd, tau);
  };
}

struct Numerics {
  const char* integrator;
  double rtol;
  bool single;
};

struct Fall {
  std::string name;
  Model model;
  std::vector<double> q0;
  double duration;
  std::vector<Numerics> numerics;
  std::vector<const char*> left_out = {};  ///< algorithms that would take minutes
};

/// Runs one algorithm; `states` (q, qd) serve to measure the error of its accelerations.
IntegrationCost measure(const Fall& fall, const Numerics& numerics, const std::string& name,
                        bool linear, const Recording& states) {
  IntegrationCost row{.robot = fall.name,
                      .integrator = numerics.integrator,
                      .rtol = numerics.rtol,
                      .duration = fall.duration,
                      .single = numerics.single,
                      .algorithm = name,
                      .linear = linear};
  const ForwardDynamics accelerations =
      numerics.single ? accelerations_in<Single>(name) : accelerations_in<double>(name);
  SimulationOptions options;
  options.duration = fall.duration;
  options.sample = fall.duration;
  options.integrator = numerics.integrator;
  options.rtol = numerics.rtol;
  options.q0 = fall.q0;
  std::uint64_t steps = 0;
  try {
    const auto plant = formulations::plant_with(accelerations, fall.model);
    const Recording run =
        simulate(*plant, options, [&](double) { return ++steps < max_integration_steps; });
    row.steps = run.statistics.steps;
    row.rejected = run.statistics.rejected;
    row.evaluations = run.statistics.evaluations;
    row.completed = run.statistics.completed;
    const std::size_t n = fall.model.size();
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n));
    for (std::size_t k = 0; k < states.size(); ++k) {
      Eigen::VectorXd q = zero, qd = zero;
      for (std::size_t i = 0; i < n; ++i) {
        q[static_cast<Eigen::Index>(i)] = states.q[i][k];
        qd[static_cast<Eigen::Index>(i)] = states.qd[i][k];
      }
      const Eigen::VectorXd exact = own_accelerations<DoubleDouble>(fall.model, q, qd, zero);
      const Eigen::VectorXd found = accelerations(fall.model, q, qd, zero, {});
      row.error = max_propagating_nan(row.error, max_abs(found - exact) / max_abs(exact));
    }
  } catch (const StateError&) {
    row.completed = false;
    row.error = std::numeric_limits<double>::quiet_NaN();
  }
  return row;
}

Fall chain(std::size_t links, double duration, std::vector<Numerics> numerics) {
  return {fmt::format("chain of {} links", links), counting::general_arm(links),
          std::vector<double>(links, 0.0), duration, std::move(numerics)};
}

std::vector<Fall> falls() {
  const std::vector<Numerics> numerics = {{"rkf45", 1e-6, false},
                                          {"dop853", 1e-10, false},
                                          {"rkf45", 1e-4, true},
                                          {"rkf45", 1e-6, true}};
  std::vector<Fall> result;
  for (const char* name : {"stanford", "puma"}) {
    const DhTable table = built_in_robot(name);
    result.push_back({name, model_from_dh(table), table.q0, 2.0, numerics});
  }
  result.push_back(chain(20, 0.5, numerics));
  result.push_back(chain(60, 0.2, {{"dop853", 1e-10, false}, {"dop853", 1e-12, false}}));
  result.back().left_out = {"lagrange", "denoc-explicit"};
  return result;
}

/// Smallest, largest and mean evaluations of one class of algorithms; failed runs are infinite.
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = 0.0, sum = 0.0;
  std::size_t count = 0, failed = 0;

  void add(const IntegrationCost& row) {
    const double value = row.completed ? static_cast<double>(row.evaluations)
                                       : std::numeric_limits<double>::infinity();
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++count;
    if (!row.completed) ++failed;
  }
  double mean() const { return sum / static_cast<double>(count); }
  std::string text() const {
    std::string numbers = fmt::format("{:g} to {:g}", low, high);
    if (failed > 0) numbers += fmt::format(" ({} of {} do not complete)", failed, count);
    return numbers;
  }
};

}  // namespace

std::string IntegrationCost::run_text() const {
  return fmt::format("{}, {:g} s, {} at {:g}, {} precision", robot, duration, integrator, rtol,
                     single ? "single" : "double");
}

std::vector<IntegrationCost> integration_costs() {
  struct Named {
    const char* name;
    bool linear;
  };
  constexpr std::array algorithms = {
      Named{"udut", true},      Named{"saha-2003", true},      Named{"articulated-body", true},
      Named{"nasser", true},    Named{"walker-orin", false},   Named{"strobing", false},
      Named{"lagrange", false}, Named{"denoc-explicit", false}};
  std::vector<IntegrationCost> rows;
  for (const Fall& fall : falls()) {
    SimulationOptions reference;
    reference.duration = fall.duration;
    reference.sample = fall.duration / 20.0;
    reference.q0 = fall.q0;
    const Recording states = simulate(fall.model, reference);
    for (const Numerics& numerics : fall.numerics) {
      for (const Named& algorithm : algorithms) {
        if (std::find(fall.left_out.begin(), fall.left_out.end(),
                      std::string_view(algorithm.name)) != fall.left_out.end()) {
          continue;
        }
        rows.push_back(measure(fall, numerics, algorithm.name, algorithm.linear, states));
      }
    }
  }
  return rows;
}

std::vector<counting::PaperClaim> smoothness_claims(const std::vector<IntegrationCost>& rows) {
  constexpr double margin = 1.05;
  std::vector<counting::PaperClaim> claims;
  const auto key = [](const IntegrationCost& row) {
    return std::tuple(row.robot, row.integrator, row.rtol, row.single);
  };
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(
        first, rows.end(), [&](const IntegrationCost& row) { return key(row) != key(*first); });
    Range linear, cubic;
    for (auto row = first; row != last; ++row) (row->linear ? linear : cubic).add(*row);
    const bool all = cubic.low > margin * linear.high;
    const bool mean = cubic.mean() > margin * linear.mean();
    claims.push_back(
        {.paper = "Saha 2003",
         .place = "section 1",
         .statement = first->run_text(),
         .printed = "O(n) accelerations are smooth, integration is faster",
         .computed = fmt::format("O(n): {}; O(n^3): {} evaluations", linear.text(), cubic.text()),
         .difference = fmt::format("O(n^3) / O(n), means: {:.3g}", cubic.mean() / linear.mean()),
         .verdict = all    ? "holds"
                    : mean ? "in trend"
                           : "differs"});
    first = last;
  }
  return claims;
}

}  // namespace dynamics::studies
