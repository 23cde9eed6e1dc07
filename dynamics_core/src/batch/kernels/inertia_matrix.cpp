// SPDX-License-Identifier: Apache-2.0
#include "rigid/recursions/inertia_matrix.hpp"

#include "batch/kernels/pack_of_states.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

DYNAMICS_FLATTEN Size batch::inertia_matrix(const BatchJob& job, Size first, Size last,
                                            void* memory) {
  const PackScratch scratch(job, memory);
  const BatchJob::Output& out = job.output[0];
  if (prepare_matrices(job, scratch)) {
    const Size n = job.size;
    Pack* matrix = scratch.matrices.unit;
    // entries of bodies on different branches stay zero
    for (Size k = 0; k < n * n; ++k) matrix[k] = Pack(0.0);
    const Size* at = scratch.coordinate_of;
    return for_each_pack(job, first, last, scratch, n * n, [&](PackOfStates& states) {
      kernel::inertia_matrix<Pack>(job.tree, scratch.composite, states.positions(),
                                   [&](Size i, Size j, const Pack& value) {
                                     matrix[at[i] * n + at[j]] = value;
                                     matrix[at[j] * n + at[i]] = value;
                                   });
      states.store_entries(matrix, n * n, out, scratch.nonzero);
    });
  }
  return for_each_pack(job, first, last, scratch, job.size * job.size, [&](PackOfStates& states) {
    states.clear(out);
    kernel::inertia_matrix<Pack>(job.tree, scratch.composite, states.positions(),
                                 [&](Size i, Size j, const Pack& value) {
                                   states.add(out, i, j, value);
                                   if (i != j) states.add(out, j, i, value);
                                 });
  });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
