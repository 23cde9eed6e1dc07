// SPDX-License-Identifier: Apache-2.0
#pragma once

// Things that one thread uses at a time, for any number of threads: each call takes one and gives
// it back.

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace dynamics_ros {

template <class Thing>
class Pool {
 public:
  /// `make` is called where none is free; as many are kept as were ever in use at once.
  explicit Pool(std::function<std::unique_ptr<Thing>()> make) : make_(std::move(make)) {}

  /// Goes back to its pool at the end of its scope; the pool must outlive it.
  class Loan {
   public:
    Loan(Pool& pool, std::unique_ptr<Thing> thing) : pool_(pool), thing_(std::move(thing)) {}
    ~Loan() { pool_.give_back(std::move(thing_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    Thing& operator*() { return *thing_; }

   private:
    Pool& pool_;
    std::unique_ptr<Thing> thing_;
  };

  Loan take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto thing = std::move(free_.back());
        free_.pop_back();
        return {*this, std::move(thing)};
      }
    }
    return {*this, make_()};
  }

 private:
  void give_back(std::unique_ptr<Thing> thing) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(thing));
  }

  std::function<std::unique_ptr<Thing>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Thing>> free_;
};

}  // namespace dynamics_ros
