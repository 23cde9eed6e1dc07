// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <thread>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/error.hpp"
#include "operation.hpp"

namespace dynamics::python {
namespace {

/// Below this many numbers per input a batch runs on the calling thread alone: waking the others
/// would take longer.
constexpr std::size_t least_numbers_for_threads = 8192;

bool has_simd(const Call& call) {
  if (call.robot.flexible() || call.robot.mechanism() || call.algorithm != nullptr) return false;
  for (const LinkWrench& wrench : call.wrenches) {
    if (wrench.axes != Axes::local) return false;
  }
  switch (call.operation) {
    case Operation::inverse:
    case Operation::bias:
    case Operation::forward:
    case Operation::gravity:
    case Operation::inertia:
    case Operation::inverse_derivatives:
    case Operation::forward_derivatives: return true;
    default: return false;
  }
}

/// From the column-major matrices of the library to row-major ones.
void transpose_all(double* matrices, std::size_t count, std::size_t n) {
  for (std::size_t k = 0; k < count; ++k) {
    double* const matrix = matrices + k * n * n;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(matrix[i * n + j], matrix[j * n + i]);
    }
  }
}

void compute_in_registers(const Call& call, BatchWorkspace& workspace, std::size_t states,
                          const State& first) {
  const Model& model = call.robot.model();
  const std::size_t n = model.size();
  std::vector<double> zeros;
  const auto input = [&](std::size_t i) {
    if (first.in[i] != nullptr) return ConstBatch(first.in[i], states * n);
    zeros.resize(states * n, 0.0);
    return ConstBatch(zeros);
  };
  const auto output = [&](std::size_t i, std::size_t rows) {
    return MutableBatch(first.out[i], states * n * rows);
  };
  switch (call.operation) {
    case Operation::inverse:
    case Operation::bias:
      batch::inverse_dynamics(model, workspace, input(0), input(1), input(2), output(0, 1),
                              call.external);
      return;
    case Operation::forward:
      batch::forward_dynamics(model, workspace, input(0), input(1), input(2), output(0, 1),
                              call.external);
      return;
    case Operation::gravity:
      batch::gravity_forces(model, workspace, input(0), output(0, 1));
      return;
    case Operation::inertia:
      batch::inertia_matrix(model, workspace, input(0), output(0, n));
      return;
    case Operation::inverse_derivatives:
      batch::inverse_dynamics_derivatives(model, workspace, input(0), input(1), input(2),
                                          output(0, n), output(1, n), call.external);
      return;
    default:
      batch::forward_dynamics_derivatives(model, workspace, input(0), input(1), input(2),
                                          output(0, n), output(1, n), output(2, n), call.external);
  }
}

/// The states without a result of one thread.
struct Failures {
  std::size_t first = 0, count = 0;
  std::string reason;
  std::exception_ptr other;  ///< not an error of the library
};

void compute_range(const Call& call, std::size_t begin, std::size_t end, const State& first,
                   const ResultShapes& results, Failures& failures) noexcept {
  try {
    const Robot::Lease scratch(call.robot);
    for (std::size_t k = begin; k < end; ++k) {
      State state;
      for (std::size_t i = 0; i < largest_inputs; ++i) {
        state.in[i] =
            first.in[i] == nullptr ? call.robot.zeros() : first.in[i] + k * call.widths[i];
      }
      for (std::size_t i = 0; i < results.count; ++i)
        state.out[i] = first.out[i] + k * results.shapes[i].entries();
      try {
        compute(call, *scratch, state);
      } catch (const Error& error) {
        if (failures.count++ == 0) {
          failures.first = k;
          failures.reason = error.what();
        }
        for (std::size_t i = 0; i < results.count; ++i) {
          std::fill_n(state.out[i], results.shapes[i].entries(),
                      std::numeric_limits<double>::quiet_NaN());
        }
      }
    }
  } catch (...) {
    failures.other = std::current_exception();
  }
}

/// One by one, a range of states per thread.
void compute_in_turn(const Call& call, std::size_t states, const State& first,
                     const ResultShapes& results, std::size_t threads) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  threads = std::min(threads, std::max<std::size_t>(states, 1));
  std::vector<Failures> failures(threads);
  const auto range = [&](std::size_t i) {
    compute_range(call, states * i / threads, states * (i + 1) / threads, first, results,
                  failures[i]);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(range, i);
  range(0);
  others.clear();  // waits
  std::size_t count = 0;
  for (const Failures& failed : failures) {
    if (failed.other) std::rethrow_exception(failed.other);
    count += failed.count;
  }
  for (const Failures& failed : failures) {
    if (failed.count == 0) continue;
    const std::string which =
        count == 1 ? fmt::format("state {}", failed.first)
                   : fmt::format("state {}, the first of {} without a result", failed.first, count);
    throw BatchError(fmt::format("{}: {} (the other {} states are computed)", which, failed.reason,
                                 states - count),
                     failed.first, count);
  }
}

}  // namespace

void compute_batch(const Call& call, std::size_t states, const State& first,
                   const ResultShapes& results, std::size_t threads) {
  const std::size_t n = call.robot.size();
  if (states == 0 || n == 0) return;
  if (threads == 0 && states * n < least_numbers_for_threads) threads = 1;
  if (!has_simd(call)) {
    compute_in_turn(call, states, first, results, threads);
    return;
  }
  const Robot::Lease scratch(call.robot);
  const auto reorder = [&] {
    if (call.operation != Operation::inverse_derivatives &&
        call.operation != Operation::forward_derivatives)
      return;
    for (std::size_t i = 0; i < results.count; ++i) transpose_all(first.out[i], states, n);
  };
  try {
    compute_in_registers(call, scratch->batch(threads), states, first);
  } catch (const BatchError&) {
    reorder();
    throw;
  }
  reorder();
}

}  // namespace dynamics::python
