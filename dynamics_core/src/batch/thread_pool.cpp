// SPDX-License-Identifier: Apache-2.0
#include "thread_pool.hpp"

#include <chrono>

namespace dynamics {
namespace {

/// Waits a little, awake, for what another thread is about to do.
template <class Condition>
void stay_awake(Condition&& condition) {
  constexpr std::chrono::microseconds longest{20};
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
  {
    const std::lock_guard lock(mutex_);
    work_ = work;
    function_ = function;
    chunks_ = chunks;
    next_.store(0, std::memory_order_relaxed);
    active_ = workers_.size();
    ++round_;
  }
  wake_.notify_all();
  take_chunks(0);
  stay_awake([this] { return active_ == 0; });
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return active_ == 0; });
}

void ThreadPool::take_chunks(std::size_t thread) {
  for (;;) {
    const std::size_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks_) return;
    function_(work_, chunk, thread);
  }
}

void ThreadPool::serve(std::size_t thread) {
  std::size_t seen = 0;
  for (;;) {
    stay_awake([&] { return stop_ || round_ != seen; });
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    take_chunks(thread);
    const std::lock_guard lock(mutex_);
    if (--active_ == 0) done_.notify_one();
  }
}

}  // namespace dynamics
