// SPDX-License-Identifier: Apache-2.0
// Compares every formulation of the papers with every other on random states of a robot. Exit code
// 1 if two of them differ by more than `tolerance`.

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>

#include "command.hpp"
#include "dynamics_core/formulations.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/view.hpp"
#include "report.hpp"
#include "robot.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics::tools {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using formulations::Formulation;
using formulations::Task;

constexpr double tolerance = 1e-9;  // largest relative difference between two formulations
// accelerations: or this tolerance times the condition number of M
constexpr double condition_tolerance = 1e-13;

struct CompareArguments {
  RobotArgument robot;
  int samples = 20;
  unsigned seed = 1;
  bool json = false;
};

class RandomStates {
 public:
  RandomStates(const Model& model, unsigned seed) : model_(model), engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  /// Uniform within the joint limits; without limits within +-pi rad or +-1 m.
  VectorXd positions() {
    VectorXd q(static_cast<Eigen::Index>(model_.size()));
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const Coordinate& joint = model_.coordinates()[static_cast<std::size_t>(i)];
      const double range = joint.prismatic ? 1.0 : std::numbers::pi;
      q[i] = uniform(std::isfinite(joint.lower) ? joint.lower : -range,
                     std::isfinite(joint.upper) ? joint.upper : range);
    }
    // away from the singularity of roll, pitch and yaw of floating joints
    for (const std::size_t pitch : model_.pitch_coordinates()) {
      q[static_cast<Eigen::Index>(pitch)] = uniform(-1.0, 1.0);
    }
    return q;
  }
  VectorXd vector(double limit) {
    VectorXd v(static_cast<Eigen::Index>(model_.size()));
    for (double& x : v) x = uniform(-limit, limit);
    return v;
  }
  Eigen::Vector3d vector3(double limit) {
    return {uniform(-limit, limit), uniform(-limit, limit), uniform(-limit, limit)};
  }

 private:
  const Model& model_;
  std::mt19937 engine_;
};

/// max |a - b| / max |a|, |b|; NaN where either is not finite.
double difference(const VectorXd& a, const VectorXd& b) {
  if (!a.allFinite() || !b.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double scale = std::max(max_abs(a), max_abs(b));
  return scale == 0.0 ? 0.0 : max_abs(a - b) / scale;
}

void update_maximum(double& largest, double value) {
  largest = max_propagating_nan(largest, value);
}

/// Condition number of M; NaN if M is not positive definite.
double condition_number(const Model& model, Workspace& workspace, const VectorXd& q) {
  MatrixXd M(q.size(), q.size());
  inertia_matrix(model, workspace, q, M);
  const VectorXd values = symmetric_eigenvalues(M);
  const double smallest = values[0], largest = values[values.size() - 1];
  return smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::quiet_NaN();
}

struct Pair {
  const Formulation *a, *b;
  double largest = 0.0;                 ///< largest relative difference
  double largest_over_condition = 0.0;  ///< largest difference divided by the condition number of M
};

/// One task with one kind of external inputs.
struct Comparison {
  Task task;
  std::string external;
  std::vector<const Formulation*> covering;
  std::vector<std::pair<const Formulation*, std::string>>
      others;  ///< not covering, with the reason
  std::vector<Pair> pairs;
  double condition = 0.0;  ///< largest condition number of M
  std::string impossible;  ///< reason if the task has no solution for this robot

  bool inverse() const { return task == Task::inverse; }
  bool agrees() const {
    return std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
      return pair.largest <= tolerance ||
             (!inverse() && pair.largest_over_condition <= condition_tolerance);
    });
  }
  const Pair* worst() const {
    const Pair* found = nullptr;
    for (const Pair& pair : pairs) {
      if (found == nullptr || !(pair.largest <= found->largest)) found = &pair;
    }
    return found;
  }
};

