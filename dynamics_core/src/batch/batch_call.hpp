// SPDX-License-Identifier: Apache-2.0
#pragma once

// A call of a batch function on doubles or floats.

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/overlap.hpp"
#include "batch/batch_memory.hpp"

namespace dynamics::batch {

/// Checks the arguments of a call one by one, up to the first problem, then runs it.
template <class Real>
class Call {
  using Memory = BatchWorkspace::Memory;
  using Job = BatchJobOf<Real>;
  using Table = BatchKernelTable<Real>;
  using Rows = RowsInMemory<Real>;
  static constexpr bool is_float = std::is_same_v<Real, float>;

 public:
  using Inputs = BatchView<const Real>;
  using Outputs = BatchView<Real>;

  Call(const Model& model, BatchWorkspace& workspace, Inputs q) noexcept
      : model_(model), memory_(workspace.memory()) {
    if (!check(check_workspace(model, memory_.single.memory()))) return;
    memory_.set_model(job_, model);
    const BatchArgument argument = take("q", q, {});
    if (status_ != Status::ok) return;
    states_ = model.size() == 0 ? 0 : argument.state_count();
    job_.q = {q.data(), argument.stride()};
    remember("q", job_.q);
    base_ = base_state(model, std::nullopt);
  }

  Call& rates(Inputs qd) noexcept {
    job_.qd = {qd.data(), take("qd", qd, {.states = states_}).stride()};
    remember("qd", job_.qd);
    return *this;
  }
  Call& input(const char* name, Inputs values) noexcept {
    job_.input = {values.data(), take(name, values, {.states = states_}).stride()};
    remember(name, job_.input);
    return *this;
  }
  /// `rows` of n entries per state
  Call& output(const char* name, Outputs values, std::size_t rows) noexcept {
    const BatchArgument argument =
        take(name, values, {.rows = rows, .states = states_, .written = true});
    width_ = argument.width;
    const Rows memory = {values.data(), width_, states_, states_ > 1 ? argument.stride() : 0};
    for (std::size_t i = 0; i < argument_count_; ++i) check_overlap(arguments_[i], {name, memory});
    arguments_[argument_count_++] = {name, memory};
    job_.output[outputs_++] = {values.data(), argument.stride()};
    output_bytes_ += states_ * width_ * sizeof(Real);
    return *this;
  }
  Call& under(const ExternalInputs& external) noexcept {
    Workspace::Memory& single = memory_.single.memory();
    if (!check(Checks(single.problem)
                   .external_inputs(model_, external)
                   .local_axes("a batch", external.wrenches))) {
      return *this;
    }
    base_ = base_state(model_, external.base);
    job_.friction = external.friction;
    job_.wrenches = body_wrenches(model_, single, nullptr, external.wrenches, external.base);
    return *this;
  }
  Call& regular() noexcept {
    check(Checks(memory_.single.memory().problem).regular(model_));
    return *this;
  }

  /// Runs the kernel on all states. single(k) computes state k alone, where the kernel has no
  /// result, and returns its status; `reason` is then that of its failure.
  template <class Single>
  Status run(typename Table::Function Table::*function, const Problem& reason,
             Single&& single) noexcept {
    if (status_ != Status::ok || states_ == 0) return status_;
    job_.base = &base_;
    job_.larger_than_cache = output_bytes_ > memory_.cache_bytes;
    std::fill(memory_.faults.begin(), memory_.faults.end(), 0);
    const std::size_t chunk = chunk_size();
    const typename Table::Function kernel = Memory::kernels<Real>().*function;
    memory_.pool.run((states_ + chunk - 1) / chunk, [&](std::size_t part, std::size_t thread) {
      const std::size_t first = part * chunk, last = std::min(first + chunk, states_);
      const std::size_t faults = kernel(job_, first, last, memory_.scratch[thread].get());
      if (faults > 0) memory_.faults[thread] += faults;
    });
    const bool faultless = std::all_of(memory_.faults.begin(), memory_.faults.end(),
                                       [](std::size_t faults) { return faults == 0; });
    return faultless ? Status::ok : explain(reason, single);
  }

  // A state for the functions for one state. Floats are converted to doubles.
  ConstVector q(std::size_t state) { return row(job_.q, state, 0); }
  ConstVector qd(std::size_t state) { return row(job_.qd, state, 1); }
  ConstVector input(std::size_t state) { return row(job_.input, state, 2); }
  MutableVector output(std::size_t state) {
    if constexpr (is_float) {
      return memory_.row[3];
    } else {
      return {job_.output[0].data + state * job_.output[0].stride, job_.size};
    }
  }
  /// A matrix of one state: its columns are contiguous.
  Eigen::Map<Eigen::MatrixXd> matrix(std::size_t output, std::size_t state) const
      requires(std::is_same_v<Real, double>) {
    const typename Job::Output& to = job_.output[output];
    const auto n = static_cast<Eigen::Index>(job_.size);
    return {to.data + state * to.stride, n, n};
  }

