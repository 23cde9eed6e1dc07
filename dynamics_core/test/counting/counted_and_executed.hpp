// SPDX-License-Identifier: Apache-2.0
#pragma once

// An algorithm counted beside the same algorithm executed.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "dynamics_core/model.hpp"
#include "papers/counting/counted.hpp"
#include "support/executed_instructions.hpp"

namespace dynamics::test {

using counting::Counted;
using counting::Counts;

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
  const counting::Tally tally;
  counted();
  Counts expected = tally.counts();
  EXPECT_GT(expected.multiplications, 0);
  const Work<Number> plain(model);
  const std::optional<Counts> found = executed([&plain] { plain(); });
  if (!found) GTEST_SKIP() << "no stepping through a process here";
  expected.sines = expected.cosines = expected.negations = 0;  // no instruction of their own
  EXPECT_EQ(found->multiplications, expected.multiplications) << name;
  EXPECT_EQ(found->additions, expected.additions) << name;
  EXPECT_EQ(found->divisions, expected.divisions) << name;
  EXPECT_EQ(found->square_roots, expected.square_roots) << name;
}

}  // namespace dynamics::test
