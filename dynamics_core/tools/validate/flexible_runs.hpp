// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forced runs of arms with flexible links, with recursive forward dynamics and with the Cholesky
// decomposition of the inertia matrix, in double and in single precision.

#include "runs.hpp"

namespace dynamics::tools {

struct FlexibleMethod {
  bool cholesky = false, single = false;
};

/// Simulates the forced run; reports progress from `from` to `to` of the section. A run that fails
/// returns the samples before the failure, with statistics.completed = false.
Recording run_flexible(const PaperRobot& robot, const FlexibleModel& model, FlexibleMethod method,
                       SimulationOptions options, const ValidationReport& report, double from,
                       double to);

/// sum tau_i qd_i over time (W): of the simulated rates, or of the desired rates.
Column power_of(const Recording& run, const std::vector<Column>& rates);

/// Largest |a - b| over the samples that both have; NaN if an entry is NaN.
double largest_common_difference(const Column& a, const Column& b);

/// The arm with `links` links, which repeat those of the table and their desired motion, and
/// `modes` modes per link.
void extend(DhTable& table, std::size_t links, int modes);

}  // namespace dynamics::tools
