// SPDX-License-Identifier: Apache-2.0
#pragma once

// How long a call takes, beside calls of the same message type to a server that computes nothing:
// what is ours, and what is the middleware's.

#include <cstddef>
#include <string>
#include <vector>

#include "work.hpp"

namespace dynamics_ros::benchmark {

/// Answers calls of InverseDynamics without work, until it is interrupted: `NAMESPACE/same_size`
/// with a reply as large as the node's, `NAMESPACE/empty` with an empty one.
int run_empty_server(const std::string& name_space);

/// Times (us) of single calls, in turns.
struct Latency {
  std::size_t points = 0;
  std::vector<double> in_process;  ///< DynamicsServer, without a middleware
  std::vector<double> node;
  std::vector<double> same_size;
  std::vector<double> empty;
  // the same trajectory in columns
  std::vector<double> columns_in_process;
  std::vector<double> columns_node;
  std::vector<double> columns_same_size;
  std::size_t failed = 0;  ///< lost, or refused
};

/// Calls with trajectories of this length until time is up, `least` times at least. Throws
/// std::runtime_error where a server is not there.
Latency measure_latency(const dynamics::Model& model, const std::string& urdf,
                        const std::string& node, const std::string& empty_server,
                        std::size_t points, double seconds, std::size_t least);

}  // namespace dynamics_ros::benchmark
