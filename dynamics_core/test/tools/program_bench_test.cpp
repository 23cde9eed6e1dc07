// SPDX-License-Identifier: Apache-2.0
// `dynamics bench`: the format of its output and its error messages. Speeds are not checked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "support/program.hpp"

namespace dynamics {
namespace {

using nlohmann::json;
using test::Result;
using testing::AllOf;
using testing::HasSubstr;

class Bench : public test::Program {
 protected:
  void TearDown() override {
    unsetenv("DYNAMICS_BENCH_PEERS");  // NOLINT(concurrency-mt-unsafe)
    Program::TearDown();
  }
  static void set_program(const std::string& program) {
    ASSERT_EQ(setenv("DYNAMICS_BENCH_PEERS", program.c_str(), 1),  // NOLINT(concurrency-mt-unsafe)
              0);
  }
  /// Of a command that fails and prints nothing else.
  std::string error_of(const std::string& arguments) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    return result.err;
  }
};

#ifdef DYNAMICS_BENCH
#define NEEDS_PEERS() set_program(DYNAMICS_BENCH)
#else
#define NEEDS_PEERS() GTEST_SKIP() << "neither KDL nor MuJoCo here, or no benchmarks in this build"
#endif

TEST_F(Bench, JsonHasOneRowPerWorkAndPeer) {
  NEEDS_PEERS();
  const json result = run_json("bench --json --seconds 0.02");
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(result.at("warnings"), json::array());
  std::set<std::pair<std::string, std::string>> found;
  const std::set<std::string> works = {"inverse", "forward", "inertia matrix", "batch inverse",
                                       "batch forward"};
  const std::set<std::string> peers = {"kdl", "mujoco", "pinocchio"};
  for (const json& row : result.at("rows")) {
    EXPECT_EQ(row.size(), 6U) << row;
    EXPECT_EQ(row.at("robot"), "puma");
    const std::string work = row.at("work"), peer = row.at("peer");
    EXPECT_TRUE(works.contains(work)) << row;
    EXPECT_TRUE(peers.contains(peer)) << row;
    EXPECT_TRUE(found.emplace(work, peer).second) << "twice: " << row;
    for (const char* key : {"ours_ns", "peer_ns", "ratio"}) {
      const double value = row.at(key);
      EXPECT_TRUE(std::isfinite(value) && value > 0.0) << row;
    }
  }
  // one row per work and available peer
  std::set<std::string> available;
  for (const auto& [work, peer] : found) available.insert(peer);
  EXPECT_FALSE(available.empty());
  EXPECT_EQ(found.size(), works.size() * available.size());
}

TEST_F(Bench, TableHasRatiosQuartilesBoundThreadsAndGrowth) {
  NEEDS_PEERS();
  const Result result = run("bench --seconds 0.02");
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* text : {"ratio", "quartiles", "bound (ns)", "inertia matrix", "batch inverse",
                           "kernels for", "of a chain of 64 to 10000 joints: cost ~ n^",
                           "of a tree of 64 to 10000 joints: cost ~ n^"}) {
    EXPECT_THAT(result.out, HasSubstr(text));
  }
}

TEST_F(Bench, AllHasEveryRobotAndFunction) {
  NEEDS_PEERS();
  const json result = run_json("bench --all --json --runs 1 --seconds 0.02");
  std::set<std::string> robots, works;
  for (const json& row : result.at("rows")) {
    EXPECT_EQ(row.size(), 6U) << row;
    robots.insert(row.at("robot"));
    works.insert(row.at("work"));
    EXPECT_GT(row.at("ours_ns").get<double>(), 0.0) << row;
    // a function that no peer computes has a row without one
    EXPECT_EQ(row.at("peer").is_null(), row.at("ratio").is_null()) << row;
    EXPECT_EQ(row.at("peer").is_null(), row.at("peer_ns").is_null()) << row;
  }
  EXPECT_TRUE(robots.contains("puma"));
  EXPECT_TRUE(robots.contains("canadarm"));
  const std::set<std::string> expected = {"inverse",
                                          "forward",
                                          "inertia matrix",
                                          "inverse inertia matrix",
                                          "inverse derivatives",
                                          "forward derivatives",
                                          "jacobian",
                                          "gravity",
                                          "batch inverse",
                                          "batch forward",
                                          "batch inertia matrix",
                                          "batch inverse derivatives",
                                          "batch forward derivatives",
                                          "batch gravity",
                                          "batch inverse float",
                                          "batch forward float",
                                          "batch inertia matrix float",
                                          "batch gravity float"};
  EXPECT_EQ(works, expected);
}

TEST_F(Bench, SeveralRunsHaveRanges) {
  NEEDS_PEERS();
  const Result result = run("bench --runs 2 --seconds 0.02");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("(range)"), HasSubstr("medians and ranges over 2 runs")));
}

TEST_F(Bench, MissingBenchmarkProgramIsReported) {
  set_program("/nowhere/dynamics_bench_peers");
  EXPECT_THAT(error_of("bench --json"),
              AllOf(HasSubstr("liborocos-kdl-dev"), HasSubstr("libmujoco-dev"),
                    HasSubstr("/nowhere/dynamics_bench_peers")));
}

TEST_F(Bench, FailingBenchmarkProgramIsReported) {
  set_program("/bin/false");
  EXPECT_THAT(error_of("bench"), HasSubstr("/bin/false failed"));
  set_program("/bin/true");  // prints nothing
  EXPECT_EQ(run("bench").code, 1);
}

TEST_F(Bench, RejectsBadArguments) {
  expect_refused("bench --seconds 0", "--seconds");
  expect_refused("bench --seconds soon", "--seconds");
  expect_refused("bench --runs 0", "--runs");
  expect_refused("bench puma", "puma");
}

}  // namespace
}  // namespace dynamics
