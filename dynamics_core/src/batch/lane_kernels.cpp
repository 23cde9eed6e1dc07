// SPDX-License-Identifier: Apache-2.0
// The kernels on lanes of states, compiled once for each instruction set (see kernels/single.cpp).
// Rows of states are turned into lanes on the way in and back on the way out.

#include "batch/lane_group.hpp"

// Lanes stay in registers. Where every access is watched, that would only be slow to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DYNAMICS_FLATTEN
#else
#define DYNAMICS_FLATTEN [[gnu::flatten]]
#endif

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {
namespace {

/// Calls one(group) for every group of states.
template <class One>
LaneFaults each_group(const LaneJob& job, Size first, Size last, const LaneScratch& scratch,
                      Size width, One&& one) {
  LaneFaults faults;
  for (Size at = first; at < last; at += Lanes::count) {
    Group group(job, at, last, scratch);
    one(group);
    group.finish(faults, width);
  }
  return faults;
}

DYNAMICS_FLATTEN LaneFaults run_inverse(const LaneJob& job, Size first, Size last, void* memory) {
  const LaneScratch scratch(job, memory);
  const BaseState<Lanes> base = lane_base(job);
  const BodyWrench<Lanes>* wrenches = lane_wrenches(job, scratch);
  const Tree tree(job.bodies, job.body_count);
  return each_group(job, first, last, scratch, job.size, [&](Group& group) {
    const Lanes *q = group.positions(), *qd = group.rates(), *qdd = group.accelerations();
    inverse_dynamics<Lanes>(tree, scratch.inverse, base, wrenches, q, qd, qdd, scratch.output);
    for (Size i = 0; i < job.body_count; ++i) {
      if (rubs(job, i)) {
        scratch.output[i] += joint_friction(job.bodies[i], qd[i], job.friction_velocity);
      }
    }
    group.collect(scratch.output, job.output[0]);
  });
}

DYNAMICS_FLATTEN LaneFaults run_gravity(const LaneJob& job, Size first, Size last, void* memory) {
  const LaneScratch scratch(job, memory);
  const BaseState<Lanes> base = lane_base(job);
  const Tree tree(job.bodies, job.body_count);
  for (Size i = 0; i < job.body_count; ++i) scratch.zeros[i] = Lanes(0.0);
  return each_group(job, first, last, scratch, job.size, [&](Group& group) {
    inverse_dynamics<Lanes>(tree, scratch.inverse, base, nullptr, group.positions(), scratch.zeros,
                            scratch.zeros, scratch.output);
    group.collect(scratch.output, job.output[0]);
  });
}

DYNAMICS_FLATTEN LaneFaults run_inertia(const LaneJob& job, Size first, Size last, void* memory) {
  const LaneScratch scratch(job, memory);
  const Tree tree(job.bodies, job.body_count);
  const Output& out = job.output[0];
  return each_group(job, first, last, scratch, job.size * job.size, [&](Group& group) {
    group.clear(out);
    inertia_matrix<Lanes>(tree, scratch.composite, group.positions(),
                          [&](Size i, Size j, const Lanes& value) {
                            group.add(out, i, j, value);
                            if (i != j) group.add(out, j, i, value);
                          });
  });
}

/// qdd of bodies into scratch.output, or where there are massless mimic joints of coordinates;
/// returns the accelerations over coordinates.
[[gnu::always_inline]] inline const Lanes* accelerate(const LaneJob& job,
                                                      const LaneScratch& scratch,
                                                      const BaseState<Lanes>& base,
                                                      const BodyWrench<Lanes>* wrenches,
                                                      const Lanes* q, const Lanes* qd,
                                                      InertiaSolver& solver, Group& group) {
  const Tree tree(job.bodies, job.body_count);
  Lanes* tau = group.forces();
  for (Size i = 0; i < job.body_count; ++i) {
    if (rubs(job, i)) tau[i] -= joint_friction(job.bodies[i], qd[i], job.friction_velocity);
  }
  if (job.massless_mimic) {
    // M (over coordinates) qdd = G^T (tau - bias)
    for (Size i = 0; i < job.body_count; ++i) scratch.zeros[i] = Lanes(0.0);
    inverse_dynamics<Lanes>(tree, scratch.inverse, base, wrenches, q, qd, scratch.zeros,
                            scratch.output);
    for (Size j = 0; j < job.size; ++j) scratch.rows[j] = Lanes(0.0);
    for (Size i = 0; i < job.body_count; ++i) {
      scratch.rows[job.joints[i].coordinate] +=
          job.joints[i].multiplier * (tau[i] - scratch.output[i]);
    }
    solver.factor(q, group);
    solver.solve_coordinates(scratch.rows);
    return scratch.rows;
  }
  forward_dynamics<Lanes>(tree, scratch.forward, base, wrenches, q, qd, tau, scratch.output);
  for (Size i = 0; i < job.body_count; ++i) group.refuse_pivot(scratch.forward[i].pivot);
  if (job.coupling_count > 0) {
    solver.factor(q, group);
    solver.apply_couplings(scratch.output);
  }
  return group.leading(scratch.output);
}

DYNAMICS_FLATTEN LaneFaults run_forward(const LaneJob& job, Size first, Size last, void* memory) {
  const LaneScratch scratch(job, memory);
  const BaseState<Lanes> base = lane_base(job);
  const BodyWrench<Lanes>* wrenches = lane_wrenches(job, scratch);
  InertiaSolver solver(job, scratch);
  return each_group(job, first, last, scratch, job.size, [&](Group& group) {
    const Lanes *q = group.positions(), *qd = group.rates();
    group.refuse_singular(q);
    group.store(accelerate(job, scratch, base, wrenches, q, qd, solver, group), job.output[0]);
  });
}

/// d tau / d q and d tau / d qd into the first two outputs.
[[gnu::always_inline]] inline void differentiate(const LaneJob& job, const LaneScratch& scratch,
                                                 const BaseState<Lanes>& base,
                                                 const BodyWrench<Lanes>* wrenches, const Lanes* q,
                                                 const Lanes* qd, const Lanes* qdd,
                                                 const Group& group) {
  const Output &by_q = job.output[0], &by_qd = job.output[1];
  group.clear(by_q);
  group.clear(by_qd);
  inverse_dynamics_derivatives<Lanes>(
      Tree(job.bodies, job.body_count), scratch.derivatives, base, wrenches, q, qd, qdd,
      [&](Size i, Size j, const Lanes& value) { group.add(by_q, i, j, value); },
      [&](Size i, Size j, const Lanes& value) {
        const bool rubbing = i == j && rubs(job, i);
        group.add(
            by_qd, i, j,
            rubbing ? value + friction_slope(job.bodies[i], qd[i], job.friction_velocity) : value);
      });
}

DYNAMICS_FLATTEN LaneFaults run_inverse_derivatives(const LaneJob& job, Size first, Size last,
                                                    void* memory) {
  const LaneScratch scratch(job, memory);
  const BaseState<Lanes> base = lane_base(job);
  const BodyWrench<Lanes>* wrenches = lane_wrenches(job, scratch);
  return each_group(job, first, last, scratch, job.size * job.size, [&](Group& group) {
    const Lanes *q = group.positions(), *qd = group.rates(), *qdd = group.accelerations();
    differentiate(job, scratch, base, wrenches, q, qd, qdd, group);
  });
}

DYNAMICS_FLATTEN LaneFaults run_forward_derivatives(const LaneJob& job, Size first, Size last,
                                                    void* memory) {
  const LaneScratch scratch(job, memory);
  const BaseState<Lanes> base = lane_base(job);
  const BodyWrench<Lanes>* wrenches = lane_wrenches(job, scratch);
  InertiaSolver solver(job, scratch);
  return each_group(job, first, last, scratch, job.size * job.size, [&](Group& group) {
    const Lanes *q = group.positions(), *qd = group.rates();
    group.refuse_singular(q);
    const Lanes* found = accelerate(job, scratch, base, wrenches, q, qd, solver, group);
    for (Size i = 0; i < job.body_count; ++i) {
      scratch.input[i] = job.joints == nullptr
                             ? found[i]
                             : job.joints[i].multiplier * found[job.joints[i].coordinate];
    }
    differentiate(job, scratch, base, wrenches, q, qd, scratch.input, group);
    // M qdd + ... = tau, differentiated: M dqdd = -dtau at constant qdd
    solver.factor(q, group);
    for (Size j = 0; j < job.size; ++j) {
      for (int k = 0; k < 2; ++k) {
        const Output& matrices = job.output[k];
        group.load_column(matrices, j, scratch.rows);
        for (Size i = 0; i < job.size; ++i) scratch.rows[i] = -scratch.rows[i];
        solver.solve_coordinates(scratch.rows);
        group.store_column(scratch.rows, matrices, j);
      }
      for (Size i = 0; i < job.size; ++i) scratch.rows[i] = Lanes(i == j ? 1.0 : 0.0);
      solver.solve_coordinates(scratch.rows);
      group.store_column(scratch.rows, job.output[2], j);
    }
  });
}

/// More chains than a multiply-add takes cycles in two units.
double run_multiply_adds(Size rounds) {
  const Lanes f(0.999), s(0.001);
  // from different numbers, or the compiler would see that they are one
  Lanes a(0.1), b(0.2), c(0.3), d(0.4), e(0.5), g(0.6), h(0.7), i(0.8), j(0.9), k(1.1), l(1.2),
      m(1.3);
  for (Size round = 0; round < rounds; ++round) {
    a = a * f + s;
    b = b * f + s;
    c = c * f + s;
    d = d * f + s;
    e = e * f + s;
    g = g * f + s;
    h = h * f + s;
    i = i * f + s;
    j = j * f + s;
    k = k * f + s;
    l = l * f + s;
    m = m * f + s;
  }
  const Lanes sum = a + b + c + d + e + g + h + i + j + k + l + m;
  return sum.v[0] + sum.v[1];
}

std::size_t scratch_bytes(const LaneJob& job) { return LaneScratch(job, nullptr).bytes; }

}  // namespace

extern const LaneTable lane_table;
const LaneTable lane_table = {Lanes::count,
                              scratch_bytes,
                              run_multiply_adds,
                              run_inverse,
                              run_gravity,
                              run_forward,
                              run_inertia,
                              run_inverse_derivatives,
                              run_forward_derivatives};

}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