Comparison compare(const Model& model, Task task, const std::string& name,
                   const ExternalInputs& external, int samples, RandomStates& random) {
  Comparison result{task, name, {}, {}, {}, 0.0, {}};
  for (const Formulation& formulation : formulations::all()) {
    std::string reason = formulations::not_covered(formulation, task, model, external);
    if (reason.empty()) {
      result.covering.push_back(&formulation);
    } else {
      result.others.emplace_back(&formulation, std::move(reason));
    }
  }
  for (std::size_t a = 0; a < result.covering.size(); ++a) {
    for (std::size_t b = a + 1; b < result.covering.size(); ++b) {
      result.pairs.push_back({result.covering[a], result.covering[b]});
    }
  }
  Workspace workspace(model);
  const Formulation& inverse = formulations::find("denoc");
  try {
    for (int k = 0; k < samples; ++k) {
      const VectorXd q = random.positions(), qd = random.vector(1.0), qdd = random.vector(2.0);
      double condition = 1.0;
      std::vector<VectorXd> values;
      if (task == Task::inverse) {
        for (const Formulation* formulation : result.covering) {
          values.push_back(
              formulations::inverse_dynamics(*formulation, model, q, qd, qdd, external));
        }
      } else {
        const VectorXd tau = formulations::inverse_dynamics(inverse, model, q, qd, qdd, external);
        for (const Formulation* formulation : result.covering) {
          values.push_back(
              formulations::forward_dynamics(*formulation, model, q, qd, tau, external));
        }
        condition = condition_number(model, workspace, q);
        update_maximum(result.condition, condition);
      }
      std::size_t pair = 0;
      for (std::size_t a = 0; a < values.size(); ++a) {
        for (std::size_t b = a + 1; b < values.size(); ++b, ++pair) {
          const double d = difference(values[a], values[b]);
          update_maximum(result.pairs[pair].largest, d);
          update_maximum(result.pairs[pair].largest_over_condition, d / condition);
        }
      }
    }
  } catch (const StateError& error) {  // the robot has no forward dynamics
    result.impossible = error.what();
    result.pairs.clear();
  }
  return result;
}

std::vector<Comparison> compare_all(const Model& model, const CompareArguments& args) {
  RandomStates random(model, args.seed);
  ExternalInputs rotating_base;
  rotating_base.base.emplace();
  rotating_base.base->pose.rotation = rotation_from_rpy({0.3, -0.4, 0.5});
  rotating_base.base->velocity = {random.vector3(1.0), random.vector3(1.0)};
  rotating_base.base->acceleration = {random.vector3(2.0), random.vector3(2.0)};
  const std::vector<LinkWrench> wrenches = {
      {model.end_effector(), {random.vector3(5.0), random.vector3(10.0)}, Axes::local},
      {model.end_effector(), {random.vector3(5.0), random.vector3(10.0)}, Axes::world}};
  ExternalInputs with_wrenches;
  with_wrenches.wrenches = wrenches;
  std::vector<Comparison> results;
  for (const Task task : {Task::inverse, Task::forward}) {
    results.push_back(compare(model, task, "base at rest", {}, args.samples, random));
    results.push_back(compare(model, task, "rotating base", rotating_base, args.samples, random));
    results.push_back(
        compare(model, task, "wrenches on links", with_wrenches, args.samples, random));
  }
  return results;
}

ordered_json to_json(const Comparison& comparison) {
  ordered_json object;
  object["task"] = comparison.inverse() ? "inverse" : "forward";
  object["conditions"] = comparison.external;
  if (!comparison.impossible.empty()) object["impossible"] = comparison.impossible;
  object["pairs"] = ordered_json::array();
  for (const Pair& pair : comparison.pairs) {
    ordered_json row = {{"a", pair.a->name}, {"b", pair.b->name}, {"difference", pair.largest}};
    if (!comparison.inverse()) row["difference_over_condition"] = pair.largest_over_condition;
    object["pairs"].push_back(std::move(row));
  }
  if (!comparison.inverse()) object["condition"] = comparison.condition;
  object["not_covered"] = ordered_json::array();
  for (const auto& [formulation, reason] : comparison.others) {
    object["not_covered"].push_back({{"name", formulation->name}, {"reason", reason}});
  }
  object["agrees"] = comparison.agrees();
  return object;
}

