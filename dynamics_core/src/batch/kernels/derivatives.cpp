// SPDX-License-Identifier: Apache-2.0
#include "rigid/recursions/derivatives.hpp"

#include "batch/kernels/accelerations.hpp"
#include "rigid/recursions/friction.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {
namespace {

/// d tau / d q and d tau / d qd into the first two outputs.
[[gnu::noinline]] DYNAMICS_FLATTEN void differentiate(const BatchJob& job,
                                                      const PackScratch& scratch,
                                                      const BaseState<Pack>& base,
                                                      const BodyWrench<Pack>* wrenches,
                                                      const Pack* q, const Pack* qd,
                                                      const Pack* qdd, const PackOfStates& states) {
  const BatchJob::Output &by_q = job.output[0], &by_qd = job.output[1];
  states.clear(by_q);
  states.clear(by_qd);
  inverse_dynamics_derivatives<Pack>(
      job.tree, scratch.derivatives, base, wrenches, q, qd, qdd,
      [&](Size i, Size j, const Pack& value) { states.add(by_q, i, j, value); },
      [&](Size i, Size j, const Pack& value) {
        const bool friction = i == j && has_friction(job, i);
        states.add(
            by_qd, i, j,
            friction ? value + friction_slope(job.tree[i], qd[i], job.friction_velocity) : value);
      });
}

}  // namespace

DYNAMICS_FLATTEN Size batch::inverse_dynamics_derivatives(const BatchJob& job, Size first,
                                                          Size last, void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  const BodyWrench<Pack>* wrenches = pack_wrenches(job, scratch);
  return for_each_pack(job, first, last, scratch, job.size * job.size, [&](PackOfStates& states) {
    const Pack *q = states.positions(), *qd = states.rates(), *qdd = states.accelerations();
    differentiate(job, scratch, base, wrenches, q, qd, qdd, states);
  });
}

DYNAMICS_FLATTEN Size batch::forward_dynamics_derivatives(const BatchJob& job, Size first,
                                                          Size last, void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  const BodyWrench<Pack>* wrenches = pack_wrenches(job, scratch);
  InertiaSolver solver(job, scratch);
  return for_each_pack(job, first, last, scratch, job.size * job.size, [&](PackOfStates& states) {
    const Pack *q = states.positions(), *qd = states.rates();
    states.refuse_singular(q);
    const Pack* found = accelerations(job, scratch, base, wrenches, q, qd, solver, states);
    for (Size i = 0; i < job.tree.size(); ++i) {
      scratch.input[i] = job.joints == nullptr
                             ? found[i]
                             : job.joints[i].multiplier * found[job.joints[i].coordinate];
    }
    differentiate(job, scratch, base, wrenches, q, qd, scratch.input, states);
    // M qdd + ... = tau, differentiated: M dqdd = -dtau at constant qdd
    solver.factor(q, states);
    for (Size j = 0; j < job.size; ++j) {
      for (int k = 0; k < 2; ++k) {
        const BatchJob::Output& matrices = job.output[k];
        states.load_column(matrices, j, scratch.rows);
        for (Size i = 0; i < job.size; ++i) scratch.rows[i] = -scratch.rows[i];
        solver.solve_coordinates(scratch.rows);
        states.store_column(scratch.rows, matrices, j);
      }
      for (Size i = 0; i < job.size; ++i) scratch.rows[i] = Pack(i == j ? 1.0 : 0.0);
      solver.solve_coordinates(scratch.rows);
      states.store_column(scratch.rows, job.output[2], j);
    }
  });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
