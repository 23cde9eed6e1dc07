// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "study/read_task.hpp"
#include "study/statistics.hpp"

namespace dynamics::study {
namespace {

using yaml::Cursor;

/// Case numbers are exact as doubles.
constexpr std::uint64_t most_cases = std::uint64_t{1} << 53U;

/// A whole number up to 2^53.
std::uint64_t count(const Cursor& at, double least) {
  const double value = at.number();
  if (value != std::floor(value) || value < least || value > static_cast<double>(most_cases))
    at.fail(fmt::format("must be a whole number from {:g} to 2^53", least));
  return static_cast<std::uint64_t>(value);
}

Nominal nominal_of(StudyRobot robot) {
  const ModelOptions options{.gravity = robot.gravity};
  if (robot.description.constraints.empty()) {
    Model model(robot.description, options);
    return {std::move(robot), std::move(model), false};
  }
  const Mechanism mechanism(robot.description, options);
  return {std::move(robot), mechanism.tree(), true};
}

Sampling read_sampling(const Cursor& at) {
  const std::string name = at.text();
  if (name == "random") return Sampling::random;
  if (name == "sobol") return Sampling::sobol;
  if (name != "latin_hypercube") at.fail("must be random, sobol or latin_hypercube");
  return Sampling::latin_hypercube;
}

/// Counts the cases: the product of lists and grids, times the samples of each.
void count_cases(const Cursor& root, Plan& plan) {
  std::size_t drawn = 0;
  std::uint64_t combinations = 1;
  for (const Variation& variation : plan.variations) {
    if (!variation.distribution.is_list()) {
      ++drawn;
      continue;
    }
    const std::uint64_t size = variation.distribution.values.size();
    if (combinations > most_cases / size) root.at("vary").fail("has more than 2^53 combinations");
    combinations *= size;
  }
  const auto samples = root.find("samples");
  if (drawn > 0 && !samples) root.fail("`samples` is missing: the number of random samples");
  if (drawn == 0) {
    for (const char* key : {"samples", "sampling", "seed"}) {
      if (const auto given = root.find(key))
        given->fail("has no effect without a uniform, log_uniform or normal parameter");
    }
  }
  if (samples) plan.samples = count(*samples, 1.0);
  if (combinations > most_cases / plan.samples) samples->fail("makes more than 2^53 cases");
  plan.cases = combinations * plan.samples;
  if (plan.sampling == Sampling::sobol && drawn > UnitPoints::max_sobol_dimensions) {
    root.at("sampling")
        .fail(fmt::format("sobol has at most {} random parameters",
                          UnitPoints::max_sobol_dimensions));
  }
}

std::vector<Kept> default_keep(RunKind kind) {
  const auto one = [](const char* statistic, const char* pattern) {
    return Kept{Kept::Kind::statistic, statistic, pattern};
  };
  switch (kind) {
    case RunKind::simulate: return {one("peak", "tau_*"), one("final", "q_*")};
    case RunKind::inverse: return {one("peak", "tau_*"), one("rms", "tau_*")};
    case RunKind::terms:
    case RunKind::natural_frequencies: break;
  }
  return {one("final", "*")};
}

}  // namespace

std::vector<Kept> read_keep(const Cursor& list, RunKind kind) {
  std::vector<Kept> result;
  const bool recorded = kind == RunKind::simulate || kind == RunKind::inverse;
  for (const Cursor& entry : list.entries()) {
    if (entry.is_map()) {
      entry.allow_keys({"settling_time"});
      const Cursor tolerance = entry.at("settling_time");
      if (kind != RunKind::simulate) entry.fail("settling_time needs `run: simulate`");
      if (!(tolerance.number() > 0.0)) tolerance.fail("must be positive (rad or m)");
      result.push_back({Kept::Kind::settling_time, "", "", tolerance.number()});
      continue;
    }
    const std::string text = entry.text();
    if (text == "settling_time") entry.fail("needs a tolerance: {settling_time: 0.01}");
    if (text == "tracking_error" || text == "limit_violations") {
      if (!recorded || (text[0] == 't' && kind != RunKind::simulate))
        entry.fail(text + " needs `run: simulate`" + (text[0] == 'l' ? " or `run: inverse`" : ""));
      result.push_back(
          {text[0] == 't' ? Kept::Kind::tracking_error : Kept::Kind::limit_violations, text, ""});
      continue;
    }
    if (text == "energy") {
      if (kind != RunKind::simulate) entry.fail("energy needs `run: simulate`");
      result.push_back({Kept::Kind::statistic, "peak", "kinetic"});
      result.push_back({Kept::Kind::statistic, "final", "work"});
      result.push_back({Kept::Kind::statistic, "peak", "energy_drift"});
      continue;
    }
    const std::size_t space = text.find(' ');
    const std::string statistic = text.substr(0, space);
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
      if (!recorded && space == std::string::npos) {  // the state's only value
        result.push_back({Kept::Kind::statistic, "final", text});
        continue;
      }
      entry.fail(
          "must be STATISTIC COLUMN such as 'peak tau_*', or tracking_error, limit_violations, "
          "energy, {settling_time: TOLERANCE}; found '" +
          text + "'");
    }
    if (!is_statistic(statistic))
      entry.fail(fmt::format("unknown statistic '{}': it must be one of {}", statistic,
                             fmt::join(statistic_names(), ", ")));
    result.push_back({Kept::Kind::statistic, statistic, text.substr(space + 1)});
  }
  if (result.empty()) list.fail("must not be empty");
  return result;
}

PlanAndRobot read_plan(std::string_view text, const std::string& file, Inputs& inputs) {
  const yaml::Node node = yaml::read(text, file);
  const Cursor root(node, "", file);
  root.allow_keys({"robot", "run", "vary", "keep", "runs", "worst", "samples", "sampling", "seed"});
  Plan plan;
  plan.file = file;
  const Cursor robot = root.at("robot");
  plan.robot_name = robot.text();
  Nominal nominal = nominal_of(inputs.load_robot(plan.robot_name));
  plan.task = read_task(root.at("run"), nominal, inputs);
  const Cursor vary = root.at("vary");
  for (const Cursor& entry : vary.entries())
    read_variation(entry, nominal, plan.task, plan.variations);
  if (plan.variations.empty()) vary.fail("must not be empty: nothing varies");
  if (const auto at = root.find("seed")) plan.seed = count(*at, 0.0);
  if (const auto at = root.find("sampling")) plan.sampling = read_sampling(*at);
  count_cases(root, plan);
  const auto keep = root.find("keep");
  plan.keep = keep ? read_keep(*keep, plan.task.kind) : default_keep(plan.task.kind);
  if (const auto at = root.find("runs")) {
    plan.runs = at->text();
    if (plan.runs != "csv" && plan.runs != "json" && plan.runs != "mcap")
      at->fail("must be csv, json or mcap; found '" + plan.runs + "'");
    if (plan.task.kind != RunKind::simulate && plan.task.kind != RunKind::inverse)
      at->fail("needs `run: simulate` or `run: inverse`: these cases have no samples");
  }
  if (const auto at = root.find("worst")) {
    const std::string value = at->text();
    const std::size_t space = value.find(' ');
    const std::string direction = value.substr(0, space);
    if (space == std::string::npos || (direction != "largest" && direction != "smallest"))
      at->fail("must be 'largest RESULT' or 'smallest RESULT', such as 'largest peak_tau_joint2'");
    plan.largest_is_worst = direction == "largest";
    plan.worst = value.substr(space + 1);
  }
  return {std::move(plan), std::move(nominal)};
}

}  // namespace dynamics::study
