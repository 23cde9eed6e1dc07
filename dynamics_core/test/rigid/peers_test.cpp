// SPDX-License-Identifier: Apache-2.0
// What the benchmarks time gives the same numbers for this library and for its peers: the same
// robot, the same states, the same units. How fast anything is plays no part here.

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
  std::vector<BenchmarkCase> (*cases)();
};

class Peers : public testing::TestWithParam<Peer> {
 protected:
  const std::vector<BenchmarkCase> own = benchmark::ours_on(benchmark::puma());
  const std::vector<BenchmarkCase> others = GetParam().cases();

  const BenchmarkCase& ours(const std::string& work) const {
    return *std::find_if(own.begin(), own.end(),
                         [&](const BenchmarkCase& c) { return c.work == work; });
  }
};

TEST_P(Peers, DoTheSameWork) {
  if (others.empty()) GTEST_SKIP() << "no " << GetParam().name << " here";
  std::set<std::string> works, compared;
  for (const BenchmarkCase& each : own) works.insert(each.work);
  for (const BenchmarkCase& peer : others) {
    ASSERT_TRUE(works.contains(peer.work)) << peer.work;
    const BenchmarkCase& mine = ours(peer.work);
    for (std::size_t state = 0; state < 256; ++state) {
      mine.run(state, 1);
      peer.run(state, 1);
      // accelerations: round-off times the condition number of M
      EXPECT_CLOSE(peer.work + ", " + peer.name, test::relative(mine.result(), peer.result()),
                   peer.work == "forward" ? 1e-10 : 1e-12)
          << "state " << state;
    }
    compared.insert(peer.work);
  }
  EXPECT_EQ(compared, works);
}

INSTANTIATE_TEST_SUITE_P(All, Peers,
                         testing::Values(Peer{"KDL", benchmark::kdl},
                                         Peer{"MuJoCo", benchmark::mujoco},
                                         Peer{"Pinocchio", benchmark::pinocchio}),
                         [](const auto& peer) { return std::string(peer.param.name); });

}  // namespace
}  // namespace dynamics
