// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/batch.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <new>
#include <thread>
#include <vector>

#include "base/overlap.hpp"
#include "batch/batch_argument.hpp"
#include "batch/batch_kernel_table.hpp"
#include "batch/thread_pool.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/regular.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

constexpr std::align_val_t line{64};  // cache line, and the widest register

struct AlignedDelete {
  void operator()(std::byte* memory) const { ::operator delete[](memory, line); }
};

std::size_t thread_count(std::size_t asked) {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  return asked == 0 ? processors
                    : std::min<std::size_t>(asked, std::max<std::size_t>(processors, 2));
}

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

std::string message_of(const Problem& problem, const Model& model) {
  try {
    raise(problem, model);
  } catch (const Error& error) {
    return error.what();
  }
}

/// Throws the error of a problem, with its message.
[[noreturn]] void raise(const BatchProblem& problem, const Model& model) {
  using Kind = BatchProblem::Kind;
  if (problem.kind == Kind::argument) throw ArgumentError(problem.argument.message());
  if (problem.kind == Kind::overlap) {
    throw ArgumentError(
        fmt::format("{} and {} overlap in memory: give each memory of its own{}",
                    problem.overlapping[0], problem.overlapping[1],
                    problem.could_replace ? ", or the same one in the same layout" : ""));
  }
  if (problem.kind == Kind::call) raise(problem.reason, model);
  const std::string reason = message_of(problem.reason, model);
  const std::size_t others = problem.states - problem.count;
  throw BatchError(
      problem.count == 1
          ? fmt::format("state {}: {} (the other {} states are computed)", problem.first, reason,
                        others)
          : fmt::format("state {}, the first of {} without a result: {} (the other {} states are "
                        "computed)",
                        problem.first, problem.count, reason, others),
      problem.first, problem.count);
}

}  // namespace

struct BatchWorkspace::Memory {
  Memory(const Model& model, const BatchOptions& options)
      : kernels(batch_kernel_table(instruction_set())),
        pool(thread_count(options.threads)),
        single(model),
        derivative(model),
        joints(model.body_count()),
        faults(pool.size()) {
    BatchJob job;
    set_model(job, model);
    // a payload may change whether a mimic joint is massless
    job.massless_mimic = single.memory().dense.size() > 0;
    const std::size_t bytes = kernels.scratch_bytes(job);
    for (std::size_t i = 0; i < pool.size(); ++i) {
      scratch.emplace_back(
          static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 1), line)));
    }
  }

  /// Sets the part of a job that depends on the model.
  void set_model(BatchJob& job, const Model& model) noexcept {
    const Workspace::Memory& memory = single.memory();
    job.tree = model.tree();
    job.size = model.size();
    job.friction_velocity = model.friction_velocity();
    job.pitches = model.pitch_coordinates().data();
    job.pitch_count = model.pitch_coordinates().size();
    if (model.coordinates_are_bodies()) return;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Body& body = model.bodies()[i];
      joints[i] = {body.coordinate, body.multiplier, body.offset, model.is_mimic(i)};
    }
    job.joints = joints.data();
    job.leaders = memory.leaders.data();
    job.followers = memory.followers.data();
    job.coupling_count = static_cast<std::size_t>(memory.coupling_columns.cols());
    job.massless_mimic = solves_over_coordinates(model) && memory.dense.size() > 0;
  }

  const BatchKernelTable& kernels;
  ThreadPool pool;
  Workspace single;  ///< for states without a result
  DerivativeWorkspace derivative;
  std::vector<BatchJob::Joint> joints;
  std::vector<std::size_t> faults;  ///< states without a result, one entry per thread
  BatchProblem problem;             ///< of the last call that failed
  std::vector<std::unique_ptr<std::byte[], AlignedDelete>> scratch;  ///< one per thread
};

BatchWorkspace::BatchWorkspace(const Model& model, const BatchOptions& options)
    : memory_(std::make_unique<Memory>(model, options)) {}
BatchWorkspace::~BatchWorkspace() = default;
BatchWorkspace::BatchWorkspace(BatchWorkspace&&) noexcept = default;
BatchWorkspace& BatchWorkspace::operator=(BatchWorkspace&&) noexcept = default;
std::size_t BatchWorkspace::threads() const { return memory_->pool.size(); }
std::size_t BatchWorkspace::pack_size() const { return memory_->kernels.pack_size; }

namespace batch {
namespace {

using Memory = BatchWorkspace::Memory;

/// Checks the arguments of a call one by one, up to the first problem, then runs it.
class Call {
 public:
  Call(const Model& model, BatchWorkspace& workspace, ConstBatch q) noexcept
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