 private:
  struct Argument {
    const char* name;
    Rows rows;
  };
  ConstVector row(const typename Job::Input& from, std::size_t state, std::size_t buffer) {
    const Real* entries = from.data + state * from.stride;
    if constexpr (is_float) {
      std::vector<double>& converted = memory_.row[buffer];
      std::copy_n(entries, job_.size, converted.begin());
      return converted;
    } else {
      return {entries, job_.size};
    }
  }
  void remember(const char* name, const typename Job::Input& input) noexcept {
    arguments_[argument_count_++] = {
        name, {input.data, job_.size, states_, states_ > 1 ? input.stride : 0}};
  }
  /// An output may replace an input state by state; any other overlap would overwrite states that
  /// have not been read.
  void check_overlap(const Argument& other, const Argument& output) noexcept {
    if (status_ != Status::ok || !overlap(other.rows, output.rows)) return;
    const bool could_replace = outputs_ == 0 && width_ == job_.size;
    if (could_replace && other.rows == output.rows) return;
    status_ = Status::shared_memory;
    memory_.problem.kind = BatchProblem::Kind::overlap;
    memory_.problem.overlapping[0] = other.name;
    memory_.problem.overlapping[1] = output.name;
    memory_.problem.could_replace = width_ == job_.size;
  }

  struct Needed {
    std::size_t rows = 1;               ///< of n entries per state
    std::optional<std::size_t> states;  ///< none: any number
    bool written = false;
  };
  /// An argument, checked unless there was a problem before.
  template <class Batch>
  BatchArgument take(const char* name, const Batch& batch, const Needed& needed) noexcept {
    BatchArgument argument;
    argument.name = name;
    argument.width = needed.rows * model_.size();
    argument.states = needed.states;
    argument.written = needed.written;
    argument.shape = batch.shape();
    argument.vector_size = batch.vector_size();
    if (status_ == Status::ok && !argument.fits()) {
      status_ = Status::wrong_size;
      memory_.problem.kind = BatchProblem::Kind::argument;
      memory_.problem.argument = argument;
    }
    return argument;
  }
  /// Takes over the result of checks, unless there was a problem before. Returns whether all is
  /// well.
  bool check(const Checks& checks) noexcept {
    if (status_ == Status::ok && checks.status() != Status::ok) {
      status_ = checks.status();
      memory_.problem.kind = BatchProblem::Kind::call;
      memory_.problem.reason = memory_.single.memory().problem;
    }
    return status_ == Status::ok;
  }

  /// States per chunk: complete packs, so that a state's result does not depend on the chunks. For
  /// one thread all states, because each chunk prepares the scratch. For several threads few enough
  /// for a cache and to be divided evenly, enough for several packs.
  std::size_t chunk_size() const {
    const std::size_t fitting = std::clamp<std::size_t>(2048 / width_, 1, 256);
    const std::size_t even = std::min<std::size_t>(64, states_ / (4 * memory_.pool.size()));
    const std::size_t wanted = memory_.pool.size() == 1 ? states_ : std::max(fitting, even);
    const std::size_t pack_size = Memory::kernels<Real>().pack_size;
    return (wanted + pack_size - 1) / pack_size * pack_size;
  }

  /// Computes the states that have no result one by one: that gives the reason. A state that only
  /// single precision cannot solve gets the result of double precision.
  template <class Single>
  Status explain(const Problem& reason, Single&& single) noexcept {
    BatchProblem& problem = memory_.problem;
    problem.count = 0;
    for (std::size_t state = 0; state < states_; ++state) {
      Real* result = job_.output[0].data + state * job_.output[0].stride;
      if (!std::isnan(result[0])) continue;
      const Status status = single(state);
      if (status == Status::ok && is_float && width_ == job_.size) {
        std::transform(memory_.row[3].begin(), memory_.row[3].end(), result,
                       [](double x) { return static_cast<Real>(x); });
      }
      if (status == Status::ok || problem.count++ > 0) continue;
      status_ = status;
      problem.kind = BatchProblem::Kind::states;
      problem.reason = reason;
      problem.first = state;
      problem.states = states_;
    }
    return status_;
  }

  const Model& model_;
  Memory& memory_;
  Job job_;
  kernel::BaseState<double> base_;
  std::size_t states_ = 0, outputs_ = 0, width_ = 0, output_bytes_ = 0;
  Status status_ = Status::ok;
  Argument arguments_[6] = {};
  std::size_t argument_count_ = 0;
};

}  // namespace dynamics::batch
