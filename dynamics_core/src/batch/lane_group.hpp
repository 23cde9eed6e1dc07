// SPDX-License-Identifier: Apache-2.0
#pragma once

// One group of states: a lane each, and M x = phi for them. For lane_kernels.cpp alone, which is
// compiled once for each instruction set; hence the unnamed namespace.

#include "batch/lane_table.hpp"
#include "batch/lanes.hpp"
#include "rigid/recursions/derivatives.hpp"
#include "rigid/recursions/forward_dynamics.hpp"
#include "rigid/recursions/inertia_matrix.hpp"
#include "rigid/recursions/inverse_dynamics.hpp"
#include "rigid/recursions/udut.hpp"

namespace dynamics::kernel {
inline namespace DYNAMICS_KERNEL_NAMESPACE {
namespace {

using Size = std::size_t;
using Mask = Lanes::Mask;
using Input = LaneJob::Input;
using Output = LaneJob::Output;

/// Scratch of one thread, cut from one block of memory.
struct LaneScratch {
  InverseScratch<Lanes>* inverse;
  ForwardScratch<Lanes>* forward;
  CompositeScratch<Lanes>* composite;
  UdutScratch<Lanes>* udut;
  DerivativeScratch<Lanes>* derivatives;
  BodyWrench<Lanes>* wrenches;
  Lanes *q, *qd, *input, *output, *zeros;  // of bodies
  Lanes* rows;                             // of coordinates
  Lanes *coupling_columns, *coupling_matrix, *coupling_force;
  Lanes* dense;  // over coordinates, for massless mimic joints only
  Size bytes;

  LaneScratch(const LaneJob& job, void* memory) : bytes(0) {
    const Size n = job.size, b = job.body_count, k = job.coupling_count;
    take(memory, inverse, b);
    take(memory, forward, b);
    take(memory, composite, b);
    take(memory, udut, b);
    take(memory, derivatives, b);
    take(memory, wrenches, b);
    take(memory, q, b);
    take(memory, qd, b);
    take(memory, input, b);
    take(memory, output, b);
    take(memory, zeros, b);
    take(memory, rows, n);
    take(memory, coupling_columns, b * k);
    take(memory, coupling_matrix, k * k);
    take(memory, coupling_force, k);
    take(memory, dense, job.massless_mimic ? n * n : 0);
  }

 private:
  template <class T>
  void take(void* memory, T*& array, Size count) {
    array = memory == nullptr ? nullptr
                              : reinterpret_cast<T*>(static_cast<unsigned char*>(memory) + bytes);
    bytes += (count * sizeof(T) + 63) / 64 * 64;
  }
};

/// One group of states at a time: its rows, and which lanes have gone wrong.
class Group {
 public:
  Group(const LaneJob& job, Size first, Size last, const LaneScratch& scratch)
      : job_(job), valid_(last - first), scratch_(scratch) {
    if (valid_ > Lanes::count) valid_ = Lanes::count;
    for (Size lane = 0; lane < Lanes::count; ++lane) {
      // lanes beyond the last state repeat it
      state_[lane] = first + (lane < valid_ ? lane : valid_ - 1);
    }
  }

  /// Positions of bodies.
  const Lanes* positions() { return joints(job_.q, scratch_.q, true); }
  /// Rates or accelerations of bodies.
  const Lanes* rates() { return joints(job_.qd, scratch_.qd, false); }
  const Lanes* accelerations() { return joints(job_.input, scratch_.input, false); }
  /// Joint forces of bodies: those of a coordinate act on the body that leads.
  Lanes* forces() {
    if (job_.joints == nullptr) {
      load(job_.input, scratch_.input);
      return scratch_.input;
    }
    load(job_.input, scratch_.rows);
    for (Size i = 0; i < job_.body_count; ++i) {
      scratch_.input[i] =
          job_.joints[i].mimic ? Lanes(0.0) : scratch_.rows[job_.joints[i].coordinate];
    }
    return scratch_.input;
  }

  void refuse(const Mask& mask) { bad_ |= mask; }
  void refuse_pivot(const Lanes& pivot) {
    bad_ |= ~(pivot.v > Lanes::Vector{}) | not_finite(pivot);
  }
  /// Where a floating joint's roll and yaw are one turn.
  void refuse_singular(const Lanes* q) {
    for (Size k = 0; k < job_.pitch_count; ++k) {
      // the body of a coordinate that is a part of a floating joint
      for (Size i = 0; i < job_.body_count; ++i) {
        const bool own = job_.joints == nullptr ? i == job_.pitches[k]
                                                : !job_.joints[i].mimic &&
                                                      job_.joints[i].coordinate == job_.pitches[k];
        if (!own) continue;
        const Lanes c = cos(q[i]);
        bad_ |= (c.v < 1e-7) & (c.v > -1e-7);
      }
    }
  }

  /// sum over a coordinate's bodies of multiplier * force, into the rows of an output
  void collect(const Lanes* forces, const Output& out) {
    if (job_.joints == nullptr) {
      store(forces, out);
      return;
    }
    for (Size j = 0; j < job_.size; ++j) scratch_.rows[j] = Lanes(0.0);
    for (Size i = 0; i < job_.body_count; ++i) {
      Lanes& row = scratch_.rows[job_.joints[i].coordinate];
      row = row + job_.joints[i].multiplier * forces[i];
    }
    store(scratch_.rows, out);
  }
  /// The values of the bodies that lead, into scratch_.rows or as they are.
  const Lanes* leading(const Lanes* values) {
    if (job_.joints == nullptr) return values;
    for (Size i = 0; i < job_.body_count; ++i) {
      if (!job_.joints[i].mimic) scratch_.rows[job_.joints[i].coordinate] = values[i];
    }
    return scratch_.rows;
  }

  void load(const Input& from, Lanes* out) {
    const Size n = job_.size;
    const double* row[Lanes::count];
    for (Size lane = 0; lane < Lanes::count; ++lane) {
      row[lane] = from.data + state_[lane] * from.stride;
    }
    for (Size j = 0; j < n; ++j) {
      Lanes value;
      for (Size lane = 0; lane < Lanes::count; ++lane) value.v[lane] = row[lane][j];
      bad_ |= not_finite(value);
      out[j] = value;
    }
  }
  void store(const Lanes* values, const Output& to) const {
    const Size n = job_.size;
    for (Size j = 0; j < n; ++j) {
      const Lanes value = values[j];
      for (Size lane = 0; lane < valid_; ++lane)
        to.data[state_[lane] * to.stride + j] = value.v[lane];
    }
  }

  // matrices: n x n numbers a state, row by row

  void clear(const Output& matrices) const {
    const Size entries = job_.size * job_.size;
    for (Size lane = 0; lane < valid_; ++lane) {
      double* matrix = matrices.data + state_[lane] * matrices.stride;
      for (Size i = 0; i < entries; ++i) matrix[i] = 0.0;
    }
  }
  void add(const Output& matrices, Size row, Size column, const Lanes& value) const {
    const Size n = job_.size, stride = matrices.stride;
    if (job_.joints == nullptr) {
      double* entry = matrices.data + row * n + column;
      for (Size lane = 0; lane < valid_; ++lane) entry[state_[lane] * stride] = value.v[lane];
      return;
    }
    const LaneJob::Joint &a = job_.joints[row], &b = job_.joints[column];
    double* entry = matrices.data + a.coordinate * n + b.coordinate;
    const Lanes part = a.multiplier * b.multiplier * value;
    for (Size lane = 0; lane < valid_; ++lane) entry[state_[lane] * stride] += part.v[lane];
  }
  void load_column(const Output& matrices, Size column, Lanes* out) const {
    const Size n = job_.size;
    for (Size i = 0; i < n; ++i) {
      for (Size lane = 0; lane < Lanes::count; ++lane) {
        out[i].v[lane] = matrices.data[state_[lane] * matrices.stride + i * n + column];
      }
    }
  }
  void store_column(const Lanes* values, const Output& matrices, Size column) const {
    const Size n = job_.size;
    for (Size i = 0; i < n; ++i) {
      const Lanes value = values[i];
      for (Size lane = 0; lane < valid_; ++lane) {
        matrices.data[state_[lane] * matrices.stride + i * n + column] = value.v[lane];
      }
    }
  }

  /// Marks the results of bad lanes, `width` numbers a state, and counts them.
  void finish(LaneFaults& faults, Size width) const {
    if (!any(bad_)) [[likely]]
      return;
    for (Size lane = 0; lane < valid_; ++lane) {
      if (bad_[lane] == 0) continue;
      if (faults.count++ == 0) faults.first = state_[lane];
      for (const Output& out : job_.output) {
        if (out.data == nullptr) continue;
        double* result = out.data + state_[lane] * out.stride;
        for (Size i = 0; i < width; ++i) result[i] = __builtin_nan("");
      }
    }
  }

 private:
  const Lanes* joints(const Input& from, Lanes* out, bool offsets) {
    if (job_.joints == nullptr) {
      load(from, out);
      return out;
    }
    load(from, scratch_.rows);
    for (Size i = 0; i < job_.body_count; ++i) {
      const LaneJob::Joint& joint = job_.joints[i];
      out[i] = joint.multiplier * scratch_.rows[joint.coordinate];
      if (offsets) out[i] = out[i] + joint.offset;
    }
    return out;
  }

  const LaneJob& job_;
  Size valid_;
  const LaneScratch& scratch_;
  Size state_[Lanes::count];
  Mask bad_ = {};
};

Vec3<Lanes> broadcast(const Vec3<double>& v) { return {Lanes(v.x), Lanes(v.y), Lanes(v.z)}; }

BaseState<Lanes> lane_base(const LaneJob& job) {
  const auto& base = *static_cast<const BaseState<double>*>(job.base);
  return {broadcast(base.angular_velocity), broadcast(base.angular_acceleration),
          broadcast(base.acceleration), base.not_rotating};
}
const BodyWrench<Lanes>* lane_wrenches(const LaneJob& job, const LaneScratch& scratch) {
  if (job.wrenches == nullptr) return nullptr;
  const auto* given = static_cast<const BodyWrench<double>*>(job.wrenches);
  for (Size i = 0; i < job.body_count; ++i) {
    scratch.wrenches[i] = {broadcast(given[i].moment), broadcast(given[i].force)};
  }
  return scratch.wrenches;
}
bool rubs(const LaneJob& job, Size i) {
  return job.friction && (job.bodies[i].damping != 0.0 || job.bodies[i].friction != 0.0);
}

/// m := its Cholesky factor, in the lower triangle, by rows.
void factor_cholesky(Lanes* m, Size n, Group& group) {
  for (Size j = 0; j < n; ++j) {
    for (Size i = j; i < n; ++i) {
      Lanes sum = m[i * n + j];
      for (Size k = 0; k < j; ++k) sum = sum - m[i * n + k] * m[j * n + k];
      if (i == j) {
        group.refuse_pivot(sum);
        m[i * n + i] = sqrt(sum);
      } else {
        m[i * n + j] = sum / m[j * n + j];
      }
    }
  }
}
void solve_cholesky(const Lanes* m, Size n, Lanes* x) {
  for (Size i = 0; i < n; ++i) {
    for (Size k = 0; k < i; ++k) x[i] = x[i] - m[i * n + k] * x[k];
    x[i] = x[i] / m[i * n + i];
  }
  for (Size i = n; i-- > 0;) {
    for (Size k = i + 1; k < n; ++k) x[i] = x[i] - m[k * n + i] * x[k];
    x[i] = x[i] / m[i * n + i];
  }
}

/// Solutions of M x = phi for one group of states, mimic joints included (see rigid/regular.hpp).
class InertiaSolver {
 public:
  InertiaSolver(const LaneJob& job, const LaneScratch& scratch)
      : job_(job), scratch_(scratch), tree_(job.bodies, job.body_count) {}

  /// The decomposition over bodies, or where that is singular the one over coordinates.
  void factor(const Lanes* q, Group& group) {
    if (job_.massless_mimic) {
      factor_dense(q, group);
      return;
    }
    decompose<Lanes>(tree_, scratch_.udut, q);
    for (Size i = 0; i < job_.body_count; ++i) group.refuse_pivot(scratch_.udut[i].pivot);
    if (job_.coupling_count > 0) factor_couplings(group);
  }

  /// Over coordinates, x = phi -> x = M^-1 phi.
  void solve_coordinates(Lanes* x) {
    if (job_.massless_mimic) {
      solve_cholesky(scratch_.dense, job_.size, x);
      return;
    }
    if (job_.joints == nullptr) {
      solve<Lanes>(tree_, scratch_.udut, x, x);
      return;
    }
    Lanes* bodies = scratch_.output;
    for (Size i = 0; i < job_.body_count; ++i) {
      bodies[i] = job_.joints[i].mimic ? Lanes(0.0) : x[job_.joints[i].coordinate];
    }
    solve<Lanes>(tree_, scratch_.udut, bodies, bodies);
    apply_couplings(bodies);
    for (Size i = 0; i < job_.body_count; ++i) {
      if (!job_.joints[i].mimic) x[job_.joints[i].coordinate] = bodies[i];
    }
  }

  void factor_couplings(Group& group) {
    const Size k = job_.coupling_count, b = job_.body_count;
    for (Size c = 0; c < k; ++c) {
      Lanes* column = scratch_.coupling_columns + c * b;
      for (Size i = 0; i < b; ++i) column[i] = Lanes(0.0);
      column[job_.followers[c]] = Lanes(1.0);
      column[job_.leaders[c]] -= job_.joints[job_.followers[c]].multiplier;
      solve<Lanes>(tree_, scratch_.udut, column, column);
    }
    for (Size r = 0; r < k; ++r) {
      for (Size c = 0; c < k; ++c) {
        scratch_.coupling_matrix[r * k + c] = violation(r, scratch_.coupling_columns + c * b);
      }
    }
    factor_cholesky(scratch_.coupling_matrix, k, group);
  }
  void apply_couplings(Lanes* x) {
    const Size k = job_.coupling_count, b = job_.body_count;
    for (Size c = 0; c < k; ++c) scratch_.coupling_force[c] = -violation(c, x);
    solve_cholesky(scratch_.coupling_matrix, k, scratch_.coupling_force);
    for (Size i = 0; i < b; ++i) {
      Lanes sum(0.0);
      for (Size c = 0; c < k; ++c) {
        sum += scratch_.coupling_columns[c * b + i] * scratch_.coupling_force[c];
      }
      x[i] += sum;
    }
  }

 private:
  Lanes violation(Size coupling, const Lanes* x) const {
    const Size follower = job_.followers[coupling];
    return x[follower] - job_.joints[follower].multiplier * x[job_.leaders[coupling]];
  }
  void factor_dense(const Lanes* q, Group& group) {
    const Size n = job_.size;
    for (Size i = 0; i < n * n; ++i) scratch_.dense[i] = Lanes(0.0);
    inertia_matrix<Lanes>(tree_, scratch_.composite, q, [&](Size i, Size j, const Lanes& value) {
      const LaneJob::Joint &a = job_.joints[i], &b = job_.joints[j];
      const Lanes part = a.multiplier * b.multiplier * value;
      scratch_.dense[a.coordinate * n + b.coordinate] += part;
      if (i != j) scratch_.dense[b.coordinate * n + a.coordinate] += part;
    });
    factor_cholesky(scratch_.dense, n, group);
  }

  const LaneJob& job_;
  const LaneScratch& scratch_;
  Tree tree_;
};

}  // namespace
}  // namespace DYNAMICS_KERNEL_NAMESPACE
}  // namespace dynamics::kernel