/// The differences as an upper triangle, one row per formulation.
void print_triangle(const Comparison& comparison) {
  const auto& names = comparison.covering;
  std::size_t pair = 0;
  fmt::print("  {:<28}", "");
  for (std::size_t b = 1; b < names.size(); ++b) fmt::print("{:>9}", fmt::format("({})", b + 1));
  fmt::print("\n");
  for (std::size_t a = 0; a < names.size(); ++a) {
    fmt::print("  {:<28}", fmt::format("({}) {}", a + 1, names[a]->name));
    for (std::size_t b = 1; b <= a; ++b) fmt::print("{:>9}", "");
    for (std::size_t b = a + 1; b < names.size(); ++b, ++pair) {
      fmt::print("{:>9.1e}", comparison.pairs[pair].largest);
    }
    fmt::print("\n");
  }
}

void print(const Comparison& comparison) {
  fmt::print("{} dynamics, {}\n", comparison.inverse() ? "Inverse" : "Forward",
             comparison.external);
  if (!comparison.impossible.empty()) {
    fmt::print("  nothing to compare: {}\n", comparison.impossible);
  } else {
    print_triangle(comparison);
    if (const Pair* worst = comparison.worst()) {
      fmt::print("  largest difference {:.1e}, between {} and {}{}\n", worst->largest,
                 worst->a->name, worst->b->name,
                 comparison.agrees() ? "" : ": ABOVE THE TOLERANCE");
    }
    if (!comparison.inverse()) {
      double over = 0.0;
      for (const Pair& pair : comparison.pairs) update_maximum(over, pair.largest_over_condition);
      fmt::print(
          "  condition number of M up to {:.1e}; difference / condition number at most {:.1e}\n",
          comparison.condition, over);
    }
  }
  for (const auto& [formulation, reason] : comparison.others) {
    const bool other_task = !(comparison.inverse() ? formulation->inverse : formulation->forward);
    if (!other_task) fmt::print("  {} {}\n", formulation->name, reason);
  }
  std::string other;
  for (const auto& [formulation, reason] : comparison.others) {
    if (!(comparison.inverse() ? formulation->inverse : formulation->forward)) {
      other += (other.empty() ? "" : ", ") + std::string(formulation->name);
    }
  }
  if (!other.empty()) {
    fmt::print("  {} dynamics only: {}\n", comparison.inverse() ? "forward" : "inverse", other);
  }
  fmt::print("\n");
}

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  auto args = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Compare all formulations of the papers with each other on random states");
  args->robot.add_to(*command);
  command->add_option("--samples", args->samples, "random states per comparison (default 20)")
      ->check(CLI::Range(1, 1000000));
  command->add_option("--seed", args->seed, "seed of the random states (default 1)");
  command->add_flag("--json", args->json, json_flag_help);
  command->callback([args, &outcome] {
    const Robot robot = args->robot.load();
    const auto comparisons = compare_all(robot.model, *args);
    const bool agree = std::all_of(comparisons.begin(), comparisons.end(),
                                   [](const Comparison& c) { return c.agrees(); });
    outcome.exit_code = agree ? 0 : 1;
    if (args->json) {
      auto object = with_joints(robot);
      object["samples"] = args->samples;
      object["comparisons"] = ordered_json::array();
      for (const Comparison& comparison : comparisons) {
        object["comparisons"].push_back(to_json(comparison));
      }
      object["agrees"] = agree;
      print_json(object);
      return;
    }
    fmt::print("{}: largest relative differences over {} random states\n\n", robot.argument,
               args->samples);
    for (const Comparison& comparison : comparisons) print(comparison);
    fmt::print("{} (tolerance {:g}; accelerations: or {:g} times the condition number)\n",
               agree ? "All formulations agree" : "The formulations do NOT all agree", tolerance,
               condition_tolerance);
  });
}

}  // namespace dynamics::tools
