// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a BatchWorkspace keeps from call to call.

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "batch/batch_argument.hpp"
#include "batch/batch_kernel_table.hpp"
#include "batch/thread_pool.hpp"
#include "dynamics_core/batch.hpp"
#include "dynamics_core/derivatives.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

/// Why a call failed, kept without allocating.
struct BatchProblem {
  enum class Kind {
    argument,  ///< `argument` does not fit
    overlap,   ///< the two arguments `overlapping` have memory in common
    call,      ///< `reason`
    states     ///< `reason` of the first one of `count` states without a result
  };
  Kind kind = Kind::call;
  BatchArgument argument;
  const char* overlapping[2] = {"", ""};
  bool could_replace = false;  ///< the output could replace the input in the same layout
  Problem reason;
  std::size_t first = 0, count = 0, states = 0;
};

/// Throws the error of a problem, with its message.
[[noreturn]] void raise(const BatchProblem& problem, const Model& model);

struct BatchWorkspace::Memory {
  Memory(const Model& model, const BatchOptions& options);

  template <class Real>
  static const BatchKernelTable<Real>& kernels() {
    return batch_kernel_table<Real>(instruction_set());
  }
  /// Sets the part of a job that depends on the model.
  template <class Real>
  void set_model(BatchJobOf<Real>& job, const Model& model) noexcept;
  template <class Real>
  std::size_t scratch_bytes(const Model& model);  ///< per thread

  ThreadPool pool;
  Workspace single;  ///< for states without a result
  DerivativeWorkspace derivative;
  std::vector<BatchJoint> joints;
  std::vector<BasicTreeBody<float>> float_tree;  ///< of the model of the last call with floats
  /// A state of floats as doubles: q, qd, input and output.
  std::vector<double> row[4];
  std::size_t cache_bytes;          ///< of the last-level cache
  std::vector<std::size_t> faults;  ///< states without a result, one entry per thread
  BatchProblem problem;             ///< of the last call that failed

  static constexpr std::align_val_t line{64};  ///< cache line, and the widest register
  struct AlignedDelete {
    void operator()(std::byte* memory) const { ::operator delete[](memory, line); }
  };
  std::vector<std::unique_ptr<std::byte[], AlignedDelete>> scratch;  ///< one per thread
};

}  // namespace dynamics
