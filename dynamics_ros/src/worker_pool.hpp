// SPDX-License-Identifier: Apache-2.0
#pragma once

// A few threads for long work, with a queue of bounded length.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dynamics_ros {

class WorkerPool {
 public:
  /// `queue`: jobs that may wait, besides those in progress.
  WorkerPool(std::size_t threads, std::size_t queue);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Takes a job, which must not throw; false where the queue is full, or the pool has ended.
  bool submit(std::function<void()> job);

  /// Waits for the jobs in progress; those that wait are dropped.
  void end();

  struct Load {
    std::size_t running, waiting;
  };
  Load load() const;

 private:
  void work();

  const std::size_t queue_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t running_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace dynamics_ros
