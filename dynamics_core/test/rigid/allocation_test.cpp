// SPDX-License-Identifier: Apache-2.0
// After construction nothing allocates: a million calls, every function, random arguments.

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/allocation_counter.hpp"
#include "support/every_entry_point.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;

TEST(Allocation, TheCounterSeesTheLibrarysAllocations) {
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const Model model = test::entry_point_models().front();
  counter::start();
  auto* workspace = new Workspace(model);  // allocates inside the library
  EXPECT_GT(counter::stop(), 10U);
  counter::start();
  EXPECT_THROW(frame_pose(model, *workspace, ConstVector(), 0), ArgumentError);
  EXPECT_GT(counter::stop(), 0U);
  delete workspace;
  counter::start();
  void* volatile memory = std::malloc(8);  // NOLINT(cppcoreguidelines-no-malloc)
  const std::size_t count = counter::stop();
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
  EXPECT_EQ(count, 1U);
}

TEST(Allocation, NoneInAMillionCalls) {
  if (!counter::available()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const std::vector<Model> models = test::entry_point_models();
  std::vector<std::unique_ptr<test::EveryEntryPoint>> callers;
  for (const Model& model : models) {
    callers.push_back(
        std::make_unique<test::EveryEntryPoint>(model, static_cast<unsigned>(callers.size()), 32));
  }
  // each call by itself, so that a failure names it
  for (std::size_t m = 0; m < callers.size(); ++m) {
    for (std::size_t call = 0; call < callers[m]->call_count(); ++call) {
      counter::start();
      for (std::size_t state = 0; state < callers[m]->state_count(); ++state) {
        callers[m]->run(call, state);
      }
      EXPECT_EQ(counter::stop(), 0U) << callers[m]->call_name(call) << ", model " << m;
    }
  }
  // any call after any other; most of them on the small models
  test::RandomRobot random(1);
  counter::start();
  for (int i = 0; i < 1'000'000; ++i) {
    const std::size_t m = random.chance(0.995) ? random.index(2) : 2 + random.index(2);
    test::EveryEntryPoint& caller = *callers[m];
    caller.run(random.index(caller.call_count()), random.index(caller.state_count()));
  }
  EXPECT_EQ(counter::stop(), 0U);
}

}  // namespace
}  // namespace dynamics
