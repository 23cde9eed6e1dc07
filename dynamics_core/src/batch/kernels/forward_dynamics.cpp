// SPDX-License-Identifier: Apache-2.0
#include "batch/kernels/accelerations.hpp"
#include "rigid/recursions/friction.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {

DYNAMICS_FLATTEN const Pack* accelerations(const BatchJob& job, const PackScratch& scratch,
                                           const BaseState<Pack>& base,
                                           const BodyWrench<Pack>* wrenches, const Pack* q,
                                           const Pack* qd, InertiaSolver& solver,
                                           PackOfStates& states) {
  Pack* tau = states.forces();
  for (Size i = 0; i < job.tree.size(); ++i) {
    if (has_friction(job, i)) {
      tau[i] -= joint_friction(job.tree[i], qd[i], job.friction_velocity);
    }
  }
  if (job.massless_mimic) {
    // M (over coordinates) qdd = G^T (tau - bias)
    for (Size i = 0; i < job.tree.size(); ++i) scratch.zeros[i] = Pack(0.0);
    packs::inverse_dynamics(job.tree, scratch.inverse, base, wrenches, q, qd, scratch.zeros,
                            scratch.output);
    for (Size j = 0; j < job.size; ++j) scratch.rows[j] = Pack(0.0);
    for (Size i = 0; i < job.tree.size(); ++i) {
      scratch.rows[job.joints[i].coordinate] +=
          job.joints[i].multiplier * (tau[i] - scratch.output[i]);
    }
    solver.factor(q, states);
    solver.solve_coordinates(scratch.rows);
    return scratch.rows;
  }
  packs::forward_dynamics(job.tree, scratch.forward, base, wrenches, q, qd, tau, scratch.output);
  for (Size i = 0; i < job.tree.size(); ++i) states.refuse_pivot(scratch.forward[i].pivot);
  if (job.coupling_count > 0) {
    solver.factor(q, states);
    solver.apply_couplings(scratch.output);
  }
  return states.leading(scratch.output);
}

DYNAMICS_FLATTEN Size batch::forward_dynamics(const BatchJob& job, Size first, Size last,
                                              void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  const BodyWrench<Pack>* wrenches = pack_wrenches(job, scratch);
  InertiaSolver solver(job, scratch);
  return for_each_pack(job, first, last, scratch, job.size, [&](PackOfStates& states) {
    const Pack *q = states.positions(), *qd = states.rates();
    states.refuse_singular(q);
    states.store(accelerations(job, scratch, base, wrenches, q, qd, solver, states), job.output[0]);
  });
}

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
