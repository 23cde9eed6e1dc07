// SPDX-License-Identifier: Apache-2.0
#include "flexible_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/plant.hpp"
#include "dynamics_core/view.hpp"
#include "papers/studies/single_flexible_plant.hpp"

namespace dynamics::tools {

Recording run_flexible(const PaperRobot& robot, const FlexibleModel& model, FlexibleMethod method,
                       SimulationOptions options, const ValidationReport& report, double from,
                       double to) {
  if (robot.changes().run) robot.changes().run(options);
  const auto plant = method.single
                         ? single_flexible_plant(model, method.cholesky)
                         : flexible_plant(model, {.friction = false, .cholesky = method.cholesky});
  double reached = 0.0;
  const auto progress = [&](double t) {
    reached = t;
    report.progress(from + (to - from) * t / options.duration);
    return true;
  };
  try {
    return simulate(*plant, options, progress);
  } catch (const Error& error) {  // the state overflows within a step
    Recording run(model.rigid());
    run.t.push_back(reached);
    run.statistics.completed = false;
    run.statistics.ending = error.what();
    return run;
  }
}

Column power_of(const Recording& run, const std::vector<Column>& rates) {
  Column power(run.size(), 0.0);
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < run.tau.size(); ++i) power[k] += run.tau[i][k] * rates[i][k];
  }
  return power;
}

double largest_common_difference(const Column& a, const Column& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    largest = max_propagating_nan(largest, std::abs(a[k] - b[k]));
  return largest;
}

void extend(DhTable& table, std::size_t links, int modes) {
  const std::size_t count = table.links.size();
  for (std::size_t i = count; i < links; ++i) {
    DhLink link = table.links[i % count];
    link.joint = fmt::format("joint{}", i + 1);
    link.link = fmt::format("link{}", i + 1);
    table.links.push_back(std::move(link));
    table.q0.push_back(0.0);
    table.qd0.push_back(0.0);
    table.forced->k.push_back(table.forced->k[i % count]);
    table.forced->T.push_back(table.forced->T[i % count]);
  }
  for (DhLink& link : table.links) link.flexible->modes_y = modes;
}

}  // namespace dynamics::tools
