// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compares the operation count of an algorithm with the instructions that it executes.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "dynamics_core/model.hpp"
#include "papers/counting/counted.hpp"
#include "support/executed_instructions.hpp"

namespace dynamics::test {

using counting::Counted;
using counting::OperationCount;

template <class S>
std::vector<S> numbers(std::size_t size, double phase) {
  std::vector<S> result;
  for (std::size_t i = 0; i < size; ++i) {
    result.push_back(S(0.6 + 0.4 * std::sin(1.7 * static_cast<double>(i) + phase)));
  }
  return result;
}

template <template <class> class Work, class Number>
void compare(const char* name, const Model& model) {
  const Work<Counted> counted(model);
  const counting::OperationCounter counter;
  counted();
  OperationCount expected = counter.count();
  EXPECT_GT(expected.multiplications, 0);
  const Work<Number> executable(model);
  const std::optional<OperationCount> found = executed([&executable] { executable(); });
  if (!found) GTEST_SKIP() << "single-stepping of a process (ptrace) is not available";
  expected.sines = expected.cosines = expected.negations = 0;  // not separate instructions
  EXPECT_EQ(found->multiplications, expected.multiplications) << name;
  EXPECT_EQ(found->additions, expected.additions) << name;
  EXPECT_EQ(found->divisions, expected.divisions) << name;
  EXPECT_EQ(found->square_roots, expected.square_roots) << name;
}

}  // namespace dynamics::test
