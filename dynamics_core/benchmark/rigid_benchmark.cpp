// SPDX-License-Identifier: Apache-2.0
// Rigid dynamics beside KDL and MuJoCo, in one process: PUMA, one state a call, one thread.
// States are random, not zero, and change with every call.
//
//   dynamics_benchmark --benchmark_repetitions=9 --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include <vector>

#include "dynamics_core/model/from_dh.hpp"
#include "dynamics_core/model/robots.hpp"
#include "dynamics_core/rigid/coriolis_matrix.hpp"
#include "dynamics_core/rigid/forward_dynamics.hpp"
#include "dynamics_core/rigid/inertia_matrix.hpp"
#include "dynamics_core/rigid/inverse_dynamics.hpp"
#include "support/random_robot.hpp"

#ifdef DYNAMICS_TEST_KDL
#include <kdl/chaindynparam.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "support/kdl_tree.hpp"
#endif
#ifdef DYNAMICS_TEST_MUJOCO
#include "support/mujoco_model.hpp"
#endif

namespace dynamics {
namespace {

/// A ring of states, so that no call sees the numbers of the one before.
struct States {
  static constexpr std::size_t count = 256;
  explicit States(std::size_t n) {
    test::RandomRobot random(1);
    for (std::size_t i = 0; i < count; ++i) {
      q.push_back(random.vector(n, 3.0));
      qd.push_back(random.vector(n, 3.0));
      qdd.push_back(random.vector(n, 10.0));
    }
  }
  std::size_t next() { return at = (at + 1) % count; }
  std::vector<Eigen::VectorXd> q, qd, qdd;
  std::size_t at = 0;
};

const Model& puma() {
  static const Model model = model_from_dh(built_in_robot("puma"));
  return model;
}

struct Ours {
  Workspace workspace{puma()};
  States states{puma().size()};
  Eigen::VectorXd out = Eigen::VectorXd::Zero(6);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(6, 6);
};

void inverse_ours(benchmark::State& state) {
  Ours ours;
  for (auto _ : state) {
    const std::size_t i = ours.states.next();
    inverse_dynamics(puma(), ours.workspace, ours.states.q[i], ours.states.qd[i],
                     ours.states.qdd[i], ours.out);
    benchmark::DoNotOptimize(ours.out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inverse_ours)->Name("inverse/ours");

void forward_ours(benchmark::State& state) {
  Ours ours;
  for (auto _ : state) {
    const std::size_t i = ours.states.next();
    forward_dynamics(puma(), ours.workspace, ours.states.q[i], ours.states.qd[i],
                     ours.states.qdd[i], ours.out);
    benchmark::DoNotOptimize(ours.out.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(forward_ours)->Name("forward/ours");

void inertia_ours(benchmark::State& state) {
  Ours ours;
  for (auto _ : state) {
    inertia_matrix(puma(), ours.workspace, ours.states.q[ours.states.next()], ours.matrix);
    benchmark::DoNotOptimize(ours.matrix.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inertia_ours)->Name("inertia matrix/ours");

void coriolis_ours(benchmark::State& state) {
  Ours ours;
  for (auto _ : state) {
    const std::size_t i = ours.states.next();
    coriolis_matrix(puma(), ours.workspace, ours.states.q[i], ours.states.qd[i], ours.matrix);
    benchmark::DoNotOptimize(ours.matrix.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(coriolis_ours)->Name("coriolis matrix/ours");

#ifdef DYNAMICS_TEST_KDL
/// KDL's solvers refer to the chain, they do not copy it.
const KDL::Chain& puma_chain() {
  static const KDL::Chain chain = [] {
    KDL::Chain made;
    test::kdl_tree(puma().description()).getChain("base_link", "tool0", made);
    return made;
  }();
  return chain;
}

void inverse_kdl(benchmark::State& state) {
  KDL::ChainIdSolver_RNE solver(puma_chain(), KDL::Vector(0.0, 0.0, -9.81));
  States states(6);
  KDL::JntArray q(6), qd(6), qdd(6), tau(6);
  const KDL::Wrenches nothing(puma_chain().getNrOfSegments(), KDL::Wrench::Zero());
  for (auto _ : state) {
    const std::size_t i = states.next();
    q.data = states.q[i];
    qd.data = states.qd[i];
    qdd.data = states.qdd[i];
    if (solver.CartToJnt(q, qd, qdd, nothing, tau) != 0) state.SkipWithError("KDL failed");
    benchmark::DoNotOptimize(tau.data.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inverse_kdl)->Name("inverse/kdl");

void inertia_kdl(benchmark::State& state) {
  KDL::ChainDynParam solver(puma_chain(), KDL::Vector(0.0, 0.0, -9.81));
  States states(6);
  KDL::JntArray q(6);
  KDL::JntSpaceInertiaMatrix matrix(6);
  for (auto _ : state) {
    q.data = states.q[states.next()];
    if (solver.JntToMass(q, matrix) != 0) state.SkipWithError("KDL failed");
    benchmark::DoNotOptimize(matrix.data.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inertia_kdl)->Name("inertia matrix/kdl");
#endif

#ifdef DYNAMICS_TEST_MUJOCO
struct Mujoco {
  Mujoco() { robot.model()->opt.enableflags &= ~mjENBL_ENERGY; }
  void set(std::size_t i) {
    std::copy_n(states.q[i].data(), 6, robot.data()->qpos);
    std::copy_n(states.qd[i].data(), 6, robot.data()->qvel);
  }
  test::MujocoModel robot{puma().description()};
  States states{6};
};

void inverse_mujoco(benchmark::State& state) {
  Mujoco mujoco;
  for (auto _ : state) {
    const std::size_t i = mujoco.states.next();
    mujoco.set(i);
    std::copy_n(mujoco.states.qdd[i].data(), 6, mujoco.robot.data()->qacc);
    mj_inverse(mujoco.robot.model(), mujoco.robot.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inverse_mujoco)->Name("inverse/mujoco");

void forward_mujoco(benchmark::State& state) {
  Mujoco mujoco;
  for (auto _ : state) {
    const std::size_t i = mujoco.states.next();
    mujoco.set(i);
    std::copy_n(mujoco.states.qdd[i].data(), 6, mujoco.robot.data()->qfrc_applied);
    mj_forward(mujoco.robot.model(), mujoco.robot.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(forward_mujoco)->Name("forward/mujoco");

void inertia_mujoco(benchmark::State& state) {
  Mujoco mujoco;
  double matrix[36];
  for (auto _ : state) {
    mujoco.set(mujoco.states.next());
    mj_kinematics(mujoco.robot.model(), mujoco.robot.data());
    mj_comPos(mujoco.robot.model(), mujoco.robot.data());
    mj_crb(mujoco.robot.model(), mujoco.robot.data());
    mj_fullM(mujoco.robot.model(), matrix, mujoco.robot.data()->qM);
    benchmark::DoNotOptimize(matrix);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inertia_mujoco)->Name("inertia matrix/mujoco");
#endif

}  // namespace
}  // namespace dynamics

BENCHMARK_MAIN();
