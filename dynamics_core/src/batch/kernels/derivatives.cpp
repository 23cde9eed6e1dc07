// SPDX-License-Identifier: Apache-2.0
#include "rigid/recursions/derivatives.hpp"

#include "batch/kernels/accelerations.hpp"
#include "rigid/recursions/forward_derivatives.hpp"
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

/// Zeros in the rows where bodies have different roots: those entries are not computed.
void clear_other_roots(const BatchJob& job, const RowScratch<Pack>& matrices) {
  const Size n = job.size;
  for (Size first = 0; first < n;) {
    Size end = first + 1;
    while (end < n && !is_root(job.tree[end])) ++end;
    for (Size i = first; i < end; ++i) {
      Pack* row = matrices.row(i);
      for (Size k = 0; k < 3 * first; ++k) row[k] = Pack(0.0);
      for (Size k = 3 * end; k < 3 * n; ++k) row[k] = Pack(0.0);
    }
    first = end;
  }
}
/// The slopes of friction in scratch, or null.
const Pack* friction_slopes(const BatchJob& job, const Pack* qd, Pack* slopes) {
  if (!job.friction) return nullptr;
  for (Size i = 0; i < job.tree.size(); ++i) {
    slopes[i] = has_friction(job, i) ? friction_slope(job.tree[i], qd[i], job.friction_velocity)
                                     : Pack(0.0);
  }
  return slopes;
}

/// d tau / d q and d tau / d qd over coordinates into scratch, by columns, one matrix after the
/// other. Entries of bodies on different branches are not written.
[[gnu::noinline]] DYNAMICS_FLATTEN void differentiate_in_scratch(
    const BatchJob& job, const PackScratch& scratch, const BaseState<Pack>& base,
    const BodyWrench<Pack>* wrenches, const Pack* q, const Pack* qd, const Pack* qdd) {
  const Size n = job.size;
  const Size* at = scratch.coordinate_of;
  Pack *by_q = scratch.matrices.rows, *by_qd = by_q + n * n;
  inverse_dynamics_derivatives<Pack>(
      job.tree, scratch.derivatives, base, wrenches, q, qd, qdd,
      [&](Size i, Size j, const Pack& value) { by_q[at[j] * n + at[i]] = value; },
      [&](Size i, Size j, const Pack& value) { by_qd[at[j] * n + at[i]] = value; });
  if (const Pack* slopes = friction_slopes(job, qd, scratch.rows)) {
    for (Size i = 0; i < job.tree.size(); ++i) by_qd[at[i] * (n + 1)] += slopes[i];
  }
}

/// All derivatives of forward dynamics into the rows of scratch, after forward dynamics.
[[gnu::noinline]] DYNAMICS_FLATTEN void differentiate_forward(
    const BatchJob& job, const PackScratch& scratch, const BaseState<Pack>& base,
    const BodyWrench<Pack>* wrenches, const Pack* q, const Pack* qd, const Pack* qdd) {
  forward_dynamics_derivatives<Pack>(job.tree, scratch.forward, scratch.derivatives, base, wrenches,
                                     q, qd, qdd, friction_slopes(job, qd, scratch.rows),
                                     scratch.matrices, [](Size, Size, Size, Size) {});
}

/// The rows of scratch into the three outputs.
void store_rows(const BatchJob& job, const PackScratch& scratch, const PackOfStates& states) {
  for (Size k = 0; k < 3; ++k) {
    states.store_matrix(job.output[k], scratch.nonzero,
                        [&](Size i, Size j) { return scratch.matrices.row(i)[3 * j + k]; });
  }
}

}  // namespace

DYNAMICS_FLATTEN Size batch::inverse_dynamics_derivatives(const BatchJob& job, Size first,
                                                          Size last, void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  const BodyWrench<Pack>* wrenches = pack_wrenches(job, scratch);
  const bool in_scratch = prepare_matrices(job, scratch);
  const Size entries = job.size * job.size;
  if (in_scratch) {
    for (Size k = 0; k < 2 * entries; ++k) scratch.matrices.rows[k] = Pack(0.0);
  }
  return for_each_pack(job, first, last, scratch, entries, [&](PackOfStates& states) {
    const Pack *q = states.positions(), *qd = states.rates(), *qdd = states.accelerations();
    if (in_scratch) {
      differentiate_in_scratch(job, scratch, base, wrenches, q, qd, qdd);
      for (Size k = 0; k < 2; ++k) {
        states.store_entries(scratch.matrices.rows + k * entries, entries, job.output[k],
                             scratch.nonzero);
      }
      return;
    }
    differentiate(job, scratch, base, wrenches, q, qd, qdd, states);
  });
}

DYNAMICS_FLATTEN Size batch::forward_dynamics_derivatives(const BatchJob& job, Size first,
                                                          Size last, void* memory) {
  const PackScratch scratch(job, memory);
  const BaseState<Pack> base = pack_base(job);
  const BodyWrench<Pack>* wrenches = pack_wrenches(job, scratch);
  InertiaSolver solver(job, scratch);
  const bool in_scratch = prepare_matrices(job, scratch, Structure::root);
  if (in_scratch) clear_other_roots(job, scratch.matrices);
  return for_each_pack(job, first, last, scratch, job.size * job.size, [&](PackOfStates& states) {
    const Pack *q = states.positions(), *qd = states.rates();
    states.refuse_singular(q);
    const Pack* found = accelerations(job, scratch, base, wrenches, q, qd, solver, states);
    for (Size i = 0; i < job.tree.size(); ++i) {
      scratch.input[i] = job.joints == nullptr
                             ? found[i]
                             : job.joints[i].multiplier * found[job.joints[i].coordinate];
    }
    if (in_scratch) {
      differentiate_forward(job, scratch, base, wrenches, q, qd, scratch.input);
      store_rows(job, scratch, states);
      return;
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
