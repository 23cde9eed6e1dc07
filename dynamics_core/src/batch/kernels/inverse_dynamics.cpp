// SPDX-License-Identifier: Apache-2.0
#include "batch/kernels/pack_of_states.hpp"
#include "rigid/recursions/friction.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

DYNAMICS_FLATTEN Size batch::inverse_dynamics(const BatchJob& job, Size first, Size last,
                                              void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  const BodyWrench<Pack>* wrenches = pack_wrenches(job, scratch);
  return for_each_pack(job, first, last, scratch, job.size, [&](PackOfStates& states) {
    const Pack *q = states.positions(), *qd = states.rates(), *qdd = states.accelerations();
    packs::inverse_dynamics(job.tree, scratch.inverse, base, wrenches, q, qd, qdd, scratch.output);
    for (Size i = 0; i < job.tree.size(); ++i) {
      if (has_friction(job, i)) {
        scratch.output[i] += joint_friction(job.tree[i], qd[i], job.friction_velocity);
      }
    }
    states.collect(scratch.output, job.output[0]);
  });
}

DYNAMICS_FLATTEN Size batch::gravity_forces(const BatchJob& job, Size first, Size last,
                                            void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  for (Size i = 0; i < job.tree.size(); ++i) scratch.zeros[i] = Pack(0.0);
  return for_each_pack(job, first, last, scratch, job.size, [&](PackOfStates& states) {
    packs::inverse_dynamics(job.tree, scratch.inverse, base, nullptr, states.positions(),
                            scratch.zeros, scratch.zeros, scratch.output);
    states.collect(scratch.output, job.output[0]);
  });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