  Call& rates(ConstBatch qd) noexcept {
    job_.qd = {qd.data(), take("qd", qd, {.states = states_}).stride()};
    remember("qd", job_.qd);
    return *this;
  }
  Call& input(const char* name, ConstBatch values) noexcept {
    job_.input = {values.data(), take(name, values, {.states = states_}).stride()};
    remember(name, job_.input);
    return *this;
  }
  /// `rows` of n entries per state
  Call& output(const char* name, MutableBatch values, std::size_t rows) noexcept {
    const BatchArgument argument =
        take(name, values, {.rows = rows, .states = states_, .written = true});
    width_ = argument.width;
    const MemoryRows memory = {values.data(), width_, states_, states_ > 1 ? argument.stride() : 0};
    for (std::size_t i = 0; i < argument_count_; ++i) check_overlap(arguments_[i], {name, memory});
    arguments_[argument_count_++] = {name, memory};
    job_.output[outputs_++] = {values.data(), argument.stride()};
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
  Status run(BatchKernelTable::Function BatchKernelTable::*function, const Problem& reason,
             Single&& single) noexcept {
    if (status_ != Status::ok || states_ == 0) return status_;
    job_.base = &base_;
    std::fill(memory_.faults.begin(), memory_.faults.end(), 0);
    const std::size_t chunk = chunk_size();
    const BatchKernelTable::Function kernel = memory_.kernels.*function;
    memory_.pool.run((states_ + chunk - 1) / chunk, [&](std::size_t part, std::size_t thread) {
      const std::size_t first = part * chunk, last = std::min(first + chunk, states_);
      const std::size_t faults = kernel(job_, first, last, memory_.scratch[thread].get());
      if (faults > 0) memory_.faults[thread] += faults;
    });
    const bool faultless = std::all_of(memory_.faults.begin(), memory_.faults.end(),
                                       [](std::size_t faults) { return faults == 0; });
    return faultless ? Status::ok : explain(reason, single);
  }

  ConstVector row(const BatchJob::Input& input, std::size_t state) const {
    return {input.data + state * input.stride, job_.size};
  }
  ConstVector q(std::size_t state) const { return row(job_.q, state); }
  ConstVector qd(std::size_t state) const { return row(job_.qd, state); }
  ConstVector input(std::size_t state) const { return row(job_.input, state); }
  MutableVector output(std::size_t state) const {
    return {job_.output[0].data + state * job_.output[0].stride, job_.size};
  }
  /// A matrix of one state: its columns are contiguous.
  Eigen::Map<Eigen::MatrixXd> matrix(std::size_t output, std::size_t state) const {
    const BatchJob::Output& to = job_.output[output];
    const auto n = static_cast<Eigen::Index>(job_.size);
    return {to.data + state * to.stride, n, n};
  }

 private:
  struct Argument {
    const char* name;
    MemoryRows rows;
  };
  void remember(const char* name, const BatchJob::Input& input) noexcept {
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

  /// States per chunk: few enough for a cache and to be divided evenly among threads, enough to
  /// prepare the scratch only once for several packs, and complete packs, so that a state's result
  /// does not depend on the chunks.
  std::size_t chunk_size() const {
    const std::size_t fitting = std::clamp<std::size_t>(2048 / width_, 1, 256);
    const std::size_t even = std::min<std::size_t>(64, states_ / (4 * memory_.pool.size()));
    const std::size_t wanted = std::max(fitting, even);
    return (wanted + memory_.kernels.pack_size - 1) / memory_.kernels.pack_size *
           memory_.kernels.pack_size;
  }

  /// Computes the states that have no result one by one: that gives the reason.
  template <class Single>
  Status explain(const Problem& reason, Single&& single) noexcept {
    BatchProblem& problem = memory_.problem;
    problem.count = 0;
    for (std::size_t state = 0; state < states_; ++state) {
      if (!std::isnan(output(state)[0])) continue;
      const Status status = single(state);
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
  BatchJob job_;
  kernel::BaseState<double> base_;
  std::size_t states_ = 0, outputs_ = 0, width_ = 0;
  Status status_ = Status::ok;
  Argument arguments_[6] = {};
  std::size_t argument_count_ = 0;
};

/// Throws where a call has failed.
void require(Status status, const Model& model, BatchWorkspace& workspace) {
  if (status != Status::ok) raise(workspace.memory().problem, model);
}

}  // namespace

Status try_inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                            ConstBatch qd, ConstBatch qdd, MutableBatch tau,
                            const ExternalInputs& external) noexcept {
  Workspace& single = workspace.memory().single;
  Call call(model, workspace, q);
  call.rates(qd).input("qdd", qdd).output("tau", tau, 1).under(external);
  return call.run(&BatchKernelTable::inverse_dynamics, single.memory().problem, [&](std::size_t k) {
    return dynamics::try_inverse_dynamics(model, single, call.q(k), call.qd(k), call.input(k),
                                          call.output(k), external);
  });
}

void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch qdd, MutableBatch tau, const ExternalInputs& external) {
  require(try_inverse_dynamics(model, workspace, q, qd, qdd, tau, external), model, workspace);
}

Status try_gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                          MutableBatch g) noexcept {
  Workspace& single = workspace.memory().single;
  Call call(model, workspace, q);
  call.output("g", g, 1);
  return call.run(&BatchKernelTable::gravity_forces, single.memory().problem, [&](std::size_t k) {
    return dynamics::try_gravity_forces(model, single, call.q(k), call.output(k));
  });
}

void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch g) {
  require(try_gravity_forces(model, workspace, q, g), model, workspace);
}

Status try_forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                            ConstBatch qd, ConstBatch tau, MutableBatch qdd,
                            const ExternalInputs& external) noexcept {
  Workspace& single = workspace.memory().single;
  Call call(model, workspace, q);
  call.rates(qd).input("tau", tau).output("qdd", qdd, 1).under(external).regular();
  return call.run(&BatchKernelTable::forward_dynamics, single.memory().problem, [&](std::size_t k) {
    return dynamics::try_forward_dynamics(model, single, call.q(k), call.qd(k), call.input(k),
                                          call.output(k), external);
  });
}

