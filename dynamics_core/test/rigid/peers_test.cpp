// SPDX-License-Identifier: Apache-2.0
// What the benchmarks time gives the same numbers for this library and for its peers: the same
// robots, the same states, the same units. How fast anything is plays no part here.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "benchmark_cases.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

using benchmark::BenchmarkCase;

struct Peer {
  const char* name;
  std::vector<BenchmarkCase> (*cases)(const Model&);
  std::set<std::string> works;  ///< that it computes for an arm
};

class Peers : public testing::TestWithParam<Peer> {
 protected:
  /// Compares each case of the peer with ours and returns the works.
  static std::set<std::string> compare(const benchmark::Robot& robot, std::size_t states) {
    const std::vector<BenchmarkCase> own = benchmark::ours_on(robot.model);
    std::set<std::string> compared;
    for (const BenchmarkCase& peer : GetParam().cases(robot.model)) {
      const auto mine = std::find_if(own.begin(), own.end(), [&](const BenchmarkCase& each) {
        return each.work == peer.work;
      });
      EXPECT_NE(mine, own.end()) << peer.work;
      if (mine == own.end()) continue;
      // accelerations: round-off times the condition number of M
      const bool solves = peer.work.starts_with("forward") || peer.work.starts_with("inverse i");
      for (std::size_t state = 0; state < states; ++state) {
        mine->run(state, 1);
        peer.run(state, 1);
        EXPECT_CLOSE(robot.name + ", " + peer.work + ", " + peer.name,
                     test::relative(mine->result(), peer.result()), solves ? 1e-8 : 1e-11)
            << "state " << state;
      }
      compared.insert(peer.work);
    }
    return compared;
  }
};

TEST_P(Peers, GiveTheSameResultsForEveryRobot) {
  if (GetParam().cases(benchmark::puma()).empty()) {
    GTEST_SKIP() << "no " << GetParam().name << " here";
  }
  for (const benchmark::Robot& robot : benchmark::robots()) {
    const bool arm = robot.model.size() < 10 && robot.model.coordinates_are_bodies();
    const std::set<std::string> works = compare(robot, arm ? 256 : 32);
    EXPECT_TRUE(works.contains("inverse")) << robot.name;
    if (arm) {
      EXPECT_EQ(works, GetParam().works) << robot.name;
    }
  }
}

const std::set<std::string> every_work = {
    "inverse",  "forward", "inertia matrix",     "inverse inertia matrix", "inverse derivatives",
    "jacobian", "gravity", "forward derivatives"};

INSTANTIATE_TEST_SUITE_P(All, Peers,
                         testing::Values(Peer{"KDL",
                                              benchmark::kdl,
                                              {"inverse", "forward", "inertia matrix", "gravity"}},
                                         Peer{"MuJoCo",
                                              benchmark::mujoco,
                                              {"inverse", "forward", "inertia matrix",
                                               "inverse inertia matrix", "gravity"}},
                                         Peer{"Pinocchio", benchmark::pinocchio, every_work}),
                         [](const auto& peer) { return std::string(peer.param.name); });

/// The first state of every batch has the result of the function for one state.
TEST(Batches, GiveTheResultsOfSingleStates) {
  for (const benchmark::Robot& robot : benchmark::robots()) {
    const std::vector<BenchmarkCase> own = benchmark::ours_on(robot.model);
    std::size_t compared = 0;
    for (const BenchmarkCase& batch : benchmark::batches_on(robot.model)) {
      for (const BenchmarkCase& single : own) {
        if (single.work != benchmark::work_per_state(batch.work)) continue;
        single.run(0, 1);
        batch.run(0, 1);
        EXPECT_CLOSE(robot.name + ", " + batch.work,
                     test::relative(batch.result(), single.result()),
                     benchmark::is_single_precision(batch.work) ? 1e-5 : 1e-10);
        ++compared;
      }
    }
    EXPECT_EQ(compared, 10U);  // four of them in single precision
  }
}

}  // namespace
}  // namespace dynamics
