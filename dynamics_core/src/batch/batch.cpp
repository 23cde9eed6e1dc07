// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/batch.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <new>
#include <thread>
#include <vector>

#include "batch/batch_kernel_table.hpp"
#include "batch/thread_pool.hpp"
#include "dynamics_core/derivatives.hpp"
#include "dynamics_core/forward_dynamics.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/inverse_dynamics.hpp"
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
  return asked == 0 ? processors : std::min(asked, processors);
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
    const auto n = static_cast<Eigen::Index>(model.size());
    for (Eigen::MatrixXd& matrix : matrices) matrix.resize(n, n);
    BatchJob job = job_for(model);
    // a payload may change whether a mimic joint is massless
    job.massless_mimic = single.memory().dense.size() > 0;
    const std::size_t bytes = kernels.scratch_bytes(job);
    for (std::size_t i = 0; i < pool.size(); ++i) {
      scratch.emplace_back(
          static_cast<std::byte*>(::operator new[](std::max<std::size_t>(bytes, 1), line)));
    }
  }

  /// The part of a job that depends on the model.
  BatchJob job_for(const Model& model) {
    const Workspace::Memory& memory = memory_for(model, single);
    BatchJob job;
    job.tree = model.tree();
    job.size = model.size();
    job.friction_velocity = model.friction_velocity();
    job.pitches = model.pitch_coordinates().data();
    job.pitch_count = model.pitch_coordinates().size();
    if (model.coordinates_are_bodies()) return job;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Body& body = model.bodies()[i];
      joints[i] = {body.coordinate, body.multiplier, body.offset, model.is_mimic(i)};
    }
    job.joints = joints.data();
    job.leaders = memory.leaders.data();
    job.followers = memory.followers.data();
    job.coupling_count = static_cast<std::size_t>(memory.coupling_columns.cols());
    job.massless_mimic = solves_over_coordinates(model) && memory.dense.size() > 0;
    return job;
  }

  const BatchKernelTable& kernels;
  ThreadPool pool;
  Workspace single;  ///< for states without a result
  DerivativeWorkspace derivative;
  std::vector<BatchJob::Joint> joints;
  std::vector<BatchFaults> faults;  ///< one per thread
  Eigen::MatrixXd matrices[3];
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

/// The number of states of an argument and their stride. Each must have `width` entries; `expected`
/// states where the number is known.
struct Layout {
  std::size_t states, stride;
};
Layout layout(const char* name, const view::BatchShape& shape, const view::Size& vector_size,
              std::size_t width, std::optional<std::size_t> expected) {
  using Kind = view::BatchShape::Kind;
  if (!vector_size.is_vector()) {
    throw ArgumentError(vector_size.problem(name, width * expected.value_or(1)));
  }
  if (shape.kind == Kind::vector) {
    const std::size_t size = shape.cols;
    if (expected ? size != width * *expected : width == 0 ? size != 0 : size % width != 0) {
      throw ArgumentError(
          expected
              ? fmt::format("{} has {} entries; {} are needed, {} for each of {} states", name,
                            size, width * *expected, width, *expected)
              : fmt::format("{} has {} entries; a multiple of {}, the coordinates of a state, is "
                            "needed",
                            name, size, width));
    }
    return {width == 0 ? 0 : size / width, width};
  }
  if (shape.kind == Kind::strided || shape.stride < 0) {
    throw ArgumentError(
        fmt::format("{} is {} x {} with a stride of {}: the entries of a state must be side by "
                    "side in memory, in increasing order of states; copy it first",
                    name, shape.rows, shape.cols, shape.stride));
  }
  if (shape.width() != width || (expected && shape.states() != *expected)) {
    const std::string states = expected ? fmt::format("{}", *expected) : "N";
    throw ArgumentError(
        shape.kind == Kind::rows
            ? fmt::format("{} is a row-major {} x {} matrix; {} x {} is needed, one row per state",
                          name, shape.rows, shape.cols, states, width)
            : fmt::format("{} is {} x {}; {} x {} is needed, one column per state", name,
                          shape.rows, shape.cols, width, states));
  }
  return {shape.states(), static_cast<std::size_t>(shape.stride)};
}

