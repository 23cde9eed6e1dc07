// SPDX-License-Identifier: Apache-2.0
#include "job_queue.hpp"

namespace dynamics_sim {

JobQueue::JobQueue() : thread_([this] { run(); }) {}

JobQueue::~JobQueue() {
  {
    const std::lock_guard guard(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobQueue::submit(std::function<void()> job) {
  {
    const std::lock_guard guard(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void JobQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
    if (ended_) return;
    {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }
    lock.lock();
  }
}

}  // namespace dynamics_sim
