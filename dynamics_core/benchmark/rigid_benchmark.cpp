// SPDX-License-Identifier: Apache-2.0
// This library beside KDL, MuJoCo and, where it is, Pinocchio, in one process: PUMA, one state a
// call and batches; and how the cost of chains and trees grows with their joints.
//
//   dynamics_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//   dynamics_benchmark --benchmark_filter='chain|tree'
//
// `dynamics bench` is the short form of it.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "contenders.hpp"
#include "support/allocation_counter.hpp"

namespace {

namespace counter = dynamics::test::allocation_counter;
using dynamics::benchmark::Contender;

void run(benchmark::State& state, const Contender& contender) {
  contender.run(0, 1);
  std::size_t first = 0;
  counter::start();
  for (auto _ : state) {
    contender.run(first++, 1);
    benchmark::ClobberMemory();
  }
  const auto allocations = static_cast<double>(counter::stop());
  if (counter::available()) {
    state.counters["allocations"] =
        benchmark::Counter(allocations, benchmark::Counter::kAvgIterations);
  }
  const auto states = static_cast<double>(contender.states_per_call);
  state.counters["per_state"] = benchmark::Counter(
      states, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void grow(benchmark::State& state, bool tree, std::size_t work) {
  const auto joints = static_cast<std::size_t>(state.range(0));
  const dynamics::Model model =
      tree ? dynamics::benchmark::tree(joints) : dynamics::benchmark::chain(joints);
  run(state, dynamics::benchmark::ours_on(model)[work]);
  state.SetComplexityN(state.range(0));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Contender> contenders = dynamics::benchmark::all_contenders();
  for (const std::size_t threads : {1U, 2U}) {
    for (Contender& large :
         dynamics::benchmark::batches(threads, dynamics::benchmark::large_batch)) {
      large.work = "large " + large.work;
      contenders.push_back(large);
    }
  }
  for (const Contender& contender : contenders) {
    const std::string threads =
        contender.threads > 1 ? fmt::format("/{} threads", contender.threads) : "";
    const std::string name = fmt::format("{}/{}{}", contender.work, contender.name, threads);
    benchmark::RegisterBenchmark(name.c_str(), [contender](benchmark::State& state) {
      run(state, contender);
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
