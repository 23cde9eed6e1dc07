// SPDX-License-Identifier: Apache-2.0
#pragma once

// The samples of one joint in a log, and their combination for all joints of a robot.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/trajectory.hpp"

namespace dynamics {

/// One sample; NaN: not given.
struct JointSample {
  std::int64_t stamp;     ///< of the header (ns); 0: none
  std::int64_t log_time;  ///< (ns)
  double q, qd, qdd, tau;
};

/// The samples of a topic by joint name, in the order of the log.
using JointSeries = std::map<std::string, std::vector<JointSample>, std::less<>>;

/// Fills t, start, q, qd, qdd and tau of the log, and appends notes. `where`: file and topic, for
/// messages. Throws ParseError for a coordinate of the model without samples.
void combine(JointSeries series, const Model& model, JointLogOptions::Required required,
             const std::string& where, JointLog& log);

}  // namespace dynamics
