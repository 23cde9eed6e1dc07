// SPDX-License-Identifier: Apache-2.0
// Forward dynamics of N four-bars, each carried by the coupler of the previous one: O(N); the
// four-bar and the Stewart platform beside Pinocchio's constraintDynamics(), if it is found. Before
// its benchmarks are run the accelerations of both are compared.
//
//   loops_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/view.hpp"
#include "loops/mechanisms.hpp"
#ifdef DYNAMICS_PINOCCHIO
#include "pinocchio_loops.hpp"
#endif

namespace dynamics {
namespace {

/// A mechanism in motion near its start, under torques of its actuators.
struct Case {
  explicit Case(const std::string& urdf)
      : mechanism(mechanism_from_urdf(urdf)),
        workspace(mechanism),
        q(mechanism.start().begin(), mechanism.start().end()),
        qd(q.size(), 0.1),
        tau(q.size(), 0.0),
        qdd(q.size()) {
    std::vector<double> z;
    for (const std::size_t joint : mechanism.independent()) {
      z.push_back(q[joint] + 0.01 * static_cast<double>(joint % 3));
      tau[joint] = 1.0 + 0.5 * static_cast<double>(joint % 4);
    }
    close_loops(mechanism, workspace, q, z, q);
    project_on_loops(mechanism, workspace, q, qd);
  }
  void forward() { forward_dynamics(mechanism, workspace, q, qd, tau, qdd); }

  Mechanism mechanism;
  MechanismWorkspace workspace;
  std::vector<double> q, qd, tau, qdd;
};

void forward(::benchmark::State& state, const std::string& urdf) {
  Case ours(urdf);
  for (auto _ : state) {
    ours.forward();
    ::benchmark::DoNotOptimize(ours.qdd.data());
  }
}

void four_bars(::benchmark::State& state) {
  forward(state, test::four_bar_chain_urdf(static_cast<std::size_t>(state.range(0))));
  state.SetComplexityN(state.range(0));
}
void four_bar(::benchmark::State& state) { forward(state, test::four_bar_urdf({}, "spherical")); }
void stewart(::benchmark::State& state) { forward(state, test::stewart_urdf({})); }

BENCHMARK(four_bars)->RangeMultiplier(2)->Range(4, 64)->Complexity();
BENCHMARK(four_bar);
BENCHMARK(stewart);

#ifdef DYNAMICS_PINOCCHIO
void pinocchio(::benchmark::State& state, const std::string& urdf) {
  Case ours(urdf);
  benchmark::PinocchioLoops peer(ours.mechanism);
  peer.set(ours.mechanism, ours.q, ours.qd, ours.tau);
  ours.forward();
  peer.forward();
  // of the joints with one coordinate; those of a floating joint have other coordinates
  double difference = 0.0, largest = 1.0;
  for (const JointDescription& joint : ours.mechanism.description().joints) {
    if (joint.type == JointType::floating) continue;
    const double mine = ours.qdd[ours.mechanism.tree().coordinate(joint.name)];
    difference = max_propagating_nan(difference, std::abs(mine - peer.acceleration(joint.name)));
    largest = max_propagating_nan(largest, std::abs(mine));
  }
  state.counters["difference"] = difference / largest;
  state.counters["iterations"] = peer.iterations();
  if (!(difference < 1e-8 * largest)) {
    state.SkipWithError(fmt::format("the accelerations differ by {}", difference).c_str());
    return;
  }
  for (auto _ : state) peer.forward();
}
void pinocchio_four_bar(::benchmark::State& state) {
  pinocchio(state, test::four_bar_urdf({}, "spherical"));
}
void pinocchio_stewart(::benchmark::State& state) { pinocchio(state, test::stewart_urdf({})); }

BENCHMARK(pinocchio_four_bar);
BENCHMARK(pinocchio_stewart);
#endif

}  // namespace
}  // namespace dynamics

BENCHMARK_MAIN();