/// Checks the arguments of a call one by one, then runs it.
class Call {
 public:
  Call(const Model& model, BatchWorkspace& workspace, ConstBatch q)
      : model_(model), memory_(workspace.memory()), job_(memory_.job_for(model)) {
    const Layout found = layout("q", q.shape(), q.vector_size(), model.size(), std::nullopt);
    states_ = model.size() == 0 ? 0 : found.states;
    job_.q = {q.data(), found.stride};
    base_ = base_state(model, std::nullopt);
  }

  Call& rates(ConstBatch qd) {
    job_.qd = {qd.data(), stride("qd", qd, 1)};
    return *this;
  }
  Call& input(const char* name, ConstBatch values) {
    job_.input = {values.data(), stride(name, values, 1)};
    return *this;
  }
  /// `width` rows of n entries per state
  Call& output(const char* name, MutableBatch values, std::size_t width) {
    width_ = width * model_.size();
    job_.output[outputs_] = {values.data(), stride(name, values, width)};
    if (states_ > 1 && job_.output[outputs_].stride < width_) {
      throw ArgumentError(
          fmt::format("{} has overlapping states: {} entries of {} start {} apart in memory", name,
                      states_, width_, job_.output[outputs_].stride));
    }
    ++outputs_;
    return *this;
  }
  Call& under(const ExternalInputs& external) {
    check_conditions(model_, external);
    for (const LinkWrench& wrench : external.wrenches) {
      if (wrench.axes != Axes::local) {
        throw ArgumentError(
            "a batch takes wrenches that turn with their links: give them in Axes::local");
      }
    }
    base_ = base_state(model_, external.base);
    job_.friction = external.friction;
    job_.wrenches =
        body_wrenches(model_, memory_.single.memory(), nullptr, external.wrenches, external.base);
    return *this;
  }
  Call& regular() {
    if (!model_.singular_reason().empty()) throw StateError("", model_.singular_reason());
    return *this;
  }

  /// Runs the kernel on all states. single(k) computes state k alone, where the kernel has no
  /// result.
  template <class Single>
  void run(BatchKernelTable::Function function, Single&& single) {
    if (states_ == 0) return;
    job_.base = &base_;
    std::fill(memory_.faults.begin(), memory_.faults.end(), BatchFaults{});
    const std::size_t chunk = chunk_size();
    memory_.pool.run((states_ + chunk - 1) / chunk, [&](std::size_t part, std::size_t thread) {
      const std::size_t first = part * chunk, last = std::min(first + chunk, states_);
      const BatchFaults found = function(job_, first, last, memory_.scratch[thread].get());
      BatchFaults& all = memory_.faults[thread];
      if (found.count == 0) return;
      all.first = all.count == 0 ? found.first : std::min(all.first, found.first);
      all.count += found.count;
    });
    const bool faultless = std::all_of(memory_.faults.begin(), memory_.faults.end(),
                                       [](const BatchFaults& f) { return f.count == 0; });
    if (!faultless) explain(single);
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
  /// Stores a matrix of one state, by columns.
  void put(std::size_t output, std::size_t state, const Eigen::MatrixXd& matrix) const {
    const BatchJob::Output& to = job_.output[output];
    Eigen::Map<Eigen::MatrixXd>(to.data + state * to.stride, matrix.rows(), matrix.cols()) = matrix;
  }
  Memory& memory() const { return memory_; }

 private:
  template <class Batch>
  std::size_t stride(const char* name, const Batch& batch, std::size_t width) const {
    return layout(name, batch.shape(), batch.vector_size(), width * model_.size(), states_).stride;
  }

  /// States per chunk: few enough for a cache and to be divided evenly among threads, and complete
  /// packs, so that a state's result does not depend on the chunks.
  std::size_t chunk_size() const {
    const std::size_t wanted = std::clamp<std::size_t>(2048 / width_, 1, 256);
    return (wanted + memory_.kernels.pack_size - 1) / memory_.kernels.pack_size *
           memory_.kernels.pack_size;
  }

  /// Computes the states that have no result one by one: that gives the reason.
  template <class Single>
  void explain(Single&& single) {
    std::size_t first = 0, count = 0;
    std::string reason;
    for (std::size_t state = 0; state < states_; ++state) {
      if (!std::isnan(output(state)[0])) continue;
      try {
        single(state);
      } catch (const std::exception& error) {
        if (count++ > 0) continue;
        first = state;
        reason = error.what();
      }
    }
    if (count == 0) return;
    throw BatchError(
        count == 1
            ? fmt::format("state {}: {} (the other {} states are computed)", first, reason,
                          states_ - 1)
            : fmt::format("state {}, the first of {} without a result: {} (the other {} states "
                          "are computed)",
                          first, count, reason, states_ - count),
        first, count);
  }

  const Model& model_;
  Memory& memory_;
  BatchJob job_;
  kernel::BaseState<double> base_;
  std::size_t states_ = 0, outputs_ = 0, width_ = 0;
};

}  // namespace

