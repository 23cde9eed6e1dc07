// SPDX-License-Identifier: Apache-2.0
// The exchange with the control loop, with two threads; for ThreadSanitizer too.
#include "dynamics_controllers/exchange.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace dynamics_controllers::test {
namespace {

struct Counted {
  explicit Counted(int one) : value(one), copy(one) { ++alive; }
  ~Counted() { --alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int value;
  int copy;
  static inline std::atomic<int> alive{0};
};

TEST(Mailbox, PassesTheLastObjectAndFreesAll) {
  {
    Mailbox<Counted> mailbox;
    EXPECT_FALSE(mailbox.take());
    mailbox.send(std::make_unique<Counted>(1));
    mailbox.send(std::make_unique<Counted>(2));
    EXPECT_EQ(Counted::alive, 1) << "the first was replaced";
    auto taken = mailbox.take();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->value, 2);
    mailbox.retire(taken);
    EXPECT_FALSE(taken);
    EXPECT_EQ(Counted::alive, 1) << "not freed in the control loop";
    auto other = std::make_unique<Counted>(3);
    mailbox.retire(other);
    EXPECT_TRUE(other) << "the place is taken";
    mailbox.send(nullptr);
    EXPECT_EQ(Counted::alive, 1);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(Mailbox, WorksBetweenThreads) {
  Mailbox<Counted> mailbox;
  std::thread sender([&] {
    for (int k = 1; k <= 20000; ++k) mailbox.send(std::make_unique<Counted>(k));
  });
  std::unique_ptr<Counted> current, retired;
  int last = 0;
  while (last < 20000) {
    if (retired) mailbox.retire(retired);
    if (retired) continue;
    if (auto next = mailbox.take()) {
      EXPECT_GT(next->value, last);
      EXPECT_EQ(next->value, next->copy);
      last = next->value;
      retired = std::move(current);
      current = std::move(next);
    }
  }
  sender.join();
}

TEST(TripleBuffer, GivesTheLatestValueOnce) {
  TripleBuffer<int> buffer(7);
  EXPECT_FALSE(buffer.refresh());
  EXPECT_EQ(buffer.front(), 7);
  for (const int k : {1, 2}) {
    buffer.back() = k;
    buffer.publish();
  }
  EXPECT_TRUE(buffer.refresh());
  EXPECT_EQ(buffer.front(), 2);
  EXPECT_FALSE(buffer.refresh());
  buffer.reset(5);
  EXPECT_FALSE(buffer.refresh());
  EXPECT_EQ(buffer.front(), 5);
}

TEST(TripleBuffer, NeverGivesAHalfWrittenValue) {
  TripleBuffer<std::vector<int>> buffer(std::vector<int>(20, 0));
  std::thread writer([&] {
    for (int k = 1; k <= 50000; ++k) {
      for (int& x : buffer.back()) x = k;
      buffer.publish();
    }
  });
  int last = 0;
  while (last < 50000) {
    if (!buffer.refresh()) continue;
    const int now = buffer.front()[0];
    EXPECT_GT(now, last);
    for (const int x : buffer.front()) EXPECT_EQ(x, now);
    last = now;
  }
  writer.join();
}

}  // namespace
}  // namespace dynamics_controllers::test
