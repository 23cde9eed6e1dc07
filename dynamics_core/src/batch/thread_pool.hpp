// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pool of threads that divide the chunks of a loop among them. Between loops they spin for some
// microseconds, because waking up takes as long as a thousand states, then sleep. A loop does not
// wait for threads that wake up after its last chunk. Nothing allocates after construction.

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
  /// `threads`: number of threads per loop, the calling one included.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ThreadPool(ThreadPool&&) = delete;
  ThreadPool& operator=(ThreadPool&&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  /// Calls work(chunk, thread) for every chunk and returns when all are done. work() must not
  /// throw.
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
  static constexpr std::uint64_t loop = open << 1;  ///< increment of the loop's number

  std::vector<std::thread> workers_;
  std::mutex mutex_;  ///< to fall asleep and to wake
  std::condition_variable wake_, done_;

  void* work_ = nullptr;
  Function function_ = nullptr;
  std::size_t chunks_ = 0;

  // variables that threads write during a loop have their own cache lines
  static constexpr std::size_t line = 64;
  alignas(line) std::atomic<std::uint64_t> gate_{0};
  std::atomic<bool> stop_{false};
  alignas(line) std::atomic<std::size_t> next_{0};
  alignas(line) std::atomic<std::size_t> finished_{0};  ///< workers that joined and finished
};

}  // namespace dynamics
