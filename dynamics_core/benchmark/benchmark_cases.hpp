// SPDX-License-Identifier: Apache-2.0
#pragma once

// Benchmark cases of this library and its peers: a robot in random states that change with every
// call.
//
//   for (const Robot& robot : robots()) {
//     for (const BenchmarkCase& one : ours_on(robot.model)) one.run(0, 1000);   // 1000 calls
//   }
//
// Robots have no damping and no friction here: not every peer has them.

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_core/model.hpp"

namespace dynamics::benchmark {

/// A robot of the benchmark.
struct Robot {
  std::string name;
  Model model;
};
/// The PUMA; then, if the URDFs of dynamics_description were found, a 7-joint arm, a humanoid, and
/// the arm with a gripper of mimic joints.
const std::vector<Robot>& robots();
const Model& puma();

/// Random states: state k is the same for every number of states.
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
  std::string work;  ///< inverse, forward, ..., batch inverse, ...
  std::string name;  ///< ours, kdl, mujoco, pinocchio
  std::size_t threads = 1;
  std::size_t states_per_call = 1;
  /// Makes `calls` calls with the states from `first` on.
  std::function<void(std::size_t first, std::size_t calls)> run;
  /// Result of the last call: torques or accelerations as a column, or the matrices side by side.
  /// For a batch: of its first state.
  std::function<Eigen::MatrixXd()> result = nullptr;
};
/// "inverse" of "batch inverse" and of "batch inverse float".
std::string work_per_state(const std::string& work);
bool is_single_precision(const std::string& work);

/// A case that makes one call per state: call(k) for state k.
template <class Call, class Result>
BenchmarkCase state_by_state(std::string work, std::string name, Call call, Result result) {
  const auto run = [call](std::size_t first, std::size_t calls) {
    for (std::size_t k = first; k < first + calls; ++k) call(k);
  };
  return {std::move(work), std::move(name), 1, 1, run, std::move(result)};
}

inline constexpr std::size_t peer_states = 256;    ///< different states of cases for one state
inline constexpr std::size_t large_batch = 65536;  ///< large enough for two threads
/// States of a batch on one thread: inputs and outputs fit into the L2 cache.
std::size_t batch_size(const Model& model, std::size_t outputs_per_state, std::size_t scalar_bytes);

/// All computations for one state of a model of any size.
std::vector<BenchmarkCase> ours_on(const Model& model);
/// Inverse and forward dynamics alone.
std::vector<BenchmarkCase> dynamics_on(const Model& model);
/// The batch functions on one thread, in double and in single precision.
std::vector<BenchmarkCase> batches_on(const Model& model);
/// Batches on one thread that write `bytes` of matrices.
std::vector<BenchmarkCase> matrices_on(const Model& model, std::size_t bytes);
/// Inverse and forward dynamics of `states` states of the PUMA; empty if there are fewer processors
/// than threads.
std::vector<BenchmarkCase> batches(std::size_t threads, std::size_t states);
/// The same work in two halves by two threads that share no memory: the largest speedup that this
/// machine allows. Empty if there is only one processor.
std::vector<BenchmarkCase> separate_halves(std::size_t states);
/// Forward dynamics of the flexible Canadarm; no peer computes it.
std::vector<BenchmarkCase> flexible_canadarm();
/// A chain and a binary tree of n joints, for the growth of the cost.
Model chain(std::size_t joints);
Model tree(std::size_t joints);

/// The peers and their versions; empty if the peer is not part of this build. A peer without mimic
/// joints computes all bodies; the projection onto the coordinates is part of its time.
std::vector<BenchmarkCase> kdl(const Model& model);
std::vector<BenchmarkCase> mujoco(const Model& model);
std::vector<BenchmarkCase> pinocchio(const Model& model);
std::string kdl_version();
std::string mujoco_version();
std::string pinocchio_version();

/// All cases of a robot on one thread, ours first.
std::vector<BenchmarkCase> all_cases(const Model& model);

}  // namespace dynamics::benchmark
