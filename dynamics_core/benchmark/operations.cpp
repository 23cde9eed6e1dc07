// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include "benchmark_cases.hpp"
#include "papers/counting/algorithms.hpp"

namespace dynamics::benchmark {

double operations(const std::string& work) {
  const counting::Computation counted = work.ends_with("inverse") ? counting::Computation::inverse
                                        : work.ends_with("forward")
                                            ? counting::Computation::forward
                                            : counting::Computation::inertia_matrix;
  const counting::OperationCount counts = counting::count(counted, puma()).counts;
  const auto arithmetic =
      static_cast<double>(counts.products() + counts.additions + counts.square_roots);
  return arithmetic + 0.5 * sine_and_cosine * static_cast<double>(counts.sines + counts.cosines);
}

}  // namespace dynamics::benchmark
