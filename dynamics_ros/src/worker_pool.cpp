// SPDX-License-Identifier: Apache-2.0
#include "worker_pool.hpp"

#include <utility>

namespace dynamics_ros {

WorkerPool::WorkerPool(std::size_t threads, std::size_t queue) : queue_(queue) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { end(); }

bool WorkerPool::submit(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    const std::size_t idle = threads_.size() - running_;
    if (ended_ || waiting_.size() >= queue_ + idle) return false;
    waiting_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void WorkerPool::end() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    dropped.swap(waiting_);
  }
  changed_.notify_all();
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

WorkerPool::Load WorkerPool::load() const {
  const std::lock_guard lock(mutex_);
  return {running_, waiting_.size()};
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
    if (ended_) return;
    {
      const auto job = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
      lock.unlock();
      job();
    }  // what the job holds goes before the lock is taken
    lock.lock();
    --running_;
  }
}

}  // namespace dynamics_ros
