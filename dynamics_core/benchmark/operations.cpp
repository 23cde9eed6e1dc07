// SPDX-License-Identifier: Apache-2.0
#include "operations.hpp"

#include "benchmark_cases.hpp"
#include "papers/counting/algorithms.hpp"

namespace dynamics::benchmark {

double operations(const std::string& work, const Model& model) {
  for (const counting::Computation computation :
       {counting::Computation::inverse, counting::Computation::forward,
        counting::Computation::inertia_matrix, counting::Computation::gravity}) {
    if (counting::name(computation) != work_per_state(work)) continue;
    const counting::OperationCount counts = counting::count(computation, model).counts;
    const auto arithmetic =
        static_cast<double>(counts.products() + counts.additions + counts.square_roots);
    const double each = is_single_precision(work) ? float_sine_and_cosine : sine_and_cosine;
    return arithmetic + 0.5 * each * static_cast<double>(counts.sines + counts.cosines);
  }
  return 0.0;
}

}  // namespace dynamics::benchmark
