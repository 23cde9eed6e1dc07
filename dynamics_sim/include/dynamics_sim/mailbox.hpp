// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hands things to a real-time loop, and what it is done with back, without locks: one loop takes,
// any thread sends. Nothing is allocated or freed in the loop.

#include <atomic>
#include <memory>

namespace dynamics_sim {

template <class Thing>
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() {
    withdraw();
    collect();
  }

  /// In place of one that was not taken yet.
  void send(std::unique_ptr<Thing> thing) {
    collect();
    delete coming_.exchange(thing.release(), std::memory_order_acq_rel);
  }

  /// True: it had not been taken.
  bool withdraw() {
    Thing* const thing = coming_.exchange(nullptr, std::memory_order_acq_rel);
    delete thing;
    return thing != nullptr;
  }

  bool waits() const { return coming_.load(std::memory_order_acquire) != nullptr; }

  /// In the loop: what has come, or nothing. What is taken must be given back, or something else in
  /// its place; until the sender has collected that, nothing more is taken.
  std::unique_ptr<Thing> take() noexcept {
    if (!waits() || going_.load(std::memory_order_acquire) != nullptr) return nullptr;
    return std::unique_ptr<Thing>(coming_.exchange(nullptr, std::memory_order_acq_rel));
  }
  void give_back(std::unique_ptr<Thing> thing) noexcept {
    going_.store(thing.release(), std::memory_order_release);
  }

  /// Frees what was given back; outside of the loop.
  void collect() { delete going_.exchange(nullptr, std::memory_order_acq_rel); }

 private:
  std::atomic<Thing*> coming_ = nullptr, going_ = nullptr;
};

}  // namespace dynamics_sim