void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch tau, MutableBatch qdd, const ExternalInputs& external) {
  require(try_forward_dynamics(model, workspace, q, qd, tau, qdd, external), model, workspace);
}

Status try_inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                          MutableBatch M) noexcept {
  Workspace& single = workspace.memory().single;
  Call call(model, workspace, q);
  call.output("M", M, model.size());
  return call.run(&BatchKernelTable::inertia_matrix, single.memory().problem, [&](std::size_t k) {
    return dynamics::try_inertia_matrix(model, single, call.q(k), call.matrix(0, k));
  });
}

void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch M) {
  require(try_inertia_matrix(model, workspace, q, M), model, workspace);
}

Status try_inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                        ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                        MutableBatch tau_by_qd,
                                        const ExternalInputs& external) noexcept {
  DerivativeWorkspace& single = workspace.memory().derivative;
  Call call(model, workspace, q);
  call.rates(qd).input("qdd", qdd);
  call.output("tau_by_q", tau_by_q, model.size()).output("tau_by_qd", tau_by_qd, model.size());
  call.under(external);
  return call.run(
      &BatchKernelTable::inverse_dynamics_derivatives, problem_of(single), [&](std::size_t k) {
        return dynamics::try_inverse_dynamics_derivatives(model, single, call.q(k), call.qd(k),
                                                          call.input(k), call.matrix(0, k),
                                                          call.matrix(1, k), external);
      });
}

void inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                  MutableBatch tau_by_qd, const ExternalInputs& external) {
  require(
      try_inverse_dynamics_derivatives(model, workspace, q, qd, qdd, tau_by_q, tau_by_qd, external),
      model, workspace);
}

Status try_forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                        ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                        MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                        const ExternalInputs& external) noexcept {
  DerivativeWorkspace& single = workspace.memory().derivative;
  Call call(model, workspace, q);
  call.rates(qd).input("tau", tau);
  call.output("qdd_by_q", qdd_by_q, model.size()).output("qdd_by_qd", qdd_by_qd, model.size());
  call.output("qdd_by_tau", qdd_by_tau, model.size());
  call.under(external).regular();
  return call.run(&BatchKernelTable::forward_dynamics_derivatives, problem_of(single),
                  [&](std::size_t k) {
                    return dynamics::try_forward_dynamics_derivatives(
                        model, single, call.q(k), call.qd(k), call.input(k), call.matrix(0, k),
                        call.matrix(1, k), call.matrix(2, k), external);
                  });
}

void forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                  MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                  const ExternalInputs& external) {
  require(try_forward_dynamics_derivatives(model, workspace, q, qd, tau, qdd_by_q, qdd_by_qd,
                                           qdd_by_tau, external),
          model, workspace);
}

}  // namespace batch
}  // namespace dynamics
