// SPDX-License-Identifier: Apache-2.0
#pragma once

// Many clients at once, every reply checked, the node's memory watched.

#include <cstddef>
#include <dynamics_core/model.hpp>
#include <map>
#include <string>
#include <vector>

#include "process.hpp"

namespace dynamics_ros::benchmark {

struct LoadOptions {
  std::size_t clients = 8;
  double seconds = 60.0;
  std::string node;       ///< whose services are called
  double timeout = 20.0;  ///< after which a reply counts as lost (s)
};

struct LoadResult {
  std::map<std::string, std::size_t> calls;  ///< by kind
  std::size_t total = 0, lost = 0, wrong = 0, busy = 0;
  std::size_t points = 0;      ///< states that were computed and checked
  std::string first_problem;   ///< the first lost or wrong reply
  double seconds = 0.0;        ///< that it took
  std::vector<double> single;  ///< of calls with one state (us)

  std::vector<double> memory;  ///< of the node, every quarter of a second (bytes)
  bool ended = false;          ///< the node is gone
};

LoadResult run_load(const dynamics::Model& model, const Process& node, const LoadOptions& options);

/// Of the node's memory: from the middle of the run to its end, as medians over a fifth of it.
struct MemoryGrowth {
  double start = 0.0, middle = 0.0, end = 0.0, largest = 0.0;  ///< (bytes)
  /// No more than 2 per cent and a megabyte.
  bool flat() const { return end <= 1.02 * middle + 1e6; }
};
MemoryGrowth growth(const std::vector<double>& memory);

/// The value below which this share of the values lies; 0 without values.
double percentile(std::vector<double> values, double share);

}  // namespace dynamics_ros::benchmark
