// SPDX-License-Identifier: Apache-2.0
// Forward dynamics of chains of flexible links, recursive and by Cholesky factorization of the
// complete inertia matrix, for numbers of links (two modes per direction) and of modes.
//
//   flexible_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/sample_beams.hpp"

namespace dynamics {
namespace {

constexpr std::size_t states = 64;

struct Chain {
  Chain(std::size_t links, int modes)
      : model(Model(test::beam_chain(links, test::beam(0.5, 2.0, 300.0, modes, modes), 0.7))),
        workspace(model),
        out(static_cast<Eigen::Index>(model.size())) {
    test::RandomRobot random(1);
    for (std::size_t i = 0; i < states; ++i) {
      q.push_back(test::random_state(model, random, 0.02));
      qd.push_back(random.vector(model.size(), 0.5));
      tau.push_back(random.vector(model.joint_count(), 10.0));
    }
  }
  std::size_t next() { return at = (at + 1) % states; }

  FlexibleModel model;
  FlexibleWorkspace workspace;
  std::vector<Eigen::VectorXd> q, qd, tau;
  Eigen::VectorXd out;
  std::size_t at = 0;
};

using Algorithm = void (*)(const FlexibleModel&, FlexibleWorkspace&, ConstVector, ConstVector,
                           ConstVector, MutableVector, Friction);

void run(benchmark::State& state, Algorithm algorithm) {
  Chain chain(static_cast<std::size_t>(state.range(0)), static_cast<int>(state.range(1)));
  for (auto _ : state) {
    const std::size_t i = chain.next();
    algorithm(chain.model, chain.workspace, chain.q[i], chain.qd[i], chain.tau[i], chain.out, true);
    benchmark::DoNotOptimize(chain.out.data());
  }
  state.counters["per_link"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void recursive(benchmark::State& state) { run(state, &forward_dynamics); }
void cholesky(benchmark::State& state) { run(state, &forward_dynamics_cholesky); }

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"links", "modes"});
  for (const int links : {1, 2, 3, 4, 6, 8, 16, 32, 64}) benchmark->Args({links, 2});
  for (const int modes : {0, 1, 3, 4, 6}) benchmark->Args({8, modes});
}
BENCHMARK(recursive)->Apply(sizes);
BENCHMARK(cholesky)->Apply(sizes);

}  // namespace
}  // namespace dynamics

BENCHMARK_MAIN();
