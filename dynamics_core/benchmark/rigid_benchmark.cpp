// SPDX-License-Identifier: Apache-2.0
// This library, KDL, MuJoCo and, if found, Pinocchio in one process: the PUMA with one state per
// call and with batches; growth of the cost with the number of joints for chains and trees.
//
//   dynamics_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//   dynamics_benchmark --benchmark_filter='chain|tree'
//
// `dynamics bench` is the short version.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "benchmark_cases.hpp"
#include "support/allocation_counter.hpp"

namespace {

namespace counter = dynamics::test::allocation_counter;
using dynamics::benchmark::BenchmarkCase;

void run(benchmark::State& state, const BenchmarkCase& one_case) {
  one_case.run(0, 1);
  std::size_t first = 0;
  counter::start();
  for (auto _ : state) {
    one_case.run(first++, 1);
    benchmark::ClobberMemory();
  }
  const auto allocations = static_cast<double>(counter::stop());
  if (counter::available()) {
    state.counters["allocations"] =
        benchmark::Counter(allocations, benchmark::Counter::kAvgIterations);
  }
  const auto states = static_cast<double>(one_case.states_per_call);
  state.counters["per_state"] = benchmark::Counter(
      states, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void grow(benchmark::State& state, bool tree, std::size_t work) {
  const auto joints = static_cast<std::size_t>(state.range(0));
  const dynamics::Model model =
      tree ? dynamics::benchmark::tree(joints) : dynamics::benchmark::chain(joints);
  run(state, dynamics::benchmark::dynamics_on(model)[work]);
  state.SetComplexityN(state.range(0));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<BenchmarkCase> cases = dynamics::benchmark::all_cases(dynamics::benchmark::puma());
  for (const std::size_t threads : {1U, 2U}) {
    for (BenchmarkCase& large :
         dynamics::benchmark::batches(threads, dynamics::benchmark::large_batch)) {
      large.work = "large " + large.work;
      cases.push_back(large);
    }
  }
  for (const BenchmarkCase& one_case : cases) {
    const std::string threads =
        one_case.threads > 1 ? fmt::format("/{} threads", one_case.threads) : "";
    const std::string name = fmt::format("{}/{}{}", one_case.work, one_case.name, threads);
    benchmark::RegisterBenchmark(name.c_str(), [one_case](benchmark::State& state) {
      run(state, one_case);
    })->UseRealTime();
  }
  const char* works[] = {"inverse", "forward"};
  for (const bool tree : {false, true}) {
    for (std::size_t work = 0; work < 2; ++work) {
      const std::string name = fmt::format("{}/{}", works[work], tree ? "tree" : "chain");
      benchmark::RegisterBenchmark(
          name.c_str(), [tree, work](benchmark::State& state) { grow(state, tree, work); })
          ->RangeMultiplier(2)
          ->Range(4, 1024)
          ->Complexity(benchmark::oN);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
