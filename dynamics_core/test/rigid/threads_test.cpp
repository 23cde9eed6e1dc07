// SPDX-License-Identifier: Apache-2.0
// Threads that share a model, each with a workspace of its own, get the bits of a single thread.
// Under ThreadSanitizer this is the check that sharing is free of races.

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "support/every_entry_point.hpp"

namespace dynamics {
namespace {

/// The results of every call on every state, one after the other.
std::vector<double> run_all(test::EveryEntryPoint& caller) {
  std::vector<double> bits;
  for (std::size_t state = 0; state < caller.state_count(); ++state) {
    for (std::size_t call = 0; call < caller.call_count(); ++call) {
      caller.run(call, state);
      caller.append_results(bits);
    }
  }
  return bits;
}

std::vector<double> fresh_run(const Model& model, std::size_t states, unsigned seed = 3) {
  test::EveryEntryPoint caller(model, seed, states);
  return run_all(caller);
}

TEST(Threads, EightThreadsOneModelSameBits) {
  constexpr std::size_t thread_count = 8;
  const std::vector<Model> models = test::entry_point_models();
  for (std::size_t m = 0; m < models.size(); ++m) {
    const std::size_t states = m < 2 ? 40 : 4;
    const int rounds = m < 2 ? 10 : 2;
    // every thread works on states of its own: what one left behind would be wrong for another
    std::vector<std::vector<double>> expected;
    for (unsigned t = 0; t < thread_count; ++t) {
      expected.push_back(fresh_run(models[m], states, t));
    }
    std::atomic<std::size_t> waiting{thread_count};
    std::atomic<int> differences{0};
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < thread_count; ++t) {
        threads.emplace_back([&, t] {
          --waiting;
          while (waiting > 0) std::this_thread::yield();  // all at once
          for (int round = 0; round < rounds; ++round) {
            const std::vector<double> result =
                fresh_run(models[m], states, static_cast<unsigned>(t));
            const std::size_t bytes = expected[t].size() * sizeof(double);
            if (result.size() != expected[t].size() ||
                std::memcmp(result.data(), expected[t].data(), bytes) != 0) {
              ++differences;
            }
          }
        });
      }
    }
    EXPECT_EQ(differences, 0) << "model " << m;
  }
}

TEST(Threads, ModelsAreCopiedAndDerivedFromAnywhere) {
  // handles to one model are copied, changed and dropped by all threads
  const Model model = test::entry_point_models().front();
  const std::vector<double> expected = fresh_run(model, 5);
  std::vector<std::jthread> threads;
  std::atomic<int> differences{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const Model copy = model;
        const Model moon = copy.with_gravity({0.0, 0.0, -1.62 * (t + 1)});
        const Model back = moon.with_gravity(model.gravity());
        if (fresh_run(back, 5) != expected) ++differences;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(differences, 0);
}

TEST(Threads, NothingIsCarriedFromCallToCall) {
  // a workspace that has seen other states in another order gives the same bits
  const std::vector<Model> models = test::entry_point_models();
  for (std::size_t m = 0; m < 2; ++m) {
    const std::vector<double> expected = fresh_run(models[m], 10);
    test::EveryEntryPoint used(models[m], 3, 10);
    for (std::size_t call = used.call_count(); call-- > 0;) {
      for (std::size_t state = used.state_count(); state-- > 0;) used.run(call, state);
    }
    used.clear_results();
    EXPECT_EQ(run_all(used), expected) << "model " << m;
  }
}

}  // namespace
}  // namespace dynamics
