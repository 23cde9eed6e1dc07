// SPDX-License-Identifier: Apache-2.0
#include "rigid/recursions/inertia_matrix.hpp"

#include "batch/kernels/pack_of_states.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

DYNAMICS_FLATTEN Size batch::inertia_matrix(const BatchJob& job, Size first, Size last,
                                            void* memory) {
  const PackScratch scratch(job, memory);
  const BatchJob::Output& out = job.output[0];
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