void inverse_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch qdd, MutableBatch tau, const ExternalInputs& external) {
  Call call(model, workspace, q);
  call.rates(qd).input("qdd", qdd).output("tau", tau, 1).under(external);
  call.run(call.memory().kernels.inverse_dynamics, [&](std::size_t k) {
    dynamics::inverse_dynamics(model, call.memory().single, call.q(k), call.qd(k), call.input(k),
                               call.output(k), external);
  });
}

void gravity_forces(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch g) {
  Call call(model, workspace, q);
  call.output("g", g, 1);
  call.run(call.memory().kernels.gravity_forces, [&](std::size_t k) {
    dynamics::gravity_forces(model, call.memory().single, call.q(k), call.output(k));
  });
}

void forward_dynamics(const Model& model, BatchWorkspace& workspace, ConstBatch q, ConstBatch qd,
                      ConstBatch tau, MutableBatch qdd, const ExternalInputs& external) {
  Call call(model, workspace, q);
  call.rates(qd).input("tau", tau).output("qdd", qdd, 1).under(external).regular();
  call.run(call.memory().kernels.forward_dynamics, [&](std::size_t k) {
    dynamics::forward_dynamics(model, call.memory().single, call.q(k), call.qd(k), call.input(k),
                               call.output(k), external);
  });
}

void inertia_matrix(const Model& model, BatchWorkspace& workspace, ConstBatch q, MutableBatch M) {
  Call call(model, workspace, q);
  call.output("M", M, model.size());
  call.run(call.memory().kernels.inertia_matrix, [&](std::size_t k) {
    Eigen::MatrixXd& matrix = call.memory().matrices[0];
    dynamics::inertia_matrix(model, call.memory().single, call.q(k), matrix);
    call.put(0, k, matrix);
  });
}

void inverse_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch qdd, MutableBatch tau_by_q,
                                  MutableBatch tau_by_qd, const ExternalInputs& external) {
  Call call(model, workspace, q);
  call.rates(qd).input("qdd", qdd);
  call.output("tau_by_q", tau_by_q, model.size()).output("tau_by_qd", tau_by_qd, model.size());
  call.under(external);
  call.run(call.memory().kernels.inverse_dynamics_derivatives, [&](std::size_t k) {
    auto& [by_q, by_qd, unused] = call.memory().matrices;
    dynamics::inverse_dynamics_derivatives(model, call.memory().derivative, call.q(k), call.qd(k),
                                           call.input(k), by_q, by_qd, external);
    call.put(0, k, by_q);
    call.put(1, k, by_qd);
  });
}

void forward_dynamics_derivatives(const Model& model, BatchWorkspace& workspace, ConstBatch q,
                                  ConstBatch qd, ConstBatch tau, MutableBatch qdd_by_q,
                                  MutableBatch qdd_by_qd, MutableBatch qdd_by_tau,
                                  const ExternalInputs& external) {
  Call call(model, workspace, q);
  call.rates(qd).input("tau", tau);
  call.output("qdd_by_q", qdd_by_q, model.size()).output("qdd_by_qd", qdd_by_qd, model.size());
  call.output("qdd_by_tau", qdd_by_tau, model.size());
  call.under(external).regular();
  call.run(call.memory().kernels.forward_dynamics_derivatives, [&](std::size_t k) {
    auto& [by_q, by_qd, by_tau] = call.memory().matrices;
    dynamics::forward_dynamics_derivatives(model, call.memory().derivative, call.q(k), call.qd(k),
                                           call.input(k), by_q, by_qd, by_tau, external);
    call.put(0, k, by_q);
    call.put(1, k, by_qd);
    call.put(2, k, by_tau);
  });
}

}  // namespace batch
}  // namespace dynamics
