// SPDX-License-Identifier: Apache-2.0
#include "batch/thread_pool.hpp"

#include <chrono>

namespace dynamics {
namespace {

/// Spins until the condition holds, for 50 us at most.
template <class Condition>
void spin_until(Condition&& condition) {
  constexpr std::chrono::microseconds longest{50};
  const auto start = std::chrono::steady_clock::now();
  while (!condition() && std::chrono::steady_clock::now() - start < longest) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

}  // namespace

ThreadPool::ThreadPool(std::size_t threads) {
  workers_.reserve(threads);
  for (std::size_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { serve(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::share(std::size_t chunks, void* work, Function function) {
  if (workers_.empty() || chunks < 2) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) function(work, chunk, 0);
    return;
  }
  work_ = work;
  function_ = function;
  chunks_ = chunks;
  next_.store(0, std::memory_order_relaxed);
  finished_.store(0, std::memory_order_relaxed);
  {
    // spinning workers see it at once; the lock is for workers about to fall asleep
    const std::lock_guard lock(mutex_);
    const std::uint64_t last = gate_.load(std::memory_order_relaxed);
    gate_.store((last & ~(loop - 1)) + loop + open, std::memory_order_release);
  }
  wake_.notify_all();
  take_chunks(0);
  const std::size_t workers = gate_.fetch_and(~open, std::memory_order_acq_rel) & joined;
  const auto all_through = [&] { return finished_.load(std::memory_order_acquire) == workers; };
  spin_until(all_through);
  if (all_through()) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, all_through);
}

void ThreadPool::take_chunks(std::size_t thread) {
  for (;;) {
    const std::size_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks_) return;
    function_(work_, chunk, thread);
  }
}

void ThreadPool::serve(std::size_t thread) {
  std::uint64_t seen = 0;  // the last loop
  std::uint64_t gate = 0;
  const auto called = [&] {
    gate = gate_.load(std::memory_order_acquire);
    return stop_.load(std::memory_order_relaxed) || (gate & ~(loop - 1)) != seen;
  };
  for (;;) {
    spin_until(called);
    if (!called()) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, called);
    }
    if (stop_.load(std::memory_order_relaxed)) return;
    seen = gate & ~(loop - 1);
    bool joins = (gate & open) != 0;
    while (joins && !gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) {
      joins = (gate & open) != 0 && (gate & ~(loop - 1)) == seen;
    }
    if (!joins) continue;
    take_chunks(thread);
    finished_.fetch_add(1, std::memory_order_release);
    // the caller spins, or holds the lock until it sleeps
    { const std::lock_guard lock(mutex_); }
    done_.notify_one();
  }
}

}  // namespace dynamics
