// SPDX-License-Identifier: Apache-2.0
// Forward dynamics of N four-bars, each carried by the coupler of the previous one: O(N).
//
//   loops_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#include "dynamics_core/closed_loops.hpp"
#include "loops/mechanisms.hpp"

namespace dynamics {
namespace {

void forward(benchmark::State& state, const std::string& urdf) {
  const Mechanism mechanism = mechanism_from_urdf(urdf);
  MechanismWorkspace workspace(mechanism);
  std::vector<double> q(mechanism.start().begin(), mechanism.start().end()), qd(q.size(), 0.1),
      tau(q.size(), 0.0), qdd(q.size());
  project_on_loops(mechanism, workspace, q, qd);
  for (auto _ : state) {
    forward_dynamics(mechanism, workspace, q, qd, tau, qdd);
    benchmark::DoNotOptimize(qdd.data());
  }
}

void four_bars(benchmark::State& state) {
  forward(state, test::four_bar_chain_urdf(static_cast<std::size_t>(state.range(0))));
  state.SetComplexityN(state.range(0));
}
void four_bar(benchmark::State& state) { forward(state, test::four_bar_urdf({})); }
void stewart(benchmark::State& state) { forward(state, test::stewart_urdf({})); }

BENCHMARK(four_bars)->RangeMultiplier(2)->Range(4, 64)->Complexity();
BENCHMARK(four_bar);
BENCHMARK(stewart);

}  // namespace
}  // namespace dynamics

BENCHMARK_MAIN();
