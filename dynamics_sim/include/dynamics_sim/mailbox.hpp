// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lock-free exchange of objects with a real-time loop: any thread sends, one loop takes and returns
// them. The loop neither allocates nor frees.
//
//   Mailbox<State> mailbox;
//   mailbox.send(std::make_unique<State>(...));                  // any thread
//   if (auto state = mailbox.take()) { ...; mailbox.give_back(std::move(state)); }  // the loop
//   mailbox.collect();                                           // the sender

#include <atomic>
#include <memory>

namespace dynamics_sim {

template <class T>
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() {
    withdraw();
    collect();
  }

  /// Replaces an object that was not taken yet.
  void send(std::unique_ptr<T> object) {
    collect();
    delete pending_.exchange(object.release(), std::memory_order_acq_rel);
  }

  /// Removes the pending object. True if it had not been taken.
  bool withdraw() {
    T* const object = pending_.exchange(nullptr, std::memory_order_acq_rel);
    delete object;
    return object != nullptr;
  }

  bool has_pending() const { return pending_.load(std::memory_order_acquire) != nullptr; }

  /// Called by the loop: the pending object, or null. The loop must give back this object or
  /// another one in its place. Until the sender has collected it, take() returns null.
  std::unique_ptr<T> take() noexcept {
    if (!has_pending() || returned_.load(std::memory_order_acquire) != nullptr) return nullptr;
    return std::unique_ptr<T>(pending_.exchange(nullptr, std::memory_order_acq_rel));
  }
  void give_back(std::unique_ptr<T> object) noexcept {
    returned_.store(object.release(), std::memory_order_release);
  }

  /// The object that the loop gave back, or null. Not for the loop.
  std::unique_ptr<T> collect() {
    return std::unique_ptr<T>(returned_.exchange(nullptr, std::memory_order_acq_rel));
  }

 private:
  std::atomic<T*> pending_ = nullptr, returned_ = nullptr;
};

}  // namespace dynamics_sim
