// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exchange of data with a control loop that neither waits nor allocates.
//
//   Mailbox<Robot> mailbox;                                   // large objects, replaced now and
//   then mailbox.send(std::make_unique<Robot>(...));               // any thread if (auto next =
//   mailbox.take()) ...                       // control loop
//
//   TripleBuffer<Sample> samples(sample);                     // plain values, replaced often
//   samples.back() = now; samples.publish();                  // one thread writes
//   if (samples.refresh()) use(samples.front());              // one thread reads
//
// The control loop may be on either side of a TripleBuffer.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace dynamics_controllers {

/// Passes objects to the control loop, and back for destruction in another thread.
template <class T>
class Mailbox {
 public:
  Mailbox() = default;
  ~Mailbox() {
    delete next_.load();
    delete retired_.load();
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Replaces an object that was not taken yet; destroys what was retired.
  void send(std::unique_ptr<T> next) {
    const std::scoped_lock lock(senders_);
    std::unique_ptr<T> retired(retired_.exchange(nullptr, std::memory_order_acq_rel));
    std::unique_ptr<T> replaced(next_.exchange(next.release(), std::memory_order_acq_rel));
  }

  // of the control loop

  /// The object sent last; null if there is none.
  std::unique_ptr<T> take() noexcept {
    return std::unique_ptr<T>(next_.exchange(nullptr, std::memory_order_acq_rel));
  }
  /// Gives an object back. If the last one was not collected yet it stays where it is: try again.
  void retire(std::unique_ptr<T>& old) noexcept {
    T* none = nullptr;
    // retired_ owns it then
    if (retired_.compare_exchange_strong(none, old.get(), std::memory_order_acq_rel))
      static_cast<void>(old.release());
  }

 private:
  std::mutex senders_;
  std::atomic<T*> next_{nullptr}, retired_{nullptr};
};

/// The latest value, from one thread to one other. The buffers are copies of the first value.
template <class T>
class TripleBuffer {
 public:
  explicit TripleBuffer(const T& first = T()) : values_{first, first, first} {}
  /// Replaces all values. Neither thread may use the buffer meanwhile.
  void reset(const T& first) {
    values_ = {first, first, first};
    back_ = 0;
    middle_ = 1;
    front_ = 2;
  }

  T& back() noexcept { return values_[back_]; }
  void publish() noexcept {
    back_ = middle_.exchange(static_cast<std::uint8_t>(back_ | fresh), std::memory_order_acq_rel) &
            index;
  }

  /// Moves to the latest value; false if there is no new one.
  bool refresh() noexcept {
    if ((middle_.load(std::memory_order_acquire) & fresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & index;
    return true;
  }
  const T& front() const noexcept { return values_[front_]; }

 private:
  static constexpr std::uint8_t fresh = 4, index = 3;
  std::array<T, 3> values_;
  std::uint8_t back_ = 0, front_ = 2;
  std::atomic<std::uint8_t> middle_{1};
};

}  // namespace dynamics_controllers
