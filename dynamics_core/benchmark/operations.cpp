// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include "contenders.hpp"
#include "papers/counting/algorithms.hpp"

namespace dynamics::benchmark {

double operations(const std::string& work) {
  const counting::Work counted = work.ends_with("inverse")   ? counting::Work::inverse
                                 : work.ends_with("forward") ? counting::Work::forward
                                                             : counting::Work::inertia_matrix;
  const counting::Counts counts = counting::count(counted, puma()).counts;
  const auto plain =
      static_cast<double>(counts.products() + counts.additions + counts.square_roots);
  return plain + 0.5 * sine_and_cosine * static_cast<double>(counts.sines + counts.cosines);
}

}  // namespace dynamics::benchmark
