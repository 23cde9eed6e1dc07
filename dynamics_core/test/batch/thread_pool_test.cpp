// SPDX-License-Identifier: Apache-2.0
// The pool runs every chunk once, whether threads wake in time, join late or too late.

#include "batch/thread_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace dynamics {
namespace {

/// Runs loops of some chunks. Every chunk must be run once, by a valid thread, before run()
/// returns. The chunks' writes are not atomic: run() must make them visible.
void run_loops(ThreadPool& pool, std::size_t loops, std::size_t chunks, int work) {
  std::vector<std::size_t> done(chunks);
  std::vector<double> sums(chunks);
  for (std::size_t i = 0; i < loops; ++i) {
    std::fill(done.begin(), done.end(), 0);
    pool.run(chunks, [&](std::size_t chunk, std::size_t thread) {
      ASSERT_LT(thread, pool.size());
      double sum = 0.0;
      for (int k = 0; k < work; ++k) sum += static_cast<double>(chunk) / (k + 1.0);
      sums[chunk] = sum;
      ++done[chunk];
    });
    ASSERT_EQ(std::count(done.begin(), done.end(), 1U), static_cast<std::ptrdiff_t>(chunks))
        << "loop " << i << " of " << chunks << " chunks";
  }
}

TEST(ThreadPool, RunsEveryChunkOnce) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t chunks : {0U, 1U, 2U, 3U, 100U}) {
      run_loops(pool, 300, chunks, 1);    // done before most threads wake
      run_loops(pool, 50, chunks, 2000);  // long enough for them to join
    }
  }
}

TEST(ThreadPool, WakesSleepingThreads) {
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // longer than they stay awake
    run_loops(pool, 1, 64, 500);
  }
}

TEST(ThreadPool, UsesAllThreads) {
  ThreadPool pool(3);
  std::atomic<std::size_t> present{0};
  // no chunk ends before all three threads have one
  pool.run(3, [&](std::size_t, std::size_t) {
    ++present;
    while (present.load() < 3) std::this_thread::yield();
  });
  EXPECT_EQ(present.load(), 3U);
}

TEST(ThreadPool, WaitsForJoinedThreads) {
  for (const int milliseconds : {0, 5}) {  // while it stays awake, and asleep
    ThreadPool pool(2);
    std::atomic<std::size_t> present{0};
    bool written = false;
    pool.run(2, [&](std::size_t, std::size_t thread) {
      ++present;
      while (present.load() < 2) std::this_thread::yield();
      if (thread == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      written = true;
    });
    EXPECT_TRUE(written);
  }
}

TEST(ThreadPool, MayBeDestroyedAtAnyTime) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(3);
    if (i % 2 == 0) run_loops(pool, 1, 8, 1);
  }
}

}  // namespace
}  // namespace dynamics
