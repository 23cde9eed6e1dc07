// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads that share out the chunks of a loop, and sleep in between; for some microseconds they
// stay awake, because waking up takes as long as a thousand states. Nothing allocates after
// construction.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
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

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<std::size_t> round_{0};   ///< of loops that the workers take part in
  std::atomic<std::size_t> active_{0};  ///< workers that have not finished this round
  std::atomic<bool> stop_{false};

  void* work_ = nullptr;
  Function function_ = nullptr;
  std::size_t chunks_ = 0;
  std::atomic<std::size_t> next_{0};
};

}  // namespace dynamics
