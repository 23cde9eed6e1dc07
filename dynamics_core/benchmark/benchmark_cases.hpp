// SPDX-License-Identifier: Apache-2.0
#pragma once

// Benchmark cases of this library and its peers: the PUMA in random states that change with every
// call.
//
//   for (const BenchmarkCase& one : all_cases()) one.run(0, 1000);   // 1000 calls

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/model.hpp"

namespace dynamics::benchmark {

/// Random states, the same for all cases.
struct States {
  explicit States(std::size_t size, std::size_t count, unsigned seed = 1, double speed = 3.0);
  std::size_t size, count;
  std::vector<double> q, qd, u;  ///< one row per state; u: accelerations or torques
  ConstVector row(const std::vector<double>& rows, std::size_t state) const {
    return {rows.data() + state % count * size, size};
  }
};

/// One implementation of one computation.
struct BenchmarkCase {
  std::string work;  ///< inverse, forward, inertia matrix, batch inverse, batch forward
  std::string name;  ///< ours, kdl, mujoco, pinocchio
  std::size_t threads = 1;
  std::size_t states_per_call = 1;
  /// Makes `calls` calls with the states from `first` on.
  std::function<void(std::size_t first, std::size_t calls)> run;
  /// Result of the last call: torques or accelerations as a column, or the matrix. Null for
  /// batches.
  std::function<Eigen::MatrixXd()> result = nullptr;
};

/// A case that makes one call per state: call(k) for state k.
template <class Call, class Result>
BenchmarkCase state_by_state(std::string work, std::string name, Call call, Result result) {
  const auto run = [call](std::size_t first, std::size_t calls) {
    for (std::size_t k = first; k < first + calls; ++k) call(k);
  };
  return {std::move(work), std::move(name), 1, 1, run, std::move(result)};
}

const Model& puma();
inline constexpr std::size_t batch_size = 2048;    ///< fits into the L2 cache
inline constexpr std::size_t large_batch = 65536;  ///< large enough for two threads

/// Batches of `states` states of the PUMA; empty if there are fewer processors than threads.
std::vector<BenchmarkCase> batches(std::size_t threads, std::size_t states);
/// The same work in two halves by two threads that share no memory: the largest speedup that this
/// machine allows. Empty if there is only one processor.
std::vector<BenchmarkCase> separate_halves(std::size_t states);
/// Inverse and forward dynamics of a model of any size.
std::vector<BenchmarkCase> ours_on(const Model& model);
/// A chain and a binary tree of n joints, for the growth of the cost.
Model chain(std::size_t joints);
Model tree(std::size_t joints);

/// The peers and their versions; empty if the peer is not part of this build.
std::vector<BenchmarkCase> kdl();
std::vector<BenchmarkCase> mujoco();
std::vector<BenchmarkCase> pinocchio();
std::string kdl_version();
std::string mujoco_version();
std::string pinocchio_version();

/// All cases of the PUMA on one thread, ours first.
std::vector<BenchmarkCase> all_cases();

}  // namespace dynamics::benchmark
