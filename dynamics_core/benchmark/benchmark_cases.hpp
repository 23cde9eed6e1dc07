// SPDX-License-Identifier: Apache-2.0
#pragma once

// This library and its peers on the same work, for the benchmarks: the PUMA, random states that are
// not zero and change with every call.

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dynamics_core/model.hpp"

namespace dynamics::benchmark {

/// The states of all contenders.
struct States {
  explicit States(std::size_t size, std::size_t count, unsigned seed = 1, double speed = 3.0);
  std::size_t size, count;
  std::vector<double> q, qd, u;  ///< one row a state; u: accelerations or joint forces
  ConstVector row(const std::vector<double>& rows, std::size_t state) const {
    return {rows.data() + state % count * size, size};
  }
};

/// One way to do a work.
struct Contender {
  std::string work;  ///< inverse, forward, inertia matrix, batch inverse, batch forward
  std::string name;  ///< ours, kdl, mujoco, pinocchio
  std::size_t threads = 1;
  std::size_t states_per_call = 1;
  /// That many calls, with the states from `first` on.
  std::function<void(std::size_t first, std::size_t calls)> run;
  /// What the last call gave: joint forces or accelerations as a column, or the matrix. None of
  /// batches.
  std::function<Eigen::MatrixXd()> result = nullptr;
};

const Model& puma();
inline constexpr std::size_t batch_size = 2048;    ///< in the second cache
inline constexpr std::size_t large_batch = 65536;  ///< worth waking threads for

/// Batches of so many states of the PUMA; empty where there are fewer processors than threads.
std::vector<Contender> batches(std::size_t threads, std::size_t states);
/// The same work in two halves by two threads that share nothing, memory included: what two threads
/// of this machine gain at most. Empty where there is one processor.
std::vector<Contender> separate_halves(std::size_t states);
/// Inverse and forward dynamics of a model of any size.
std::vector<Contender> ours_on(const Model& model);
/// A chain or a tree of n joints, for the growth of the cost.
Model chain(std::size_t joints);
Model tree(std::size_t joints);

/// The peers that this build has, each with its version; empty where it is not here.
std::vector<Contender> kdl();
std::vector<Contender> mujoco();
std::vector<Contender> pinocchio();
std::string kdl_version();
std::string mujoco_version();
std::string pinocchio_version();

/// All contenders of the PUMA on one thread, ours first.
std::vector<Contender> all_contenders();

}  // namespace dynamics::benchmark
