// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that share out the chunks of a loop, and sleep in between; for some microseconds they
// stay awake, because waking up takes as long as a thousand states. A thread that wakes up when the
// loop is already done is not waited for. Nothing allocates after construction.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace dynamics {

class ThreadPool {
 public:
  /// `threads` work on a loop, the one that calls included.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  /// work(chunk, thread) for every chunk, which must not throw; returns when all are done.
  template <class Work>
  void run(std::size_t chunks, Work&& work) {
    share(chunks, &work, [](void* self, std::size_t chunk, std::size_t thread) {
      (*static_cast<std::remove_reference_t<Work>*>(self))(chunk, thread);
    });
  }

 private:
  using Function = void (*)(void*, std::size_t chunk, std::size_t thread);
  void share(std::size_t chunks, void* work, Function function);
  void take_chunks(std::size_t thread);
  void serve(std::size_t thread);

  // A gate is the number of a loop, whether workers may still join it, and how many have joined.
  static constexpr std::uint64_t joined = 0xffff;
  static constexpr std::uint64_t open = joined + 1;
  static constexpr std::uint64_t loop = open << 1;  ///< one loop further

  std::vector<std::thread> workers_;
  std::mutex mutex_;  ///< held by those who fall asleep, and to wake them
  std::condition_variable wake_, done_;

  void* work_ = nullptr;
  Function function_ = nullptr;
  std::size_t chunks_ = 0;

  // what one thread writes while others work has a cache line of its own
  static constexpr std::size_t line = 64;
  alignas(line) std::atomic<std::uint64_t> gate_{0};
  std::atomic<bool> stop_{false};
  alignas(line) std::atomic<std::size_t> next_{0};
  alignas(line) std::atomic<std::size_t> finished_{0};  ///< workers that joined and are through
};

}  // namespace dynamics
